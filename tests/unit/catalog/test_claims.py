"""Articles in TOML: tables in every layout, and what is refused."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from fetchoff.catalog import claims, files
from fetchoff.model.claim import Article, Figure, PublishedCell, Side
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
