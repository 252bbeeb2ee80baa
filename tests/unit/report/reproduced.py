"""Made-up runs of the suites that articles have, in which all costs are known.

Where an article gives figures, the run costs exactly what was published; elsewhere it costs
`OTHERWISE_US`. Over a link TCP sets the pace, and CPU time is twice that over loopback. Batches
have a little noise, and every round is measured whole.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from fetchoff.analysis.in_flight import slow_start_s
from fetchoff.app import results
from fetchoff.app.courses import courses
from fetchoff.catalog import claims, workloads
from fetchoff.model.analysis import Analysis
from fetchoff.model.claim import Article, Figure, Side
from fetchoff.model.content import bytes_expected
from fetchoff.model.course import Course
from fetchoff.model.experiment import Entrant, Experiment
from fetchoff.model.link import Calibration, Emulated, Passage
from fetchoff.model.observation import (
    Batch,
    Cost,
    Ended,
    Invocation,
    LinkCalibrated,
    LinkUsed,
    Outcome,
    Record,
    SectionDone,
    Seen,
    Usage,
)
from fetchoff.store.run_folder import ClientRecord, Header, RunFolder

ROUNDS, BLOCKS, EXCHANGES = 8, 4, 5
OTHERWISE_US = (1000.0, 600.0)
USER_SHARE = 0.75
PEAK_KB = 20_000
NOISE = 0.004
Costs = Mapping[Side, tuple[float, float]]
SPECIAL: dict[str, Costs] = {
    "ruby-2008": {
        Side("ruby/net-http", "download-fresh@10M"): (9000.0, 4500.0),
        Side("ruby/net-http+read-1k", "download-fresh@10M"): (10_000.0, 8000.0),
        Side("ruby/net-http+read-16k", "download-fresh@10M"): (8000.0, 2000.0),
        Side("ruby/curb", "download-fresh@10M"): (8000.0, 1000.0),
    }
}


@cache
def analysis(name: str, *, without: str = "") -> Analysis:
    """What a run of an article says in which everything costs what was published."""
    with TemporaryDirectory() as folder:
        return results.analysis_of(run(Path(folder), name, SPECIAL.get(name), without))


def run(path: Path, name: str, costs: Costs | None = None, without: str = "") -> RunFolder:
    """A run folder of an article's suite. `costs`: wall and CPU, microseconds an exchange, of
    sides that are to differ from what was published; `without`: a client that took no part."""
    suite, article = workloads.suite(name), claims.article(name)
    measured = courses(suite.workloads)
    clients = [client for client in suite.clients if client != without]
    known = {**published_costs(article, measured), **(costs or {})}
    header = Header(
        run_id=f"20261120-120000-{name}",
        title=suite.about,
        started="2026-11-20T12:00:00+00:00",
        fetchoff="0.1.0",
        experiment=Experiment(
            entrants=tuple(Entrant(client, client, client) for client in clients),
            courses=tuple(measured),
            baseline=suite.baseline,
            seed=7,
            blocks=BLOCKS,
            blocks_over_links=BLOCKS,
            suite=name,
            decide_on=(),
        ),
        clients=tuple(map(_client, clients)),
        environment={"processor": "made up"},
        absent=((without, "is not installed"),) if without else (),
    )
    folder = RunFolder.create(path, header)
    noise = random.Random(name)
    for number in range(ROUNDS):
        for course in measured:
            for record in _section(number, course, clients, known, noise):
                folder.append(record)
    folder.append(Ended("budget", ROUNDS))
    folder.close()
    return folder


def published_costs(article: Article, measured: list[Course]) -> dict[Side, tuple[float, float]]:
    """Wall and CPU time of an exchange by the article's tables, in microseconds."""
    moved = {course.id: bytes_expected(course.workload) for course in measured}
    walls: dict[Side, float] = {}
    cpus: dict[Side, float] = {}
    for table in article.tables:
        for cell in (cell for row in table.rows for cell in row.cells):
            if not math.isfinite(cell.published):
                continue
            match cell.figure:
                case Figure.WALL | Figure.REAL:
                    walls[cell.side] = 1e6 * cell.published / table.n
                case Figure.CPU | Figure.TOTAL:
                    cpus[cell.side] = 1e6 * cell.published / table.n
                case Figure.MBPS:
                    walls[cell.side] = moved[cell.side.workload] / cell.published
    return {side: (wall, cpus.get(side, wall / 2)) for side, wall in walls.items()}


def _section(
    number: int, course: Course, clients: list[str], known: Costs, noise: random.Random
) -> list[Record]:
    """One round of a course: a process of each client."""
    content = round(bytes_expected(course.workload))
    records: list[Record] = []
    for client in clients:
        wall, cpu = known.get(Side(client, course.id)) or _otherwise(client, course, known)
        own = math.exp(NOISE * noise.gauss(0, 1))
        for block in range(BLOCKS):
            wobble = own * math.exp(NOISE * noise.gauss(0, 1))
            wall_ns, cpu_ns = (round(1e3 * EXCHANGES * us * wobble) for us in (wall, cpu))
            cost = Cost(wall_ns, cpu_ns, wall_ns // 4, wall_ns)
            seen = Seen(EXCHANGES, 0, 100 * EXCHANGES, (content + 150) * EXCHANGES, EXCHANGES)
            records.append(
                Batch(
                    *(number, 0, course.id, block, 0, client),
                    *(EXCHANGES, EXCHANGES, EXCHANGES, EXCHANGES, 0),
                    cost=cost,
                    seen=seen,
                )
            )
        ticks = Usage(round(100 * USER_SHARE), round(100 * (1 - USER_SHARE)), PEAK_KB)
        records.append(
            Invocation(
                *(number, 0, course.id, client, client),
                outcome=Outcome.OK,
                iterations=EXCHANGES,
                start_up_ms=30.0,
                usage=ticks,
            )
        )
    return [*records, *_of_link(number, course), SectionDone(number, 0, course.id, 1.0)]


def _otherwise(client: str, course: Course, known: Costs) -> tuple[float, float]:
    """Wall and CPU time of what the article gives no figures for."""
    link = course.link
    if not link.is_emulated:
        return OTHERWISE_US
    content, round_trip_s = bytes_expected(course.workload), link.round_trip_ms / 1e3
    alone = slow_start_s(content, link.down, link.mtu, round_trip_s) + round_trip_s
    _, cpu = known.get(Side(client, course.workload.id), OTHERWISE_US)
    return 1e6 * alone + cpu, 2 * cpu


def _of_link(number: int, course: Course) -> list[Record]:
    """The link was calibrated before round 0, was as requested, and was used in all rounds."""
    link = course.link
    if not link.is_emulated:
        return []
    up, down = (Passage(way.rate_mbit_s, 100, 0) for way in (link.up, link.down))
    trip_ms = link.round_trip_ms + 0.2
    found = Calibration(link.id, "tun", link.congestion, 100, trip_ms, trip_ms, up, down)
    used = LinkUsed(number, 0, course.id, Emulated(90_000, 0, 40, 0, 128, 10**9, 4 * 10**9))
    return [*([] if number else [LinkCalibrated(0, found)]), used]


def _client(client: str) -> ClientRecord:
    language = client.partition("/")[0]
    return ClientRecord(
        id=client,
        adapter=client,
        kit=language,
        kind="product",
        about=f"{client}, made up",
        homepage="https://client.example",
        version="1.2.3",
        runtime={"ruby": "ruby 3.1.2 (2022-04-12)", "perl": "perl 5.36.0"}.get(language, ""),
        engine="",
        source_name="adapter.txt",
        source="# one exchange after the other\n",
    )
