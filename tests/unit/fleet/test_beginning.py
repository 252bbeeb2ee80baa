"""Beginning a run: who takes part, with what, and what is told of those who can't."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.app.test_experiments import COURSE, client
from tests.unit.fleet.fakes import FakeCluster, Fate

import fetchoff
from fetchoff.app.experiments import ranking
from fetchoff.app.own_code import code
from fetchoff.fleet.beginning import Asked, Jobs, begin, must_be_resumable
from fetchoff.fleet.host import work
from fetchoff.fleet.left_out import LeftOut
from fetchoff.fleet.seam.cluster import Here
from fetchoff.fleet.seam.told import Look, Prepared, Preparing, Wanted
from fetchoff.model.client import Client, Kind, Readiness
from fetchoff.model.course import Course
from fetchoff.model.errors import HostError, InputError, StoreError
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.host import ClientOnHost, FleetMode
from fetchoff.model.loopback import Loopback
from fetchoff.model.origin import OriginRecord
from fetchoff.model.program import ProgramRecord
from fetchoff.store.run_folder import ClientRecord, Header, RunFolder

LWP, CURL, RAW = "perl/lwp", "c/libcurl", "c/raw-socket"


def record(name: str, version: str = "1") -> ClientRecord:
    return ClientRecord(name, name, name, "product", "", "", version, "", "", "source", "")


def look(*clients: Client, version: str = "1", machine: str = "") -> Look:
    ready = [one for one in clients if one.readiness is Readiness.READY]
    records = tuple(record(one.id, version) for one in ready)
    sources = {one.id: f"files of {one.id}" for one in ready}
    return Look(fetchoff.__version__, machine, clients, records, OriginRecord(), code(), sources)


def both(**more: str) -> Look:
    return look(client(LWP), client(CURL), **more)


def absent(name: str) -> Client:
    return replace(client(name, readiness=Readiness.UNAVAILABLE), reason="no cc", hint="get it")


class Fleet:
    """Hosts that have what they are told to have. `unfit`: cannot make their folder."""

    def __init__(self, folder: Path, unfit: str = "", **looks: Look | None) -> None:
        self.folder = folder
        self.looks = looks
        self.unfit = unfit
        self.prepared: dict[str, Preparing] = {}
        self.warnings: list[str] = []
        self.absent: dict[str, HostError] = {}
        self.programs: dict[str, tuple[ProgramRecord, ...]] = {}

    def begin(
        self, mode: FleetMode = FleetMode.REPLICATE, courses: Sequence[Course] = (COURSE,)
    ) -> RunFolder:
        def rank(clients: Sequence[Client], had_by: Mapping[str, int]) -> Experiment:
            return ranking(
                clients,
                courses,
                suite="s",
                baseline=LWP,
                budget_s=9,
                blocks=6,
                seed=1,
                had_by=had_by,
            )

        names = list(self.looks)
        asked = Asked("title", self.folder / "run", Wanted((LWP, CURL)), rank, mode)
        cluster = OneByOne(tuple(names))

        def looked(_wanted: Wanted, _here: Here) -> Look:
            found = self.looks[cluster.now_at]
            if found is None:
                raise HostError("its origin cannot serve", "choose another")
            return found

        def prepare(preparing: Preparing, _here: Here) -> Prepared:
            if preparing.host.id == self.unfit:
                raise HostError("no room")
            self.prepared[preparing.host.id] = preparing
            name = preparing.host.id
            host = replace(
                preparing.host,
                environment={"kernel": f"of {name}"},
                programs=self.programs.get(name, ()),
            )
            return Prepared(host, Loopback.OWN)

        left_out = LeftOut(self.warnings.append, self.absent)
        return begin(cluster, names, asked, left_out, Jobs(looked, prepare))


class OneByOne(FakeCluster):
    """Knows which host a job is done on."""

    now_at = ""

    def start(self, host, job, longest_s):  # type: ignore[no-untyped-def]
        self.now_at = host
        return super().start(host, job, longest_s)


def test_the_run_has_its_hosts_with_what_they_have(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, anna=both(), berta=look(client(LWP), absent(CURL)))
    header = fleet.begin().header
    assert [host.id for host in header.hosts] == ["anna", "berta"]
    assert [host.clients for host in header.hosts] == [(LWP, CURL), (LWP,)]
    assert header.hosts[1].absent == ((CURL, "no cc (get it)"),)
    assert header.hosts[0].environment == {"kernel": "of anna"}
    assert {entrant.client for entrant in header.experiment.entrants} == {LWP, CURL}
    assert [one.id for one in header.clients] == [LWP, CURL]
    assert header.experiment.loopback is Loopback.OWN
    assert [one.id for one in fleet.prepared["berta"].header.clients] == [LWP]
    assert fleet.warnings == []
    again = RunFolder.open(tmp_path / "run").header
    assert again == header


def test_hosts_that_cannot_take_part_are_left_out_and_named(tmp_path: Path) -> None:
    fleet = Fleet(
        tmp_path,
        unfit="dora",
        anna=both(),
        berta=None,
        carl=look(client(RAW, Kind.FLOOR), absent(LWP)),
        dora=both(),
    )
    header = fleet.begin().header
    assert [host.id for host in header.hosts] == ["anna"]
    assert fleet.warnings == [
        "berta is left out: its origin cannot serve (choose another)",
        "carl is left out: no client to rank is ready there",
        "dora is left out: no room",
    ]
    assert header.notes == (
        "berta was left out: its origin cannot serve",
        "carl was left out: no client to rank is ready there",
        "dora was left out: no room",
    )


def test_hosts_that_never_came_are_in_the_run_without_their_addresses(tmp_path: Path) -> None:
    """The user was told of them already."""
    fleet = Fleet(tmp_path, anna=both(), berta=None)
    refused = HostError("it cannot be started by SSH", "cannot connect to 192.0.2.1")
    fleet.absent = {"emil": refused, "carl": refused}
    header = fleet.begin().header
    assert header.notes == (
        "berta was left out: its origin cannot serve",
        "carl, emil were left out: it cannot be started by SSH",
    )
    assert fleet.warnings == ["berta is left out: its origin cannot serve (choose another)"]


def test_a_run_that_is_there_is_refused_before_any_host_is_asked(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, anna=both())
    fleet.begin()
    fleet.prepared.clear()
    with pytest.raises(StoreError, match="already holds a run"):
        fleet.begin()
    assert fleet.prepared == {}


def program(sha256: str) -> tuple[ProgramRecord, ...]:
    return (ProgramRecord("fetchoff-origin", "0.1.0", 3, sha256),)


def test_other_programs_of_one_architecture_are_told(tmp_path: Path) -> None:
    """What they say of their version is the same for all commits."""
    x86, arm = replace(both(), architecture="x86_64"), replace(both(), architecture="aarch64")
    fleet = Fleet(tmp_path, anna=x86, berta=x86, carl=arm)
    fleet.programs = {"anna": program("a" * 64), "berta": program("b" * 64), "carl": program("c")}
    assert fleet.begin().header.notes == (
        "the program fetchoff-origin for x86_64 is not the same everywhere: "
        "0.1.0, aaaaaaaaaaaa: anna; 0.1.0, bbbbbbbbbbbb: berta "
        "(version and SHA-256; hosts may have compiled it themselves)",
    )


def test_the_same_programs_are_not_worth_a_note(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, anna=both(), berta=both())
    fleet.programs = {"anna": program("a"), "berta": program("a")}
    assert fleet.begin().header.notes == ()


@pytest.mark.parametrize(
    ("locks", "told"),
    [
        (("7:1", "7:1"), "anna, berta are on one machine: they take turns, and say nothing of "),
        (
            ("7:1", "9:1"),
            "anna, berta are on one machine, and don't see each other's lock: they can disturb "
            "each other, and say nothing of ",
        ),
        (("", ""), "anna, berta are on one machine, and don't see each other's lock"),
    ],
)
def test_hosts_of_one_machine_take_turns_if_they_share_the_lock(
    locks: tuple[str, str], told: str, tmp_path: Path
) -> None:
    anna, berta = (replace(both(machine="m"), lock=lock) for lock in locks)
    (note,) = Fleet(tmp_path, anna=anna, berta=berta).begin().header.notes
    assert note.startswith(told)


RICH, POOR, OTHER = "python/rich", "python/poor", "python/other"


def of_kit(name: str, *, is_control: bool = False) -> Client:
    found = client(name)
    manifest = replace(found.manifest, kit="python", is_control=is_control)
    return replace(found, manifest=manifest)


def test_the_controls_are_of_a_client_that_all_hosts_have(tmp_path: Path) -> None:
    """Of the one that its kit prefers, if all hosts have that."""
    preferred, second, third = of_kit(RICH, is_control=True), of_kit(OTHER), of_kit(POOR)
    everything = look(client(LWP), preferred, second, third)
    fleet = Fleet(tmp_path, anna=everything, berta=look(client(LWP), third))
    header = fleet.begin().header
    assert controlled(header) == {LWP, POOR}
    assert header.notes == ()
    same = Fleet(tmp_path / "same", anna=everything, berta=everything).begin().header
    assert controlled(same) == {LWP, RICH}


def test_a_host_that_only_has_floors_does_not_choose_the_controls(tmp_path: Path) -> None:
    everything = look(of_kit(RICH, is_control=True), of_kit(OTHER))
    fleet = Fleet(tmp_path, anna=everything, berta=look(client(RAW, Kind.FLOOR)))
    assert controlled(fleet.begin().header) == {RICH}


def test_a_host_without_the_control_of_a_kit_is_named(tmp_path: Path) -> None:
    """Nothing tests there whether equal processes of the kit are told apart."""
    anna = look(client(LWP), of_kit(RICH), of_kit(OTHER))
    berta = look(client(LWP), of_kit(OTHER), of_kit(POOR))
    carl = look(client(LWP), of_kit(POOR))
    header = Fleet(tmp_path, anna=anna, berta=berta, carl=carl).begin().header
    assert controlled(header) == {LWP, OTHER}
    assert header.notes == (
        "on carl, no self-check covers the kit python: python/other, which they are made with, is "
        "not ready there",
    )


def test_a_kit_whose_control_only_hosts_have_that_are_left_out_is_named(tmp_path: Path) -> None:
    """They had their say in which client that is: two have it, and no baseline."""
    anna = look(client(LWP), of_kit(RICH))
    poor = look(of_kit(POOR))
    header = Fleet(tmp_path, anna=anna, berta=poor, carl=poor).begin(FleetMode.SHARD).header
    assert [host.id for host in header.hosts] == ["anna"]
    assert controlled(header) == {LWP, POOR}
    assert header.notes[0] == (
        "on anna, no self-check covers the kit python: python/poor, which they are made with, is "
        "not ready there"
    )


def controlled(header: Header) -> set[str]:
    return {e.client for e in header.experiment.entrants if e.role is Role.CONTROL}


def test_clients_that_no_host_has_are_named_with_the_reason(tmp_path: Path) -> None:
    looked = look(client(LWP), absent(CURL))
    header = Fleet(tmp_path, anna=looked, berta=looked).begin().header
    assert header.absent == ((CURL, "no cc (get it)"),)
    other = Fleet(tmp_path / "other", anna=looked, berta=both()).begin().header
    assert other.absent == ()


def test_without_any_host_there_is_no_run(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, anna=None, berta=None)
    with pytest.raises(InputError, match="no host can take part: its origin cannot serve"):
        fleet.begin()
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("fates", "kind", "said"),
    [
        ((Fate.GONE, Fate.GONE), HostError, "it is not there any more"),
        ((Fate.GONE, Fate.LATE), InputError, "it took longer than 600 s"),
    ],
)
def test_who_went_away_ends_a_run_only_if_nobody_else_says_more(
    fates: tuple[Fate, Fate], kind: type[HostError | InputError], said: str, tmp_path: Path
) -> None:
    names = ("anna", "berta")
    cluster = FakeCluster(names, {name: [fate] for name, fate in zip(names, fates, strict=True)})
    asked = Asked("title", tmp_path / "run", Wanted((LWP,)), lambda *_: pytest.fail("ranked"))
    with pytest.raises(kind, match=f"no host can take part: {said}") as raised:
        begin(cluster, names, asked, LeftOut(lambda _: None, {}))
    assert raised.value.exit_code == (10 if kind is HostError else 2)


def test_hosts_with_another_fetchoff_cannot_be_compared(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, anna=both(), berta=replace(both(), fetchoff="0.0.1"))
    with pytest.raises(InputError, match=r"but berta has 0\.0\.1"):
        fleet.begin()


def test_what_is_not_the_same_everywhere_is_told(tmp_path: Path) -> None:
    other = both(version="2", machine="m")
    fleet = Fleet(tmp_path, anna=both(machine="m"), berta=other, carl=both())
    notes = fleet.begin().header.notes
    assert notes[0].startswith("anna, berta are on one machine")
    assert any(note.startswith(f"{LWP} is not the same everywhere: 1 on") for note in notes)


def test_what_a_host_has_in_another_version_is_kept_with_the_host(tmp_path: Path) -> None:
    """The run has what its first host has, and not what one has that fell out."""
    names = ("anna", "berta", "carl", "dora")
    versions = dict(zip(names, ("1", "2", "3", "2"), strict=True))
    looks: dict[str, Look | None] = {
        name: replace(both(version=version), origin=OriginRecord("nginx", "a server", version))
        for name, version in versions.items()
    }
    looks["carl"] = look(client(LWP), absent(CURL), version="3")
    header = Fleet(tmp_path, unfit="anna", **looks).begin().header
    assert {one.id: one.version for one in header.clients} == {LWP: "2", CURL: "2"}
    unlike = {host.id: host.unlike for host in header.hosts}
    own = ClientOnHost(LWP, "3", "", "")
    assert unlike == {"berta": (), "carl": (own,), "dora": ()}
    origins = {host.id: host.origin for host in header.hosts}
    assert origins == {"berta": "", "carl": "built-in", "dora": ""}
    assert RunFolder.open(tmp_path / "run").header == header


def test_hosts_with_other_code_of_the_same_version_cannot_be_compared(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, anna=both(), berta=replace(both(), code="another commit"))
    with pytest.raises(InputError, match=r"but berta has other code of \d"):
        fleet.begin()


def test_a_host_whose_client_is_built_from_other_files_is_left_out(tmp_path: Path) -> None:
    other = replace(both(), sources={LWP: f"files of {LWP}", CURL: "another lock file"})
    fleet = Fleet(tmp_path, anna=look(client(LWP), absent(CURL)), berta=both(), carl=other)
    header = fleet.begin().header
    assert [host.id for host in header.hosts] == ["anna", "berta"]
    assert fleet.warnings == [
        f"carl is left out: its {CURL} is built from other files (adapter, kit or lock file) than "
        "that of berta"
    ]


def test_each_host_keeps_to_its_own_version_of_an_origin(tmp_path: Path) -> None:
    """Which is compared before every round: one that differs from the first isn't changed."""
    served: dict[str, Look | None] = {
        name: replace(both(), origin=OriginRecord("nginx", "a server", version))
        for name, version in {"anna": "1.22", "berta": "1.24", "carl": "1.22"}.items()
    }
    fleet = Fleet(tmp_path, "", **served)
    header = fleet.begin().header
    assert header.origin.version == "1.22"
    versions = {name: own.header.origin.version for name, own in fleet.prepared.items()}
    assert versions == {"anna": "1.22", "berta": "1.24", "carl": "1.22"}
    told = "origin 'nginx' is not the same everywhere: 1.22: anna, carl; 1.24: berta"
    assert told in header.notes


COURSES = [Course(replace(COURSE.workload, id=f"w{n}")) for n in range(3)]


def test_workloads_are_divided(tmp_path: Path) -> None:
    header = Fleet(tmp_path, anna=both(), berta=both()).begin(FleetMode.SHARD, COURSES).header
    assert header.mode is FleetMode.SHARD
    assert [host.courses for host in header.hosts] == [("w0", "w2"), ("w1",)]


def test_workloads_of_a_host_that_falls_out_are_measured_by_the_others(tmp_path: Path) -> None:
    fleet = Fleet(tmp_path, unfit="berta", anna=both(), berta=both(), carl=both())
    header = fleet.begin(FleetMode.SHARD, COURSES).header
    courses = {host.id: host.courses for host in header.hosts}
    assert courses == {"anna": ("w0", "w2"), "carl": ("w1",)}
    assert {name: one.host.courses for name, one in fleet.prepared.items()} == courses
    assert fleet.warnings == ["berta is left out: no room"]


def test_no_workload_is_dealt_to_a_host_without_the_baseline(tmp_path: Path) -> None:
    """Its ratios would be to something that other hosts don't have."""
    fleet = Fleet(tmp_path, anna=both(), berta=look(absent(LWP), client(CURL)))
    header = fleet.begin(FleetMode.SHARD, COURSES).header
    assert {host.id: host.courses for host in header.hosts} == {"anna": ("w0", "w1", "w2")}
    assert fleet.warnings == [
        f"berta is left out: the baseline {LWP}, without which hosts that share the workloads "
        "cannot be compared, is not ready there"
    ]


def test_more_hosts_than_workloads(tmp_path: Path) -> None:
    """One that is left over measures what was another's, if that falls out."""
    names = ("anna", "berta", "carl", "dora", "emil")
    fleet = Fleet(tmp_path, unfit="anna", **dict.fromkeys(names, both()))
    header = fleet.begin(FleetMode.SHARD, COURSES).header
    assert [host.id for host in header.hosts] == ["berta", "carl", "dora"]
    assert fleet.warnings == [
        "anna is left out: no room",
        "emil is left out: no workload is left",
    ]


def test_only_runs_of_fleets_are_resumed_by_who_measures_as_they_did(tmp_path: Path) -> None:
    header = Fleet(tmp_path, anna=both()).begin().header
    must_be_resumable(header, tmp_path)
    with pytest.raises(InputError, match="is a run of one machine"):
        must_be_resumable(replace(header, hosts=()), tmp_path)
    with pytest.raises(StoreError, match="which measured differently"):
        must_be_resumable(replace(header, schema=1), tmp_path)


@pytest.mark.parametrize("has_id", [True, False])
def test_the_folder_of_a_host_is_not_resumed_by_a_command_that_refuses_it_too(
    has_id: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not every machine has an id."""
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))
    header = replace(Fleet(tmp_path, anna=both()).begin().header, hosts=())
    path = tmp_path / "elsewhere" if has_id else work.folder_of("run", "anna")
    with pytest.raises(InputError, match="is what one host of a fleet has measured") as raised:
        must_be_resumable(replace(header, machine="a digest" if has_id else ""), path)
    assert "'fetchoff fleet resume RUN'" in raised.value.hint
