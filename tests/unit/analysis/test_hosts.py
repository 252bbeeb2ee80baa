"""Rounds of two machines in one journal: what has the same number is not the same round."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.analysis import planted
from tests.unit.analysis.raced import COURSE, US, Raced, ill

from fetchoff.analysis.curves import began_with, key_of
from fetchoff.analysis.evidence import Evidence
from fetchoff.analysis.series import Series, series_of
from fetchoff.model.check import CheckKind, CheckOutcome
from fetchoff.model.claim import Measure, Side
from fetchoff.model.observation import (
    Batch,
    Ended,
    Invocation,
    Outcome,
    Record,
    SectionDone,
    Usage,
)
from fetchoff.report.wording import self_checks

A, B = "a/x", "b/y"
FAR = "far"
ROUNDS = 4
OF_ATTEMPTS = (Batch, Invocation, SectionDone)
HERE = Raced({A: [0.0] * ROUNDS, B: [0.1] * ROUNDS})
THERE = Raced({A: [1.0] * ROUNDS, B: [1.1] * ROUNDS})


def on(host: str, records: Iterable[Record]) -> list[Record]:
    """The records as that host would have kept them."""
    return [r if isinstance(r, Ended) else replace(r, host=host) for r in records]


def series(records: Iterable[Record]) -> Series:
    return series_of(HERE.experiment, list(records), COURSE.id)


def test_each_round_of_each_host_is_a_sample() -> None:
    found = series([*HERE.records(), *on(FAR, THERE.records())])
    assert found.samples == tuple((host, n) for n in range(ROUNDS) for host in ("", FAR))
    assert found.rounds == 2 * ROUNDS
    here, there = US * np.exp([0.0, 0.1]), US * np.exp([1.0, 1.1])
    assert found.wall_ns == pytest.approx(np.tile([here, there], (ROUNDS, 1)), rel=1e-5)


def test_clients_are_compared_within_their_host() -> None:
    """Where one was measured on this machine and the other on that, there is no pair."""
    near, far = (
        replace(raced, ended=ill(0, client, Outcome.FAILED, "ended with exit status 1"))
        for raced, client in ((HERE, B), (THERE, A))
    )
    logs = series([*near.records(), *on(FAR, far.records())]).logs("wall")
    differences = logs[:, 1] - logs[:, 0]
    assert np.isnan(differences[:2]).all()
    assert differences[2:] == pytest.approx(0.1, abs=1e-5)
    assert np.isfinite(logs[:2]).sum() == 2


def test_what_went_wrong_on_one_host_costs_the_other_nothing() -> None:
    near = replace(HERE, ended=ill(1, B, Outcome.FAILED, "ended with exit status 1"))
    found = series([*near.records(), *on(FAR, THERE.records())])
    missing = np.isnan(found.wall_ns)
    assert [found.samples[row] for row in np.flatnonzero(missing[:, 1])] == [("", 1)]
    assert not missing[:, 0].any()


def test_a_section_that_was_cut_on_one_host_counts_on_the_other() -> None:
    cut = [r for r in HERE.records() if not (isinstance(r, SectionDone) and r.round == 2)]
    found = series([*cut, *on(FAR, THERE.records())])
    assert ("", 2) not in found.samples
    assert (FAR, 2) in found.samples


def test_attempts_are_counted_on_each_host_by_itself() -> None:
    again = [replace(r, attempt=1) for r in HERE.round(3) if isinstance(r, OF_ATTEMPTS)]
    found = series([*HERE.records(), *again, *on(FAR, THERE.records())])
    assert {b.attempt for b in found.batches if b.sample == ("", 3)} == {1}
    assert {b.attempt for b in found.batches if b.sample == (FAR, 3)} == {0}


def test_a_client_that_answered_wrong_anywhere_is_ranked_nowhere() -> None:
    wrong = ill(0, B, Outcome.INVALID, "other content", answered_wrong=True)
    far = replace(THERE, ended=wrong)
    rows = HERE.standings([*HERE.records(), *on(FAR, far.records())])
    assert rows[B].outcome is Outcome.INVALID
    assert rows[A].rounds == 2 * ROUNDS


def test_memory_is_told_of_both_hosts() -> None:
    far = [
        replace(r, usage=Usage(50, 50, 40_000)) if isinstance(r, Invocation) else r
        for r in on(FAR, THERE.records())
    ]
    evidence = Evidence.of(HERE.experiment, [*HERE.records(), *far])
    peaks = np.exp(evidence.costs(Measure.MEMORY, Side(A, COURSE.id)))
    assert sorted(peaks) == pytest.approx([20_000] * ROUNDS + [40_000] * ROUNDS)


def test_processes_of_two_hosts_both_begin_cold() -> None:
    records = [*HERE.records(), *on(FAR, HERE.records())]
    invocations = [r for r in records if isinstance(r, Invocation)]
    assert began_with(records) == {key_of(i) for i in invocations}
    assert len({key_of(i) for i in invocations}) == len(invocations) == 4 * ROUNDS


def test_self_checks_of_two_sound_hosts_find_no_fault() -> None:
    records = [*planted.sound(1), *on(FAR, planted.sound(2))]
    assert planted.failed(records) == set()
    accounts = {c.kind: c for c in planted.checks(records)}
    placed = self_checks.sentence(accounts[CheckKind.PLACEMENT])
    assert f"it holds, {2 * planted.ROUNDS} times" in placed


def test_a_fault_says_on_which_host_it_was() -> None:
    fault = planted.of_given(lambda given: replace(given, misplaced="a thread runs at nice 0"))
    off = planted.of_turns(lambda turns: replace(turns, process_cpu_ns=2 * turns.process_cpu_ns))
    records = [*planted.sound(1), *on(FAR, map(off, map(fault, planted.sound(2))))]
    failed = [c for c in planted.checks(records) if c.outcome is CheckOutcome.FAILED]
    texts = {c.kind: self_checks.sentence(c) for c in failed}
    assert f" on {FAR}: 0.5" in texts[CheckKind.CPU_ACCOUNT]
    assert "a thread runs at nice 0" in texts[CheckKind.PLACEMENT]


def test_the_machines_differ_and_the_ratio_does_not() -> None:
    rows = HERE.standings([*HERE.records(), *on(FAR, THERE.records())])
    found = rows[B].wall
    assert found is not None
    assert found.ratio.point == pytest.approx(math.exp(0.1), rel=1e-4)
    assert found.ratio.high / found.ratio.low < 1.01
