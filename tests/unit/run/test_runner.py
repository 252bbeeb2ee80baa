"""The runner over pretended networks: which it lays, tries out, opens and shapes, and when."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pytest
from tests.unit.run.fakes.adapter import BYTES, FakeAdapter
from tests.unit.run.fakes.network import WELL, FakeNetwork
from tests.unit.run.fakes.runs import GET, FakeRun, Make

from fetchoff.model.course import Course
from fetchoff.model.errors import LinkError
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.model.link import LOOPBACK, Emulated, Link, Profile
from fetchoff.model.observation import (
    Batch,
    Interrupted,
    Invocation,
    LinkCalibrated,
    LinkUsed,
    Outcome,
    SectionDone,
)
from fetchoff.plan.rounds import plan_round

Kind = TypeVar("Kind")

BLOCKS = 2
CLIENTS = ("a/x", "b/y")
NEAR = Link("near", "", Profile(1), Profile(1))
LOSSY = Link("lossy", "", Profile(loss=0.1), Profile(1))
SMALL = Link("small", "", Profile(1), Profile(1), mtu=1400)


def clients(*, spoils_from: int | None = None, content_bytes: int = BYTES) -> dict[str, Make]:
    """Two, of which the first may have a fault."""
    first, second = CLIENTS
    return {
        first: lambda *_: FakeAdapter(first, spoils_from=spoils_from, content_bytes=content_bytes),
        second: lambda *_: FakeAdapter(second),
    }


class Run:
    """Rounds of the workload over links that are all this network."""

    def __init__(self, folder: Path) -> None:
        self.run = FakeRun(folder, clients())

    def __call__(
        self,
        *links: Link,
        rounds: int = 1,
        budget_s: float = 150.0,
        least_rounds: int = 1,
    ) -> Experiment:
        experiment = Experiment(
            entrants=tuple(Entrant(c, c, c) for c in self.run.clients),
            courses=tuple(Course(GET, link) for link in links),
            baseline=CLIENTS[0],
            seed=7,
            budget_s=budget_s,
            blocks=BLOCKS,
            looks=tuple(range(1, rounds + 1)),
            least_rounds=least_rounds,
        )
        self.run(experiment)
        return experiment

    @property
    def network(self) -> FakeNetwork:
        return self.run.network

    @property
    def told(self) -> list[str]:
        return self.run.listener.told

    def kept(self, kind: type[Kind]) -> list[Kind]:
        return self.run.journal.of(kind)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path)


def test_a_link_is_calibrated_opened_for_verifying_and_shaped_for_measuring(run: Run) -> None:
    experiment = run(NEAR)
    (section,) = plan_round(experiment, 0).sections
    assert run.network.did == [
        "lay for near",
        "try near",
        "open wide",
        f"shape near {section.seed}",
        "open wide",  # to verify again
        "take up",
    ]
    assert [batch.workload for batch in run.kept(Batch)] == ["get/near"] * BLOCKS * len(CLIENTS)
    assert [used.fault for used in run.kept(LinkUsed)] == [""]
    assert run.told == []


def test_clients_connect_anew_once_they_are_verified(run: Run) -> None:
    """What they opened before was over another link: slow start must not have happened there."""
    run(NEAR)
    for invocation in run.kept(Invocation):
        assert invocation.outcome is Outcome.OK
    assert [adapter.ledger.connections for adapter in run.run.adapters] == [2, 2]


def test_what_a_first_exchange_takes_is_not_timed_with_the_link_wide_open(run: Run) -> None:
    """Nor by a process that has been on another link before."""
    run(NEAR, LOSSY, LOOPBACK)
    for invocation in run.kept(Invocation):
        assert (invocation.first_wall_us > 0) is (invocation.workload == "get")
        assert invocation.first_cpu_us > 0


def test_all_in_a_block_get_the_same_luck(run: Run) -> None:
    experiment = run(LOSSY)
    (section,) = plan_round(experiment, 0).sections
    shaped = [did for did in run.network.did if did.startswith("shape")]
    seeds = [section.seed + block for block in range(BLOCKS) for _ in CLIENTS]
    assert shaped[1:] == [f"shape lossy {seed} at random" for seed in seeds]


def test_chance_has_no_part_in_how_long_batches_are(run: Run) -> None:
    experiment = run(LOSSY)
    (section,) = plan_round(experiment, 0).sections
    opened = run.network.did.index("open wide")
    assert run.network.did[opened + 1] == f"shape lossy {section.seed}"


def test_links_between_the_same_ends_follow_each_other_on_one_network(run: Run) -> None:
    links = (NEAR, SMALL, LOOPBACK, LOSSY)
    run(*links)
    laid = [did for did in run.network.did if not did.startswith("shape")]
    assert laid.count("take up") == 3
    for index, did in enumerate(laid):
        if did in ("lay for near", "lay for lossy"):
            assert sorted(laid[index + 1 : index + 3]) == ["try lossy", "try near"]
            assert laid[index + 3 : index + 8] == ["open wide"] * 4 + ["take up"]
        if did == "lay for small":
            assert laid[index + 1 : index + 5] == ["try small", *["open wide"] * 2, "take up"]
        if did == "lay for loopback":
            assert laid[index + 1] == "take up"
    assert {done.workload for done in run.kept(SectionDone)} == {Course(GET, x).id for x in links}
    assert {used.workload for used in run.kept(LinkUsed)} == {"get/near", "get/small", "get/lossy"}


def test_a_link_is_calibrated_once_a_run(run: Run) -> None:
    run(NEAR, rounds=3)
    assert run.network.did.count("try near") == 1
    assert run.network.calibrated_on == [1], "not on the core of the harness and the emulator"
    assert [tried.round for tried in run.kept(LinkCalibrated)] == [0]
    assert len(run.kept(SectionDone)) == 3


@pytest.mark.parametrize(
    ("faults", "trials", "told"),
    [
        ([("slow",), ()], 2, []),
        ([("slow",), ("slow", "late"), ("late", "lossy")], 3, ["late", "lossy"]),
    ],
)
def test_the_last_of_three_trials_counts(
    faults: list[tuple[str, ...]], trials: int, told: list[str], run: Run
) -> None:
    """What was found is kept, and measuring goes on."""
    run.network.faults = faults
    run(NEAR)
    assert run.network.did.count("try near") == trials
    (tried,) = run.kept(LinkCalibrated)
    assert list(tried.calibration.faults) == told
    assert run.told == [f"link near: {fault}" for fault in told]
    assert len(run.kept(SectionDone)) == 1


def test_a_link_that_did_not_keep_up_is_told_of_batch_by_batch(run: Run) -> None:
    late = replace(WELL, late_p99_us=5000, late_us=(((4096, 1),), ((64, 1),)))
    run.network.used_as = late
    run(NEAR)
    batches = run.kept(Batch)
    assert [batch.emulated for batch in batches] == [late] * BLOCKS * len(CLIENTS)
    (used,) = run.kept(LinkUsed)
    assert used.emulated.packets == len(batches)
    assert used.emulated.late_us == (((4096, len(batches)),), ((64, len(batches)),))
    assert (used.fault, used.emulated.late_p99_us) == ("", 4096)
    said = f"{len(batches)} of {len(batches)} batches do not count: packets left the link late"
    assert run.told == [f"get/near: {said}"]


@dataclass
class Counting(FakeNetwork):
    """Counts how often it was asked."""

    asked: int = 0

    def used(self) -> Emulated:
        self.asked += 1
        return replace(WELL, packets=self.asked)


def test_what_crosses_the_link_between_batches_is_in_none(run: Run) -> None:
    """The emulator is asked before and after each; only the second answer is kept."""
    run.run.network = Counting()
    run(NEAR)
    batches = [batch.emulated for batch in run.kept(Batch)]
    assert [e.packets for e in batches if e] == [2 * (n + 1) for n in range(len(batches))]


def test_an_emulator_that_goes_away_cuts_the_section(run: Run) -> None:
    run.network.goes = True
    with pytest.raises(LinkError):
        run(NEAR)
    (cut,) = run.kept(Interrupted)
    assert (cut.workload, cut.reason) == (
        "get/near",
        "the link emulator ended with signal SIGKILL",
    )
    run.network.goes = False
    run(NEAR)
    (done,) = run.kept(SectionDone)
    assert done.attempt == 1
    assert run.network.did.count("try near") == 2


def test_contents_are_verified_again_after_the_last_batch(run: Run) -> None:
    run.run.clients = clients(spoils_from=10)
    run(NEAR)
    outcomes = {i.client: (i.outcome, i.answered_wrong) for i in run.kept(Invocation)}
    assert outcomes == {"a/x": (Outcome.FAILED, True), "b/y": (Outcome.OK, False)}
    assert len(run.kept(Batch)) == BLOCKS * len(CLIENTS)


@pytest.mark.parametrize("gone", [False, True])
def test_no_client_is_to_blame_for_an_emulator_that_is_gone(gone: bool, run: Run) -> None:
    run.run.clients = clients(content_bytes=15)
    run.network.gone = gone
    with pytest.raises(LinkError) if gone else contextlib.nullcontext():
        run(NEAR)
    assert ("instead of 16" in "".join(run.told)) is not gone
    assert len(run.kept(Invocation)) == (0 if gone else 2)
    assert len(run.kept(Interrupted)) == gone


@pytest.mark.parametrize("least_rounds", [1, 2])
def test_so_many_rounds_are_made_even_if_they_take_longer_than_the_budget(
    run: Run, least_rounds: int
) -> None:
    run(LOOPBACK, rounds=3, budget_s=1e-6, least_rounds=least_rounds)
    assert {done.round for done in run.kept(SectionDone)} == set(range(least_rounds))
