"""Runs over TLS and through a proxy are measured like others, and the ledger records the use."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command import Command, Ran, fake
from tests.conftest import WORKLOAD
from tests.integration import runs

CLIENTS = ("honest", "unproxied")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("transports")
    for name, setting in (("tls", "tls = true"), ("proxy", "proxy = true")):
        written = WORKLOAD.replace("[settings]", f"[settings]\n{setting}")
        (folder / f"{name}.toml").write_text(written)
    return folder


@pytest.fixture(scope="module")
def ran(folder: Path, cache: Path) -> Ran:
    command = Command(folder, cache)
    command("setup", *map(fake, CLIENTS))
    clients = [part for name in CLIENTS for part in ("--client", fake(name))]
    workloads = ("-w", "tls.toml", "-w", "proxy.toml")
    return command("run", *workloads, *clients, "--budget", "4", "-o", "run")


def test_over_tls_all_are_measured(ran: Ran, folder: Path) -> None:
    assert ran.status == 0, ran.err
    standings = runs.standings(folder / "run", "tls")
    assert {standing["outcome"] for standing in standings.values()} == {"ok"}
    for invocation in runs.invocations(folder / "run"):
        if invocation.workload == "tls":
            assert invocation.ledger["handshakes_full"] == invocation.ledger["connections"]
            assert invocation.ledger["handshakes_failed"] == 0


def test_who_goes_past_the_proxy_is_not_measured(ran: Ran, folder: Path) -> None:
    standings = runs.standings(folder / "run", "proxy")
    assert standings["fake/honest"]["outcome"] == "ok"
    assert standings["fake/unproxied"]["outcome"] == "invalid"
    assert "go through a proxy, did so with 0 of 1" in standings["fake/unproxied"]["message"]
    for invocation in runs.invocations(folder / "run"):
        if (invocation.workload, invocation.client) == ("proxy", "fake/honest"):
            assert invocation.ledger["absolute_form"] == invocation.ledger["requests"]
