"""Articles whose workloads were measured at other sizes."""

from __future__ import annotations

import pytest

from fetchoff.analysis.sizes import at_sizes_of
from fetchoff.model.claim import (
    Article,
    Claim,
    EqualClaim,
    Figure,
    Measure,
    OrderClaim,
    PublishedCell,
    PublishedColumn,
    PublishedRow,
    PublishedTable,
    RatioClaim,
    Side,
    SpreadClaim,
    Statement,
    UnmeasurableClaim,
)

SIDE = Side("x/a", "bulk")


def article(statement: Statement) -> Article:
    cell = PublishedCell(SIDE, Figure.MBPS, 1.0)
    row = PublishedRow("A", "x/a", (cell,))
    table = PublishedTable("t", 0, (PublishedColumn("MB/s"),), (row,))
    return Article("id", "title", 2020, (Claim("c", "text", statement),), (table,), "bulk")


@pytest.mark.parametrize(
    ("measured", "found"),
    [
        (["bulk", "bulk@9"], "bulk"),
        (["bulk@9", "other"], "bulk@9"),
        (["bulk@9", "bulk@99"], "bulk"),
        (["bulk-h2@9"], "bulk"),
        ([], "bulk"),
    ],
)
@pytest.mark.parametrize(
    "statement",
    [
        RatioClaim(Measure.WALL, SIDE, SIDE, 2.0),
        EqualClaim(Measure.WALL, SIDE, SIDE, 0.1),
        OrderClaim(Measure.WALL, (SIDE, SIDE)),
        SpreadClaim(Measure.WALL, (SIDE, SIDE), at_least=2.0),
    ],
)
def test_the_one_that_differs_in_size_alone(
    statement: Statement, measured: list[str], found: str
) -> None:
    sized = at_sizes_of(article(statement), measured)
    assert sized.per_implementation == found
    assert sized.tables[0].rows[0].cells[0].side.workload == found
    match sized.claims[0].statement:
        case RatioClaim(of=of, to=to) | EqualClaim(of=of, to=to):
            assert (of.workload, to.workload) == (found, found)
        case OrderClaim(sides=sides) | SpreadClaim(sides=sides):
            assert {side.workload for side in sides} == {found}


@pytest.mark.parametrize(
    ("asked", "measured", "found"),
    [
        ("bulk@5/far", ["bulk@9/far", "bulk@5"], "bulk@9/far"),
        ("bulk@5/far", ["bulk@5/near"], "bulk@5/far"),  # another place is not another size
        ("bulk@5/far", ["bulk@5"], "bulk@5/far"),
        ("bulk@5", ["bulk@5/far"], "bulk@5/far"),
        ("bulk@5", ["bulk@9/far"], "bulk@9/far"),
        ("bulk@5", ["bulk@9/far", "bulk@5/far"], "bulk@5/far"),
        ("bulk@5", ["bulk@5/far", "bulk@5/near"], "bulk@5"),
        ("bulk@5", ["bulk@9", "bulk@5/far"], "bulk@9"),
    ],
)
def test_a_course_keeps_its_link_if_the_article_names_one(
    asked: str, measured: list[str], found: str
) -> None:
    side = Side("x/a", asked)
    sized = at_sizes_of(article(RatioClaim(Measure.WALL, side, side, 2.0)), measured)
    statement = sized.claims[0].statement
    assert isinstance(statement, RatioClaim)
    assert statement.of.workload == found


@pytest.mark.parametrize(
    ("measured", "found"),
    [
        (["bulk@9/far", "bulk@9/near", "other"], "bulk@9"),
        (["bulk@9/far", "bulk@9"], "bulk@9"),
        (["bulk/far", "bulk@9/near"], "bulk"),
        (["bulk@8/far", "bulk@9/near"], "bulk"),
    ],
)
def test_what_is_compared_by_implementation_is_a_workload_over_every_link(
    measured: list[str], found: str
) -> None:
    stated = EqualClaim(Measure.WALL, SIDE, SIDE, 0.1)
    assert at_sizes_of(article(stated), measured).per_implementation == found


def test_what_cannot_be_measured_has_no_size() -> None:
    stated = UnmeasurableClaim(Measure.WALL, "Windows")
    assert at_sizes_of(article(stated), ["bulk@9"]).claims[0].statement == stated


def test_sizes_are_chosen_by_what_was_claimed() -> None:
    asked = Article("id", "title", 2020, (), (), "bulk@5")
    assert at_sizes_of(asked, ["bulk@5", "bulk@9"]).per_implementation == "bulk@5"
    assert at_sizes_of(asked, ["bulk@9"]).per_implementation == "bulk@9"


@pytest.mark.parametrize(
    ("measured", "found"),
    [
        (["bulk@9", "bulk@9+free"], ("bulk@9", "bulk@9+free")),
        (["bulk@9"], ("bulk@9", "bulk@99+free")),
    ],
)
def test_placements_are_no_sizes(measured: list[str], found: tuple[str, str]) -> None:
    claim = RatioClaim(Measure.WALL, Side("x/a", "bulk@99"), Side("x/a", "bulk@99+free"), 2.0)
    (sized,) = at_sizes_of(article(claim), measured).claims
    assert isinstance(sized.statement, RatioClaim)
    assert (sized.statement.of.workload, sized.statement.to.workload) == found
