"""What a run says of placements that its machine cannot fully provide."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.analysis.planted import GET, experiment

from fetchoff.app import measure
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment
from fetchoff.model.workload import Placement, Workload, placed
from fetchoff.run.host.placement import Urgency

NO_CORE = "the harness has no core of its own: client and origin may run on it as well"
FREE = placed(GET, Placement.FREE)


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "usable_cores", lambda: [0, 1])
    monkeypatch.setattr(measure, "strongest_urgency", lambda: Urgency.HIGH)
    monkeypatch.setattr(measure, "notes_on_threads", lambda *_: ())


def asked(*workloads: Workload) -> Experiment:
    return replace(experiment(), courses=tuple(map(Course, workloads)))


def test_what_is_true_of_some_workloads_names_them() -> None:
    assert measure.placement_notes(asked(GET, FREE)) == (f"get+free: {NO_CORE}",)


def test_what_is_true_of_all_names_none() -> None:
    post = placed(replace(GET, id="post"), Placement.FREE)
    assert measure.placement_notes(asked(FREE, post)) == (NO_CORE,)
    assert measure.placement_notes(asked(GET)) == ()
