"""Content that is hashed as it comes: asked for batch by batch, and each digest looked at."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from fetchoff.catalog.workloads import workload
from fetchoff.model.course import Course
from fetchoff.model.experiment import Effect, Role, is_measured, with_controls
from fetchoff.model.observation import Seen
from fetchoff.model.workload import Settings, Sink, required_features
from fetchoff.protocol.adapter import Done, Spool, prepare
from fetchoff.protocol.origin import Counters
from fetchoff.run.adapters.judging import Refused
from fetchoff.run.adapters.seam import AdapterProcess, Timed
from fetchoff.run.adapters.session import ClientSession
from fetchoff.run.origins.built_in import Ledger
from fetchoff.run.origins.reference import Reference

HASHED = workload("download-hashed@1k")
RIGHT, WRONG = "a" * 64, "b" * 64


class Hashing:
    """Gives the same digest each time; remembers whether it was asked for one."""

    def __init__(self, sha256: str) -> None:
        self.asked: list[tuple[int, bool]] = []
        self._sha256 = sha256

    def run_timed(self, n: int, _timeout_s: float, *_: object, digest: bool, **__: object) -> Timed:
        self.asked.append((n, digest))
        done = Done(n, 0, 1000 * n, 1000, sha256=(self._sha256,) if digest else ())
        return Timed(done, 1000, 1000, 0)


class BlindLedger:
    base_url = "http://127.0.0.1:1"
    tls_ca: Path | None = None
    counts: frozenset[str] = frozenset()

    def read(self, at_least: int = 0) -> Counters:
        return Counters.only(Seen())


def guest_of(adapter: Hashing) -> ClientSession:
    ledger, reference = cast(Ledger, BlindLedger()), Reference(HASHED, (RIGHT,))
    return ClientSession("p", "c", cast(AdapterProcess, adapter), ledger, reference, Course(HASHED))


def test_a_batch_is_one_iteration_however_short(tmp_path: Path) -> None:
    adapter = Hashing(RIGHT)
    session = guest_of(adapter)
    session.warm_up(lambda: 0)
    session.judge(session.batch(session.iterations, lambda: 0), session.iterations)
    assert set(adapter.asked) == {(1, True)}
    settings = prepare(HASHED, "http://127.0.0.1:1", Spool(tmp_path))["settings"]
    assert isinstance(settings, dict)
    assert settings["sink"] == "discard"
    assert "sink.discard" in required_features(HASHED)


def test_a_wrong_digest_is_refused_in_a_measured_batch() -> None:
    session = guest_of(Hashing(WRONG))
    measured = session.batch(1, lambda: 0)
    with pytest.raises(Refused, match="is not what the origin sent"):
        session.judge(measured, 1)


def test_not_many_at_a_time() -> None:
    with pytest.raises(ValueError, match="one at a time"):
        Settings(sink=Sink.HASH, concurrency=2)


def test_nobody_is_asked_for_more_than_one() -> None:
    entrants = with_controls((("a/x", "a", Role.RANKED),))
    taking_part = [entrant for entrant in entrants if is_measured(entrant, Course(HASHED))]
    assert {entrant.effect for entrant in taking_part} == {Effect.NONE}
    assert {entrant.process for entrant in taking_part} == {"a/x", "a/x#twin"}
