"""A made-up run of very many clients and workloads, for what a page weighs and how it reacts."""

from __future__ import annotations

import random
from dataclasses import replace

from tests.unit.report import factory
from tests.unit.report.paired import pairs_of

from fetchoff.model.analysis import Analysis, ClientCard, RankingRow, WorkloadResult
from fetchoff.model.experiment import Role

LANGUAGES = ("c", "cpp", "go", "java", "javascript", "lua", "perl", "php", "python", "ruby", "rust")
WORDS = ("session", "request", "answer", "header", "pool", "buffer", "stream", "limit", "close")
PROGRAM_LINES = 40
PLAIN = factory.result("small-get")
ROW = next(row for row in PLAIN.standings if row.role is Role.RANKED)


def large(clients: int, workloads: int) -> Analysis:
    """Every client on every workload; each has a program of its own."""
    noise = random.Random(clients * workloads)
    cards = tuple(_card(place, noise) for place in range(clients))
    speeds = {card.client: noise.lognormvariate(4, 1.2) for card in cards}
    results = tuple(_result(f"workload-{n}", speeds, noise) for n in range(workloads))
    return replace(
        factory.analysis(),
        title=f"{clients} clients on {workloads} workloads",
        results=results,
        cards=cards,
        points={r.workload: factory.points(r.standings, noise) for r in results},
        pairwise={r.workload: pairs_of(r, rounds=factory.ROUNDS) for r in results},
    )


def _card(place: int, noise: random.Random) -> ClientCard:
    language = LANGUAGES[place % len(LANGUAGES)]
    sort = factory.Sort(f"{language}/library-{place}", 100.0, 0.9, 0.2, 20.0, PROGRAM_LINES)
    lines = (
        f"    {noise.choice(WORDS)}_{place} = {noise.choice(WORDS)}.{noise.choice(WORDS)}"
        f"({noise.choice(WORDS)}={noise.randrange(1000)})  # {noise.choice(WORDS)}"
        for _ in range(PROGRAM_LINES)
    )
    return replace(factory.card(sort), source_name="adapter.py", source="\n".join(lines))


def _result(workload: str, speeds: dict[str, float], noise: random.Random) -> WorkloadResult:
    rows = [_row(client, speed, noise) for client, speed in speeds.items()]
    rows.sort(key=lambda row: row.costs.wall_us.point if row.costs else 0)
    return replace(
        PLAIN, workload=workload, standings=tuple(rows), baseline=next(iter(speeds)), checks=()
    )


def _row(client: str, speed: float, noise: random.Random) -> RankingRow:
    wall_us = speed * noise.lognormvariate(0, 0.3)
    sort = factory.Sort(client, wall_us, 0.9, 0.2, noise.uniform(2, 80), PROGRAM_LINES)
    found = factory.costs(wall_us, sort, 0.02, 200.0)
    return replace(
        ROW,
        client=client,
        tiers=(1, 2),
        wall=factory.relative(wall_us / 100, 0.02),
        cpu=factory.relative(wall_us / 100, 0.02),
        costs=replace(found, first_us=30 * wall_us, among_others_us=1.3 * wall_us),
        findings=(),
    )
