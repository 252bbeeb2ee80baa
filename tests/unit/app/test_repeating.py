"""The command that measures the same again."""

from __future__ import annotations

import shlex
from dataclasses import replace

import pytest

from fetchoff.app.courses import courses
from fetchoff.app.repeating import command_of
from fetchoff.catalog import claims, links
from fetchoff.model.course import Course
from fetchoff.model.estimate import MINIMUM_ROUNDS
from fetchoff.model.experiment import Experiment, Role, with_controls
from fetchoff.model.loopback import Loopback
from fetchoff.model.origin import BUILT_IN
from fetchoff.model.tree import Tree
from fetchoff.model.workload import Exchange, Placement, Workload
from fetchoff.store.run_folder import ClientRecord, Header

POST = Course(Workload("small-post", "", (Exchange("POST", "/"),)))
GET = Course(Workload("small-get", "", (Exchange("GET", "/"),)))
CLIENTS = tuple((client, "c", Role.RANKED) for client in ("c/libcurl", "c/neon"))


RANKING = Experiment(with_controls(CLIENTS), (GET,), "c/libcurl", seed=7, loopback=Loopback.OWN)
PAIR = replace(RANKING, pair_only=True)
RUN = "fetchoff run -c c/libcurl -c c/neon --baseline c/libcurl -w small-get"
COMPARE = "fetchoff compare c/libcurl c/neon -w small-get"
ENDS = "--budget 150 --seed 7"


def header(experiment: Experiment) -> Header:
    return Header("", "", "", "", experiment, (), environment={})


def test_a_ranking_names_clients_workloads_and_seed() -> None:
    experiment = replace(RANKING, baseline="c/neon")
    assert command_of(header(experiment)) == (
        "fetchoff run -c c/libcurl -c c/neon --baseline c/neon -w small-get --budget 150 --seed 7"
    )


def test_a_comparison_says_what_differs_from_the_default() -> None:
    experiment = Experiment(
        with_controls(CLIENTS),
        (GET,),
        "c/libcurl",
        seed=7,
        pair_only=True,
        origin="nginx",
        placement=Placement.FREE,
    )
    assert command_of(header(experiment)) == (
        "fetchoff compare c/libcurl c/neon -w small-get --origin nginx --placement free "
        "--budget 150 --seed 7"
    )


def gated(*sides: ClientRecord, placement: Placement | None = None) -> str:
    """The command of a gate between these."""
    experiment = Experiment(
        with_controls(tuple((side.id, "c", Role.RANKED) for side in sides)),
        (GET, POST),
        sides[0].id,
        seed=7,
        budget_s=90,
        pair_only=True,
        jointly=True,
        limit=0.07,
        placement=placement,
    )
    return command_of(replace(header(experiment), clients=sides))


def side(client: str, adapter: str = "", *trees: str) -> ClientRecord:
    """A client of a gate. `adapter`: "" is its id. `trees`: the names of what it is built from."""
    built_from = tuple(Tree(f"/home/me/{name}", name, "0") for name in trees)
    nothing: tuple[str, str, str, str, str, str, str, str, str] = ("",) * 9
    return ClientRecord(client, adapter or client, *nothing, trees=built_from)


ASKED = "-w small-get -w small-post --budget 90 --seed 7 --margin 7"


def test_a_gate_names_the_trees_as_the_command_does() -> None:
    """By their names: a report tells nobody where its author keeps them."""
    httpx = "python/httpx"
    assert gated(side(httpx), side(f"{httpx}@head", httpx, "httpx")) == (
        f"fetchoff gate {httpx} --with httpx {ASKED}"
    )
    base = side(f"{httpx}@base", f"{httpx}@0.25.2", "before")
    head = side(f"{httpx}@head", f"{httpx}@0.25.2", "a b", "httpx")
    assert gated(base, head) == (
        f"fetchoff gate {httpx}@0.25.2 --base-with before --with 'a b' --with httpx {ASKED}"
    )


def test_a_gate_of_two_clients_names_both() -> None:
    placed = ASKED.replace("--budget", "--placement free --budget")
    assert gated(side("c/libcurl"), side("c/neon"), placement=Placement.FREE) == (
        f"fetchoff gate c/libcurl c/neon {placed}"
    )
    assert gated(side("c/libcurl"), side("c/neon@head", "c/neon", "neon")) == (
        f"fetchoff gate c/libcurl c/neon --with neon {ASKED}"
    )
    mine = side("my/own@head", "/home/me/adapters/my/own", "own")
    assert gated(side("my/own", "/home/me/adapters/my/own"), mine) == (
        f"fetchoff gate my/own --with own {ASKED}"
    )
    folders = (side(f"my/own@{name}", f"/home/me/{name}/my/own") for name in ("main", "feature"))
    assert gated(*folders) == f"fetchoff gate my/own@main my/own@feature {ASKED}"


@pytest.mark.parametrize(("experiment", "words"), [(RANKING, RUN), (PAIR, COMPARE)])
def test_the_machine_s_loopback_is_asked_for_where_a_run_would_have_its_own(
    experiment: Experiment, words: str
) -> None:
    machines = replace(experiment, loopback=Loopback.MACHINE)
    assert command_of(header(machines)) == f"{words} --loopback machine {ENDS}"
    over_link = replace(GET, link=links.link("london"))
    linked = replace(machines, courses=(over_link,))
    assert "--loopback" not in command_of(header(linked))  # there is none to ask for
    served = replace(machines, origin="nginx")
    assert "--loopback" not in command_of(header(served))


def test_a_comparison_with_a_limit_ends_when_that_is_decided() -> None:
    assert command_of(header(replace(PAIR, limit=0.03))) == f"{COMPARE} {ENDS} --fail-if-slower 3"


@pytest.mark.parametrize(
    ("url", "is_permitted"),
    [
        ("http://127.0.0.1:8080", False),
        ("http://localhost:8080", False),
        ("http://192.168.0.7", False),
        ("http://[::1]:80", False),
        ("https://example.org", True),
        ("http://93.184.216.34", True),
        ("http://198.18.0.1", True),  # of a laboratory: RFC 2544
    ],
)
def test_a_server_elsewhere_is_permitted(url: str, is_permitted: bool) -> None:
    """Nobody is asked where a name leads: the report may be read anywhere."""
    told = command_of(header(replace(RANKING, origin=url)))
    allowed = " --allow-remote" if is_permitted else ""
    assert told == f"{RUN} --origin {shlex.quote(url)}{allowed} {ENDS}"


def test_a_suite_with_rounds_of_another_length_is_named() -> None:
    """No option says how many blocks a round has."""
    own = replace(RANKING, suite="transatlantic", blocks_over_links=4)
    assert command_of(header(own)).startswith("fetchoff run transatlantic -c c/libcurl -c c/neon")
    usual = replace(RANKING, suite="everyone")
    assert command_of(header(usual)) == f"{RUN} {ENDS}"


def reproduction(name: str, *, full: bool = False, **changes: object) -> str:
    """The command of an article's run, as `fetchoff reproduce` makes it."""
    suite = claims.suite(name, full=full)
    experiment = Experiment(
        with_controls(tuple((client, "c", Role.RANKED) for client in ("a/b", "a/c"))),
        tuple(courses(suite.workloads)),
        "a/b",
        seed=7,
        budget_s=suite.budget_s,
        blocks=suite.blocks,
        blocks_over_links=suite.blocks_over_links,
        suite=name,
        origin=suite.origin,
        decide_on=(),
        least_rounds=MINIMUM_ROUNDS,
    )
    return command_of(header(replace(experiment, **changes)))  # type: ignore[arg-type]


def test_an_article_is_reproduced_and_not_merely_run() -> None:
    """A run would end when it has decided, and judge no claims."""
    assert reproduction("curl-2023") == "fetchoff reproduce curl-2023 --seed 7"
    shorter = reproduction("curl-2023", budget_s=60.0, least_rounds=1)
    assert shorter == "fetchoff reproduce curl-2023 --budget 60 --seed 7"
    elsewhere = reproduction("perl-2011", origin=BUILT_IN)
    assert elsewhere == "fetchoff reproduce perl-2011 --origin built-in --seed 7"


def test_an_article_at_its_published_sizes_or_over_a_link() -> None:
    whole = next(
        name
        for name in claims.articles()
        if claims.suite(name, full=True).workloads != claims.suite(name).workloads
    )
    assert reproduction(whole, full=True) == f"fetchoff reproduce {whole} --full --seed 7"
    over_link = tuple(courses(claims.suite("perl-2011").workloads, ["london"]))
    linked = reproduction("perl-2011", courses=over_link)
    assert linked == "fetchoff reproduce perl-2011 --link london --seed 7"


@pytest.mark.parametrize(
    "experiment",
    [
        replace(PAIR, alpha=0.01 / 30),  # a comparison of a history
        replace(PAIR, margin=0.01),
        replace(RANKING, decide_on=()),  # a trial of 'explain --try'
        replace(RANKING, decide_on=(), suite="an-article-of-before"),
        replace(RANKING, decide_on=(), suite="curl-2023"),  # with other workloads than it has
    ],
)
def test_there_is_no_command_for_what_no_command_measures(experiment: Experiment) -> None:
    assert command_of(header(experiment)) == ""
