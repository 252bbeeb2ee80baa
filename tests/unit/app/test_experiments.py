"""From what the user asked for to an experiment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fetchoff.app.experiments import gate, pair, ranking
from fetchoff.app.results import lines_of_code
from fetchoff.model.client import Client, ClientId, Kind, Launch, Manifest, Readiness, Recipe
from fetchoff.model.course import Course
from fetchoff.model.errors import InputError
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.workload import Exchange, Placement, Workload
from fetchoff.plan.rounds import entrants_of_round

WORKLOAD = Workload("w", "", (Exchange("GET", "/"),))
COURSE = Course(WORKLOAD)


def client(name: str, kind: Kind = Kind.PRODUCT, readiness: Readiness = Readiness.READY) -> Client:
    language = name.split("/")[0]
    manifest = Manifest(
        id=ClientId.parse(name),
        built_as=ClientId.parse(name),
        kit=language,
        kind=kind,
        about="about",
        homepage="",
        tried=True,
        json_parser="",
        is_control=False,
        faults={},
        folder=Path("/nowhere"),
        kit_folders=(),
        source="source",
        set={},
        runtime=None,
        recipe=Recipe(),
        launch=Launch(("true",)),
    )
    return Client(manifest, readiness)


def ranked(*clients: Client, baseline: str = "", seed: int | None = 1) -> Experiment:
    return ranking(clients, [COURSE], suite="s", baseline=baseline, budget_s=9, blocks=6, seed=seed)


@pytest.mark.parametrize(
    ("had_by", "hint"), [(None, "; 'fetchoff setup /nowhere' tries again"), ({}, "")]
)
def test_nobody_is_available(had_by: dict[str, int] | None, hint: str) -> None:
    """A run sets no client up again whose setup failed; one of a fleet does."""
    failed = replace(
        client("ruby/curb", readiness=Readiness.UNAVAILABLE), reason="no gem", hint="gem install it"
    )
    with pytest.raises(InputError, match="ruby/curb: no gem") as refused:
        ranking(
            [failed],
            [COURSE],
            suite="s",
            baseline="",
            budget_s=9,
            blocks=6,
            seed=1,
            had_by=had_by,
        )
    assert refused.value.hint == f"gem install it{hint}"


def test_who_takes_part() -> None:
    experiment = ranked(
        client("ruby/curb"),
        client("ruby/excon", readiness=Readiness.UNAVAILABLE),
        client("c/raw-socket", Kind.FLOOR),
        client("perl/lwp"),
    )
    by_role = {role: [e.key for e in experiment.entrants if e.role is role] for role in Role}
    assert by_role[Role.RANKED] == ["ruby/curb", "perl/lwp"]
    assert by_role[Role.FLOOR] == ["c/raw-socket"]
    assert {key.split("#")[0] for key in by_role[Role.CONTROL]} == {"ruby/curb", "perl/lwp"}


@pytest.mark.parametrize(
    ("asked", "found"),
    [("perl/lwp", "perl/lwp"), ("python/gone", "ruby/net-http"), ("", "ruby/net-http")],
)
def test_baseline(asked: str, found: str) -> None:
    clients = (client("c/raw-socket", Kind.FLOOR), client("ruby/net-http"), client("perl/lwp"))
    assert ranked(*clients, baseline=asked).baseline == found


def with_compiler(name: str) -> Client:
    return replace(client(name), launch=Launch(("true",), warm_up_exchanges=5000, compiles=True))


def test_few_with_compilers_take_part_seldom_and_so_do_their_controls() -> None:
    others = [client(f"perl/c{number}") for number in range(3)]
    experiment = ranked(*others, with_compiler("javascript/fetch"))
    assert {e.client for e in experiment.entrants if e.seldom} == {"javascript/fetch"}
    assert len([e for e in experiment.entrants if e.seldom]) > 1


@pytest.mark.parametrize(
    "names", [("perl/lwp", "javascript/fetch"), ("javascript/got", "javascript/fetch")]
)
def test_where_most_have_compilers_all_take_part_always(names: tuple[str, ...]) -> None:
    both = [with_compiler(n) if n.startswith("javascript") else client(n) for n in names]
    assert not any(e.seldom for e in ranked(*both).entrants)


def test_a_baseline_with_a_compiler_takes_part_always() -> None:
    others = [client(f"perl/c{number}") for number in range(3)]
    experiment = ranked(*others, with_compiler("java/okhttp"), baseline="java/okhttp")
    assert not any(e.seldom for e in experiment.entrants)


def test_a_floor_is_no_baseline() -> None:
    clients = (client("c/raw-socket", Kind.FLOOR), client("go/fasthttp"))
    assert ranked(*clients, baseline="c/raw-socket").baseline == "go/fasthttp"


@pytest.mark.parametrize(
    "clients",
    [
        (),
        (client("ruby/curb", readiness=Readiness.NOT_SET_UP),),
        (client("c/raw-socket", Kind.FLOOR),),
    ],
)
def test_nothing_to_rank(clients: tuple[Client, ...]) -> None:
    with pytest.raises(InputError):
        ranked(*clients)


def test_seed() -> None:
    assert ranked(client("ruby/curb"), seed=7).seed == 7
    assert ranked(client("ruby/curb"), seed=0).seed == 0
    chosen = {ranked(client("ruby/curb"), seed=None).seed for _ in range(5)}
    assert len(chosen) > 1


def test_pair() -> None:
    a, b = client("ruby/curb"), client("perl/lwp")
    experiment = pair(a, b, [COURSE], budget_s=9, seed=1)
    assert [e.key for e in experiment.entrants if e.role is Role.RANKED] == [a.id, b.id]
    assert experiment.baseline == a.id
    assert experiment.pair_only


@pytest.mark.parametrize(("budget_s", "turns"), [(9, 10), (60, 10), (72, 12), (600, 100)])
def test_rounds_of_a_pair_are_short_until_there_is_time_for_more_than_forty(
    budget_s: float, turns: int
) -> None:
    a, b = client("ruby/curb"), client("perl/lwp")
    assert pair(a, b, [COURSE], budget_s=budget_s, seed=1).turns == turns


def test_rounds_are_long_where_each_begins_with_seconds_of_warming_up() -> None:
    a, b = client("ruby/curb"), with_compiler("javascript/fetch")
    assert pair(a, b, [COURSE], budget_s=9, seed=1).turns == 20
    assert pair(b, a, [COURSE], budget_s=600, seed=1).turns == 20


def test_rounds_of_a_gate_are_long() -> None:
    a, b = client("ruby/curb"), client("perl/lwp")
    assert gate(a, b, [COURSE], margin=0.02, budget_s=180, seed=1).turns == 20


def test_in_a_pair_controls_of_compilers_take_part_in_every_third_round() -> None:
    """They double the number of processes that have to become warm."""
    a, b = client("python/requests"), with_compiler("javascript/fetch")
    experiment = pair(a, b, [COURSE], budget_s=9, seed=1)
    seldom = {e.key for e in experiment.entrants if e.seldom}
    assert seldom == {e.key for e in experiment.entrants if e.key.startswith("javascript/fetch#")}
    present = [{e.client for e in entrants_of_round(experiment, n)} for n in range(5)]
    assert present == [{a.id, b.id}] * 5
    controls = [
        {e.client for e in entrants_of_round(experiment, n) if e.role is Role.CONTROL}
        for n in range(5)
    ]
    assert controls[1] == controls[2] == controls[4] == {a.id}
    assert b.id in controls[0] | controls[3]


def test_a_client_against_itself() -> None:
    a = client("ruby/curb")
    experiment = pair(a, a, [COURSE], budget_s=9, seed=1)
    assert len({e.process for e in experiment.entrants if e.role is Role.RANKED}) == 2


def test_floors_may_be_compared() -> None:
    floor = client("c/raw-socket", Kind.FLOOR)
    experiment = pair(floor, client("c/libcurl"), [COURSE], budget_s=9, seed=1)
    assert [e.role for e in experiment.entrants[:2]] == [Role.RANKED, Role.RANKED]


def test_lines_of_code() -> None:
    assert lines_of_code("# why\n\nimport x\n  // no\n/* a\n * b\n */\nx()\n") == 2


@pytest.mark.parametrize("asked", [None, *Placement])
def test_a_placement_that_was_asked_for_goes_before_the_workloads(asked: Placement | None) -> None:
    separate = Course(replace(WORKLOAD, placement=Placement.SEPARATE_CORES))
    both = client("ruby/curb"), client("c/libcurl")
    for experiment in (
        pair(*both, [separate], budget_s=9, seed=1, placement=asked),
        ranking(
            both,
            [separate],
            suite="s",
            baseline="",
            budget_s=9,
            blocks=6,
            seed=1,
            placement=asked,
        ),
    ):
        assert experiment.placement is asked
        (course,) = experiment.courses
        assert experiment.placement_of(course) is (asked or Placement.SEPARATE_CORES)
