"""Find the releases in which a client's cost has changed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fetchoff.app.choose import member_of, states
from fetchoff.app.experiments import pair
from fetchoff.app.measure import new_run
from fetchoff.app.results import analysis_of, write
from fetchoff.app.unchanged import must_be_unchanged
from fetchoff.model.client import Client, ClientId, Manifest, Readiness
from fetchoff.model.errors import FetchoffError, InputError
from fetchoff.model.history import (
    Compared,
    History,
    HistoryPlan,
    Measured,
    PassedOver,
    Stretch,
    StretchKind,
)
from fetchoff.model.release import Release
from fetchoff.plan.bisection import Ends, Node, next_to_compare, tree
from fetchoff.report.wording.findings import message
from fetchoff.store.run_folder import HEADER, RunFolder

if TYPE_CHECKING:
    from fetchoff.model.analysis import Analysis, RankingRow

SHARE = 0.25
"""Of the budget that is left, what one comparison may use: a difference that is hard to tell does
not use up what the others need."""

LEAST_S = 5.0
"""With less of the budget left, no further comparison begins."""


class CannotBeMeasured(FetchoffError):
    """A release that cannot be set up, or fails when it is measured."""

    def __init__(self, version: str, reason: str) -> None:
        super().__init__(f"{version}: {reason}")
        self.version = version
        self.reason = reason


Compare = Callable[[str, str, float], Compared]
"""Compares two versions, the older first, within a budget in seconds; CannotBeMeasured if one of
them cannot be had."""


def between(
    releases: Iterable[Release], oldest: str, newest: str | None, *, pre: bool
) -> tuple[Release, ...]:
    """The releases from `oldest` to `newest` or the latest, oldest first; InputError for others.

    Pre-releases are left out unless `pre`, or they are the ends.
    """
    known = {release.version: release for release in releases}
    for version in filter(None, (oldest, newest)):
        if version not in known:
            raise InputError(f"the registry lists no version {version}", _near(version, known))
    ends = {oldest, newest}
    found = [r for r in known.values() if pre or not r.is_pre or r.version in ends]
    found.sort(key=lambda release: release.order)
    last = known[newest].order if newest else found[-1].order
    inside = tuple(r for r in found if known[oldest].order <= r.order <= last)
    if len(inside) < 2:
        raise InputError(f"there is no release after {oldest} to compare with", "choose another")
    return inside


def _near(version: str, known: Iterable[str]) -> str:
    line = ".".join(version.split(".")[:2])
    near = [one for one in known if one.startswith(line)][:5]
    return f"it lists {', '.join(near)}" if near else "'fetchoff versions CLIENT' lists them"


@dataclass
class Search:
    """A search, as far as it has come."""

    plan: HistoryPlan
    _compared: dict[Ends, Compared] = field(default_factory=dict, init=False)
    _gone: dict[int, str] = field(default_factory=dict, init=False)

    def run(self, compare: Compare, tell: Callable[[PassedOver], None]) -> History:
        """Compare until every step is found, or the budget is spent; the releases that cannot be
        had are told."""
        while (ends := next_to_compare(self._tree(), self._apart())) and self._left_s() >= LEAST_S:
            older, newer = (self.plan.releases[end].version for end in ends)
            try:
                found = compare(older, newer, max(SHARE * self._left_s(), LEAST_S))
            except CannotBeMeasured as error:
                self._gone[self._number(error.version)] = error.reason
                tell(PassedOver(error.version, error.reason))
            else:
                self._compared[ends] = found
        return self.so_far()

    def so_far(self) -> History:
        """What the comparisons say."""
        root = self._tree()
        nodes = list(root.nodes()) if root else []
        shown = {
            node.ends: self._compared[node.ends] for node in nodes if node.ends in self._apart()
        }
        return History(
            plan=self.plan,
            compared=tuple(self._compared.values()),
            stretches=tuple(map(self._stretch, root.leaves() if root else ())),
            unlocated=tuple(shown[n.ends] for n in nodes if n.halves and _is_lost(n, shown)),
            passed_over=tuple(
                PassedOver(self.plan.releases[number].version, reason)
                for number, reason in sorted(self._gone.items())
            ),
            seconds=sum(one.seconds for one in self._compared.values()),
        )

    def _stretch(self, leaf: Node) -> Stretch:
        older, newer = leaf.ends
        versions = [release.version for release in self.plan.releases]
        found = self._compared.get(leaf.ends)
        return Stretch(
            versions[older],
            versions[newer],
            _kind(found),
            found,
            tuple(versions[older + 1 : newer]),
        )

    def _tree(self) -> Node | None:
        return tree(len(self.plan.releases), self._gone, self._apart())

    def _apart(self) -> dict[Ends, float]:
        return {
            ends: found.apart if found.differs else 0.0 for ends, found in self._compared.items()
        }

    def _left_s(self) -> float:
        return self.plan.budget_s - sum(one.seconds for one in self._compared.values())

    def _number(self, version: str) -> int:
        return [release.version for release in self.plan.releases].index(version)


def _is_lost(node: Node, shown: dict[Ends, Compared]) -> bool:
    """Whether both halves were compared, and neither was shown to differ."""
    return all(half.ends in shown and not shown[half.ends].differs for half in node.halves)


def _kind(found: Compared | None) -> StretchKind:
    if found is None:
        return StretchKind.OPEN
    if found.differs:
        return StretchKind.STEP
    return StretchKind.LEVEL if found.agrees else StretchKind.UNCLEAR


@dataclass(frozen=True)
class Comparer:
    """Compares releases by ordinary runs, each in a folder within that of the history.

    A run that is there already is taken as it is, or completed if it was interrupted. `set_up` and
    `measure`: with whatever progress the user is to see.
    """

    plan: HistoryPlan
    folder: Path
    set_up: Callable[[Manifest], Client]
    measure: Callable[[RunFolder, Sequence[Client]], None]

    def __call__(self, older: str, newer: str, budget_s: float) -> Compared:
        a, b = (self.ready(version) for version in (older, newer))
        place = self.folder / "comparisons" / f"{older}--{newer}"
        if (place / HEADER).exists():
            run = RunFolder.open(place, to_append=True)
            must_be_unchanged(run.header, [a, b])
        else:
            run = self._new_run(a, b, place, budget_s)
        if run.ended is not None:
            run.close()
        else:
            self.measure(run, [a, b])
        analysis = analysis_of(run)
        write(analysis, place)
        return compared(analysis, {a.id: older, b.id: newer}, str(place.relative_to(self.folder)))

    def _new_run(self, a: Client, b: Client, place: Path, budget_s: float) -> RunFolder:
        plan = self.plan
        drawn = random.Random(f"{plan.seed} {a.id} {b.id}")
        experiment = pair(a, b, [plan.course], budget_s=budget_s, seed=drawn.randrange(2**31))
        experiment = replace(
            experiment,
            alpha=plan.alpha_of_one,
            margin=plan.margin,
            least_rounds=experiment.looks[0],  # with fewer, no difference is large enough
        )
        return new_run(experiment, [a, b], f"{b.id} against {a.id}", place)

    def ready(self, version: str) -> Client:
        """A release, set up; CannotBeMeasured if it can't be."""
        client_id = replace(ClientId.parse(self.plan.client), version=version)
        manifest = member_of(self.plan.adapter, client_id)
        client = states([manifest])[0]
        if client.readiness is Readiness.NOT_SET_UP:
            client = self.set_up(manifest)
        if client.readiness is not Readiness.READY:
            raise CannotBeMeasured(version, client.reason)
        return client


def compared(analysis: Analysis, versions: dict[str, str], run: str) -> Compared:
    """The one comparison of a run. `versions`: by client, the older first; CannotBeMeasured for a
    client without figures."""
    result = analysis.results[0]
    rows = {row.client: row for row in result.standings}
    for client, version in versions.items():
        if rows[client].costs is None:
            raise CannotBeMeasured(version, message(rows[client]))
    older, newer = (_measured(rows[client], version) for client, version in versions.items())
    row = rows[list(versions)[1]]
    assert row.wall is not None
    assert row.cpu is not None
    return Compared(
        older,
        newer,
        row.wall,
        row.cpu,
        row.rounds,
        analysis.seconds,
        run,
        result.withheld is not None,
    )


def _measured(row: RankingRow, version: str) -> Measured:
    assert row.costs is not None
    segments = row.wire.segments_per_exchange if row.wire else float("nan")
    return Measured(version, row.costs.wall_us, row.costs.cpu_us, row.costs.peak_mb, segments)
