"""Find the releases in which a client's cost has changed."""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fetchoff.app.choose import member_of
from fetchoff.app.experiments import pair
from fetchoff.app.measure import new_run
from fetchoff.app.results import analysis_of, write
from fetchoff.app.unchanged import must_be_unchanged
from fetchoff.model.client import Client, ClientId, Manifest, Package, Readiness
from fetchoff.model.errors import FetchoffError, InputError, LinkError
from fetchoff.model.estimate import Verdict
from fetchoff.model.failures import Failures
from fetchoff.model.history import (
    Compared,
    History,
    HistoryPlan,
    Limit,
    Measured,
    OtherPackage,
    PassedOver,
    SetupFailed,
    Stretch,
    StretchKind,
)
from fetchoff.model.observation import NO_CLIENT_LEFT
from fetchoff.model.release import Release
from fetchoff.model.spent import Spent
from fetchoff.plan.bisection import Ends, Node, to_compare, tree
from fetchoff.report.wording.findings import advice, message, reason
from fetchoff.store.history import keep_setup_failed, setups_failed
from fetchoff.store.run_folder import HEADER, ClientRecord, RunFolder

if TYPE_CHECKING:
    from fetchoff.model.analysis import Analysis, RankingRow, WorkloadResult
    from fetchoff.model.observation import Record

SHARE = 0.25
"""Of the budget that is left, what one of several open comparisons may use: a difference that is
hard to tell does not use up what the others need."""

LEAST_S = 5.0
"""With less of the budget left, no further comparison begins; the first one always does."""

REPEATS = 2
"""How many comparisons a search may repeat: each makes the error rate of all comparisons smaller
(docs/decisions/0016-history.md)."""


class CannotBeMeasured(FetchoffError):
    """A release that cannot be set up, or fails when it is measured.

    `seconds`: how long it was measured; 0 if it could not be set up before a comparison began.
    """

    def __init__(self, version: str, reason: str, seconds: float = 0.0) -> None:
        super().__init__(f"{version}: {reason}")
        self.version = version
        self.reason = reason
        self.seconds = seconds


Compare = Callable[[str, str, float, int], Compared]
"""Compares two versions, the older first, within a budget in seconds, for the first or second time;
CannotBeMeasured if one of them cannot be had."""


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
    _made: list[tuple[Ends, Compared]] = field(default_factory=list, init=False)
    _failed_s: list[float] = field(default_factory=list, init=False)
    _gone: dict[int, str] = field(default_factory=dict, init=False)

    def run(self, compare: Compare, tell: Callable[[PassedOver], None]) -> History:
        """Compare until every step is found, or the budget is spent; the releases that cannot be
        had are told."""
        while (wanted := self._wanted()) is not None:
            ends, budget_s = wanted
            older, newer = (self.plan.releases[end].version for end in ends)
            try:
                found = compare(older, newer, budget_s, 1 + self._times()[ends])
            except CannotBeMeasured as error:
                self._gone[self._number(error.version)] = error.reason
                if error.seconds:
                    self._failed_s.append(error.seconds)
                tell(PassedOver(error.version, error.reason))
            else:
                self._made.append((ends, found))
        return self.so_far()

    def so_far(self) -> History:
        """What the comparisons say."""
        root = self._tree()
        nodes = list(root.nodes()) if root else []
        found = self._found()
        shown = {node.ends: found[node.ends] for node in nodes if node.ends in found}
        return History(
            plan=self.plan,
            compared=tuple(one for _, one in self._made),
            stretches=tuple(map(self._stretch, root.leaves() if root else ())),
            unlocated=tuple(shown[n.ends] for n in nodes if n.halves and _is_lost(n, shown)),
            passed_over=tuple(
                PassedOver(self.plan.releases[number].version, reason)
                for number, reason in sorted(self._gone.items())
            ),
            seconds=self._spent_s(),
            limit=self._limit(),
        )

    def _wanted(self) -> tuple[Ends, float] | None:
        """What to compare next, and for how many seconds at most; None if nothing is left to find
        out, or nothing more may be measured."""
        if self._limit() is not None:
            return None
        left_s = self._left_s()
        open_ = to_compare(self._tree(), self._apart())
        again = self._worth_repeating(left_s)
        if open_:
            is_only_one = len(open_) + len(again) == 1
            return open_[0], left_s if is_only_one else max(SHARE * left_s, LEAST_S)
        return (again[0], left_s / len(again)) if again else None

    def _limit(self) -> Limit | None:
        """A comparison in which a release fails has spent its error rate as well: whether it fails
        may depend on what was measured."""
        begun = len(self._made) + len(self._failed_s)
        if begun and self._left_s() < LEAST_S:
            return Limit.BUDGET
        return Limit.COMPARISONS if begun >= self.plan.most_comparisons else None

    def _worth_repeating(self, left_s: float) -> tuple[Ends, ...]:
        """The stretches that were compared once without an answer, oldest first; as many as may be
        repeated, and as have enough time each if they share it. With less time than it took before,
        a comparison would tell no more."""
        root, found, times = self._tree(), self._found(), self._times()
        repeated = len(self._made) - len(times)
        unclear = [
            leaf.ends
            for leaf in (root.leaves() if root else ())
            if _kind(found.get(leaf.ends)) is StretchKind.UNCLEAR and times[leaf.ends] == 1
        ]
        for many in range(self.plan.repeats - repeated, 0, -1):
            worth = [ends for ends in unclear if found[ends].seconds <= left_s / many]
            if len(worth) >= many:
                return tuple(worth[:many])
        return ()

    def _stretch(self, leaf: Node) -> Stretch:
        older, newer = leaf.ends
        versions = [release.version for release in self.plan.releases]
        found = self._found().get(leaf.ends)
        return Stretch(
            versions[older],
            versions[newer],
            _kind(found),
            found,
            tuple(versions[older + 1 : newer]),
        )

    def _tree(self) -> Node | None:
        return tree(len(self.plan.releases), self._gone, self._apart())

    def _found(self) -> dict[Ends, Compared]:
        """By stretch, the comparison that counts: the last one, but none that is withheld if
        another is not."""
        found: dict[Ends, Compared] = {}
        for ends, one in self._made:
            if ends not in found or not one.withheld:
                found[ends] = one
        return found

    def _times(self) -> Counter[Ends]:
        """How often each stretch was compared."""
        return Counter(ends for ends, _ in self._made)

    def _apart(self) -> dict[Ends, float]:
        return {ends: one.apart if one.differs else 0.0 for ends, one in self._found().items()}

    def _spent_s(self) -> float:
        return sum(one.seconds for _, one in self._made) + sum(self._failed_s)

    def _left_s(self) -> float:
        return self.plan.budget_s - self._spent_s()

    def _number(self, version: str) -> int:
        return [release.version for release in self.plan.releases].index(version)


def _is_lost(node: Node, shown: dict[Ends, Compared]) -> bool:
    """Whether both halves were compared, neither of them is withheld, and neither was shown to
    differ."""
    halves = [shown.get(half.ends) for half in node.halves]
    return all(one is not None and not (one.withheld or one.differs) for one in halves)


def _kind(found: Compared | None) -> StretchKind:
    if found is None:
        return StretchKind.OPEN
    if found.differs:
        return StretchKind.STEP
    return StretchKind.LEVEL if found.agrees else StretchKind.UNCLEAR


@dataclass(frozen=True)
class Comparer:
    """Compares releases by ordinary runs, each in a folder within that of the history.

    A run that is there already is taken as it is, whatever has become of its releases, or completed
    if it was interrupted. A release that could not be set up for a comparison isn't tried again for
    it: a search that is continued goes the way that it went. `set_up` and `measure`: with whatever
    progress the user is to see.
    """

    plan: HistoryPlan
    folder: Path
    set_up: Callable[[Manifest], Client]
    measure: Callable[[RunFolder, Sequence[Client]], None]

    def __call__(self, older: str, newer: str, budget_s: float, attempt: int) -> Compared:
        name = f"{older}--{newer}" if attempt == 1 else f"{older}--{newer}--{attempt}"
        place = self.folder / "comparisons" / name
        run = RunFolder.open(place, to_append=True) if (place / HEADER).exists() else None
        if run is not None and run.ended is not None:
            run.close()
        else:
            try:
                clients = self._both_ready_once(older, newer, name, run)
                if run is not None:
                    must_be_unchanged(run.header, clients)
            except FetchoffError:
                if run is not None:
                    run.close()
                raise
            run = run or self._new_run(clients, place, budget_s, attempt)
            self.measure(run, clients)
        analysis = analysis_of(run)
        write(analysis, place)
        sides = dict(zip((older, newer), run.header.clients, strict=True))
        where = str(place.relative_to(self.folder))
        return compared(analysis, sides, where, run.records())

    def _both_ready_once(
        self, older: str, newer: str, name: str, run: RunFolder | None
    ) -> list[Client]:
        """Both releases; CannotBeMeasured if one of them can't be set up, or could not before."""
        known = next((one for one in setups_failed(self.folder) if one.comparison == name), None)
        if known is not None:
            raise CannotBeMeasured(known.version, known.reason, known.seconds)
        try:
            return self._both_ready(older, newer)
        except CannotBeMeasured as error:
            seconds = Spent(run.records()).seconds if run is not None else 0.0
            failed = SetupFailed(name, error.version, error.reason, seconds)
            keep_setup_failed(self.folder, failed)
            raise CannotBeMeasured(failed.version, failed.reason, failed.seconds) from error

    def _both_ready(self, older: str, newer: str) -> list[Client]:
        """First the one that was not compared yet. If it cannot be had, as before an interruption,
        the other need not be set up again, and isn't passed over where that fails now."""
        ready = {version: self.ready(version) for version in self._new_first(older, newer)}
        return [ready[older], ready[newer]]

    def _new_first(self, *versions: str) -> list[str]:
        places = (self.folder / "comparisons").glob("*")
        compared = {version for place in places for version in place.name.split("--")[:2]}
        return sorted(versions, key=lambda version: version in compared)

    def _new_run(
        self, clients: Sequence[Client], place: Path, budget_s: float, attempt: int
    ) -> RunFolder:
        plan, (a, b) = self.plan, clients
        drawn = random.Random(f"{plan.seed} {a.id} {b.id}{' again' if attempt > 1 else ''}")
        usual_s = min(budget_s, SHARE * plan.budget_s)
        experiment = pair(a, b, [plan.course], budget_s=usual_s, seed=drawn.randrange(2**31))
        experiment = replace(
            experiment,
            budget_s=budget_s,  # more time is for more rounds: with longer ones it is over later
            alpha=plan.alpha_of_one,
            margin=plan.margin,
            least_rounds=experiment.looks[0],  # with fewer, no difference is large enough
        )
        return new_run(experiment, clients, f"{b.id} against {a.id}", place)

    def ready(self, version: str) -> Client:
        """A release, set up; CannotBeMeasured if it can't be.

        All are resolved from the registry, also those that the adapter has a lock file for: that is
        of another day, so a dependency's change would be the library's step. None is built from a
        source tree, whatever the user has set up: that is no release. One whose setup failed
        outside of this search is tried again, because a registry may not have answered. One that is
        ready says hello again, because a library that it shares with the machine may have changed.
        """
        client_id = replace(ClientId.parse(self.plan.client), version=version)
        manifest = member_of(self.plan.adapter, client_id)
        manifest = replace(manifest, is_resolved=manifest.releases is not None, trees=())
        client = self.set_up(manifest)
        if client.readiness is not Readiness.READY:
            raise CannotBeMeasured(version, client.reason)
        return client


def spent_in(folder: Path) -> float:
    """Seconds of measuring in the folder of a history, also of a comparison that was cut off."""
    headers = (folder / "comparisons").glob(f"*/{HEADER}")
    return sum(Spent(RunFolder.open(header.parent).records()).seconds for header in headers)


def compared(
    analysis: Analysis, sides: Mapping[str, ClientRecord], run: str, records: Sequence[Record]
) -> Compared:
    """The one comparison of a run. `sides`: by version, the older first. `records`: of the run.

    CannotBeMeasured for a release that failed; LinkError if no round counts, which is no release's
    fault.
    """
    result = analysis.results[0]
    if not result.rounds:
        raise _nothing_counts(result, run)
    by_client = {row.client: row for row in result.standings}
    rows = {version: by_client[side.id] for version, side in sides.items()}
    seconds = Spent(records).seconds
    failed = _failed(analysis, rows, Failures(records))
    if failed is not None:
        raise CannotBeMeasured(failed.version, failed.reason, seconds)
    older, newer = (_measured(row, version) for version, row in rows.items())
    row = rows[newer.version]
    assert row.wall is not None
    assert row.cpu is not None
    return Compared(
        older,
        newer,
        row.wall,
        row.cpu,
        row.rounds,
        seconds,
        run,
        result.withheld is not None,
        tuple(_other_packages(sides)),
    )


def _failed(
    analysis: Analysis, rows: Mapping[str, RankingRow], failures: Failures
) -> PassedOver | None:
    """Which release could not be measured, and why: one without figures, or that broke down so
    often that the run ended before it had a verdict. A larger budget would not change that. Its
    controls are the same program, so they count here as they do for the run."""
    for version, row in rows.items():
        if row.costs is None:
            return PassedOver(version, message(row))
    newer = list(rows.values())[-1]
    verdicts = {clock.verdict for clock in (newer.wall, newer.cpu) if clock}
    if analysis.ended_reason != NO_CLIENT_LEFT or not verdicts <= {None, Verdict.UNDECIDED}:
        return None
    course = analysis.results[0].workload
    lost = {version: failures.of(row.client, course) for version, row in rows.items()}
    most = max(lost, key=lambda version: len(lost[version]))
    times = len(lost[most])
    said = f"it broke down {times} times: {lost[most][-1].message}" if times else ""
    return PassedOver(most, said) if said else None


def _nothing_counts(result: WorkloadResult, run: str) -> LinkError:
    why = result.withheld
    assert why is not None
    return LinkError(
        f"{run} says nothing about its releases: {reason(why)}",
        ". ".join((*advice(why), "To go on with this history, remove that folder first")),
    )


def _other_packages(sides: Mapping[str, ClientRecord]) -> Iterator[OtherPackage]:
    """Where the locks of two releases differ, but for the library and what has its version.

    A package that carries a library in C has a version of its own; `package` begins with its name:
    `curl-sys+curl`. Runs of before had releases without a lock.
    """
    if not all(record.packages for record in sides.values()):
        return
    library = {re.split(r"[\[+]", record.package)[0] for record in sides.values()}
    older, newer = (_versions(record.packages) for record in sides.values())
    for name in sorted((older.keys() | newer.keys()) - library):
        other = OtherPackage(name, older.get(name, ""), newer.get(name, ""))
        if other.older != other.newer and [other.older, other.newer] != list(sides):
            yield other


def _versions(packages: Iterable[Package]) -> dict[str, str]:
    """By name; a lock may have several of one."""
    found: dict[str, list[str]] = defaultdict(list)
    for package in packages:
        found[package.name].append(package.version)
    return {name: ", ".join(versions) for name, versions in found.items()}


def _measured(row: RankingRow, version: str) -> Measured:
    assert row.costs is not None
    segments = row.wire.segments_per_exchange if row.wire else float("nan")
    return Measured(version, row.costs.wall_us, row.costs.cpu_us, row.costs.peak_mb, segments)
