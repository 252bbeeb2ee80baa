"""One workload's ranking: tiers, ratios, verdicts, costs, and what was seen on the wire."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import median

import numpy as np

from fetchoff.analysis import clocks, modes
from fetchoff.analysis.breakdowns import Breakdowns
from fetchoff.analysis.disturbed import dearer_with
from fetchoff.analysis.on_the_wire import on_the_wire
from fetchoff.analysis.rows_without_figures import answered_wrong, not_measured
from fetchoff.analysis.series import Array, Series
from fetchoff.analysis.stopping import rule_of
from fetchoff.analysis.throughput import throughput
from fetchoff.model.analysis import Costs, RankingRow, Relative
from fetchoff.model.estimate import (
    MINIMUM_ROUNDS,
    Comparison,
    Estimate,
    Ranking,
    StoppingRule,
    Verdict,
)
from fetchoff.model.experiment import Entrant, Experiment, Role
from fetchoff.model.failures import Failures
from fetchoff.model.finding import (
    Advice,
    ClientEvidence,
    ClocksApart,
    FewRounds,
    Finding,
    InBatches,
    Kind,
    OriginBound,
    ProcessesUnlike,
    RarelyDear,
    TiersUnproven,
    Unsteady,
    WarmUpCutOff,
    WorkMoved,
)
from fetchoff.model.observation import Batch, Invocation, Outcome, Sample, Turns
from fetchoff.model.origin import EVERYTHING
from fetchoff.stats import (
    above_geometric,
    compare,
    rank,
    summarise,
    turn_costs,
    unproven_neighbours,
)

ORIGIN_BOUND = 0.5  # of wall time
RARELY_DEAR = 1.05
LEAST_SAMPLES = 50  # with fewer the split is a guess
TICKS_PER_S = 100
ADVICE = {Kind.FEW_ROUNDS: Advice.LARGER_BUDGET}


class Field:
    """All entrants of a workload that are not controls, judged together.

    `failures`: of all records, also of attempts that do not count.
    """

    def __init__(
        self,
        experiment: Experiment,
        series: Series,
        *,
        final: bool,
        counts: Collection[str] = EVERYTHING,
        failures: Failures | None = None,
    ) -> None:
        self._experiment = experiment
        self._breakdowns = Breakdowns(series, failures or Failures(series.invocations))
        self._workload = experiment.course(series.workload).workload
        self.series = series
        self._final = final
        self._counts = counts
        self._rule = rule_of(experiment)
        self._wall, self._cpu = series.logs("wall"), series.logs("cpu")
        self._total = series.logs("total")
        self._ranked = [i for i, e in enumerate(series.entrants) if e.role is Role.RANKED]
        self._batches: dict[str, list[Batch]] = defaultdict(list)
        for batch in series.batches:
            self._batches[batch.entrant].append(batch)
        self._invocations: dict[str, list[Invocation]] = defaultdict(list)
        for invocation in series.invocations:
            self._invocations[invocation.process].append(invocation)
        self._turns: dict[str, list[Turns]] = defaultdict(list)
        for turns in series.turns:
            self._turns[turns.entrant].append(turns)
        self.baseline = self._baseline()
        hidden = clocks.hidden_in(series)[self._ranked]
        self._wall_ranking = self._rank(self._wall, self.baseline, hidden)
        self._cpu_ranking = self._rank(self._cpu, self.baseline)
        self._above_geometric = above_geometric(self._wall[:, self._ranked])

    def standings(self) -> tuple[RankingRow, ...]:
        """The ranked from the fastest on, then floors, then what could not be measured."""
        order = {self._ranked[r.client]: n for n, r in enumerate(self._wall_ranking.clients)}
        rows = [
            self._standing(column)
            for column, entrant in enumerate(self.series.entrants)
            if entrant.role is not Role.CONTROL
        ]
        columns = {e.key: i for i, e in enumerate(self.series.entrants)}

        def place(row: RankingRow) -> tuple[int, float, str]:
            group = 2 if row.costs is None else 1 if row.role is Role.FLOOR else 0
            return (group, order.get(columns[row.client], math.inf), row.client)

        return tuple(sorted(rows, key=place))

    def _baseline(self) -> str:
        """The experiment's, or the first by wall time if that one has no data, or in a ranking too
        few rounds for an interval, which no ratio would have then."""
        wanted = self._experiment.baseline
        rounds = _rounds(self._wall, self.series.index(wanted))
        if rounds >= (1 if self._experiment.pair_only else MINIMUM_ROUNDS):
            return wanted
        first = self._rank(self._wall, None).clients[:1] if self._ranked else ()
        if first and first[0].tiers is not None:
            return self.series.entrants[self._ranked[first[0].client]].key
        if rounds:
            return wanted
        some = (i for i in self._ranked if _any(self._wall, i))  # too few rounds to rank them
        least = min(some, key=lambda i: float(np.nanmean(self._wall[:, i])), default=None)
        return wanted if least is None else self.series.entrants[least].key

    def _rank(self, y: Array, baseline: str | None, hidden: Array | None = None) -> Ranking:
        """By both clocks ratios are relative to the same client. `hidden`: what of wall time."""
        column = None
        if baseline is not None:
            column = self._ranked.index(self.series.index(baseline))
        return rank(
            y[:, self._ranked],
            baseline=column,
            is_planned=baseline == self._experiment.baseline,
            rule=self._rule,
            final=self._final,
            margin=self._experiment.margin,
            hidden=hidden,
        )

    def _standing(self, column: int) -> RankingRow:
        entrant = self.series.entrants[column]
        invocations = self._invocations[entrant.process]
        well = [i for i in invocations if i.outcome is Outcome.OK]
        wrong = [i for i in self.series.wrong if i.client == entrant.client]
        if wrong:
            return answered_wrong(entrant, wrong)
        if not well or not _any(self._wall, column):
            return not_measured(entrant, self.series, self._breakdowns.of(entrant))
        rounds = _rounds(self._wall, column)
        costs = self._costs(column, well)
        lost = self._breakdowns.rounds_failed(entrant)
        return RankingRow(
            client=entrant.key,
            role=entrant.role,
            outcome=Outcome.OK,
            rounds=rounds,
            reason=Finding(lost, (entrant.key,)) if lost else None,
            tiers=self._tiers(column),
            wall=self._by_wall(column),
            cpu=self._relative(self._cpu, self._cpu_ranking, column),
            costs=costs,
            wire=on_the_wire(self._batches[entrant.key], rounds, self._counts),
            findings=tuple(
                Finding(found, (entrant.key,), ADVICE.get(found.kind))
                for found in self._found(column, costs, well)
            ),
        )

    def _tiers(self, column: int) -> tuple[int, int] | None:
        if column not in self._ranked:
            return None
        place = self._ranked.index(column)
        return next(r.tiers for r in self._wall_ranking.clients if r.client == place)

    def _relative(self, y: Array, ranking: Ranking, column: int) -> Relative:
        """Of a ranked client, simultaneous over all; of a pair or a floor line, by itself."""
        if column in self._ranked and not self._experiment.pair_only:
            place = self._ranked.index(column)
            found = next(r for r in ranking.clients if r.client == place)
            return Relative(found.ratio, found.verdict)
        if self.series.entrants[column].key == self.baseline:
            return Relative(Estimate(1.0, 1.0, 1.0, 1 - self._rule.alpha), Verdict.EQUIVALENT)
        comparison = self._compare(y, column)
        return Relative(comparison.ratio, comparison.verdict)

    def _by_wall(self, column: int) -> Relative:
        """No verdict where clocks that should agree are further apart than the two clients."""
        found = self._relative(self._wall, self._wall_ranking, column)
        is_withheld = any(one.withheld for one in self._clocks(column))
        return replace(found, verdict=Verdict.UNDECIDED) if is_withheld else found

    def _clocks(self, column: int) -> Iterator[ClocksApart]:
        """Of the client, and of the baseline where the client's verdict is withheld for it."""
        own, baseline = self.series.entrants[column].key, self.baseline
        ratio = self._relative(self._wall, self._wall_ranking, column).ratio.point
        if (apart := clocks.apart(self._batches[own])) > clocks.AGREE:
            yield ClocksApart(apart, withheld=own != baseline and clocks.withholds(apart, ratio))
        apart = clocks.apart(self._batches[baseline])
        if own != baseline and clocks.withholds(apart, ratio):
            yield ClocksApart(apart, of_baseline=True, withheld=True)

    def _compare(self, y: Array, column: int) -> Comparison:
        return compare(
            y,
            self.series.index(self.baseline),
            column,
            rule=self._rule,
            final=self._final,
            margin=self._experiment.margin,
        )

    def _costs(self, column: int, invocations: list[Invocation]) -> Costs:
        wall = _in_us(self._wall, column, self._rule)
        cpu = _in_us(self._cpu, column, self._rule)
        user_share, split_within = share_of_user(invocations)
        origin_cpu_us = _mean_in_us(self.series.origin_cpu_ns[:, column])
        batches = self._batches[self.series.entrants[column].key]
        return Costs(
            wall_us=wall,
            cpu_us=cpu,
            user_us=cpu.point * user_share,
            system_us=cpu.point * (1 - user_share),
            split_within_us=cpu.point * split_within,
            origin_cpu_us=origin_cpu_us,
            cpu_per_wall=cpu.point / wall.point,
            per_second=1e6 / wall.point,
            peak_mb=median(i.usage.peak_kb for i in invocations) * 1024 / 1e6,
            start_up_ms=median(i.start_up_ms for i in invocations),
            origin_cpu_per_wall=origin_cpu_us / wall.point,
            throughput=throughput(self._workload, batches, wall, cpu),
            first_us=self._first_us(invocations),
            among_others_us=self._among_others(column),
            parser_us=parser_us(batches),
        )

    def _first_us(self, invocations: Sequence[Invocation]) -> float:
        """NaN over a link: it was wide open then, also in older runs, which kept the time."""
        if self._experiment.course(self.series.workload).link.is_emulated:
            return math.nan
        return _median_of(i.first_wall_us for i in invocations)

    def _one_by_one(self, column: int) -> list[Batch]:
        """Every batch, and every turn as one."""
        key = self.series.entrants[column].key
        each = [piece for one in self._turns[key] for piece in one.pieces(len(one.exchanges))]
        return each or self._batches[key]

    def _among_others(self, column: int) -> float:
        """CPU microseconds of an exchange in the first iterations of leads, right after others had
        the core."""
        own = self._turns[self.series.entrants[column].key]
        exchanges = sum(len(one.first_cpu_ns) * one.per_iteration for one in own)
        paid_ns = sum(sum(one.first_cpu_ns) for one in own)
        return paid_ns / exchanges / 1e3 if exchanges else math.nan

    def _found(
        self, column: int, costs: Costs, invocations: list[Invocation]
    ) -> Iterator[ClientEvidence]:
        """What must be known of a client beside its figures."""
        yield from _of_warm_ups(invocations)
        if costs.origin_cpu_per_wall > ORIGIN_BOUND:
            yield OriginBound(costs.origin_cpu_per_wall)
        client, total = (self._compare(y, column).verdict for y in (self._cpu, self._total))
        if {client, total} == {Verdict.FASTER, Verdict.SLOWER}:
            yield WorkMoved(client, total)
        yield from self._clocks(column)
        turned = {turns.entrant for turns in self.series.given_turns}
        if turned and self.series.entrants[column].key not in turned:
            batches = len(self._batches[self.series.entrants[column].key])
            yield InBatches(batches, dearer_with(self.series.given_turns, self.series.turns))
        rounds = _rounds(self._wall, column)
        entrant = self.series.entrants[column]
        is_few = entrant.seldom and rounds < self._rule.looks[0]
        if is_few and not self._breakdowns.is_given_up(
            entrant
        ):  # that is the reason then, and told
            there = self._took_part(entrant)
            yield FewRounds(there, len(self._wall), there - rounds)
        over = over_centre(self._one_by_one(column))
        if over > RARELY_DEAR:
            yield RarelyDear(over - 1)
        if column in self._ranked:
            more = self._above_geometric[self._ranked.index(column)]
            if more is not None:
                yield ProcessesUnlike(more)
        if (found := modes.modes_in(self.series, column, self._experiment.margin)) is not None:
            yield found

    def _took_part(self, entrant: Entrant) -> int:
        """In how many rounds, whether or not they count for it."""
        there = {i.sample for i in self._invocations[entrant.process]}
        left_out = [one.batch for one in self.series.left_out]
        there |= {batch.sample for batch in left_out if batch.entrant == entrant.key}
        return len(there & set(self.series.samples))

    def on_tiers(self) -> Finding | None:
        """Which clients in neighbouring tiers may be equal all the same; None where there are no
        such clients, or no tiers."""
        if self._experiment.pair_only:
            return None
        unproven, pairs = unproven_neighbours(self._wall_ranking)
        return Finding(TiersUnproven(unproven, pairs)) if unproven else None


def over_centre(batches: Sequence[Batch]) -> float:
    """The CPU time of a client's mean batch ÷ that of an ordinary one; NaN without batches.

    Each is taken beside the median of its invocation, and what is ordinary is found among those of
    all invocations: of three batches, one dear one is a third, which trimming would leave in.
    """
    invocations: dict[Sample, list[Batch]] = defaultdict(list)
    for batch in batches:
        invocations[batch.sample].append(batch)
    nanoseconds: list[float] = []
    for own in invocations.values():
        ordinary = median(batch.cost.cpu_ns / batch.exchanges for batch in own)
        nanoseconds += [batch.cost.cpu_ns / ordinary if ordinary > 0 else math.nan for batch in own]
    exchanges = [batch.exchanges for own in invocations.values() for batch in own]
    costs = np.array([nanoseconds, exchanges], dtype=np.float64)
    return turn_costs(*costs[:, np.isfinite(costs[0])]).over_centre


def _of_warm_ups(invocations: Sequence[Invocation]) -> Iterator[Unsteady | WarmUpCutOff]:
    """That a trend was left at the end of some, and that none could be looked for in others."""
    unsteady = [i for i in invocations if i.still_fell]
    cut_off = [i for i in invocations if not i.is_steady and not i.was_tested]
    for some, told in ((unsteady, Unsteady), (cut_off, WarmUpCutOff)):
        if some:
            most = max(done for i in some for done, _ in i.curve or ((0, 0.0),))
            yield told(most, len(some), len(invocations))


def _median_of(values: Iterable[float]) -> float:
    told = [value for value in values if value]
    return median(told) if told else math.nan


def share_of_user(invocations: Sequence[Invocation]) -> tuple[float, float]:
    """User time over all CPU time, as it was sampled, and how far off it may be (95 %).

    NaN where that is too little to tell. Each sample is of one or the other, so the share is
    binomial; its variance is taken where Agresti and Coull take it, which is not 0 where all were
    of one kind: "Approximate is better than 'exact'", The American Statistician 52 (1998). And
    each reading is rounded down to a tick, so what lies between two of them is off by a tick ÷ √6.
    """
    usages = [invocation.usage for invocation in invocations]
    user = sum(usage.user_ticks for usage in usages)
    ticks = user + sum(usage.system_ticks for usage in usages)
    samples = sum(
        (usage.user_ticks + usage.system_ticks) * usage.samples_per_s / TICKS_PER_S
        for usage in usages
    )
    if samples < LEAST_SAMPLES:
        return math.nan, math.nan
    share = user / ticks
    middle = (share * samples + 2) / (samples + 4)
    rounding = len(usages) / 6 * (share**2 + (1 - share) ** 2) / ticks**2
    return share, 2 * math.sqrt(middle * (1 - middle) / samples + rounding)


def parser_us(batches: Sequence[Batch]) -> float | None:
    """Microseconds an exchange in the kit's JSON parser; None where no batch tells."""
    told = [(b.cost.parse_ns, b.exchanges) for b in batches if b.cost.parse_ns is not None]
    exchanges = sum(count for _, count in told)
    return sum(ns for ns, _ in told) / exchanges / 1e3 if exchanges else None


def _any(y: Array, column: int) -> bool:
    return _rounds(y, column) > 0


def _rounds(y: Array, column: int) -> int:
    """In how many rounds an entrant has a cost."""
    return int(np.isfinite(y[:, column]).sum())


def _in_us(y: Array, column: int, rule: StoppingRule) -> Estimate:
    nanoseconds = summarise(y, column, level=1 - rule.alpha).mean
    return Estimate(
        nanoseconds.point / 1e3, nanoseconds.low / 1e3, nanoseconds.high / 1e3, nanoseconds.level
    )


def _mean_in_us(nanoseconds: Array) -> float:
    """The geometric mean over rounds, as of wall and CPU time, or their quotient would not be that
    of the rounds; NaN where no clock saw anything."""
    seen = nanoseconds[nanoseconds > 0]
    return float(np.exp(np.log(seen).mean())) / 1e3 if seen.size else math.nan
