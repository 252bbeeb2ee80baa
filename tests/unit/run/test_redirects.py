"""An exchange that follows redirects is several requests; what it costs is still of an exchange."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from tests.unit.run.fakes.adapter import FakeAdapter, guessed_origin_ns
from tests.unit.run.fakes.origin import FakeOrigin
from tests.unit.run.fakes.runs import GET, FakeRun, experiment_of, plain

from fetchoff.analysis.series import Series, series_of
from fetchoff.model.observation import Batch, Outcome, Turns
from fetchoff.model.workload import Settings

A, B = "a/x", "b/y"
FOLLOWING = replace(GET, settings=Settings(redirects=3))
EXPERIMENT = experiment_of(plain(A, B), FOLLOWING, rounds=2)
CPU_NS = 100_000  # of an exchange


def measured(folder: Path, *, gives_turns: bool) -> FakeRun:
    """A follows one redirect in each exchange, and B keeps in mind where it leads."""
    run = FakeRun(
        folder,
        {A: lambda *_: FakeAdapter(A, follows=1), B: lambda *_: FakeAdapter(B)},
        origins=[FakeOrigin(gives_turns=gives_turns) for _ in range(2)],
    )
    run(EXPERIMENT)
    assert run.outcomes(A) == run.outcomes(B) == [Outcome.OK] * 2
    return run


def costs(run: FakeRun) -> Series:
    return series_of(EXPERIMENT, run.journal.records(), GET.id)


def test_who_follows_redirects_is_measured_in_batches(tmp_path: Path) -> None:
    """The origin would count a turn by its requests."""
    run = measured(tmp_path, gives_turns=True)
    assert {turns.entrant for turns in run.journal.of(Turns)} == {B}
    batches = [batch for batch in run.journal.of(Batch) if batch.entrant == A]
    assert len(batches) == 2 * EXPERIMENT.blocks
    assert all(batch.seen.requests == 2 * batch.exchanges for batch in batches)


def test_an_exchange_costs_the_same_whether_others_have_turns_or_batches(tmp_path: Path) -> None:
    for gives_turns in (True, False):
        found = costs(measured(tmp_path / str(gives_turns), gives_turns=gives_turns))
        np.testing.assert_allclose(found.cpu_ns, CPU_NS)
        np.testing.assert_allclose(found.wall_ns, CPU_NS + guessed_origin_ns(CPU_NS))
