"""One comparison of a history: how its releases are made ready, and what its run says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from benches.stats.histories import Pretended, plan_of, with_steps
from tests.unit.report import factory

from fetchoff.app import history as app_history
from fetchoff.app.choose import chosen
from fetchoff.app.history import (
    CannotBeMeasured,
    Comparer,
    Search,
    _other_packages,
    compared,
    spent_in,
)
from fetchoff.build import locks, trees
from fetchoff.build.build_dir import BuildDir, remember_failure, remember_ready, state
from fetchoff.model.analysis import Analysis, RankingRow, Relative, WorkloadResult
from fetchoff.model.client import Client, Description, Manifest, Package, Readiness
from fetchoff.model.errors import LinkError, StoreError
from fetchoff.model.estimate import Estimate, Verdict
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.finding import (
    Advice,
    ClientEvidence,
    Finding,
    NothingCounts,
    NotMeasured,
)
from fetchoff.model.history import Compared, History, HistoryPlan, OtherPackage, PassedOver
from fetchoff.model.observation import Ended, Invocation, Outcome, Record, RoundDone, SectionDone
from fetchoff.model.spent import Spent
from fetchoff.store.run_folder import ClientRecord, Header, RunFolder


def test_a_repetition_is_a_run_of_its_own_with_rounds_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of the budget is for more rounds; they are as long as for a quarter of it."""
    plan = plan_of(10, budget_s=600)
    lengths: list[float] = []
    made: list[tuple[Path, Experiment]] = []

    def paired(*_: object, budget_s: float, seed: int) -> Experiment:
        lengths.append(budget_s)
        return Experiment((), (), "a/b@0", seed, budget_s=budget_s)

    def new_run(
        experiment: Experiment, clients: object, title: str, place: Path
    ) -> SimpleNamespace:
        made.append((place, experiment))
        return SimpleNamespace(header=SimpleNamespace(clients=clients), records=list)

    monkeypatch.setattr(app_history, "pair", paired)
    monkeypatch.setattr(app_history, "new_run", new_run)
    for name in ("analysis_of", "write", "compared"):
        monkeypatch.setattr(app_history, name, lambda *_: None)
    monkeypatch.setattr(Comparer, "ready", lambda _, version: SimpleNamespace(id=f"a/b@{version}"))
    comparer = Comparer(plan, tmp_path, lambda _: pytest.fail(), lambda *_: None)
    comparer("0", "9", 600.0, 1)
    comparer("0", "9", 100.0, 2)
    (first, once), (second, again) = made
    assert [place.name for place in (first, second)] == ["0--9", "0--9--2"]
    assert (once.budget_s, again.budget_s) == (600.0, 100.0)
    assert lengths == [150.0, 100.0]
    assert once.seed != again.seed
    assert once.alpha == again.alpha == plan.alpha_of_one


AIOHTTP = replace(plan_of(2), client="python/aiohttp", adapter="python/aiohttp")
PINNED = "3.11.18"


def ready_of(version: str) -> tuple[Client, list[Manifest]]:
    """A release of aiohttp, and what was set up for it."""
    asked: list[Manifest] = []

    def set_up(manifest: Manifest) -> Client:
        asked.append(manifest)
        return Client(manifest, Readiness.READY)

    return Comparer(AIOHTTP, Path(), set_up, lambda *_: None).ready(version), asked


@pytest.fixture
def pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Manifest:
    """A version that the adapter has a lock file for; built from that."""
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path))
    manifest = chosen([f"python/aiohttp@{PINNED}"])[0]
    assert not manifest.is_resolved
    remember_ready(BuildDir.of(manifest), Description(PINNED, "", "", frozenset()))
    return manifest


def test_all_releases_are_resolved_alike(pinned: Manifest) -> None:
    """A lock file is of its own day: its dependencies would be taken for the library's step."""
    assert state(pinned).readiness is Readiness.READY
    client, asked = ready_of(PINNED)
    assert asked == [client.manifest]
    assert client.manifest.is_resolved
    assert client.manifest.built_as == pinned.built_as
    assert client.id == str(pinned.id)
    other, _ = ready_of("3.11.17")
    assert other.manifest.is_resolved


def resolved(version: str, folder: Path) -> Manifest:
    """A release that the registry has resolved."""
    released = ready_of(version)[0].manifest
    (folder / "requirements").mkdir()
    (folder / "requirements" / f"{version}.txt").write_text(f"aiohttp=={version}\n")
    (folder / "packages.txt").write_text(f"aiohttp {version} sha256:0\n")
    locks.keep(released, folder, folder / "packages.txt")
    return released


def test_a_release_whose_setup_failed_is_tried_again(pinned: Manifest, tmp_path: Path) -> None:
    """A registry may not have answered. The search itself asks for a release once."""
    released = resolved("3.11.17", tmp_path)
    remember_failure(BuildDir.of(released), "no answer of the registry", "try again")
    assert state(released).readiness is Readiness.UNAVAILABLE
    client, asked = ready_of("3.11.17")
    assert (client.readiness, len(asked)) == (Readiness.READY, 1)


def test_a_release_that_is_ready_says_hello_again(pinned: Manifest, tmp_path: Path) -> None:
    """A library that it shares with the machine may have changed: it would be passed over."""
    released = resolved("3.11.17", tmp_path)
    remember_ready(BuildDir.of(released), Description("3.11.17", "", "libcurl 7", frozenset()))
    assert state(released).readiness is Readiness.READY
    _, asked = ready_of("3.11.17")
    assert asked == [released]


def test_a_release_is_never_built_from_a_tree_of_the_user(pinned: Manifest, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "pyproject.toml").touch()
    trees.choose(pinned, [trees.take(str(pinned.id), tmp_path / "mine")])
    assert BuildDir.of(pinned).trees
    client, _ = ready_of(PINNED)
    assert BuildDir.of(client.manifest).trees == ()


def record(version: str, *packages: Package, package: str = "") -> ClientRecord:
    about = ("a/b", "kit", "product", "", "", version, "", "", "", "")
    return ClientRecord(f"a/b@{version}", *about, packages=packages, package=package)


def ended(place: Path, *sides: ClientRecord) -> None:
    """A run that a former search has made: of its 10 s, 7 were a section's."""
    experiment = Experiment((), (), sides[0].id, 1)
    run = RunFolder.create(place, Header("", "", "", "", experiment, sides, {}))
    run.append(SectionDone(0, 0, "w", 7.0))
    run.append(RoundDone(0, 10.0))
    run.append(Ended("decided", 5))
    run.close()


def test_what_has_ended_is_read_whatever_has_become_of_its_releases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = record("0"), record("9")
    ended(tmp_path / "comparisons" / "0--9", *sides)
    read: list[tuple[Mapping[str, ClientRecord], float]] = []
    monkeypatch.setattr(app_history, "analysis_of", lambda _: None)
    monkeypatch.setattr(app_history, "write", lambda *_: None)
    monkeypatch.setattr(
        app_history,
        "compared",
        lambda _, sides, run, records: read.append((sides, Spent(records).seconds)),
    )
    monkeypatch.setattr(Comparer, "ready", lambda *_: pytest.fail())
    monkeypatch.setattr(app_history, "must_be_unchanged", lambda *_: pytest.fail())
    comparer = Comparer(plan_of(10), tmp_path, lambda _: pytest.fail(), lambda *_: pytest.fail())
    comparer("0", "9", 600.0, 1)
    assert read == [(dict(zip(("0", "9"), sides, strict=True)), 10.0)]


def test_the_time_of_a_history_is_that_of_all_its_comparisons(tmp_path: Path) -> None:
    assert spent_in(tmp_path) == 0.0
    for name in ("0--9", "0--4"):
        ended(tmp_path / "comparisons" / name, record("0"), record("9"))
    assert spent_in(tmp_path) == 20.0


def test_a_release_that_was_measured_is_not_passed_over_for_one_that_never_could_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where a search is resumed without a network: nothing can be set up again."""
    ended(tmp_path / "comparisons" / "0--9", record("0"), record("9"))

    def ready(_: Comparer, version: str) -> Client:
        raise CannotBeMeasured(version, "no route to the registry")

    monkeypatch.setattr(Comparer, "ready", ready)
    comparer = Comparer(plan_of(10), tmp_path, lambda _: pytest.fail(), lambda *_: pytest.fail())
    for ends in (("0", "4"), ("4", "9")):
        with pytest.raises(CannotBeMeasured) as caught:
            comparer(*ends, 600.0, 1)
        assert caught.value.version == "4"


@dataclass
class Searched:
    """A history of releases each of which is slower than the one before; each comparison takes
    10 s. `folder`: where it is."""

    folder: Path
    monkeypatch: pytest.MonkeyPatch
    plan: HistoryPlan = field(default_factory=lambda: plan_of(9, budget_s=300.0))
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        costs = with_steps(9, dict.fromkeys(range(1, 9), 0.2))
        versions = [release.version for release in self.plan.releases]
        named = dict(zip(versions, costs, strict=True))
        compare = Pretended(self.plan, named, np.random.default_rng(1))
        known: dict[str, Compared] = {}

        def compared(_: object, sides: Iterable[str], run: str, records: list[Record]) -> Compared:
            if run not in known:
                older, newer = sides
                found = compare(older, newer, 1e9)
                known[run] = replace(found, seconds=Spent(records).seconds)
            return known[run]

        def new_run(_: object, sides: list[ClientRecord], place: Path, *__: object) -> RunFolder:
            experiment = Experiment((), (), sides[0].id, 1)
            return RunFolder.create(place, Header("", "", "", "", experiment, tuple(sides), {}))

        self.monkeypatch.setattr(app_history, "compared", compared)
        self.monkeypatch.setattr(Comparer, "_new_run", new_run)
        for name in ("analysis_of", "write", "must_be_unchanged"):
            self.monkeypatch.setattr(app_history, name, lambda *_: None)

    def run(self, *without: str, cut_off: str = "") -> History:
        """Search, or go on. `without`: releases that cannot be set up. `cut_off`: the comparison in
        which the user presses Ctrl-C."""
        self.asked.clear()

        def ready(_: Comparer, version: str) -> ClientRecord:
            self.asked.append(version)
            if version in without:
                raise CannotBeMeasured(version, "the registry does not answer")
            return record(version)

        def measure(run: RunFolder, _: object) -> None:
            run.append(RoundDone(0, 10.0))
            if run.path.name == cut_off:
                run.close()
                raise KeyboardInterrupt
            run.append(Ended("decided", 5))
            run.close()

        self.monkeypatch.setattr(Comparer, "ready", ready)
        search = Search(self.plan)
        comparer = Comparer(self.plan, self.folder, lambda _: pytest.fail(), measure)
        with suppress(KeyboardInterrupt):
            search.run(comparer, lambda _: None)
        return search.so_far()

    @property
    def runs(self) -> set[str]:
        return {path.name for path in (self.folder / "comparisons").iterdir()}


def test_a_search_goes_on_as_if_it_had_never_been_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a registry answers again. What was compared to do without a release would count
    for nothing otherwise, neither its time nor its error rate."""
    searched = Searched(tmp_path, monkeypatch)
    first, runs = searched.run("4", "7"), searched.runs
    assert {one.version for one in first.passed_over} == {"4", "7"}
    again = searched.run()
    assert again == first
    assert searched.runs == runs
    assert searched.asked == []
    assert again.seconds == 10.0 * len(runs)


def test_what_a_search_did_without_a_release_counts_after_an_interruption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = Searched(tmp_path, monkeypatch)
    searched.run("4", cut_off="0--3")
    found = searched.run()
    whole = Searched(tmp_path / "whole", monkeypatch).run("4")
    assert [(one.older, one.newer, one.kind) for one in found.stretches] == [
        (one.older, one.newer, one.kind) for one in whole.stretches
    ]
    assert found.passed_over == (PassedOver("4", "the registry does not answer"),)
    assert len(found.compared) == len(searched.runs) == len(whole.compared)


def test_the_time_of_a_comparison_that_cannot_go_on_is_spent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of its releases cannot be set up any more after it was interrupted."""
    searched = Searched(tmp_path, monkeypatch)
    searched.run(cut_off="0--8")
    for without in ("8",), ():
        found = searched.run(*without)
        assert [one.version for one in found.passed_over] == ["8"]
        assert len(found.compared) == len(searched.runs) - 1
        assert found.seconds == 10.0 * len(searched.runs)
    RunFolder.open(tmp_path / "comparisons" / "0--8", to_append=True).close()  # nobody has it


def test_damage_to_what_was_passed_over_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched = Searched(tmp_path, monkeypatch)
    searched.run("8")
    (tmp_path / "passed-over.json").write_text("{")
    with pytest.raises(StoreError, match=r"passed-over\.json is damaged"):
        searched.run()


def analysis(*rows: RankingRow, rounds: int, withheld: Finding | None = None) -> Analysis:
    result = WorkloadResult("w", "", "", rows[0].client, rounds, rows, (), withheld)
    return Analysis("", "", "", "decided", 30.0, 1, 0.01, 0.02, 0.99, (result,), (), {}, {})


def without_figures(version: str, why: ClientEvidence | NothingCounts) -> RankingRow:
    return RankingRow(f"a/b@{version}", Role.RANKED, Outcome.INVALID, 0, Finding(why))


SIDES = {version: record(version) for version in ("0", "9")}


def test_a_release_that_fails_tells_how_long_that_took() -> None:
    rows = [without_figures(version, NotMeasured("it broke down")) for version in SIDES]
    with pytest.raises(CannotBeMeasured, match="0: it broke down") as caught:
        compared(analysis(*rows, rounds=3), SIDES, "comparisons/0--9", [RoundDone(0, 40.0)])
    assert caught.value.seconds == 40.0


def measured(version: str, verdict: Verdict) -> RankingRow:
    """A release with figures of some rounds."""
    row = next(one for one in factory.result("small-get").standings if one.costs is not None)
    found = Relative(Estimate(1.2, 0.1, 9.0, 0.99), verdict)
    return replace(row, client=f"a/b@{version}", wall=found, cpu=found, reason=None)


def of_a_run(**broke_down: int) -> list[Record]:
    """Of 40 s: how often each process of a release ended badly, by its name: `_9`, `_9_twin`."""
    return [
        RoundDone(0, 40.0),
        *(
            Invocation(number, 0, "w", name, f"a/b@{name[1]}", Outcome.FAILED, f"{name[1]} hung")
            for name, times in broke_down.items()
            for number in range(times)
        ),
    ]


@pytest.mark.parametrize(
    ("broke_down", "at_fault", "times"),
    [
        ({"_0": 1, "_9": 2}, "9", 2),
        ({"_0": 2}, "0", 2),
        ({"_0": 2, "_9": 1}, "0", 2),
        ({"_9_twin": 2}, "9", 2),
        ({"_0": 1, "_9": 1, "_9_known": 1}, "9", 2),
        ({"_0": 1, "_0_twin": 1, "_0_known": 1, "_9": 1}, "0", 3),
    ],
)
def test_a_release_that_breaks_down_before_there_is_a_verdict_is_named(
    broke_down: dict[str, int], at_fault: str, times: int
) -> None:
    """A larger budget would not tell more: the run ended because nothing was left to measure. It
    counts the controls of a release as that release."""
    rows = [measured("0", Verdict.EQUIVALENT), measured("9", Verdict.UNDECIDED)]
    found = replace(analysis(*rows, rounds=3), ended_reason="no client left")
    with pytest.raises(CannotBeMeasured) as caught:
        compared(found, SIDES, "comparisons/0--9", of_a_run(**broke_down))
    assert (caught.value.version, caught.value.seconds) == (at_fault, 40.0)
    assert caught.value.reason == f"it broke down {times} times: {at_fault} hung"


@pytest.mark.parametrize(
    ("reason", "verdict"), [("no client left", Verdict.SLOWER), ("budget", Verdict.UNDECIDED)]
)
def test_what_was_told_before_it_broke_down_counts(reason: str, verdict: Verdict) -> None:
    rows = [measured("0", Verdict.EQUIVALENT), measured("9", verdict)]
    found = replace(analysis(*rows, rounds=3), ended_reason=reason)
    told = compared(found, SIDES, "comparisons/0--9", of_a_run(_9=2))
    assert (told.wall.verdict, told.seconds) == (verdict, 40.0)


def test_no_release_is_at_fault_where_no_round_counts() -> None:
    why = NothingCounts("satellite", ("packets were late",))
    rows = [without_figures(version, why) for version in SIDES]
    withheld = Finding(why, advice=Advice.SLOWER_LINK)
    with pytest.raises(LinkError) as caught:
        compared(analysis(*rows, rounds=0, withheld=withheld), SIDES, "comparisons/0--9", [])
    assert caught.value.message == (
        "comparisons/0--9 says nothing about its releases: "
        "no round over satellite counts: packets were late"
    )
    assert "choose a slower link" in caught.value.hint


def locked(*packages: str) -> tuple[Package, ...]:
    parts = (each.split("@") for each in packages)
    return tuple(Package(name, version, "sha256:0") for name, version in parts)


def test_packages_beside_the_library_that_differ() -> None:
    sides = {
        "0.9": record("0.9", *locked("a@0.9", "a-core@0.9", "b@1", "c@1", "d@1", "d@2")),
        "1.0": record("1.0", *locked("a@1.0", "a-core@1.0", "b@2", "d@2", "e@1", "f@1")),
    }
    assert tuple(_other_packages(sides)) == (
        OtherPackage("b", "1", "2"),
        OtherPackage("c", "1", ""),
        OtherPackage("d", "1, 2", "2"),
        OtherPackage("e", "", "1"),
        OtherPackage("f", "", "1"),
    )


def test_the_package_that_carries_the_library_is_no_other_one() -> None:
    sides = {
        version: record(version, *locked(f"c-sys@{own}+c-{version}"), package="c-sys+c")
        for version, own in {"8.1.0": "0.4.1", "8.2.0": "0.4.2"}.items()
    }
    assert tuple(_other_packages(sides)) == ()


def test_of_a_release_without_a_lock_nothing_is_known() -> None:
    sides = {"0": record("0"), "9": record("9", *locked("b@1"))}
    assert tuple(_other_packages(sides)) == ()
