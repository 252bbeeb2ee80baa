"""The accounts of a fleet whose processes were killed: each fault is found."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from benches.fleet import accounts, pretended
from benches.fleet.accounts import Tally
from benches.fleet.manners import HASTY, PATIENT, Manner

from fetchoff.fleet.host.work import folder_of
from fetchoff.model.observation import Batch, Ended, HostLost, Record, SectionDone
from fetchoff.store.run_folder import Header, RunFolder

HOSTS = ("anna", "berta")
ROUNDS = 3
LOST = "it has been away for 3 s"


@pytest.fixture
def head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Header:
    """Both hosts keep three rounds."""
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))
    head = pretended.header("run", pretended.experiment(rounds=ROUNDS), HOSTS)
    pretended.begin(tmp_path / "begun", head)
    for host in HOSTS:
        kept(folder_of("run", host), of(host))
    return head


def of(host: str, rounds: int = ROUNDS) -> list[Record]:
    asked = pretended.experiment(rounds=ROUNDS)
    return [r for number in range(rounds) for r in pretended.round_of(asked, host, number)]


def kept(path: Path, records: list[Record]) -> None:
    folder = RunFolder.open(path, to_append=True)
    for record in records:
        folder.append(record)
    folder.close()


def faults(
    head: Header,
    tmp_path: Path,
    records: list[Record],
    log: str = "",
    kills: tuple[int, ...] = (),
    manner: Manner = HASTY,
) -> tuple[str, Tally]:
    """What is found in a driver's journal with these records. `kills`: of drivers, each when the
    journal had so many."""
    folder, tally = RunFolder.create(tmp_path / "run", head), Tally()
    last: dict[int, HostLost] = {}
    folder.close()
    for begin, end in pairwise([0, *kills, len(records)]):
        kept(folder.path, records[begin:end])
        if end in kills:
            last |= accounts.last_loss(folder.path)
    found = list(accounts.faults_of(folder.path, ROUNDS, manner, tally))
    return "\n".join([*found, *accounts.untold(folder.path, log, last, tally)]), tally


def test_all_is_well(head: Header, tmp_path: Path) -> None:
    whole = [*of("anna"), *of("berta"), Ended("rounds", ROUNDS)]
    found, tally = faults(head, tmp_path, whole)
    assert found == ""
    assert (tally.sections, tally.batches, tally.lost) == (12, 36, 0)


def test_whole_rounds_of_a_host_that_is_lost_count(head: Header, tmp_path: Path) -> None:
    away = HostLost(2, LOST, host="berta")
    records = [*of("anna"), *of("berta", 2), away, Ended("rounds", ROUNDS)]
    found, tally = faults(head, tmp_path, records, f"wave 3\nlost berta: {LOST}\n")
    assert found == ""
    assert (tally.lost, tally.back, tally.sections) == (1, 0, 10)


@pytest.mark.parametrize(
    ("manner", "reason", "said"),
    [
        (HASTY, LOST, ""),
        (PATIENT, "it has been away for 60 s", "which nothing explains: it has been away for 60 s"),
        (HASTY, "it has been away for 60 s", "berta was lost, which nothing explains"),
        (HASTY, "a round took longer than 120 s", "which nothing explains: a round took longer"),
        (HASTY, "its worker failed with KeyError", "berta was lost, which nothing explains"),
    ],
)
@pytest.mark.parametrize("goes_on", [False, True])
def test_no_other_loss_excuses_anything(
    manner: Manner, reason: str, said: str, goes_on: bool, head: Header, tmp_path: Path
) -> None:
    loss = HostLost(2, reason, host="berta")
    later = of("berta")[len(of("berta", 2)) :] if goes_on else []
    records = [*of("anna"), *of("berta", 2), loss, *later, Ended("rounds", ROUNDS)]
    log = f"lost berta: {reason}\n"
    found, _ = faults(head, tmp_path, records, log, manner=manner)
    assert said in found if said else found == ""


def test_a_host_that_comes_back_has_all_its_rounds(head: Header, tmp_path: Path) -> None:
    away = HostLost(1, LOST, host="berta")
    first = of("berta", 1)
    records = [*of("anna"), *first, away, *of("berta")[len(first) :], Ended("rounds", ROUNDS)]
    found, tally = faults(head, tmp_path, records, f"lost berta: {LOST}\nback berta\n")
    assert found == ""
    assert (tally.lost, tally.back) == (1, 1)


def without(kind: type[Record]) -> Callable[[list[Record]], list[Record]]:
    def changed(records: list[Record]) -> list[Record]:
        one = next(r for r in records if isinstance(r, kind))
        return [r for r in records if r is not one]

    return changed


def twice(records: list[Record]) -> list[Record]:
    return [*records, next(r for r in records if isinstance(r, SectionDone))]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (without(Batch), "a batch is lost"),
        (without(SectionDone), "berta: lost: (0, 'get-0')"),
        (twice, "measured whole twice"),
        (lambda records: records[:-1], "berta: lost: (2, 'get-1')"),
        (lambda _: of("berta", 1), "berta keeps 42 records, and 14 were fetched"),
    ],
)
def test_what_is_lost_or_doubled_is_found(
    change: Callable[[list[Record]], list[Record]], said: str, head: Header, tmp_path: Path
) -> None:
    records = [*of("anna"), *change(of("berta")), Ended("rounds", ROUNDS)]
    assert said in faults(head, tmp_path, records)[0]


SILENT = "which the output doesn't tell: {('berta', 'it has been away for 3 s'): 1}"


@pytest.mark.parametrize(
    ("log", "kills", "said"),
    [
        ("", [], SILENT),
        ("", [0], ""),  # right after the driver had written it
        ("", [-1], SILENT),  # before that
        ("", [1], SILENT),  # and when it had written something else
        (f"lost berta: {LOST}\n", [0], ""),
        (f"lost berta: {LOST}\nlost anna: {LOST}\n", [0], "the journal doesn't tell: ('anna'"),
    ],
)
def test_a_loss_that_is_not_told_is_found(
    log: str, kills: list[int], said: str, head: Header, tmp_path: Path
) -> None:
    """A driver that is killed may keep to itself what it wrote last, and nothing else."""
    away = HostLost(2, LOST, host="berta")
    records = [*of("berta", 2), away, *of("anna"), Ended("rounds", ROUNDS)]
    at = records.index(away) + 1
    found, tally = faults(head, tmp_path, records, log, tuple(at + kill for kill in kills))
    assert said in found if said else found == ""
    assert tally.unsaid == (not log and kills == [0])
    assert f"{tally.unsaid} of them by a driver that was killed before" in str(tally)


def test_a_run_that_has_not_ended_is_a_fault(head: Header, tmp_path: Path) -> None:
    assert "it has not ended" in faults(head, tmp_path, of("anna"))[0]


def test_only_sigkills_are_called_so() -> None:
    tally = Tally()
    tally.done.update(workers=3, nannies=1, stops=5, partitions=2)
    tally.done["scheduler-stops"] += 4
    assert (tally.kills, tally.count) == (4, 15)
    assert str(tally).startswith(
        "4 SIGKILLs (3 of workers, 1 of nannies), 5 stops of workers, 4 of schedulers and 2 "
    )


@pytest.mark.parametrize("inside", [True, False])
def test_nobody_is_cut_off_for_ever_where_that_is_not_permitted(
    inside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="the extra 'fleet' is not installed")
    from benches.fleet import bench

    monkeypatch.delenv(bench.INSIDE, raising=False)
    if inside:
        monkeypatch.setenv(bench.INSIDE, "1")
    assert bench.possible(["partitions"]) == ["partitions"] * inside
    assert "workers" in bench.possible(bench.KINDS)
