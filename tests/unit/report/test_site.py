"""The pages of a site: complete, linked, harmless, and no word more than the runs say."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion
from tests import links
from tests.unit.report import factory, sited
from tests.unit.report.explained import explanation

from fetchoff.app import site
from fetchoff.app.site import Origin, gather
from fetchoff.model.analysis import Analysis, Relative
from fetchoff.model.check import CheckKind, CheckOutcome
from fetchoff.model.estimate import Estimate, Verdict
from fetchoff.report.files import json_results
from fetchoff.report.site import addresses, feed, render, tables
from fetchoff.report.site.collection import collect, speaker
from fetchoff.report.site.runs import LeftOut

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of every kind of run, one of them of somebody else."""
    folder = tmp_path_factory.mktemp("site")
    own = sited.every_kind(folder / "runs")
    theirs = sited.write(folder / "theirs" / "run", sited.ranked("20261120-100000-2", 20, 9))
    site.build(gather([Origin(own), Origin(theirs, "Ada's lab")]), folder / "site")
    return folder / "site"


def pages_of(folder: Path, *origins: Origin) -> dict[str, str]:
    """The text files of a site of these runs; by default, those in the folder."""
    found = gather(origins or [Origin(folder)])
    return dict(render.files(collect(found.runs, found.histories)))


def words(page: str) -> str:
    """What is to be read on a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", page.rpartition("</header>")[2]).split())


def row(page: str, name: str) -> str:
    """The words of the table's row that holds a name."""
    rows = re.findall(r"<tr.*?</tr>", page, re.S)
    return next(words(one) for one in rows if f">{name}<" in one)


def test_the_pages(built: Path, snapshot: SnapshotAssertion) -> None:
    listing = sorted(str(path.relative_to(built)) for path in built.rglob("*") if path.is_file())
    assert "\n".join(listing) == snapshot


def test_every_link_leads_somewhere(built: Path) -> None:
    pages = links.read(built)
    assert len(pages) > 40
    assert links.broken(built, pages) == []


def test_nothing_is_loaded_from_elsewhere(built: Path) -> None:
    found = [link for page in links.read(built).values() for link in page.links]
    assert not [link for link in found if link.loads and link.leaves]
    assert {link.target.partition(":")[0] for link in found if link.leaves} <= {"http", "https"}


def test_the_policy_is_strict_and_no_page_breaks_it(built: Path) -> None:
    for path, page in links.read(built).items():
        if path.name == "report.html":
            continue
        assert page.forbidden == [], path
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', path.read_text())
        assert policy is not None
        assert "unsafe" not in policy[1]
        assert policy[1].startswith("default-src 'none'")


def test_the_same_runs_give_the_same_bytes(tmp_path: Path) -> None:
    sited.every_kind(tmp_path)
    found = gather([Origin(tmp_path)])
    one = dict(render.files(collect(found.runs, found.histories)))
    other = dict(render.files(collect(found.runs[::-1], found.histories[::-1])))
    assert one == other


def test_every_run_is_reached_from_its_figures(built: Path) -> None:
    pages = links.read(built)
    client = pages[built.resolve() / "clients" / "python_urllib3.html"]
    runs = {link.target.partition("#")[0] for link in client.links if "/runs/" in link.target}
    runs.discard("../runs/index.html")
    assert len(runs) == 5  # both wide ones, that of two, the one over a link, and somebody else's
    assert (built / "runs" / sited.RUN / "report.html").read_text() == sited.REPORT


def test_withheld_figures_are_nowhere(tmp_path: Path) -> None:
    whole = sited.ranked()
    pages = pages_of(sited.write(tmp_path / "run", whole))
    assert "withheld" in words(pages["workloads/small-post.html"])
    assert "withheld" in words(pages[f"runs/{sited.RUN}/index.html"])
    (withheld,) = [result for result in whole.results if result.withheld]
    alone = replace(whole, results=(withheld,), explanations=())
    shown = pages_of(sited.write(tmp_path / "alone", alone))
    figures = re.compile(r"\d (?:µs|ms) \(")
    assert figures.search(pages["clients/python_urllib3.html"])
    assert not [address for address, text in shown.items() if figures.search(text)]
    assert "No run has a ranking that counts yet" in words(shown["index.html"])


def failed_but_not_withheld(analysis: Analysis) -> Analysis:
    """As somebody might change a file: a check failed, and the ranking is there all the same."""
    first = analysis.results[0]
    checks = factory.checks("small-get", withheld=True)
    bad = next(check for check in checks if check.outcome is CheckOutcome.FAILED)
    return replace(analysis, results=(replace(first, checks=(bad,)), *analysis.results[1:]))


def test_a_failed_check_withholds_whatever_the_file_says(tmp_path: Path) -> None:
    sited.write(tmp_path / "run", failed_but_not_withheld(sited.compared("1", 3)))
    pages = pages_of(tmp_path, Origin(tmp_path, "somebody"))
    assert "withheld: a self-check failed" in words(pages["workloads/small-get.html"])
    assert "No run has a ranking that counts yet" in words(pages["index.html"])


def test_one_client_that_is_not_steady_withholds_nothing_here_either(tmp_path: Path) -> None:
    """As in the report: it is named beside the ranking."""
    whole = sited.compared("1", 3)
    (first,) = whole.results
    unsteady = replace(
        first.checks[0],
        kind=CheckKind.TREND,
        client="python/urllib3",
        outcome=CheckOutcome.FAILED,
    )
    checks = (*first.checks[1:], unsteady)
    sited.write(tmp_path / "run", replace(whole, results=(replace(first, checks=checks),)))
    pages = pages_of(tmp_path)
    assert "withheld" not in words(pages["workloads/small-get.html"])
    assert "1 failed" in words(pages["runs/1/index.html"])
    assert "runs/1/index.html#s-small-get" in pages["index.html"]


def test_claims_of_others_are_withheld_with_their_run(tmp_path: Path) -> None:
    sited.write(tmp_path / "own", sited.article("1", 3))
    sited.write(tmp_path / "theirs", failed_but_not_withheld(sited.article("2", 4)))
    pages = pages_of(tmp_path, Origin(tmp_path / "own"), Origin(tmp_path / "theirs", "somebody"))
    page = words(pages["claims/ruby-2008.html"])
    claims = len(sited.article("1", 3).reproduction.article.claims)  # type: ignore[union-attr]
    assert page.count("by somebody withheld: a self-check of the run failed") == claims
    assert "holds" in page


def test_runs_of_others_are_marked_and_their_reports_stay_away(tmp_path: Path) -> None:
    sited.write(tmp_path / "run", sited.ranked())
    site.build(gather([Origin(tmp_path / "run", "<b>Ada</b>")]), tmp_path / "site")
    (report,) = (path for path in (tmp_path / "site" / "runs").iterdir() if path.is_dir())
    assert sorted(path.name for path in report.iterdir()) == ["index.html"]
    assert "Measured by &lt;b&gt;Ada&lt;/b&gt;" in (report / "index.html").read_text()
    for name in ("index.html", "runs/index.html", "clients/python_urllib3.html"):
        assert "by &lt;b&gt;Ada&lt;/b&gt;" in (tmp_path / "site" / name).read_text()


def test_a_comparison_of_two_does_not_take_the_place_of_a_ranking(tmp_path: Path) -> None:
    sited.write(tmp_path / "wide", sited.ranked("wide", 20))
    sited.write(tmp_path / "two", sited.compared("two", 25))
    found = gather([Origin(tmp_path)])
    whole = collect(found.runs)
    spoke = speaker(whole.courses["small-get"])
    assert spoke is not None
    assert spoke.run.file.run_id == "wide"
    home = pages_of(tmp_path)["index.html"]
    assert "runs/wide/index.html#s-small-get" in home
    assert "runs/two/index.html#s-small-get" not in home


def test_somebody_elses_newer_run_does_not_take_the_place_of_ones_own(tmp_path: Path) -> None:
    sited.write(tmp_path / "own" / "run", sited.ranked("own", 20))
    theirs = replace(sited.ranked("theirs", 25), started="2999-01-01T00:00:00+00:00")
    cards = tuple(replace(card, about="taken over") for card in theirs.cards)
    sited.write(tmp_path / "theirs" / "run", replace(theirs, cards=cards))
    pages = pages_of(tmp_path, Origin(tmp_path / "own"), Origin(tmp_path / "theirs", "somebody"))
    assert "taken over" not in pages["clients/python_urllib3.html"]
    best = pages["index.html"].partition("Newest runs")[0]
    assert "runs/own/index.html#s-small-get" in best
    assert "runs/somebody_theirs" not in best


def test_others_speak_where_ones_own_is_withheld(tmp_path: Path) -> None:
    """Their ranking is better than none. The method says so, and who they are is marked."""
    own = sited.ranked("own", 25)
    withheld = next(result for result in own.results if result.withheld)
    theirs = sited.ranked("theirs", 20)
    first = theirs.results[0]
    same = replace(first, workload=withheld.workload, about=withheld.about)
    sited.write(tmp_path / "own", own)
    sited.write(tmp_path / "theirs", replace(theirs, results=(same,), points={}))
    origins = Origin(tmp_path / "own"), Origin(tmp_path / "theirs", "somebody")
    courses = collect(gather(origins).runs).courses
    speaking = [speaker(courses[name]) for name in (withheld.workload, first.workload)]
    assert [placed.run.by for placed in speaking if placed] == ["somebody", ""]
    method = words(pages_of(tmp_path, *origins)["method.html"])
    assert "only where the owner of the site has no ranking" in method


def test_figures_that_cannot_be_end_no_site(tmp_path: Path) -> None:
    """In two runs: a chart over time has two points."""
    for run_id, day in (("1", 3), ("2", 4)):
        folder = sited.write(tmp_path / run_id, sited.compared(run_id, day))
        document = json.loads((folder / "results.json").read_text("utf-8"))
        for standing in document["results"][0]["standings"]:
            figures = standing["costs"]["wall_us"], standing["wall"]["ratio"]
            for figure in figures:
                figure.update(point=1.79e308, low=1.79e308, high=1.79e308)
        (folder / "results.json").write_text(json.dumps(document), "utf-8")
    pages = pages_of(tmp_path, Origin(tmp_path, "somebody"))
    assert 'class="chart"' not in pages["clients/python_urllib3.html"]


def test_runs_over_another_link_of_the_same_name_are_told(tmp_path: Path) -> None:
    """As after its file was edited: figures of 10 ms are none of 45."""
    sited.write(tmp_path / "now", sited.over_link("now", 21))
    page = words(pages_of(tmp_path)["links/atlantic.html"])
    assert "Other links of this name" not in page
    folder = sited.write(tmp_path / "before", sited.over_link("before", 20))
    document = json.loads((folder / "results.json").read_text("utf-8"))
    for way in ("up", "down"):
        document["results"][0]["link"]["asked"][way]["delay_ms"] = 10
    (folder / "results.json").write_text(json.dumps(document), "utf-8")
    page = words(pages_of(tmp_path)["links/atlantic.html"])
    assert page.partition("Workloads over it")[0].count("45 ms") == 2
    told = page.partition("Other links of this name")[2]
    assert "up 10 ms, 20 Mbit/s; down 10 ms, 100 Mbit/s" in told
    assert "45 ms" not in told


def test_home_tells_the_best_of_each_language_with_its_ties(tmp_path: Path) -> None:
    whole = sited.ranked()
    pages = pages_of(sited.write(tmp_path / "run", whole))
    ranked = [s for s in whole.results[0].standings if s.tiers and s.client.startswith("ruby/")]
    first, *others = ranked
    ties = [s.client for s in others if s.tiers and first.tiers and s.tiers[0] == first.tiers[0]]
    section = pages["index.html"].partition('id="s-ruby"')[2].partition("</section>")[0]
    said = row(section, "small-get")
    assert said.startswith(f"small-get {first.client} ")
    assert all(client in said for client in ties)
    assert f"{len(ranked)} clients" in said
    assert first.costs is not None
    assert re.search(r"\d µs \(\d+(\.\d+)? µs–", said)


def test_home_names_no_baseline_of_which_nothing_is_known(tmp_path: Path) -> None:
    """After three rounds no interval says anything but the baseline's own, from 1 to 1."""
    said = of_python(tmp_path, dict.fromkeys(PYTHON, WIDE))
    first, *others = PYTHON
    assert said.startswith(f"small-get {first} by its estimate alone ")
    assert all(client in said for client in others)
    assert "could not be placed" not in said


def test_nor_does_it_where_only_other_languages_are_known(tmp_path: Path) -> None:
    said = of_python(tmp_path, {client: WIDE for client in PYTHON if client != factory.BASELINE})
    assert said.startswith(f"small-get {PYTHON[0]} by its estimate alone ")


def test_home_names_those_that_could_not_be_placed_beside_the_best(tmp_path: Path) -> None:
    first, second, third, *_ = PYTHON
    said = of_python(tmp_path, {first: WIDE, third: WIDE})
    assert said.startswith(f"small-get {second} ")
    assert "by its estimate" not in said
    assert f"could not be placed: {first} , {third} " in said


def test_home_names_the_first_of_the_ranking_and_lists_who_is_in_as_good_a_tier(
    tmp_path: Path,
) -> None:
    """A noisy client may have a better best tier than one with a lower time."""
    first, noisy, *others = PYTHON
    tiers = {first: (3, 3), noisy: (2, 6), **dict.fromkeys(others, (4, 6))}
    said = of_python(tmp_path, {}, tiers)
    assert said.startswith(f"small-get {first} ")
    assert noisy in said
    assert not any(client in said for client in others)


def test_home_drops_nobody_who_was_shown_to_be_faster(tmp_path: Path) -> None:
    first, *others = (client for client in PYTHON if client != factory.BASELINE)
    shown = Relative(Estimate(0.01, 0.0001, 0.9, 0.99), Verdict.FASTER)
    said = of_python(tmp_path, {**dict.fromkeys(others, WIDE), first: shown})
    assert said.startswith(f"small-get {first} ")


WIDE = Relative(Estimate(0.1, 0.001, 400.0, 0.99), Verdict.UNDECIDED)
PYTHON = [
    row.client
    for row in factory.result("small-get").standings
    if row.tiers and row.client.startswith("python/")
]
"""Those that are ranked, the best first."""


def of_python(
    tmp_path: Path,
    walls: Mapping[str, Relative],
    tiers: Mapping[str, tuple[int, int]] | None = None,
) -> str:
    """What the home page says of Python where these clients have such ratios to the baseline; if
    all of them are wide, so are those of all languages."""
    whole = sited.ranked()
    first = whole.results[0]
    rest = WIDE if set(walls) == set(PYTHON) else None
    rows = tuple(
        replace(
            row,
            wall=row.wall
            if row.client == factory.BASELINE
            else walls.get(row.client, rest or row.wall),
            tiers=(1, 1) if rest and row.tiers else (tiers or {}).get(row.client, row.tiers),
        )
        for row in first.standings
    )
    course = replace(first, standings=rows)
    pages = pages_of(sited.write(tmp_path / "run", replace(whole, results=(course,))))
    section = pages["index.html"].partition('id="s-python"')[2].partition("</section>")[0]
    return row(section, "small-get")


def test_what_was_left_out_is_told(tmp_path: Path) -> None:
    found = gather([Origin(sited.write(tmp_path / "run", sited.ranked()))])
    missing = LeftOut("<old>", "it has schema 0")
    page = dict(render.files(collect(found.runs), [missing]))["runs/index.html"]
    assert "&lt;old&gt;: it has schema 0" in page


def test_hostile_names_are_only_text(tmp_path: Path) -> None:
    sited.write(tmp_path / "runs" / "run", sited.hostile())
    out = tmp_path / "deep" / "site"
    site.build(gather([Origin(tmp_path / "runs", sited.HOSTILE)]), out)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["deep", "runs"]
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["site"]
    pages = links.read(out)
    assert links.broken(out, pages) == []
    assert [page.forbidden for page in pages.values() if page.forbidden] == []
    for path in out.rglob("*.html"):
        assert "<script>alert" not in path.read_text(), path
    feed_text = (out / "feed.xml").read_text("utf-8")
    title = ElementTree.fromstring(feed_text).findtext(f"{ATOM}entry/{ATOM}title")
    assert title == sited.HOSTILE


def test_a_client_that_is_called_index_keeps_its_page(tmp_path: Path) -> None:
    whole = sited.compared("1", 2)
    first = whole.results[0]
    rows = tuple(replace(s, client="index") for s in first.standings[:1])
    sited.write(tmp_path / "run", replace(whole, results=(replace(first, standings=rows),)))
    pages = pages_of(tmp_path)
    assert "Every client that took part" in pages["clients/index.html"]
    assert addresses.page("clients", "index") in pages


@given(st.text(), st.text())
def test_different_names_have_different_addresses(one: str, other: str) -> None:
    addressed = addresses.page("k", one), addresses.page("k", other)
    assert (one == other) == (addressed[0] == addressed[1])
    assert re.fullmatch(r"k/[A-Za-z0-9_.+@~-]+\.html", addressed[0])


@pytest.mark.parametrize(
    ("one", "other"), [("a/b-c", "a-b/c"), ("a/b", "a_b"), ("a b", "a  b"), ("a//b", "a/b")]
)
def test_names_that_look_alike_are_told_apart(one: str, other: str) -> None:
    assert addresses.page("k", one) != addresses.page("k", other)


def test_an_address_can_be_read() -> None:
    assert addresses.page("clients", "python/httpx+h2@0.28.1~pypy-3.11") == (
        "clients/python_httpx+h2@0.28.1~pypy-3.11.html"
    )


def test_the_feed_has_the_newest_runs_first(built: Path) -> None:
    root = ElementTree.fromstring((built / "feed.xml").read_text("utf-8"))
    times = [entry.findtext(f"{ATOM}updated") for entry in root.findall(f"{ATOM}entry")]
    assert times == sorted(filter(None, times), reverse=True)
    assert len(times) == 6
    assert root.findtext(f"{ATOM}updated") == times[0]
    ids = [node.text for node in root.iter(f"{ATOM}id")]
    assert len(ids) == len(set(ids))


def test_a_site_of_many_runs_stays_readable(tmp_path: Path) -> None:
    many = max(feed.MOST, tables.MOST_LINES) + 1
    text = json_results.text(sited.compared("run-0", 1))
    for number in range(many):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "results.json").write_text(text.replace("run-0", f"run-{number}"), "utf-8")
    found = gather([Origin(tmp_path)])
    assert len(feed.items(collect(found.runs))) == feed.MOST
    pages = pages_of(tmp_path)
    client = pages["clients/python_urllib3.html"]
    assert client.count("<tr>") == 1 + tables.MOST_LINES
    assert "Not listed here: 1 older run." in words(client)
    assert client.count('<g class="s0">') == many
    assert pages["workloads/small-get.html"].count("runs/run-") > many


def entries(built: Path) -> list[list[str]]:
    text = (built / "search-index.js").read_text("utf-8")
    found: list[list[str]] = json.loads(text.removeprefix("window.fetchoffIndex = ").rstrip(";\n"))
    return found


def test_the_search_knows_every_subject(built: Path) -> None:
    kinds = {kind: title for kind, title, _, _ in entries(built)}
    assert set(kinds) == {
        *("client", "workload", "link", "published claim", "finding", "history", "run", "page")
    }
    assert all((built / address).is_file() for _, _, address, _ in entries(built))


def test_a_history_is_drawn_and_its_report_copied(built: Path) -> None:
    folder = built / "histories" / "20261118-100000-1-python_urllib3"
    page = (folder / "index.html").read_text()
    assert page.count("<title>") > 4  # that of the page, and one for each point
    assert page.count(f'{folder.name}/comparisons/2--3/report.html"') == 2
    assert (folder / "report.html").read_text() == sited.REPORT_OF_HISTORY
    assert (folder / "comparisons" / "2--3" / "report.html").read_text() == sited.REPORT
    assert not list((built / "runs").glob("20261101*"))  # its comparisons are its own


def test_the_matrix_says_what_was_seen_and_what_was_not_asked(tmp_path: Path) -> None:
    one, other = explanation("perl/http-tiny"), explanation("c/libcurl")
    (cause,) = other.diagnosis.causes
    unseen = replace(other.diagnosis, causes=(replace(cause, fault="small-reads"),), silent=())
    told = (one, replace(other, diagnosis=unseen, known=()))
    sited.write(tmp_path / "run", replace(sited.ranked(), explanations=told))
    page = pages_of(tmp_path)["behaviour.html"]
    assert row(page, "perl/http-tiny") == "perl/http-tiny ? seen"
    assert row(page, "c/libcurl") == "c/libcurl seen"


def test_a_site_without_explanations_has_no_matrix(tmp_path: Path) -> None:
    sited.write(tmp_path / "run", sited.compared("1", 1))
    pages: Mapping[str, str] = pages_of(tmp_path)
    assert "behaviour.html" not in pages
    assert "behaviour.html" not in pages["index.html"]


def test_a_client_is_compared_with_nothing_of_another_machine(tmp_path: Path) -> None:
    sited.write(tmp_path / "one", sited.ranked("one", 20))
    moved = replace(sited.ranked("two", 21), environment={"processor": "another"})
    sited.write(tmp_path / "two", moved)
    page = pages_of(tmp_path)["clients/python_urllib3.html"]
    chart = page.partition("<figure>")[2].partition("</figure>")[0]
    assert '<g class="s0">' in chart
    assert '<g class="s1">' in chart
    assert "another" in chart
    assert factory.BASELINE in page
