"""The first screen's data: complete, found by its traits, and packed without saying too much."""

from __future__ import annotations

import base64
import json
import math
import re
import struct
import zlib
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.report import factory, large
from tests.unit.report.paired import pairs_of

from fetchoff.model.check import CheckOutcome
from fetchoff.model.estimate import Verdict
from fetchoff.model.pairwise import Pairwise
from fetchoff.report.page import html
from fetchoff.report.page.answer.packing import GRAIN, NOWHERE, STEP, PackedPairs, packed
from fetchoff.report.page.answer.traits import facets_of, traits_of
from fetchoff.report.page.view import page_of
from fetchoff.report.wording.figures import roughly, sure_time
from fetchoff.report.wording.installing import install
from fetchoff.report.wording.soundness import citation, soundness
from fetchoff.stats.verdicts import verdict

ANALYSIS = factory.analysis()
CARDS = {card.client: card for card in ANALYSIS.cards}


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="answer-data">(.*?)</script>', page)
    assert found is not None
    loaded: dict[str, Any] = json.loads(found[1])
    return loaded


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    return data_of(html.text(ANALYSIS))


MARGIN = 0.02


def unpacked(found: PackedPairs) -> list[tuple[bool, bool, float, float, float]]:
    """Shown, equivalent, difference, below and above of each pair, read as packing.py describes
    it."""
    content = zlib.decompress(base64.b64decode(found.packed))
    size = len(found.order)
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    count, flags = len(pairs), -(-len(pairs) // 8)
    begin = 2 * flags
    below = content[begin : begin + count]
    more = content[begin + count : begin + 2 * count]
    grains = struct.unpack(f"<{count}h", content[begin + 2 * count :])
    above = bytes((b + m) % 256 for b, m in zip(below, more, strict=True))

    def reach(step: int) -> float:
        return math.inf if step == NOWHERE else GRAIN * math.exp(STEP * step)

    def is_set(place: int) -> bool:
        return bool(content[place // 8] >> place % 8 & 1)

    return [
        (
            is_set(place),
            is_set(8 * flags + place),
            found.levels[j] - found.levels[i] + GRAIN * grains[place],
            reach(below[place]),
            reach(above[place]),
        )
        for place, (i, j) in enumerate(pairs)
    ]


@pytest.mark.parametrize("clock", ["wall", "cpu"])
def test_packed_pairs_are_the_pairs_and_no_interval_is_narrower(clock: str) -> None:
    pairs = pairs_of(ANALYSIS.results[0])[clock]
    numbers = {client: number for number, client in enumerate(sorted(pairs.clients))}
    found = packed(pairs, numbers, MARGIN)
    assert [numbers[client] for client in pairs.clients] == list(found.order)
    assert found.tests == pairs.tests == len(pairs.differences)
    for place, (shown, equivalent, difference, below, above) in enumerate(unpacked(found)):
        true = pairs.differences[place]
        assert shown == bool(pairs.shown[place])
        ends = true - pairs.below[place], true + pairs.above[place]
        assert equivalent == (verdict(*ends, MARGIN) is Verdict.EQUIVALENT)
        assert difference == pytest.approx(true, abs=GRAIN)
        assert difference - below <= true - pairs.below[place]
        assert difference + above >= true + pairs.above[place]
        wider = (below + above) / (pairs.below[place] + pairs.above[place])
        assert wider < math.exp(STEP) * 1.1


def test_pairs_that_nobody_could_compare_stay_without_an_end() -> None:
    pairs = Pairwise(
        clients=("a/a", "a/b", "a/c"),
        tests=1,
        level=0.99,
        differences=array_of(0.5, math.nan, math.nan),
        below=array_of(0.1, math.inf, math.inf),
        above=array_of(0.1, math.inf, 1e9),
        shown=bytes((1, 0, 0)),
    )
    found = unpacked(packed(pairs, {"a/a": 0, "a/b": 1, "a/c": 2}, MARGIN))
    assert [shown for shown, *_ in found] == [True, False, False]
    assert not any(equivalent for _, equivalent, *_ in found)
    assert found[1][3:] == found[2][3:] == (math.inf, math.inf)
    alone = Pairwise(("a/a",), 0, 0.99, array_of(), array_of(), array_of(), b"")
    assert unpacked(packed(alone, {"a/a": 0}, MARGIN)) == []


def array_of(*values: float) -> Any:
    from array import array

    return array("d", values)


def test_every_client_and_every_workload_is_there(data: dict[str, Any]) -> None:
    assert {client["id"] for client in data["clients"]} == set(CARDS)
    ranked = {client["id"] for client in data["clients"] if client["ranked"]}
    assert set(CARDS) - ranked == {"c/socket", "python/socket"}
    assert [workload["id"] for workload in data["workloads"]] == [
        result.workload for result in ANALYSIS.results
    ]


def test_a_withheld_workload_has_figures_and_no_pairs(data: dict[str, Any]) -> None:
    withheld = data["workloads"][1]
    assert "self-check failed" in withheld["withheld"]
    assert withheld["pairs"] == {}
    assert any(withheld["figures"]["wall"]["values"])
    assert set(data["workloads"][0]["pairs"]) == {"wall", "cpu"}


def test_the_switch_has_what_the_run_has(data: dict[str, Any]) -> None:
    keys = [aspect["key"] for aspect in data["aspects"]]
    assert keys == ["wall", "cpu", "memory", "throughput"]
    regimes = replace(ANALYSIS, results=(factory.with_regimes(),))
    more = [aspect["key"] for aspect in data_of(html.text(regimes))["aspects"]]
    assert more == ["wall", "cpu", "memory", "first", "throughput"]


def test_absent_clients_say_why(data: dict[str, Any]) -> None:
    number = next(n for n, c in enumerate(data["clients"]) if c["id"] == "perl/hijk")
    assert data["workloads"][1]["absent"][str(number)].startswith("unsupported: ")
    assert data["workloads"][1]["figures"]["wall"]["values"][number] is None


def test_data_cannot_end_its_script() -> None:
    evil = "</script><script>alert(1)</script>"
    hostile = replace(ANALYSIS, cards=tuple(replace(c, about=evil) for c in ANALYSIS.cards))
    page = html.text(hostile)
    assert evil not in page
    assert data_of(page)["clients"][0]["about"] == evil


@pytest.mark.parametrize(
    ("client", "kind", "is_variant"),
    [
        ("python/http-client", "standard library", False),
        ("python/requests", "third party", False),
        ("command/curl", "command", False),
        ("ruby/net-http~jruby-1.7", "third party", True),
        ("ruby/http+persistent", "third party", False),  # the run has no plain ruby/http
    ],
)
def test_traits(client: str, kind: str, is_variant: bool) -> None:
    found = traits_of(CARDS[client], CARDS, kinds_known=True)
    assert (found.language, found.kind) == ((client.partition("/")[0],), (kind,))
    assert found.is_variant == is_variant


def test_an_older_run_does_not_call_a_standard_library_third_party() -> None:
    old = replace(CARDS["python/http-client"], is_standard=False, features=())
    assert traits_of(old, CARDS, kinds_known=False).kind == ("library",)


def test_facets_offer_only_what_divides_the_clients(data: dict[str, Any]) -> None:
    facets = {facet["key"]: facet["options"] for facet in data["facets"]}
    assert [option["value"] for option in facets["protocol"]] == ["h2", "h2c"]
    assert "tls" not in {option["value"] for option in facets["capability"]}  # all have it
    assert {"python", "ruby"} < {option["value"] for option in facets["language"]}
    alike = [traits_of(CARDS["python/requests"], CARDS, kinds_known=True)] * 3
    assert facets_of(alike) == ()


def test_how_a_library_is_got() -> None:
    requests = CARDS["python/requests"]
    assert install(requests) == "pip install 'requests==2.32.5'"
    assert install(CARDS["python/http-client"]) == "comes with CPython 3.11.7"
    assert install(CARDS["c/libcurl"]) == ""
    go = replace(
        requests, client="go/resty", package="github.com/go-resty/resty/v2", version="v2.1"
    )
    assert install(go) == "go get github.com/go-resty/resty/v2@v2.1"


def test_figures_have_no_digits_that_mean_nothing() -> None:
    assert sure_time(factory.estimate(186.44, 0.05)) == "186 µs"
    assert sure_time(factory.estimate(186.44, 0.001)) == "186.4 µs"
    assert sure_time(factory.estimate(4_561.0, 0.01)) == "4.56 ms"
    assert [roughly(value) for value in (6.21, 29.7, 643.0)] == ["6.2", "30", "640"]


def test_checks_in_one_line() -> None:
    told = soundness(ANALYSIS.results)
    assert told.startswith("small-post is withheld because: self-check failed: ")
    assert "; not enough data for busy time (" in told or "; not enough data for " in told
    assert soundness(()) == "none were made"
    one = large.PLAIN
    passed = tuple(check for check in one.checks if check.outcome.value == "passed")
    assert soundness((replace(one, checks=passed),)) == f"sound, {len(passed)} checks passed"
    unclear = tuple(replace(check, outcome=CheckOutcome.INCONCLUSIVE) for check in passed[:1])
    assert soundness((replace(one, checks=unclear),)) == f"not tested: {unclear[0].kind}"


def test_a_citation_names_the_run_and_its_error_rate() -> None:
    told = citation(ANALYSIS)
    for part in (ANALYSIS.run_id, "2026-11-20", "seed 4021776392", "α = 1 %", "AMD EPYC"):
        assert part in told


def test_a_run_without_figures_has_no_first_screen() -> None:
    missing = tuple(s for s in ANALYSIS.results[0].standings if s.costs is None)
    bare = replace(ANALYSIS, results=(replace(ANALYSIS.results[0], standings=missing),))
    assert page_of(bare).answer is None
    assert 'id="answer"' not in html.text(bare)


def test_two_hundred_clients_on_ten_workloads_weigh_two_megabytes_at_most() -> None:
    page = html.text(large.large(200, 10))
    assert len(page.encode()) <= 2_000_000
    assert page.count('class="packed"') == 11  # the workloads and the programs
