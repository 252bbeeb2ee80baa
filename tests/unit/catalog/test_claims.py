"""Articles in TOML: tables in every layout, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from fetchoff.catalog import claims, files
from fetchoff.model.claim import (
    AmountClaim,
    Article,
    Figure,
    FindingClaim,
    Measure,
    PublishedCell,
    RatioClaim,
    Report,
    Side,
)
from fetchoff.model.errors import InputError, UnknownName

HEAD = """\
schema = 1
title = "An article"
year = 2020

[[claim]]
id = "one"
text = "one is twice the other"
kind = "ratio"
measure = "cpu"
of = ["x/a", "w"]
to = ["x/b", "w"]
published = 2

"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(files, "shipped", lambda name: tmp_path)
    (tmp_path / "reported").mkdir()
    folder = tmp_path / "claims"
    folder.mkdir()
    return folder


def read(folder: Path, table: str) -> Article:
    (folder / "an-article.toml").write_text(HEAD + table)
    return claims.article("an-article")


def cells(article: Article) -> list[PublishedCell]:
    return [cell for row in article.tables[0].rows for cell in row.cells]


def test_columns_are_figures_and_a_rate_is_computed(folder: Path) -> None:
    found = read(
        folder,
        '[[table]]\ntitle = "t"\nn = 100\nworkload = "w"\ncolumns = ["wall", "cpu", "rate"]\n'
        'rows = [{ label = "A", client = "x/a", published = [4, 3] }]',
    )
    side = Side("x/a", "w")
    assert cells(found) == [
        PublishedCell(side, Figure.WALL, 4),
        PublishedCell(side, Figure.CPU, 3),
        PublishedCell(side, Figure.RATE, 25),
    ]
    assert [column.heading for column in found.tables[0].columns] == ["wall", "cpu", "rate"]


def test_columns_are_clients(folder: Path) -> None:
    found = read(
        folder,
        '[[table]]\ntitle = "t"\nfigure = "mbps"\n'
        'columns = [{ heading = "old", client = "x/a" }, { heading = "new", client = "x/b" }]\n'
        'rows = [{ label = "big", workload = "w", published = [1, 2] }]',
    )
    assert cells(found) == [
        PublishedCell(Side("x/a", "w"), Figure.MBPS, 1),
        PublishedCell(Side("x/b", "w"), Figure.MBPS, 2),
    ]
    assert [column.here for column in found.tables[0].columns] == ["x/a", "x/b"]


def test_columns_are_workloads_without_published_figures(folder: Path) -> None:
    found = read(
        folder,
        '[[table]]\ntitle = "t"\nfigure = "relative"\n'
        'columns = [{ heading = "off", workload = "v" }, { heading = "on", workload = "w" }]\n'
        'rows = [{ label = "A", client = "x/a" }]',
    )
    assert [cell.side for cell in cells(found)] == [Side("x/a", "v"), Side("x/a", "w")]
    assert all(math.isnan(cell.published) for cell in cells(found))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            'n = 1\ncolumns = ["wall"]\nrows = [{ label = "A", workload = "w" }]',
            "'A' has no client",
        ),
        (
            'n = 1\ncolumns = ["wall"]\nrows = [{ label = "A", client = "x/a" }]',
            "'A' has no workload",
        ),
        (
            'n = 1\nworkload = "w"\ncolumns = [{ heading = "x" }]\n'
            'rows = [{ label = "A", client = "x/a" }]',
            "column 'x' has no figure",
        ),
        (
            'n = 1\nworkload = "w"\ncolumns = ["wall", "cpu", "rate"]\n'
            'rows = [{ label = "A", client = "x/a", published = [1, 2, 3] }]',
            "'A' has 3 figures instead of 2",
        ),
        (
            'n = 1\nworkload = "w"\ncolumns = ["rate", "wall"]\n'
            'rows = [{ label = "A", client = "x/a" }]',
            "a rate needs a wall or real column before it",
        ),
        (
            'workload = "w"\ncolumns = ["wall"]\nrows = [{ label = "A", client = "x/a" }]',
            "a table of seconds needs n, the number of exchanges that they are for",
        ),
    ],
)
def test_what_is_refused(folder: Path, table: str, message: str) -> None:
    with pytest.raises(InputError, match=r"an-article\.toml:15") as refused:
        read(folder, f'\n[[table]]\ntitle = "t"\n{table}')
    assert message in refused.value.message


@pytest.mark.parametrize("bound", ["at_least", "at_most"])
def test_a_ratio_that_is_hardly_one_is_a_bound_or_not_a_ratio(folder: Path, bound: str) -> None:
    small = HEAD.replace("published = 2", "published = 1.02")
    (folder / "an-article.toml").write_text(small)
    with pytest.raises(InputError, match="within 2% of 1 needs kind = 'equal'"):
        claims.article("an-article")
    (folder / "an-article.toml").write_text(f"{small}{bound} = true\n")
    assert claims.article("an-article").claims


def test_an_unknown_article(folder: Path) -> None:
    with pytest.raises(UnknownName):
        claims.article("unwritten")


REPORTED = """\
schema = 1
title = "A report"

[report]
source = "https://example.org/1"
stated = "many requests"
versions = "not known"
workloads = ["other"]
budget_s = 7

[[claim]]
text = "a takes 100 ms"
kind = "amount"
measure = "wall"
of = ["x/a", "w"]
published = 0.1

[[claim]]
text = "a takes twice as long as b"
kind = "ratio"
measure = "connections"
of = ["x/a", "w"]
to = ["x/b", "v"]
published = 2

[[claim]]
text = "c does it twice"
kind = "finding"
of = ["x/c", "recorded"]
fault = "sent-twice"
absent = true
"""


def test_what_measures_a_reported_claim_follows_from_its_sides(folder: Path) -> None:
    (folder.parent / "reported" / "somewhere-1.toml").write_text(REPORTED)
    found, suite = claims.article("somewhere-1"), claims.suite("somewhere-1")
    assert claims.reported() == ["somewhere-1"]
    assert claims.articles() == []
    assert found.report == Report("https://example.org/1", "many requests", "not known")
    assert {claim.id for claim in found.claims} == {"somewhere-1"}
    assert [claim.statement for claim in found.claims] == [
        AmountClaim(Measure.WALL, Side("x/a", "w"), 0.1),
        RatioClaim(Measure.CONNECTIONS, Side("x/a", "w"), Side("x/b", "v"), 2),
        FindingClaim(Side("x/c", "recorded"), "sent-twice", is_absent=True),
    ]
    assert suite.workloads == ("w", "v", "other")
    assert suite.clients == ("x/a", "x/b", "x/c")
    assert (suite.baseline, suite.budget_s, suite.origin) == ("x/b", 7, "built-in")


def test_reported_stands_for_all_of_them_each_once() -> None:
    every = claims.reported()
    assert len(every) == 24
    assert claims.spelt_out(["perl-2011", "guzzle-349", "reported"]) == [
        "perl-2011",
        "guzzle-349",
        *(name for name in every if name != "guzzle-349"),
    ]


@pytest.mark.parametrize(
    ("was", "instead", "message"),
    [
        ("published = 0.1", "published = 0", "greater than 0"),
        (
            "published = 0.1",
            "published = 1\nat_least = true\nat_most = true",
            "at_least or at_most, not both",
        ),
        ('source = "https://example.org/1"', 'source = "a tracker"', "https"),
        ('measure = "wall"', 'measure = "speed"', "connections"),
    ],
)
def test_what_a_reported_claim_may_not_say(
    folder: Path, was: str, instead: str, message: str
) -> None:
    file = folder.parent / "reported" / "somewhere-1.toml"
    file.write_text(REPORTED.replace(was, instead))
    with pytest.raises(InputError) as refused:
        claims.article("somewhere-1")
    assert message in refused.value.message
