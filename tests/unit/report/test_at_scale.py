"""What differences are worth at N exchanges a day: sums whose result is known."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import pytest
from rich.console import Console
from tests.unit.report import factory

from fetchoff.model.analysis import Relative
from fetchoff.model.estimate import Estimate, Verdict
from fetchoff.report.metrics.at_scale import (
    against_baseline,
    days_a_day,
    first_against_last,
    scale_of,
)
from fetchoff.report.metrics.groups import costs_of, groups_of
from fetchoff.report.terminal import per_day
from fetchoff.report.wording.figures import three_digits
from fetchoff.stats.verdicts import unknown_ratio

RESULT = factory.result("small-get")


def test_the_115_days_of_curl_2023() -> None:
    """100 million transfers a day that take 0.1 s less each: "115 CPU days a day"."""
    assert math.floor(days_a_day(0.1 * 1e6, 100_000_000)) == 115


def test_a_day_of_microseconds() -> None:
    assert days_a_day(1.0, 86_400_000_000) == 1.0
    assert days_a_day(-86_400.0, 1_000_000) == -1.0


def test_a_client_saves_what_the_baseline_costs_less_its_own_share() -> None:
    half = Relative(Estimate(0.5, 0.4, 0.6, 0.99), Verdict.FASTER)
    dearer = Relative(Estimate(1.5, 1.4, 1.6, 0.99), Verdict.SLOWER)
    baseline = next(s for s in RESULT.standings if s.client == RESULT.baseline)
    costs = replace(
        costs_of(baseline), wall_us=Estimate(200, 1, 999, 0.99), cpu_us=Estimate(100, 1, 999, 0.99)
    )
    other = next(s for s in RESULT.standings if s.client == "ruby/curb")
    result = replace(
        RESULT,
        standings=(replace(other, wall=half, cpu=dearer), replace(baseline, costs=costs)),
    )
    (saving,) = against_baseline(result)
    assert (saving.client, saving.instead_of) == ("ruby/curb", RESULT.baseline)
    assert (saving.wall_us.point, saving.wall_us.low, saving.wall_us.high) == (100.0, 80.0, 120.0)
    assert (saving.cpu_us.point, saving.cpu_us.low, saving.cpu_us.high) == pytest.approx(
        (-50.0, -60.0, -40.0)
    )


def test_without_an_interval_of_the_ratio_a_saving_has_no_end_either() -> None:
    """The lower end of a ratio from too few rounds is 0: nobody knows that all is saved at most."""
    few = Relative(unknown_ratio(-0.7), Verdict.UNDECIDED)
    rows = (
        replace(row, wall=few) if row.client == "ruby/curb" else row for row in RESULT.standings
    )
    saved = {one.client: one for one in against_baseline(replace(RESULT, standings=tuple(rows)))}
    assert not math.isfinite(saved["ruby/curb"].wall_us.low)
    assert not math.isfinite(saved["ruby/curb"].wall_us.high)


def test_the_ends_of_the_ranking() -> None:
    ranked = groups_of(RESULT).ranked
    saving = first_against_last(RESULT)
    assert saving is not None
    assert (saving.client, saving.instead_of) == (ranked[0].client, ranked[-1].client)
    first, last = costs_of(ranked[0]), costs_of(ranked[-1])
    assert saving.cpu_us.point == last.cpu_us.point - first.cpu_us.point
    assert saving.wall_us.point == last.wall_us.point - first.wall_us.point
    assert math.isinf(saving.cpu_us.high)


def test_floors_are_no_choice() -> None:
    clients = {saving.client for saving in against_baseline(RESULT)}
    assert clients == {s.client for s in groups_of(RESULT).ranked} - {RESULT.baseline}


def test_nothing_is_multiplied_where_nothing_is_ranked() -> None:
    withheld = factory.result("small-get", withheld=True)
    unranked = replace(
        RESULT, standings=tuple(replace(standing, tiers=None) for standing in RESULT.standings)
    )
    for result in (withheld, unranked, replace(RESULT, standings=())):
        assert scale_of(result) is None
        assert against_baseline(result) == ()


def test_an_end_that_is_the_baseline_says_it_all() -> None:
    whole = scale_of(RESULT)
    assert whole is not None and whole.first is not None
    assert whole.first == whole.savings[0]
    pair = tuple(s for s in RESULT.standings if s.client in ("c/libcurl", RESULT.baseline))
    short = scale_of(replace(RESULT, standings=pair))
    assert short is not None
    assert short.first is None
    assert (short.ends.client, short.ends.instead_of) == ("c/libcurl", RESULT.baseline)


def test_the_terminal_shows_each_client_and_the_ends() -> None:
    target = io.StringIO()
    Console(file=target, width=140).print(per_day.whole(factory.analysis(), 100_000_000))
    text = target.getvalue()
    assert "small-get at 100,000,000 exchanges a day" in text
    assert "small-post" not in text  # withheld
    saving = against_baseline(RESULT)[0]
    line = next(x for x in text.splitlines() if x.startswith(f"{saving.client} "))
    assert three_digits(days_a_day(saving.cpu_us.point, 1e8)) in line.split()
    assert three_digits(days_a_day(saving.wall_us.point, 1e8) * 365) in line.split()


def test_the_terminal_says_nothing_twice() -> None:
    pair = tuple(s for s in RESULT.standings if s.client in ("c/libcurl", RESULT.baseline))
    alone = replace(factory.analysis(), results=(replace(RESULT, standings=pair),))
    target = io.StringIO()
    Console(file=target, width=140).print(per_day.whole(alone, 1e6))
    assert target.getvalue().count("c/libcurl") == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0040512, "0.00405"),
        (115.74, "116"),
        (1234.5, "1,230"),
        (999.6, "1,000"),
        (0.9996, "1.00"),
        (1.5, "1.50"),
        (-0.25, "−0.250"),
        (0.0, "0.00"),
        (math.nan, "–"),
    ],
)
def test_three_digits(value: float, text: str) -> None:
    assert three_digits(value) == text
