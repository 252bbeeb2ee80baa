"""Try what a diagnosis found: one factor toggled, everything else the same, both measured."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from fetchoff.analysis.series import Array, series_of
from fetchoff.analysis.stopping import rule_of
from fetchoff.app.measure import new_run
from fetchoff.diagnosis.rules.registry import rule
from fetchoff.diagnosis.verdict import Toggled, judge, predicted
from fetchoff.model.cause import Cause, Diagnosis, Tried
from fetchoff.model.client import Client
from fetchoff.model.course import Course
from fetchoff.model.errors import InputError
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.model.toggle import Toggle
from fetchoff.store.run_folder import RunFolder

TURNS = 8
LEAST_ROUNDS = 5
MARK = "~"  # between a workload and the rule whose toggle changes it


def can_be_tried(cause: Cause) -> bool:
    """Whether its rule has a toggle that needs no other client."""
    toggle = rule(cause.fault).toggle
    return toggle is not None and not toggle.variant


@dataclass(frozen=True)
class ATrial:
    """A run that measures a course as it is and with each toggle, in the same rounds.

    `changed`: the course of each fault's toggle. Measure `folder`, then ask `judged`.
    """

    folder: RunFolder
    client: Client
    course: Course
    changed: Mapping[str, Course]
    diagnosis: Diagnosis

    def judged(self) -> Diagnosis:
        """The diagnosis with what became of its causes."""
        found = {
            cause.fault: self._judge(cause)
            for cause in self.diagnosis.causes
            if cause.fault in self.changed
        }
        causes = tuple(
            replace(cause, tried=found.get(cause.fault)) for cause in self.diagnosis.causes
        )
        return replace(self.diagnosis, causes=causes)

    def _judge(self, cause: Cause) -> Tried:
        return judge(
            self._costs_us(self.course),
            self._costs_us(self.changed[cause.fault]),
            Toggled(
                _toggle_of(cause.fault).about,
                predicted(cause, self.diagnosis.cpu_us),
                cause.exchange_us,
            ),
            rule_of(self.folder.header.experiment),
        )

    def _costs_us(self, course: Course) -> Array:
        """Wall time of an exchange in each round."""
        experiment, records = self.folder.header.experiment, self.folder.records()
        return series_of(experiment, records, course.id).wall_ns[:, 0] / 1e3


def trial_of(
    client: Client,
    course: Course,
    diagnosis: Diagnosis,
    *,
    budget_s: float,
    out: Path | None,
    seed: int | None = None,
) -> ATrial | None:
    """Prepare a trial of all causes that have a toggle; None if there are none."""
    wanted = [cause for cause in diagnosis.causes if can_be_tried(cause)]
    if not wanted:
        return None
    changed = {cause.fault: _changed(course, cause.fault) for cause in wanted}
    experiment = Experiment(
        entrants=(Entrant(client.id, client.id, client.id),),
        courses=(course, *changed.values()),
        baseline=client.id,
        seed=secrets.randbelow(2**31) if seed is None else seed,
        budget_s=budget_s,
        turns=TURNS,
        decide_on=(),
        least_rounds=LEAST_ROUNDS,
    )
    folder = new_run(experiment, [client], f"{client.id}: what makes it slow", out)
    return ATrial(folder, client, course, changed, diagnosis)


def _toggle_of(fault: str) -> Toggle:
    toggle = rule(fault).toggle
    assert toggle is not None
    return toggle


def _changed(course: Course, fault: str) -> Course:
    try:
        workload = _toggle_of(fault).apply(course.workload)
    except ValueError as error:
        raise InputError(f"'{course.id}' cannot be tried otherwise: {error}") from error
    return replace(course, workload=replace(workload, id=f"{workload.id}{MARK}{fault}"))
