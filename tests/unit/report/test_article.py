"""An article beside a run in which everything costs what was published, or a known thing else."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import vl_convert
from rich.console import Console
from tests.unit.report import reproduced

from fetchoff.app import results
from fetchoff.catalog import claims as catalog
from fetchoff.model.claim import (
    Claim,
    ClaimVerdict,
    EqualClaim,
    Figure,
    Measure,
    OrderClaim,
    PublishedCell,
    RatioClaim,
    Side,
    SpreadClaim,
    Statement,
)
from fetchoff.model.estimate import Estimate
from fetchoff.model.judgement import Judgement, Reproduction
from fetchoff.report.article.published import measured_figure
from fetchoff.report.article.tables import shown_claims, shown_tables, tally
from fetchoff.report.page import article_charts, article_view
from fetchoff.report.page.article_bars import Bar, BarChart, bar_charts
from fetchoff.report.page.article_view import article_section
from fetchoff.report.page.vega import ROW_HEIGHT
from fetchoff.report.terminal import claims

A, B = Side("x/a", "w"), Side("x/b", "w")
SCHEMA = Path(__file__).parents[3] / "docs" / "results.schema.json"
NOISE = 0.02  # that of the batches; and one table of 2011 has 4.89 s where another has 4.94


def reproduction(name: str) -> Reproduction:
    found = reproduced.analysis(name).reproduction
    assert found is not None
    return found


@pytest.mark.parametrize("name", catalog.articles())
def test_a_run_that_costs_what_was_published_shows_what_was_published(name: str) -> None:
    analysis = reproduced.analysis(name)
    split = (Figure.USR, Figure.SYS)
    for table in reproduction(name).article.tables:
        for cell in (cell for row in table.rows for cell in row.cells):
            found = measured_figure(cell, table.n, analysis)
            if math.isfinite(cell.published) and cell.figure not in split:
                assert found == pytest.approx(cell.published, rel=NOISE), cell


def test_user_and_system_time_make_the_cpu_time() -> None:
    analysis = reproduced.analysis("ruby-2011")
    for table in reproduction("ruby-2011").article.tables:
        for row in table.rows:
            found = {cell.figure: measured_figure(cell, table.n, analysis) for cell in row.cells}
            assert found[Figure.USR] + found[Figure.SYS] == pytest.approx(found[Figure.TOTAL])
            assert found[Figure.USR] == pytest.approx(
                reproduced.USER_SHARE * found[Figure.TOTAL], rel=1e-6
            )


def test_a_relative_figure_is_the_ratio_to_the_baseline(tmp_path: Path) -> None:
    side = Side("ruby/curb", "tiny-json")
    wall, cpu = reproduced.OTHERWISE_US
    run = reproduced.run(tmp_path, "ruby-2014", {side: (wall / 2, cpu)})
    cell = PublishedCell(side, Figure.RELATIVE, math.nan)
    found = measured_figure(cell, 0, results.analysis_of(run))
    assert found == pytest.approx(0.5, rel=NOISE)


def test_what_was_not_measured_has_no_figure() -> None:
    analysis = reproduced.analysis("perl-2011", without="perl/ghttp")
    for side in (Side("perl/ghttp", "small-get"), Side("perl/lwp", "unknown")):
        for figure in Figure:
            assert math.isnan(measured_figure(PublishedCell(side, figure, 1.0), 1, analysis))
    small = Side("perl/lwp", "small-get")
    assert math.isnan(measured_figure(PublishedCell(small, Figure.MBPS, 1.0), 1, analysis))


def test_tables_keep_the_layout_of_their_article() -> None:
    (table,) = shown_tables(reproduction("curl-2023"), reproduced.analysis("curl-2023"))
    assert [column.heading for column in table.columns] == ["7.86.0", "8.1.0-DEV"]
    assert [column.here for column in table.columns] == [
        "rust/curl+multi@7.86.0",
        "rust/curl+multi@8.22.0",
    ]
    assert [row.cells[1].published for row in table.rows] == ["2,450", "18,104", "3,900"]
    assert table.about == "MB/s"
    get, _ = shown_tables(reproduction("ruby-2011"), reproduced.analysis("ruby-2011"))
    assert [column.heading for column in get.columns] == ["user", "system", "total", "real"]
    assert [cell.published for cell in get.rows[0].cells] == ["0.52", "0.20", "0.72", "1.334"]
    assert get.about == "seconds for 1,000 exchanges"
    simple = shown_tables(reproduction("perl-2011"), reproduced.analysis("perl-2011"))[0]
    assert [column.unit for column in simple.columns] == ["s", "s", "s", "s", "per s"]
    assert simple.rows[0].cells[-1].published == "222.2"


def test_a_table_without_published_figures_shows_ours_alone() -> None:
    (table,) = shown_tables(reproduction("ruby-2014"), reproduced.analysis("ruby-2014"))
    assert not any(column.is_published for column in table.columns)
    baseline, curb, *_ = table.rows
    assert [cell.here for cell in baseline.cells] == ["1.000", "1.000"]
    assert [cell.beside for cell in baseline.cells] == ["", ""]
    assert all("–" in cell.beside for cell in curb.cells)


def test_the_terminal_shows_tables_and_claims() -> None:
    target = io.StringIO()
    analyses = [reproduced.analysis(name) for name in ("curl-2023", "ruby-2014")]
    Console(file=target, width=200).print(claims.whole(analyses))
    text = target.getvalue()
    assert "curl 8 is faster  2023" in text
    assert "HTTP/2 + TLS, one connection, 50 at once" in text
    count = sum(len(one.reproduction.judgements) for one in analyses if one.reproduction)
    assert f"{count} claims: " in text
    line = next(x for x in text.splitlines() if x.startswith("curl8-h2-tls"))
    assert line.split()[-1] == "holds"


def judgement(
    statement: Statement,
    verdict: ClaimVerdict = ClaimVerdict.HOLDS,
    found: Estimate | None = None,
) -> Judgement:
    return Judgement(Claim("id", "it says so", statement), verdict, found)


@pytest.mark.parametrize(
    ("statement", "published", "holds"),
    [
        (RatioClaim(Measure.CPU, A, B, 2.0), 2.0, (1.6, 2.5)),
        (RatioClaim(Measure.CPU, A, B, 2.0, at_least=True), 2.0, (2.0, math.inf)),
        (RatioClaim(Measure.CPU, A, B, 2.0, at_most=True), 2.0, (0.0, 2.0)),
        (EqualClaim(Measure.CPU, A, B, 0.25), 1.0, (0.8, 1.25)),
        (OrderClaim(Measure.CPU, (A, B)), None, (0.98, math.inf)),
        (SpreadClaim(Measure.CPU, (A, B), at_least=3.0), 3.0, (3.0, math.inf)),
        (SpreadClaim(Measure.CPU, (A, B), at_most=1.5), 1.5, (0.0, 1.5)),
    ],
)
def test_what_is_drawn_of_a_claim(
    statement: Statement, published: float | None, holds: tuple[float, float]
) -> None:
    assert article_charts.published_ratio(statement) == published
    assert article_charts.holds_between(statement) == holds
    spec = article_charts.claims([judgement(statement, found=Estimate(1.9, 1.8, 2.0, 0.95))])
    (row,) = spec["datasets"]["rows"]
    low, high = spec["layer"][3]["encoding"]["x"]["scale"]["domain"]
    assert low <= row["from"] < row["to"] <= high
    assert (row["point"], row["low"], row["high"]) == (1.9, 1.8, 2.0)
    assert row["published"] == published
    assert low < 1 < high


@pytest.mark.parametrize("name", catalog.articles())
def test_the_chart_of_claims_has_a_lane_for_each(name: str) -> None:
    judgements = reproduction(name).judgements
    spec = article_charts.claims(judgements)
    rows = spec["datasets"]["rows"]
    assert len({row["label"] for row in rows}) == len(judgements)
    assert spec["height"] == len(judgements) * ROW_HEIGHT
    json.dumps(spec, allow_nan=False)
    assert "NaN" not in vl_convert.vegalite_to_svg({**spec, "width": 600})


def test_a_claim_that_was_not_measured_has_no_dot() -> None:
    missing = judgement(RatioClaim(Measure.CPU, A, B, 2.0), ClaimVerdict.UNMEASURED)
    (row,) = article_charts.claims([missing])["datasets"]["rows"]
    assert (row["point"], row["low"], row["published"]) == (None, None, 2.0)
    assert shown_claims([missing])[0].measured == "–"


def test_claims_are_counted_in_words() -> None:
    ratio = RatioClaim(Measure.CPU, A, B, 2.0)
    verdicts = [ClaimVerdict.HOLDS, ClaimVerdict.HOLDS, ClaimVerdict.GONE, ClaimVerdict.WEAKER]
    said = tally(judgement(ratio, verdict) for verdict in verdicts)
    assert said == "4 claims: 2 hold · 1 is weaker than published · 1 does not hold any more"
    assert tally([judgement(ratio)]) == "1 claim: 1 holds"


def test_every_verdict_is_known_wherever_verdicts_are_shown() -> None:
    verdicts = list(ClaimVerdict)
    assert list(article_charts.COLOURS) == verdicts  # a scale: domain and range in one order
    assert set(claims.STYLES) == set(article_view.STYLES) == set(verdicts)
    schema = json.loads(SCHEMA.read_text())
    assert schema["$defs"]["claim"]["properties"]["verdict"]["enum"] == [v.value for v in verdicts]
    ratio = RatioClaim(Measure.CPU, A, B, 2.0)
    assert tally(judgement(ratio, verdict) for verdict in verdicts).count("·") == len(verdicts) - 1


def test_bars_by_implementation_stand_in_the_order_of_the_suite() -> None:
    section = article_section(reproduced.analysis("ruby-2008"))
    assert section is not None
    assert [bars.title for bars in section.bars] == [
        "Clock time",
        "CPU time",
        "CPU time by clock time",
    ]
    clients = [card.client for card in reproduced.analysis("ruby-2008").cards]
    for chart in section.bars:
        assert [row.client for row in chart.rows] == clients
    wall, cpu, share = (bars_of(chart, "loopback") for chart in section.bars)
    assert float(wall["ruby/net-http"].text) == pytest.approx(9.0, rel=0.02)
    assert float(cpu["ruby/net-http"].text) == pytest.approx(4.5, rel=0.02)
    assert float(share["ruby/net-http"].text) == pytest.approx(50.0, rel=0.02)


def bars_of(chart: BarChart, site: str) -> dict[str, Bar]:
    place = [heading.site for heading in chart.headings].index(site)
    return {row.client: row.bars[place] for row in chart.rows}


def test_sites_stand_from_the_nearest_to_the_farthest() -> None:
    section = article_section(reproduced.analysis("ruby-2008"))
    assert section is not None
    for chart in section.bars:
        assert [(heading.site, heading.round_trip) for heading in chart.headings] == [
            ("loopback", ""),
            ("dallas", "1 ms"),
            ("chicago", "23 ms"),
            ("washington", "34 ms"),
            ("seattle", "48 ms"),
            ("london", "120 ms"),
        ]
        lengths = [bar.length for row in chart.rows for bar in row.bars]
        assert max(length for length in lengths if length is not None) == 100
    wall, cpu, _ = section.bars
    far, near = (bars_of(wall, site)["ruby/curb"].length for site in ("london", "dallas"))
    assert far is not None
    assert near is not None
    assert far > 2 * near
    assert bars_of(cpu, "london")["ruby/curb"].length == pytest.approx(
        bars_of(cpu, "dallas")["ruby/curb"].length, rel=0.02
    )


def test_a_client_that_was_not_measured_at_a_site_has_no_bar_there() -> None:
    analysis = reproduced.analysis("ruby-2008")
    results = tuple(
        replace(result, standings=tuple(s for s in result.standings if s.client != "ruby/curb"))
        if result.workload.endswith("/london")
        else result
        for result in analysis.results
    )
    _, (wall, *_) = bar_charts(replace(analysis, results=results), "download-fresh@10M")
    assert bars_of(wall, "london")["ruby/curb"] == Bar(None, "–")
    assert bars_of(wall, "dallas")["ruby/curb"].length


def test_other_articles_have_no_bars() -> None:
    section = article_section(reproduced.analysis("perl-2011"))
    assert section is not None
    assert section.bars == ()
