"""Pretended clients whose costs are known go through a run and its analysis: is the truth told?

What they cost differs from process to process by chance, as it does with real ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from random import Random

import pytest
from tests.unit.run.fakes.adapter import FakeAdapter
from tests.unit.run.fakes.origin import FakeOrigin
from tests.unit.run.fakes.runs import GET, FakeHost, FakeRun, experiment_of

from fetchoff.analysis.analyse import RunFacts, analyse
from fetchoff.analysis.stopping import is_decided
from fetchoff.model.analysis import Analysis, Relative
from fetchoff.model.check import CheckOutcome
from fetchoff.model.client import Launch
from fetchoff.model.estimate import Verdict
from fetchoff.model.experiment import TWIN, Entrant, Experiment, Role, with_controls
from fetchoff.model.finding import InBatches, Kind
from fetchoff.model.observation import Ended, Record
from fetchoff.model.workload import Settings
from fetchoff.protocol.origin import Turns

SERVED_US = 12.0
NOISE = 0.005  # of a process, as a standard deviation of its logarithm
SEEDS = range(12)
A, B = "a/x", "b/y"
COMPILING = Launch(("compiling",), warm_up_exchanges=2000, compiles=True)


@dataclass(frozen=True)
class Truth:
    """What a client costs once it is steady, and how it gets there. Microseconds.

    `pause_us` comes after every `pause_every` exchanges, from a first one that chance decides.
    `falls_us` is what its first exchange costs on top; half of it is left after `halves` of them.
    `modes`: factors, one of which each process has by chance. `twin`: a factor of the processes
    that a self-check compares with the client's own. `spins`: whether it does when it is told to;
    it says so in any case.
    """

    us: float
    cold_us: float = 0.0
    batch_us: float = 0.0
    behind_us: float = 0.0
    pause_us: float = 0.0
    pause_every: int = 1
    falls_us: float = 0.0
    halves: int = 100
    modes: tuple[float, ...] = (1.0,)
    noise: float = NOISE
    tells_children: bool = False
    twin: float = 1.0
    spins: bool = True

    def make(self, name: str, seed: str, slower: float, process: str, number: int) -> FakeAdapter:
        """Its process number so-and-so, on a machine that is so many times slower than ours."""
        chance = Random(f"{seed} {process} {number}")
        factor = slower * chance.choice(self.modes) * chance.lognormvariate(0, self.noise)
        factor *= self.twin if process.endswith(TWIN) else 1.0
        phase = chance.randrange(self.pause_every)

        def us(lived: int) -> float:
            pause = self.pause_us if (lived + phase) % self.pause_every == 0 else 0.0
            left = math.exp2(-lived / self.halves)
            return factor * (self.us + self.falls_us * left) + pause

        return FakeAdapter(
            *(name, us, self.cold_us, self.batch_us, self.behind_us),
            served_ns=lambda _: round(1e3 * SERVED_US),
            tells_children=self.tells_children,
            spins=self.spins,
        )

    @property
    def cpu_us(self) -> float:
        """Of an exchange, in the middle of its processes as logarithms have it."""
        middle = math.exp(sum(map(math.log, self.modes)) / len(self.modes))
        return self.us * middle + self.behind_us + self.pause_us / self.pause_every

    @property
    def wall_us(self) -> float:
        return self.cpu_us + SERVED_US


@dataclass
class Race:
    """A run of such clients; the first is the baseline."""

    folder: Path
    truths: dict[str, Truth]
    seed: int = 1
    pair_only: bool = False
    rounds: int = 10
    stops: bool = False
    compilers: tuple[str, ...] = ()
    hosts: Mapping[str, float] = field(default_factory=lambda: {"": 1.0})  # how slow each is
    workload_settings: Settings = GET.settings
    origin: Callable[[], FakeOrigin] = FakeOrigin
    records: Sequence[Record] = field(default_factory=list)

    def __call__(self) -> Analysis:
        run = FakeRun(
            self.folder,
            {},
            launches=dict.fromkeys(self.compilers, COMPILING),
            origins=[self.origin() for _ in range(self.rounds)],
        )
        experiment = self.experiment
        if self.stops:
            run.is_decided = partial(is_decided, experiment)
        for host, slower in self.hosts.items():
            run.host = FakeHost(run.time, host)
            run.clients = {
                name: partial(truth.make, name, f"{self.seed}{host}", slower)
                for name, truth in self.truths.items()
            }
            run(experiment)
        self.records = run.journal.records()
        looks = tuple(range(5, self.rounds * len(self.hosts) + 1))
        together = replace(experiment, looks=looks)
        facts = RunFacts("id", "title", "2026-11-23", together, (), (), {}, ())
        return analyse(facts, self.records)

    @property
    def experiment(self) -> Experiment:
        workload = replace(GET, settings=self.workload_settings)
        triples = tuple((name, name[0], Role.RANKED) for name in self.truths)
        entrants = [self._seldom(entrant) for entrant in with_controls(triples)]
        return experiment_of(
            entrants,
            workload,
            looks=range(5, self.rounds + 1),
            pair_only=self.pair_only,
            seed=self.seed,
        )

    def _seldom(self, entrant: Entrant) -> Entrant:
        return replace(entrant, seldom=entrant.client in self.compilers)

    @property
    def ended(self) -> Ended:
        return next(r for r in self.records if isinstance(r, Ended))


def relative(analysis: Analysis, client: str, metric: str) -> Relative:
    (result,) = analysis.results
    (row,) = (row for row in result.standings if row.client == client)
    found = row.wall if metric == "wall" else row.cpu
    assert found is not None
    return found


def checks_of(analysis: Analysis) -> dict[CheckOutcome, set[str]]:
    (result,) = analysis.results
    found: dict[CheckOutcome, set[str]] = {outcome: set() for outcome in CheckOutcome}
    for check in result.checks:
        found[check.outcome].add(check.kind)
    return found


EVERY_KIND = {
    "a/base": Truth(100.0),
    "b/cold": Truth(80.0, cold_us=2000.0),
    "c/collected": Truth(60.0, pause_us=440.0, pause_every=20),
    "d/plain": Truth(135.0),
    "e/modes": Truth(150.0, modes=(1.0, 1.04)),
    "f/warming": Truth(200.0, falls_us=500.0, halves=40),
    "g/slow": Truth(900.0),
    "h/compiled": Truth(50.0, falls_us=900.0, halves=150),
}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_ratio_is_the_truth_within_its_interval(seed: int, tmp_path: Path) -> None:
    """Whatever a client does at the beginning of a turn, now and then, or while it warms up."""
    race = Race(tmp_path, EVERY_KIND, seed, compilers=("h/compiled",))
    analysis = race()
    base = EVERY_KIND["a/base"]
    for name, truth in EVERY_KIND.items():
        if name == "a/base":
            continue
        cpu, wall = (relative(analysis, name, metric).ratio for metric in ("cpu", "wall"))
        for found, true in (
            (cpu, truth.cpu_us / base.cpu_us),
            (wall, truth.wall_us / base.wall_us),
        ):
            assert found.low <= true <= found.high, (name, found, true)
            assert found.point == pytest.approx(true, rel=0.03), name
            assert found.high / found.low < 1.15, name


def test_the_costs_themselves_are_the_truth(tmp_path: Path) -> None:
    (result,) = Race(tmp_path, EVERY_KIND, compilers=("h/compiled",))().results
    for row in result.standings:
        truth, costs = EVERY_KIND[row.client], row.costs
        assert costs is not None
        assert costs.cpu_us.low <= truth.cpu_us <= costs.cpu_us.high, row.client
        assert costs.wall_us.low <= truth.wall_us <= costs.wall_us.high, row.client
        assert costs.origin_cpu_us == pytest.approx(SERVED_US)


def test_the_ranking_is_in_the_true_order(tmp_path: Path) -> None:
    (result,) = Race(tmp_path, EVERY_KIND, compilers=("h/compiled",))().results
    true = sorted(EVERY_KIND, key=lambda name: EVERY_KIND[name].wall_us)
    assert [row.client for row in result.standings] == true
    assert result.withheld is None
    tiers = {row.client: row.tiers for row in result.standings}
    assert tiers["h/compiled"] == (1, 1)
    assert tiers["g/slow"] == (max(last for _, last in filter(None, tiers.values())),) * 2


@pytest.mark.parametrize("seed", SEEDS)
def test_a_planted_difference_of_three_per_cent_is_found(seed: int, tmp_path: Path) -> None:
    race = Race(
        tmp_path,
        {A: Truth(100.0), B: Truth(103.0)},
        seed,
        pair_only=True,
        rounds=40,
        stops=True,
    )
    found = relative(race(), B, "cpu")
    assert found.verdict is Verdict.SLOWER
    assert found.ratio.low <= 1.03 <= found.ratio.high
    assert race.ended.reason == "decided"


@pytest.mark.parametrize("seed", SEEDS)
def test_two_copies_are_not_told_apart(seed: int, tmp_path: Path) -> None:
    """Not even where each process is a little different: that is chance."""
    truth = Truth(100.0, noise=0.03)
    race = Race(tmp_path, {A: truth, B: truth}, seed, pair_only=True, rounds=20, stops=True)
    analysis = race()
    for metric in ("wall", "cpu"):
        found = relative(analysis, B, metric)
        assert found.verdict in (Verdict.UNDECIDED, Verdict.EQUIVALENT)
        assert found.ratio.low <= 1 <= found.ratio.high


def test_a_quiet_pair_of_copies_is_equivalent(tmp_path: Path) -> None:
    race = Race(tmp_path, {A: Truth(100.0), B: Truth(100.0)}, pair_only=True, rounds=40, stops=True)
    found = relative(race(), B, "wall")
    assert found.verdict is Verdict.EQUIVALENT
    assert race.ended.reason == "decided"


@pytest.mark.parametrize(
    "other", [Truth(100.0, cold_us=5000.0), Truth(100.0, falls_us=2000.0, halves=30)]
)
def test_neither_cold_caches_nor_a_warm_up_make_a_client_dearer(
    other: Truth, tmp_path: Path
) -> None:
    found = relative(Race(tmp_path, {A: Truth(100.0), B: other}, pair_only=True)(), B, "cpu")
    assert found.verdict is Verdict.EQUIVALENT
    assert found.ratio.point == pytest.approx(1.0, abs=0.01)


def test_machines_of_different_speed_tell_the_same_ratio(tmp_path: Path) -> None:
    """Rounds of the same number on both: each client is compared on its own machine."""
    truths = {A: Truth(100.0), B: Truth(130.0)}
    race = Race(tmp_path, truths, rounds=6, hosts={"": 1.0, "far": 2.5})
    analysis = race()
    (result,) = analysis.results
    ratio = relative(analysis, B, "cpu").ratio
    assert ratio.low <= 1.3 <= ratio.high
    assert ratio.high / ratio.low < 1.05
    assert result.rounds == 12
    assert checks_of(analysis)[CheckOutcome.FAILED] == set()


def test_work_after_turns_is_paid_also_after_the_last(tmp_path: Path) -> None:
    plain, busy = Truth(120.0), Truth(120.0, behind_us=20.0)
    analysis = Race(tmp_path, {A: plain, B: busy}, pair_only=True)()
    for metric, before_us in (("cpu", plain.cpu_us), ("wall", plain.wall_us)):
        added_us = (relative(analysis, B, metric).ratio.point - 1) * before_us
        assert added_us == pytest.approx(busy.behind_us, rel=0.05)


def test_batches_tell_the_truth_as_well(tmp_path: Path) -> None:
    """Where several exchanges are asked for at a time; without pauses, which batches may miss."""
    truths = {A: Truth(100.0), B: Truth(140.0)}
    race = Race(tmp_path, truths, workload_settings=Settings(concurrency=4))
    analysis = race()
    for metric, true in (("cpu", 1.4), ("wall", 152 / 112)):
        ratio = relative(analysis, B, metric).ratio
        assert ratio.low <= true <= ratio.high


def test_who_has_batches_where_others_have_turns_is_told(tmp_path: Path) -> None:
    """As commands have on a machine without control groups."""
    truths = {A: Truth(100.0), B: Truth(140.0, tells_children=True)}
    (result,) = Race(tmp_path, truths, rounds=5)().results
    told = {row.client: [f.evidence for f in row.findings] for row in result.standings}
    assert told == {A: [], B: [InBatches(5 * Experiment.blocks)]}


@pytest.mark.parametrize(
    ("batch_us", "outcome"), [(0.0, CheckOutcome.PASSED), (5000.0, CheckOutcome.FAILED)]
)
def test_what_a_batch_costs_by_itself_is_found_out(
    batch_us: float, outcome: CheckOutcome, tmp_path: Path
) -> None:
    """The twin's batches are twice as long, so that its exchanges bear half of it."""
    truths = {A: Truth(100.0, batch_us=batch_us), B: Truth(140.0, batch_us=batch_us)}
    analysis = Race(tmp_path, truths, workload_settings=Settings(concurrency=4))()
    assert "a/a" in checks_of(analysis)[outcome]
    assert (analysis.results[0].withheld is None) is (batch_us == 0)


def test_a_sound_run_passes_its_own_checks(tmp_path: Path) -> None:
    found = checks_of(Race(tmp_path, EVERY_KIND, compilers=("h/compiled",))())
    assert found[CheckOutcome.FAILED] == set()
    exact = {"cpu account", "wall account", "request account", "placement"}
    assert exact | {"a/a", "busy time"} <= found[CheckOutcome.PASSED]


@pytest.mark.parametrize(
    ("fault", "failed"),
    [
        (Truth(100.0, twin=1.2), "a/a"),
        (Truth(100.0, spins=False), "busy time"),
    ],
)
def test_a_client_that_is_found_out_has_no_ranking(
    fault: Truth, failed: str, tmp_path: Path
) -> None:
    analysis = Race(tmp_path, {A: fault, B: replace(fault, us=130.0)})()
    assert checks_of(analysis)[CheckOutcome.FAILED] == {failed}
    withheld = analysis.results[0].withheld
    assert withheld is not None and withheld.kind is Kind.CHECK_FAILED


def test_in_five_rounds_a_pair_can_tell(tmp_path: Path) -> None:
    """Its controls take part in each of them."""
    race = Race(tmp_path, {A: Truth(100.0), B: Truth(130.0)}, pair_only=True, rounds=5)
    assert {"a/a", "busy time", "position"} <= checks_of(race())[CheckOutcome.PASSED]


class FastClock(FakeOrigin):
    """Its clock goes a tenth too fast."""

    def give(self, order: Sequence[tuple[int, int, int]], longest_s: float) -> Turns:
        given = super().give(order, longest_s)
        turns = [replace(turn, wall_ns=round(1.1 * turn.wall_ns)) for turn in given.turns]
        return replace(given, turns=tuple(turns), wall_ns=round(1.1 * given.wall_ns))


class Forgetful(FakeOrigin):
    """It reads a process's clock too late: a twentieth of the CPU time is in no turn."""

    def give(self, order: Sequence[tuple[int, int, int]], longest_s: float) -> Turns:
        given = super().give(order, longest_s)
        turns = [replace(turn, cpu_ns=round(0.95 * turn.cpu_ns)) for turn in given.turns]
        return replace(given, turns=tuple(turns))


@pytest.mark.parametrize(
    ("origin", "failed"), [(FastClock, "wall account"), (Forgetful, "cpu account")]
)
def test_an_origin_that_does_not_tell_the_truth_is_found_out(
    origin: Callable[[], FakeOrigin], failed: str, tmp_path: Path
) -> None:
    analysis = Race(tmp_path, {A: Truth(100.0), B: Truth(130.0)}, origin=origin)()
    assert failed in checks_of(analysis)[CheckOutcome.FAILED]
    withheld = analysis.results[0].withheld
    assert withheld is not None and withheld.kind is Kind.CHECK_FAILED
