"""What hosts say together, in words: docs/fleet.md."""

from __future__ import annotations

import math

from fetchoff.model.estimate import MINIMUM_ROUNDS, Verdict
from fetchoff.model.fleet import (
    AcrossHosts,
    FleetAnalysis,
    FleetResult,
    FleetRow,
    HostOutcome,
    HostsDiffer,
)
from fetchoff.model.host import FleetMode
from fetchoff.report.wording.figures import count, percent, ratio, seconds
from fetchoff.stats.hosts import LEAST_HOSTS

NAMED = 3
"""Hosts by name; of more, their number."""

WORDS = {
    Verdict.FASTER: "faster",
    Verdict.EQUIVALENT: "level",
    Verdict.SLOWER: "slower",
    Verdict.UNDECIDED: "undecided",
}


def on_each(across: AcrossHosts, hosts: tuple[str, ...]) -> str:
    """`faster on all 6 hosts`, `faster on a and b, level on c`."""
    found: dict[str, list[str]] = {word: [] for word in (*WORDS.values(), "not measured")}
    for host, relative in zip(hosts, across.on_each, strict=True):
        found["not measured" if relative is None else WORDS[relative.verdict]].append(host)
    told = {word: names for word, names in found.items() if names}
    if len(told) == 1:
        word = next(iter(told))
        return f"{word} on {_all(len(hosts))}" if len(hosts) > 1 else word
    return ", ".join(f"{word} on {_named(names)}" for word, names in told.items())


def _all(hosts: int) -> str:
    return "both hosts" if hosts == 2 else f"all {hosts} hosts"


def _named(names: list[str]) -> str:
    if len(names) > NAMED:
        return count(len(names), "host")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def differ(found: HostsDiffer | None) -> str:
    """`yes, by 8 %`: the standard deviation of the ratio between hosts; `not shown`."""
    if found is None:
        return ""
    return f"yes, by {percent(math.expm1(found.between))}" if found.shown else "not shown"


def summary(result: FleetResult) -> str:
    """What all hosts say of a workload, in a sentence or two."""
    hosts = len(result.hosts)
    if not hosts:
        return "No host has figures that can be compared."
    others = [row for row in result.rows if row.client != result.baseline]
    differing = [row.client for row in others if row.wall.differ and row.wall.differ.shown]
    said = []
    if differing:
        said.append(
            f"Hosts differ in the wall time of {count(len(differing), 'client')} "
            f"relative to {result.baseline}."
        )
    elif hosts > 1:
        said.append("Hosts were not shown to differ.")
    leaders = [row for row in result.rows if row.tiers is not None and row.tiers[0] == 1]
    if len(leaders) == 1:
        said.append(f"On hosts in general {_leader(leaders[0], result.baseline)}.")
    return " ".join(said)


def _leader(row: FleetRow, baseline: str) -> str:
    if row.client == baseline or row.wall.over is None:
        return f"{row.client} is the fastest"
    times = ratio(row.wall.over.ratio.point)
    return f"{row.client} is the fastest: {times} times the wall time of {baseline}"


def in_general(analysis: FleetAnalysis, result: FleetResult) -> str:
    """Why nothing is said of hosts in general; "" if it is."""
    if any(row.wall.over is not None for row in result.rows):
        return ""
    if analysis.mode is FleetMode.SHARD:
        return "measured on one host: workloads are divided, and costs of hosts are not compared"
    if analysis.ended_reason == "interrupted":
        return "hosts in general: told when the run has ended"
    if len(result.hosts) < LEAST_HOSTS:
        return f"hosts in general: needs {LEAST_HOSTS} hosts with figures, has {len(result.hosts)}"
    return (
        f"hosts in general: needs {LEAST_HOSTS} hosts that measured a client in {MINIMUM_ROUNDS} "
        "rounds; no client has so many"
    )


def left_out(result: FleetResult) -> list[str]:
    """The hosts whose figures are not used, and why."""
    withheld = [f"{host}: its self-checks failed, so it is left out" for host in result.withheld]
    others = [
        f"{host}: it has no figures of {result.baseline}, so nothing is compared there"
        for host in result.others
    ]
    return withheld + others


def standing(host: HostOutcome) -> str:
    """What became of a host."""
    if host.lost:
        return f"lost: {host.lost}"
    return "" if host.has_results else "nothing was measured whole"


def footer(analysis: FleetAnalysis) -> str:
    """How sure all this is."""
    return (
        "ratios are to the baseline on the same host, below 1 is faster; "
        f"α = {analysis.alpha:g} for "
        f"each workload and clock over the whole fleet, margin ±{percent(analysis.margin)}; "
        f"{seconds(analysis.seconds)} of measuring on the longest host, ended: "
        f"{analysis.ended_reason}; {f'origin {analysis.origin}; ' if analysis.origin else ''}"
        f"seed {analysis.seed}"
    )
