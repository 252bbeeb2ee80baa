"""Try what a diagnosis found: one factor toggled, everything else the same, both measured."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fetchoff.analysis.series import series_of
from fetchoff.analysis.stopping import rule_of
from fetchoff.app.choose import states
from fetchoff.app.measure import new_run
from fetchoff.build.build_dir import BuildDir
from fetchoff.catalog.manifests import Family
from fetchoff.diagnosis.rule import Rule
from fetchoff.diagnosis.rules.registry import rule
from fetchoff.diagnosis.verdict import Toggled, judge, predicted
from fetchoff.model.cause import Cause, Diagnosis, Tried
from fetchoff.model.client import Client, ClientId, Manifest
from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.model.observation import Sample
from fetchoff.model.workload import Workload, required_features
from fetchoff.store.run_folder import RunFolder

TURNS = 8
LEAST_ROUNDS = 5
MARK = "~"  # between a workload and the rule whose toggle changes it


@dataclass(frozen=True)
class Otherwise:
    """The other way of a trial: one factor is not as it was. `toggle`: which, in words."""

    toggle: str
    client: Client
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
        plain = self._costs_us(self.diagnosis.client, self.course)
        toggled = self._costs_us(otherwise.client.id, otherwise.course)
        samples = sorted(plain.keys() | toggled.keys())  # a link may have failed in one of the two
        plain_us, toggled_us = (
            np.array([of.get(sample, np.nan) for sample in samples]) for of in (plain, toggled)
        )
        return judge(
            plain_us,
            toggled_us,
            Toggled(
                otherwise.toggle,
                predicted(cause, self.diagnosis.cpu_us),
                cause.exchange_us,
            ),
            rule_of(self.folder.header.experiment),
        )

    def _costs_us(self, client: str, course: Course) -> dict[Sample, float]:
        """Wall time of an exchange in each round."""
        experiment, records = self.folder.header.experiment, self.folder.records()
        series = series_of(experiment, records, course.id)
        walls_us = series.wall_ns[:, series.index(client)] / 1e3
        return dict(zip(series.samples, map(float, walls_us), strict=True))


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
    or where it would change nothing, the variant of the client that has a cure is measured beside
    it, if it is set up.
    """
    otherwise = {
        cause.fault: other
        for cause in diagnosis.causes
        if (other := _otherwise(cause, client, course)) is not None
    }
    is_cut = any(exchange.expect.cut for exchange in course.workload.exchanges)
    if is_cut or course.link.names or not otherwise:
        return None
    others = otherwise.values()
    clients = {each.id: each for each in (client, *(other.client for other in others))}
    tried_on = {each.id: each for each in (course, *(other.course for other in others))}
    experiment = Experiment(
        entrants=tuple(Entrant(each, each, each) for each in clients),
        courses=tuple(tried_on.values()),
        baseline=client.id,
        seed=secrets.randbelow(2**31) if seed is None else seed,
        budget_s=budget_s,
        turns=TURNS,
        decide_on=(),
        least_rounds=LEAST_ROUNDS,
    )
    taking_part = tuple(clients.values())
    folder = new_run(experiment, list(taking_part), f"{client.id}: what makes it slow", out)
    return ATrial(folder, taking_part, course, otherwise, diagnosis)


def _otherwise(cause: Cause, client: Client, course: Course) -> Otherwise | None:
    found = rule(cause.fault)
    if found.untried:
        return None
    return _toggled(found, client, course) or _cured(cause, client, course)


def _toggled(found: Rule, client: Client, course: Course) -> Otherwise | None:
    """With the toggle of a rule; None where it changes nothing, or asks too much of the client."""
    workload = found.toggle.change(course.workload) if found.toggle else None
    if found.toggle is None or workload is None or not _can_do(client, workload, course.workload):
        return None
    named = replace(workload, id=f"{workload.id}{MARK}{found.id}")
    return Otherwise(found.toggle.about, client, replace(course, workload=named))


def _can_do(client: Client, workload: Workload, as_it_is: Workload) -> bool:
    """Whether a client has what a workload needs more."""
    more = set(required_features(workload)) - set(required_features(as_it_is))
    return client.description is not None and more <= client.description.features


def _cured(cause: Cause, client: Client, course: Course) -> Otherwise | None:
    """With the variant that has a cure; None where there is none, or where it is not ready.

    It is that of the client's own folder, which may be a copy that was edited; and its library must
    be built from the same sources, or else more than the cure would differ.
    """
    if cause.cure is None or not cause.cure.variant:
        return None
    own = Family.of(client.manifest.folder).member(ClientId.parse(cause.cure.variant))
    (variant,) = states([own])
    if variant.launch is None or _built_from(own) != _built_from(client.manifest):
        return None
    return Otherwise(f"it is {own.about}", variant, course)


def _built_from(manifest: Manifest) -> list[str]:
    """The digests of the user's source trees; none: from where its recipe has its library."""
    return [tree.digest for tree in BuildDir.of(manifest).trees]
