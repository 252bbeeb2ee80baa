"""The runner over networks that only pretend: which it lays, tries out, opens and shapes, and when.

Origin and clients are real, and meet on loopback.
"""

from __future__ import annotations

import contextlib
import itertools
import socket
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import pytest
from tests.command import FAKES

from fetchoff.model.client import Launch
from fetchoff.model.course import Course
from fetchoff.model.errors import LinkError
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.model.link import LOOPBACK, Calibration, Emulated, Link, Passage, Profile
from fetchoff.model.observation import (
    Batch,
    Interrupted,
    Invocation,
    LinkCalibrated,
    LinkUsed,
    Outcome,
    Record,
    SectionDone,
)
from fetchoff.model.workload import Exchange, Expect, Workload
from fetchoff.plan.rounds import plan_round
from fetchoff.run.network.seam import LOOPBACK as LOOPBACK_DEVICE
from fetchoff.run.network.seam import Network
from fetchoff.run.origins.built_in import BuiltInOrigin, for_a_round
from fetchoff.run.schedule.events import Nobody
from fetchoff.run.schedule.runner import Dependencies, Runner

Kind = TypeVar("Kind")

BLOCKS = 2
CLIENTS = ("honest", "slow")
GET = Workload("get", "", (Exchange("GET", "/bytes/16", expect=Expect(bytes=16)),), batch_ms=2)
NEAR = Link("near", "", Profile(1), Profile(1))
LOSSY = Link("lossy", "", Profile(loss=0.1), Profile(1))
SMALL = Link("small", "", Profile(1), Profile(1), mtu=1400)
WELL = Emulated(1, 0, 0, 0, 0, 1, 1)
ONE_WAY = Passage(None, 1, 0)


class Memory:
    """A journal that nobody else reads."""

    def __init__(self, records: Sequence[Record] = ()) -> None:
        self._records = list(records)

    def append(self, record: Record) -> None:
        self._records.append(record)

    def records(self) -> Sequence[Record]:
        return self._records


class Troubles(Nobody):
    """Keeps what is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def trouble(self, text: str) -> None:
        self.told.append(text)


@dataclass
class Pretended:
    """A network that notes what it is asked to be, and says of itself what it is told to.

    `faults`: of one trial after the other. `used_as`: what the emulator counts. `goes`: whether it
    ends when it is shaped; `gone`: whether it has ended by the time that a client fails.
    """

    faults: list[tuple[str, ...]] = field(default_factory=list)
    used_as: Emulated = WELL
    goes: bool = False
    gone: bool = False
    did: list[str] = field(default_factory=list)
    origin_address: str = "127.0.0.1"
    at_client: tuple[str, ...] = ()
    at_origin: tuple[str, ...] = ()
    lifeline: int | None = None

    def socket(self) -> socket.socket:
        return socket.socket()

    def calibrate(self, link: Link, seed: int) -> Calibration:
        self.did.append(f"try {link.id}")
        faults = self.faults.pop(0) if self.faults else ()
        return Calibration(link.id, "none", "none", 1, 1.0, 1.0, ONE_WAY, ONE_WAY, faults)

    def open_wide(self) -> None:
        self.did.append("open wide")

    def shape(self, link: Link, seed: int) -> None:
        self.did.append(f"shape {link.id} {seed}{' at random' if link.is_random else ''}")
        if self.goes:
            raise LinkError("the link emulator ended with signal SIGKILL")

    def used(self) -> Emulated:
        return self.used_as

    def must_be_there(self) -> None:
        if self.gone:
            raise LinkError("the link emulator ended with signal SIGKILL")


class Run:
    """Rounds of the workload over links that are all this network."""

    def __init__(self, folder: Path, network: Pretended) -> None:
        self.clients = CLIENTS
        self.network = network
        self.journal = Memory()
        self.listener = Troubles()
        self._spool = folder / "spool"

    @contextlib.contextmanager
    def _laid(self, course: Course, _folder: Path) -> Iterator[Network]:
        self.network.did.append(f"lay for {course.link.id}")
        yield self.network if course.link.is_emulated else LOOPBACK_DEVICE
        self.network.did.append("take up")

    def __call__(
        self,
        *links: Link,
        rounds: int = 1,
        budget_s: float = 150.0,
        seldom: str = "",
        least_rounds: int = 1,
    ) -> Experiment:
        program = str(FAKES / "_kit" / "fake.py")
        bench = Dependencies(
            spool=self._spool,
            launches={
                c: Launch((sys.executable, "-S", program), {"FAKE": c}) for c in self.clients
            },
            lay_network=self._laid,
            start_origin=for_a_round(BuiltInOrigin),
            journal=self.journal,
            listener=self.listener,
            is_decided=lambda _records, _rounds: False,
        )
        experiment = Experiment(
            entrants=tuple(
                Entrant(client, client, client, seldom=client == seldom) for client in self.clients
            ),
            courses=tuple(Course(GET, link) for link in links),
            baseline=self.clients[0],
            seed=7,
            budget_s=budget_s,
            blocks=BLOCKS,
            looks=tuple(range(1, rounds + 1)),
            least_rounds=least_rounds,
        )
        Runner(experiment, bench).run()
        return experiment

    def kept(self, kind: type[Kind]) -> list[Kind]:
        return [record for record in self.journal.records() if isinstance(record, kind)]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path, Pretended())


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
    assert run.listener.told == []


def test_clients_connect_anew_once_they_are_verified(run: Run) -> None:
    """What they opened before was over another link: slow start must not have happened there."""
    run(NEAR)
    for invocation in run.kept(Invocation):
        assert invocation.outcome is Outcome.OK
        assert invocation.ledger["connections"] == 2


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
    assert run.listener.told == [f"link near: {fault}" for fault in told]
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
    assert run.listener.told == [f"get/near: {said}"]


def test_what_crosses_the_link_between_batches_is_in_none(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The emulator is asked before and after each; only the second answer is kept."""
    asked = itertools.count(1)
    monkeypatch.setattr(run.network, "used", lambda: replace(WELL, packets=next(asked)))
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
    run.clients = ("tiring", "honest")
    run(NEAR)
    outcomes = {i.client: (i.outcome, i.answered_wrong) for i in run.kept(Invocation)}
    assert outcomes == {"tiring": (Outcome.FAILED, True), "honest": (Outcome.OK, False)}
    assert len(run.kept(Batch)) == BLOCKS * len(run.clients)


@pytest.mark.parametrize("gone", [False, True])
def test_no_client_is_to_blame_for_an_emulator_that_is_gone(gone: bool, run: Run) -> None:
    run.clients = ("short-body", "honest")
    run.network.gone = gone
    with pytest.raises(LinkError) if gone else contextlib.nullcontext():
        run(NEAR)
    assert ("instead of 16" in "".join(run.listener.told)) is not gone
    assert len(run.kept(Invocation)) == (0 if gone else 2)
    assert len(run.kept(Interrupted)) == gone


@pytest.mark.parametrize("least_rounds", [1, 2])
def test_so_many_rounds_are_made_even_if_they_take_longer_than_the_budget(
    run: Run, least_rounds: int
) -> None:
    run(LOOPBACK, rounds=3, budget_s=1e-6, least_rounds=least_rounds)
    assert {done.round for done in run.kept(SectionDone)} == set(range(least_rounds))


@pytest.mark.parametrize(("budget_s", "fits"), [(82.0, True), (78.0, False)])
def test_a_round_is_foreseen_to_take_as_long_as_the_last_of_its_kind(
    run: Run, budget_s: float, fits: bool
) -> None:
    """Rounds with those that are dear to warm up tell nothing of the others."""
    for number, seconds in enumerate((20.0, 5.0, 20.0, 5.0, 25.0)):
        run.journal.append(SectionDone(number, 0, "get", seconds))
    run(LOOPBACK, rounds=6, budget_s=budget_s, seldom="slow")
    assert (5 in {done.round for done in run.kept(SectionDone)}) is fits
