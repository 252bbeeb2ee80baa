"""Try what a diagnosis found: one factor toggled, everything else the same, both measured."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from fetchoff.analysis.series import Array, series_of
from fetchoff.analysis.stopping import rule_of
from fetchoff.app.choose import chosen, states
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


@dataclass(frozen=True)
class Otherwise:
    """The other way of a trial: one factor is not as it was. `toggle`: which, in words."""

    toggle: str
    client: str
    course: Course


@dataclass(frozen=True)
class ATrial:
    """A run that measures a client on a course as it is and with each factor changed, in the same
    rounds.

    `otherwise`: by fault. `clients`: whom to start. Measure `folder`, then ask `judged`.
    """

    folder: RunFolder
    clients: tuple[Client, ...]
    course: Course
    otherwise: Mapping[str, Otherwise]
    diagnosis: Diagnosis

    def judged(self) -> Diagnosis:
        """The diagnosis with what became of its causes."""
        causes = tuple(
            replace(cause, tried=self._judge(cause, self.otherwise[cause.fault]))
            if cause.fault in self.otherwise
            else cause
            for cause in self.diagnosis.causes
        )
        return replace(self.diagnosis, causes=causes)

    def _judge(self, cause: Cause, otherwise: Otherwise) -> Tried:
        return judge(
            self._costs_us(self.diagnosis.client, self.course),
            self._costs_us(otherwise.client, otherwise.course),
            Toggled(
                otherwise.toggle,
                predicted(cause, self.diagnosis.cpu_us),
                cause.exchange_us,
            ),
            rule_of(self.folder.header.experiment),
        )

    def _costs_us(self, client: str, course: Course) -> Array:
        """Wall time of an exchange in each round."""
        experiment, records = self.folder.header.experiment, self.folder.records()
        series = series_of(experiment, records, course.id)
        return series.wall_ns[:, series.index(client)] / 1e3


def trial_of(
    client: Client,
    course: Course,
    diagnosis: Diagnosis,
    *,
    budget_s: float,
    out: Path | None,
    seed: int | None = None,
) -> ATrial | None:
    """Prepare a trial of all causes that can be tried.

    None if there are none, or if the course can't be measured: nobody can do right what is cut off,
    and links with names are for recordings only.

    A toggle of the workload comes first, for it changes nothing in the client. Where there is none,
    the variant of the client that has a cure is measured beside it, if it is set up.
    """
    variants = {client.id: client for client in _cured(diagnosis)}
    otherwise = {
        cause.fault: other
        for cause in diagnosis.causes
        if (other := _otherwise(cause, client, course, variants)) is not None
    }
    is_cut = any(exchange.expect.cut for exchange in course.workload.exchanges)
    if is_cut or course.link.names or not otherwise:
        return None
    ids = dict.fromkeys((client.id, *(other.client for other in otherwise.values())))
    changed = (other.course for other in otherwise.values())
    experiment = Experiment(
        entrants=tuple(Entrant(each, each, each) for each in ids),
        courses=tuple({each.id: each for each in (course, *changed)}.values()),
        baseline=client.id,
        seed=secrets.randbelow(2**31) if seed is None else seed,
        budget_s=budget_s,
        turns=TURNS,
        decide_on=(),
        least_rounds=LEAST_ROUNDS,
    )
    clients = tuple(({client.id: client} | variants)[each] for each in ids)
    folder = new_run(experiment, list(clients), f"{client.id}: what makes it slow", out)
    return ATrial(folder, clients, course, otherwise, diagnosis)


def _cured(diagnosis: Diagnosis) -> Iterator[Client]:
    """The variants that have cures and are ready."""
    for cause in diagnosis.causes:
        if cause.cure is not None and cause.cure.variant and rule(cause.fault).toggle is None:
            found = states(chosen([cause.cure.variant]))
            yield from (client for client in found if client.launch is not None)


def _otherwise(
    cause: Cause, client: Client, course: Course, variants: Mapping[str, Client]
) -> Otherwise | None:
    toggle = rule(cause.fault).toggle
    if toggle is not None:
        return Otherwise(toggle.about, client.id, _changed(course, cause.fault, toggle))
    if cause.cure is not None and cause.cure.variant in variants:
        variant = variants[cause.cure.variant]
        return Otherwise(f"it is {variant.manifest.about}", variant.id, course)
    return None


def _changed(course: Course, fault: str, toggle: Toggle) -> Course:
    try:
        workload = toggle.apply(course.workload)
    except ValueError as error:
        raise InputError(f"'{course.id}' cannot be tried otherwise: {error}") from error
    return replace(course, workload=replace(workload, id=f"{workload.id}{MARK}{fault}"))
