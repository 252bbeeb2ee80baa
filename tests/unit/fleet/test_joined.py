"""Joining a cluster: who is waited for, and who can't be used."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future as Answer
from typing import Any

import pytest

pytest.importorskip("distributed", reason="the extra 'fleet' is not installed")

from fetchoff.fleet.dask import joined
from fetchoff.fleet.dask.asked import Listing
from fetchoff.fleet.dask.joined import JoinedCluster

READY_S = 0.05


class Client:
    status = "running"

    def subscribe_topic(self, *_: object) -> None: ...


class Workers:
    """`come`: those that are there, each time that somebody asks. They get ready after a while; one
    that `fails` does so at once, and one that `hangs` never gets ready."""

    def __init__(self, *come: str, fails: str = "", hangs: str = "") -> None:
        self._come = list(come)
        self._fails = fails
        self._hangs = hangs

    def listing(self, _client: object) -> Listing:
        names = self._come.pop(0) if len(self._come) > 1 else self._come[0]
        return Listing("scheduler", {name: f"tcp://{name}" for name in names.split()})

    def on_worker(self, _client: object, address: str, _: Callable[..., Any]) -> Answer[None]:
        answer: Answer[None] = Answer()
        name = address.removeprefix("tcp://")
        if name == self._fails:
            answer.set_exception(OSError("nobody listens"))
        elif name != self._hangs:
            threading.Timer(READY_S, answer.set_result, [None]).start()
        return answer


def cluster_of(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> JoinedCluster:
    monkeypatch.setattr(joined, "FRESH_S", 0.0)  # whoever is there now is seen
    monkeypatch.setattr(joined, "listing", workers.listing)
    monkeypatch.setattr(joined, "on_worker", workers.on_worker)
    return JoinedCluster(Client())


def test_a_worker_that_comes_while_others_get_ready_is_no_unfit_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cluster = cluster_of(Workers("anna", "anna berta"), monkeypatch)
    assert cluster.present() == {"anna", "berta"}
    assert cluster.unfit == {}


def test_workers_that_hang_or_fail_are_not_waited_for_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(joined, "READY_S", 20 * READY_S)
    workers = Workers("anna berta carl", fails="berta", hangs="carl")
    cluster = cluster_of(workers, monkeypatch)
    assert cluster.present() == {"anna"}
    assert cluster.unfit == {"berta": "OSError: nobody listens", "carl": "it does not answer"}
