"""The CSV files of ruby-2008: per implementation and runtime, and all together."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import pytest
from tests.unit.report import factory, reproduced

from fetchoff.model.analysis import ClientCard, RoundCost
from fetchoff.report.article.sites import sites_of
from fetchoff.report.files.implementations import PER_ROUND, file_name, files, implementation

CARD = factory.card(factory.SORTS[-1])


def card(client: str, runtime: str = "ruby 3.1.2p20 (2022-04-12)") -> ClientCard:
    return replace(CARD, client=client, version="1.0", runtime=runtime)


def cost(client: str, number: int, wall_s: float, cpu_s: float) -> RoundCost:
    return RoundCost(number, client, wall_s * 1e6, cpu_s * 1e6, cpu_s * 0.75e6, cpu_s * 0.25e6)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("client", "runtime", "name"),
    [
        ("ruby/net-http", "ruby 3.1.2p20 (2022-04-12)", "net-http--ruby-3.1.2p20"),
        ("ruby/net-http+read-1k", "ruby 3.1.2", "net-http+read-1k--ruby-3.1.2"),
        ("ruby/curb@1.0.5", "ruby 3.1.2", "curb@1.0.5--ruby-3.1.2"),
        ("ruby/net-http~jruby-1.7", "ruby 1.9.3", "net-http--ruby-1.9.3-jruby-1.7"),
        ("ruby/net-http~jruby-1.7", "JRuby 1.7.27 (1.9.3)", "net-http--jruby-1.7.27"),
        ("ruby/curb~jruby-1.7-1.8", "JRuby 1.7.27 (1.8.7)", "curb--jruby-1.7.27-jruby-1.7-1.8"),
        ("ruby/net-http", "", "net-http--unknown"),
    ],
)
def test_names(client: str, runtime: str, name: str) -> None:
    assert file_name(card(client, runtime)) == name
    assert implementation(card(client)) in client


def test_a_row_a_round_and_a_column_a_site() -> None:
    sites = {
        "loopback": [cost("ruby/curb", 0, 0.008, 0.002), cost("ruby/curb", 1, 0.032, 0.004)],
        "london": [cost("ruby/curb", 0, 4.0, 0.002), cost("ruby/net-http", 0, 4.1, 0.2)],
    }
    found = files(sites, [card("ruby/curb"), card("ruby/net-http"), card("ruby/absent")])
    assert set(found) == {
        "curb--ruby-3.1.2p20.csv",
        "net-http--ruby-3.1.2p20.csv",
        "clock-time.csv",
        "cpu-time.csv",
        "cpu-percentage.csv",
    }
    rounds = rows_of(found["curb--ruby-3.1.2p20.csv"])
    assert tuple(rounds[0]) == PER_ROUND
    assert [(row["site"], row["round"]) for row in rounds] == [
        ("loopback", "0"),
        ("loopback", "1"),
        ("london", "0"),
    ]
    assert float(rounds[1]["wall_s"]) == 0.032
    assert float(rounds[1]["user_s"]) == pytest.approx(0.003)
    assert float(rounds[1]["system_s"]) == pytest.approx(0.001)
    assert float(rounds[1]["cpu_s"]) == 0.004
    assert float(rounds[1]["cpu_per_wall"]) == 0.125
    clock = {row["implementation"]: row for row in rows_of(found["clock-time.csv"])}
    assert list(clock) == ["curb", "net-http"]
    assert float(clock["curb"]["loopback"]) == pytest.approx(0.016)  # geometric mean
    assert float(clock["curb"]["london"]) == pytest.approx(4.0)
    assert clock["net-http"]["loopback"] == ""
    share = {row["implementation"]: row for row in rows_of(found["cpu-percentage.csv"])}
    assert float(share["curb"]["loopback"]) == pytest.approx(100 * math.sqrt(0.25 * 0.125))


def test_time_that_could_not_be_split_is_empty() -> None:
    unsplit = replace(cost("ruby/curb", 0, 1.0, 0.5), user_us=math.nan, system_us=math.nan)
    (row,) = rows_of(files({"loopback": [unsplit]}, [card("ruby/curb")])["curb--ruby-3.1.2p20.csv"])
    assert (row["user_s"], row["system_s"], row["cpu_s"]) == ("", "", "0.5")


def test_aggregates_agree_with_the_report() -> None:
    analysis = reproduced.analysis("ruby-2008")
    found = files({"loopback": analysis.rounds["download-fresh@10M"]}, analysis.cards)
    assert len(found) == len(analysis.cards) + 3
    rows = rows_of(found["clock-time.csv"])
    measured = [card.client for card in analysis.cards]
    clock = dict(zip(measured, (row["loopback"] for row in rows), strict=True))
    result = next(r for r in analysis.results if r.workload == "download-fresh@10M")
    for standing in result.standings:
        assert standing.costs is not None
        assert float(clock[standing.client]) == pytest.approx(standing.costs.wall_us.point / 1e6)


def test_every_site_is_a_column_in_the_order_of_the_round_trips() -> None:
    analysis = reproduced.analysis("ruby-2008")
    sites = sites_of(analysis, "download-fresh@10M")
    rounds = {site.name: analysis.rounds[site.result.workload] for site in sites}
    found = files(rounds, analysis.cards)
    for name in ("clock-time.csv", "cpu-time.csv", "cpu-percentage.csv"):
        rows = rows_of(found[name])
        assert len(rows) == len(analysis.cards)
        assert list(rows[0])[3:] == [
            *("loopback", "dallas", "chicago", "washington", "seattle", "london")
        ]
        assert all(float(row[site]) > 0 for row in rows for site in rounds)
    one = rows_of(found["curb--ruby-3.1.2.csv"])
    assert [row["site"] for row in one] == [s for s in rounds for _ in range(reproduced.ROUNDS)]


def test_every_round_of_every_client_is_there() -> None:
    analysis = reproduced.analysis("ruby-2008")
    rounds = analysis.rounds["download-fresh@10M"]
    assert len(rounds) == reproduced.ROUNDS * len(analysis.cards)
    assert [one.round for one in rounds] == sorted(one.round for one in rounds)
    for one in rounds:
        assert one.user_us + one.system_us == pytest.approx(one.cpu_us)
        assert one.user_us == pytest.approx(reproduced.USER_SHARE * one.cpu_us)
