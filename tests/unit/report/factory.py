"""A made-up run that looks like a real one: many clients, and everything that can go wrong."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace

from tests.unit.report.paired import pairs_of

from fetchoff.model.analysis import (
    Analysis,
    ClientCard,
    Costs,
    Curve,
    OnTheWire,
    Point,
    RankingRow,
    Relative,
    Throughput,
    WorkloadResult,
)
from fetchoff.model.check import CheckKind, CheckOutcome, SelfCheck
from fetchoff.model.estimate import Estimate, Verdict
from fetchoff.model.experiment import Role
from fetchoff.model.finding import (
    Advice,
    CheckFailed,
    ChecksUnclear,
    ClientEvidence,
    Finding,
    NotMeasured,
    OriginBound,
)
from fetchoff.model.observation import Outcome

LEVEL = 0.99
ROUNDS = 7
BLOCKS = 6
BASELINE = "python/requests"
SCRIPT = "<script>alert('message')</script>"
WORKLOADS = {
    "small-get": ("GET of 2 bytes over a kept connection", 1.0, 0.0),
    "small-post": ("POST of a small form over a kept connection", 1.35, 4.0),
    "json-get": ("GET of 335,114 bytes of JSON, parsed and checked", 1.2, 900.0),
    "download@10M/atlantic": ("GET of 10000000 bytes, streamed and dropped", 40.0, 1_400_000.0),
    "hundred-gets@6/atlantic": ("100 GETs of 16 bytes, 6 at a time", 1.0, 15_300.0),
}
BYTES_OUT = {"json-get": 335_226.0, "download@10M/atlantic": 10_000_121.0}
PARSERS = {"c": ("simdjson", 221.0), "perl": ("JSON::XS", 380.5), "python": ("json", 610.0)}
"""Of kits, with the microseconds that they take; some clients have an interface of their own."""
OWN_JSON = {"python/requests", "python/httpx"}
WAITING = {"download@10M/atlantic": 0.04, "hundred-gets@6/atlantic": 0.01}
HELD_BACK = {
    "download@10M/atlantic": {"python/httpx": 13_860_000.0, "javascript/undici": 3_465_000.0},
    "hundred-gets@6/atlantic": {"ruby/excon": 42_900.0, "perl/furl": 90_100.0},
}


@dataclass(frozen=True)
class Sort:
    """A client of the made-up run: its cost for the smallest exchange and its share of CPU."""

    client: str
    wall_us: float
    cpu_share: float
    system_share: float
    peak_mb: float
    lines: int
    engine: str = ""
    kind: str = "product"


SORTS = (
    Sort("c/socket", 14.2, 0.62, 0.86, 1.6, 58, kind="floor"),
    Sort("python/socket", 21.9, 0.74, 0.55, 10.8, 46, kind="floor"),
    Sort("c/libcurl", 20.6, 0.71, 0.61, 6.2, 60, "libcurl 7.88.1"),
    Sort("go/net-http", 41.8, 0.86, 0.52, 14.7, 57),
    Sort("go/fasthttp", 27.1, 0.81, 0.55, 12.1, 55),
    Sort("perl/hijk", 33.0, 0.79, 0.42, 9.4, 33),
    Sort("perl/www-curl", 33.4, 0.80, 0.40, 13.9, 47, "libcurl 7.88.1"),
    Sort("perl/furl", 68.9, 0.88, 0.24, 17.2, 38),
    Sort("perl/http-tiny", 118.0, 0.92, 0.18, 14.4, 31),
    Sort("perl/lwp", 402.0, 0.97, 0.08, 31.8, 36),
    Sort("python/pycurl", 37.5, 0.83, 0.38, 21.2, 52, "libcurl 7.88.1"),
    Sort("python/http-client", 104.0, 0.92, 0.19, 16.9, 44),
    Sort("python/urllib3", 176.0, 0.94, 0.13, 22.8, 40),
    Sort("python/aiohttp", 171.0, 0.93, 0.16, 36.1, 51),
    Sort("python/httpx", 389.0, 0.97, 0.09, 38.5, 39),
    Sort("python/requests", 371.0, 0.97, 0.08, 29.7, 37, "urllib3 2.5.0"),
    Sort("javascript/node-http", 62.2, 0.95, 0.33, 63.1, 54),
    Sort("javascript/undici", 48.4, 0.97, 0.36, 68.9, 41),
    Sort("javascript/fetch", 112.0, 0.99, 0.23, 79.2, 34, "undici 6.21.0"),
    Sort("javascript/axios", 141.0, 0.98, 0.20, 82.4, 36),
    Sort("ruby/net-http", 96.5, 0.91, 0.22, 27.3, 38),
    Sort("ruby/curb", 45.1, 0.85, 0.36, 31.9, 45, "libcurl 7.88.1"),
    Sort("ruby/typhoeus", 139.0, 0.93, 0.20, 36.6, 42, "libcurl 7.88.1"),
    Sort("ruby/excon", 98.9, 0.92, 0.21, 29.8, 35),
    Sort("ruby/httparty", 183.0, 0.95, 0.14, 33.0, 34, "Net::HTTP"),
    Sort("command/curl", 6120.0, 0.93, 0.41, 12.7, 39, "libcurl 7.88.1"),
    Sort("ruby/http+persistent", 151.0, 0.94, 0.17, 35.2, 40),
    Sort("ruby/net-http~jruby-1.7", 212.0, 1.31, 0.21, 412.0, 38),
)
FINDINGS: dict[str, ClientEvidence] = {"c/libcurl": OriginBound(0.52)}
NOT_MEASURED = {
    "ruby/net-http~jruby-1.7": (
        Outcome.UNAVAILABLE,
        "java was not found; try: apt install default-jre",
    ),
    "perl/hijk": (Outcome.UNSUPPORTED, "unsupported: body.form"),
    "javascript/axios": (Outcome.FAILED, f"3 of 412 answers were short: {SCRIPT}"),
}


def estimate(point: float, spread: float) -> Estimate:
    """An estimate with a symmetric interval on the log scale."""
    return Estimate(point, point * math.exp(-spread), point * math.exp(spread), LEVEL)


def relative(ratio: float, spread: float, margin: float = 0.02) -> Relative:
    """A ratio to the baseline with the verdict that its interval asks for."""
    found = estimate(ratio, spread if ratio != 1 else 0)
    if found.high < 1:
        return Relative(found, Verdict.FASTER)
    if found.low > 1:
        return Relative(found, Verdict.SLOWER)
    within = found.low > 1 / (1 + margin) and found.high < 1 + margin
    return Relative(found, Verdict.EQUIVALENT if within else Verdict.UNDECIDED)


def costs(wall_us: float, sort: Sort, spread: float, moved: float) -> Costs:
    """The absolute figures that go with a wall time, and with so many bytes an exchange."""
    cpu = wall_us * sort.cpu_share
    throughput = Throughput(
        moved, estimate(moved / wall_us, spread), estimate(1000 * cpu / moved, spread * 0.7)
    )
    return Costs(
        wall_us=estimate(wall_us, spread),
        cpu_us=estimate(cpu, spread * 0.7),
        user_us=cpu * (1 - sort.system_share),
        system_us=cpu * sort.system_share,
        origin_cpu_us=5.4,
        cpu_per_wall=sort.cpu_share,
        per_second=1e6 / wall_us,
        peak_mb=sort.peak_mb,
        start_up_ms=sort.peak_mb * 2.1,
        origin_cpu_per_wall=5.4 / wall_us,
        throughput=throughput if moved >= 100_000 else None,
    )


def standings(workload: str, withheld: bool, noise: random.Random) -> tuple[RankingRow, ...]:
    """Every client on a workload, best first, the unmeasured last."""
    _, factor, extra = WORKLOADS[workload]
    walls = {s.client: s.wall_us * factor * noise.uniform(0.9, 1.1) + extra for s in SORTS}
    walls |= HELD_BACK.get(workload, {})
    base = next(s for s in SORTS if s.client == BASELINE)
    waiting = WAITING.get(workload, 1.0)
    found, missing = [], []
    for plain in SORTS:
        sort = replace(plain, cpu_share=plain.cpu_share * waiting)
        role = Role.FLOOR if sort.kind == "floor" else Role.RANKED
        outcome, message = NOT_MEASURED.get(sort.client, (Outcome.OK, ""))
        if outcome is not Outcome.OK and (workload == "small-post" or "jruby" in sort.client):
            why = Finding(NotMeasured(message), (sort.client,))
            missing.append(RankingRow(sort.client, role, outcome, 0, why))
            continue
        spread = noise.uniform(0.01, 0.06)
        wall, cpu = walls[sort.client], walls[sort.client] * sort.cpu_share
        found.append(
            RankingRow(
                client=sort.client,
                role=role,
                outcome=Outcome.OK,
                rounds=ROUNDS,
                wall=relative(wall / walls[BASELINE], spread),
                findings=findings(sort.client) if waiting == 1 else (),
                cpu=relative(cpu / (walls[BASELINE] * base.cpu_share * waiting), spread * 0.7),
                costs=replace(
                    costs(wall, sort, spread, 112.0 + BYTES_OUT.get(workload, 148.0)),
                    parser_us=parser(sort.client)[1] if workload == "json-get" else None,
                ),
                wire=OnTheWire(
                    connections=36000.0 if sort.client == "command/curl" else 1.0,
                    exchanges_per_connection=1.0 if sort.client == "command/curl" else 36000.0,
                    segments_per_exchange=2.0 if workload == "small-post" else 1.0,
                    bytes_in_per_exchange=112.0,
                    bytes_out_per_exchange=BYTES_OUT.get(workload, 148.0),
                ),
                curve=curve(sort, cpu) if workload.startswith("small-") else None,
            )
        )
    found.sort(key=lambda s: s.wall.ratio.point if s.wall else math.inf)
    return tuple(([] if withheld else with_tiers(found)) or found) + tuple(missing)


def findings(client: str) -> tuple[Finding, ...]:
    """What must be known of a client beside its figures."""
    found = FINDINGS.get(client)
    return (Finding(found, (client,)),) if found else ()


def curve(sort: Sort, cpu_us: float) -> Curve:
    """What falls from the first exchange on to the cost of the ranking; of some it did not end."""
    exchanges = (1, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000)
    compiled = sort.client.startswith("javascript/")
    costs = tuple(cpu_us * (1 + (90 if compiled else 8) / number) for number in exchanges)
    return Curve(exchanges, costs, 3, int(compiled), from_start="socket" not in sort.client)


def parser(client: str) -> tuple[str, float | None]:
    """What parses a client's documents, and how long that takes where its kit does it."""
    own = ("own", None)
    return own if client in OWN_JSON else PARSERS.get(client.partition("/")[0], ("", None))


def with_tiers(found: list[RankingRow]) -> list[RankingRow]:
    """Overlapping tiers: neighbours whose intervals overlap with the first of them."""
    ranked = [s for s in found if s.role is Role.RANKED]
    spans: list[tuple[int, int]] = []
    for first, standing in enumerate(ranked):
        last = max(i for i, other in enumerate(ranked) if _low(other) <= _high(standing))
        if not spans or last > spans[-1][1]:
            spans.append((first, last))
    tiers = {}
    for place, standing in enumerate(ranked):
        within = [n for n, (first, last) in enumerate(spans, 1) if first <= place <= last]
        tiers[standing.client] = (within[0], within[-1])
    return [replace(s, tiers=tiers.get(s.client)) for s in found]


def _low(standing: RankingRow) -> float:
    return standing.wall.ratio.low if standing.wall else math.nan


def _high(standing: RankingRow) -> float:
    return standing.wall.ratio.high if standing.wall else math.nan


def checks(workload: str, withheld: bool) -> tuple[SelfCheck, ...]:
    """A/A, known requests and known time for each kit; one fails where the ranking is withheld."""
    found = []
    kits = {"c": "c/libcurl", "python": "python/pycurl", "go": "go/net-http", "ruby": "ruby/curb"}
    for place, (kit, client) in enumerate(kits.items()):
        bad = withheld and kit == "go"
        shift = 0.021 if bad else 0.0007 * (place - 1)
        outcome = CheckOutcome.FAILED if bad else CheckOutcome.PASSED
        for metric in ("wall", "cpu"):
            same = estimate(1 + shift, 0.004)
            found.append(
                SelfCheck(
                    CheckKind.SAME, kit, client, workload, metric, "ratio", 1.0, same, outcome,
                    0.01, ROUNDS,
                )
            )  # fmt: skip
        more = estimate(1.03 + shift / 9, 0.003)
        found.append(
            SelfCheck(
                CheckKind.MORE, kit, client, workload, "wall", "ratio", 1.03, more,
                CheckOutcome.PASSED, 0.005, ROUNDS,
            )
        )  # fmt: skip
        busy = estimate(1.02 - 0.0125 * place, 0.04)
        found.append(
            SelfCheck(
                CheckKind.BUSY, kit, client, workload, "cpu", "ratio", 1.0, busy,
                CheckOutcome.INCONCLUSIVE if kit == "ruby" else CheckOutcome.PASSED,
                0.1, ROUNDS,
            )
        )  # fmt: skip
    return tuple(found)


def points(found: tuple[RankingRow, ...], noise: random.Random) -> tuple[Point, ...]:
    """Every batch, in run order, with a slow drift, one disturbed stretch and some outliers."""
    measured = [s for s in found if s.costs is not None]
    made: list[Point] = []
    for round_ in range(ROUNDS):
        per_process = {s.client: noise.gauss(0, 0.012) for s in measured}
        for block in range(BLOCKS):
            for standing in noise.sample(measured, len(measured)):
                if standing.costs is None:
                    continue
                drift = 0.01 * math.sin(len(made) / 400) + per_process[standing.client]
                jump = noise.expovariate(12) if noise.random() < 0.04 else 0.0
                storm = 0.08 if round_ == 4 and block == 3 else 0.0
                shift = math.exp(drift + jump + storm + noise.gauss(0, 0.006))
                made.append(
                    Point(
                        len(made), round_, block, standing.client,
                        standing.costs.wall_us.point * shift,
                        standing.costs.cpu_us.point * math.exp(drift / 2 + noise.gauss(0, 0.004)),
                    )
                )  # fmt: skip
    return tuple(made)


def card(sort: Sort) -> ClientCard:
    """What the report shows of a client beside its figures."""
    language, library = sort.client.split("/")
    return ClientCard(
        client=sort.client,
        kind=sort.kind,
        about=f"{library} as its own documentation shows it",
        homepage=f"https://{library.split('+')[0].split('~')[0]}.example",
        version="2.32.5",
        runtime={"python": "CPython 3.11.7", "ruby": "ruby 3.1.2", "c": "gcc 12.2.0"}.get(
            language, language
        ),
        engine=sort.engine,
        kit=language,
        source_name="adapter.py" if language == "python" else "adapter.txt",
        source=SOURCES.get(language, "# one exchange after the other\nclient.get(url)\n"),
        adapter_lines=sort.lines,
        json_parser=parser(sort.client)[0],
        is_standard=sort.client in STANDARD,
        package=library.split("+")[0] if language == "python" else "",
        features=FEATURES.get(language, BASIC),
    )


BASIC = ("http/1.1", "tls")
FEATURES = {
    "c": (*BASIC, "h2", "h2c", "concurrency", "cookies"),
    "javascript": (*BASIC, "h2", "concurrency"),
    "python": (*BASIC, "cookies", "redirects"),
}
STANDARD = {"python/http-client", "javascript/node-http", "ruby/net-http"}

SOURCES = {
    "python": '''from __future__ import annotations

import library
from kit import Adapter, serve


class Sample(Adapter):
    """A session, as the quickstart shows."""

    def prepare(self, work):
        self.session = library.Session()  # keeps connections: "</script>" & <b>no markup</b>

    def exchange(self, request):
        answer = self.session.request(request.method, request.url, timeout=10.0)
        return answer.status_code, answer.content


serve(Sample)
''',
    "c": """#include <curl/curl.h>

/* One easy handle, reused, so that its connection is. */
int main(void) {
    CURL *handle = curl_easy_init();
    return handle == NULL ? 1 : 0;
}
""",
}


def withheld_by(failed: tuple[SelfCheck, ...]) -> Finding:
    """That these checks withhold a ranking."""
    return Finding(CheckFailed(failed[0], len(failed) - 1), advice=Advice.STOP_OTHER_WORK)


def result(workload: str, *, withheld: bool = False, seed: int = 7) -> WorkloadResult:
    """One workload's ranking."""
    noise = random.Random(f"{seed} {workload}")
    own = checks(workload, withheld)
    failed = tuple(check for check in own if check.outcome is CheckOutcome.FAILED)
    unclear = Finding(ChecksUnclear(2, 17), advice=Advice.LARGER_BUDGET)
    return WorkloadResult(
        workload=workload,
        about=WORKLOADS[workload][0],
        placement="separate-cores" if "json" in workload else "shared-core",
        baseline=BASELINE,
        rounds=ROUNDS,
        standings=standings(workload, withheld, noise),
        checks=own,
        withheld=withheld_by(failed) if failed else None,
        findings=(unclear,) if withheld else (),
    )


def streamed(read_size: int | None = 16384) -> WorkloadResult:
    """A workload that drops its content as it comes, so many bytes at a time."""
    return replace(result("json-get"), streams=True, read_size=read_size)


def with_regimes() -> WorkloadResult:
    """A workload with figures of all regimes: the first exchange of a process, and cold ones."""
    plain = result("small-get")
    return replace(plain, standings=tuple(map(_with_regimes, plain.standings)))


def _with_regimes(standing: RankingRow) -> RankingRow:
    found = standing.costs
    if found is None:
        return standing
    first_us, cold_us = 30 * found.wall_us.point, 1.3 * found.cpu_us.point
    return replace(standing, costs=replace(found, first_us=first_us, among_others_us=cold_us))


def analysis(seed: int = 7) -> Analysis:
    """The whole run: the middle workload's ranking is withheld."""
    results = (
        result("small-get", seed=seed),
        result("small-post", withheld=True, seed=seed),
        result("json-get", seed=seed),
    )
    return Analysis(
        run_id="2026-11-20T09-41-07-default",
        title="default suite",
        started="2026-11-20T09:41:07+00:00",
        ended_reason="budget",
        seconds=151.4,
        seed=4021776392,
        alpha=0.01,
        margin=0.02,
        level=LEVEL,
        results=results,
        cards=tuple(card(sort) for sort in SORTS),
        points={r.workload: points(r.standings, random.Random(seed)) for r in results},
        environment={
            "processor": "AMD EPYC 7B13, 2 cores",
            "kernel": "Linux 6.1.0",
            "memory": "24 GiB",
            "frequency scaling": "not visible to this machine",
            "python": "CPython 3.11.7",
            "origin": "fetchoff-origin 0.1.0",
            "command line": "fetchoff run default --client 'c/*' --out <folder>",
        },
        notes=("nice -20 was not permitted: batches ran at nice 0",),
        origin="built-in 0.1.0",
        pairwise={r.workload: pairs_of(r) for r in results},
        command="fetchoff run -c c/libcurl -w small-get --seed 4021776392",
    )


def many(count: int) -> Analysis:
    """A run of one workload with `count` clients, for charts that must grow."""
    first = result("small-get")
    ranked = [s for s in first.standings if s.costs is not None]
    grown = tuple(
        replace(ranked[i % len(ranked)], client=f"{ranked[i % len(ranked)].client}+v{i}")
        if i >= len(ranked)
        else ranked[i]
        for i in range(count)
    )
    whole, grown_up = analysis(), replace(first, standings=grown)
    return replace(
        whole,
        results=(grown_up,),
        points={first.workload: points(grown, random.Random(1))},
        pairwise={first.workload: pairs_of(grown_up)},
    )
