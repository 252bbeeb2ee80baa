"""What hosts say together, in words: docs/fleet.md."""

from __future__ import annotations

import math
from collections.abc import Sequence

from fetchoff.model.estimate import MINIMUM_ROUNDS, Verdict
from fetchoff.model.experiment import Role
from fetchoff.model.finding import AnsweredWrong
from fetchoff.model.fleet import (
    AcrossHosts,
    FleetAnalysis,
    FleetResult,
    FleetRow,
    HostOutcome,
    HostsDiffer,
    Missing,
)
from fetchoff.model.host import FleetMode
from fetchoff.model.observation import Outcome
from fetchoff.report.wording import findings
from fetchoff.report.wording.figures import count, part, ratio, seconds, tolerance
from fetchoff.stats.hosts import LEAST_HOSTS

NAMED = 3
"""Hosts by name; of more, their number."""

WORDS = {
    Verdict.FASTER: "faster",
    Verdict.EQUIVALENT: "level",
    Verdict.SLOWER: "slower",
    Verdict.UNDECIDED: "undecided",
}

NOT_MEASURED, FAILED, ANSWERED_WRONG = LACKING = "not measured", "failed", "answered wrong"

EVERYWHERE = "*"
"""In place of a host: all of them together."""


def on_each(
    across: AcrossHosts, hosts: tuple[str, ...], missing: Sequence[Missing | None] = ()
) -> str:
    """`faster on all 6 hosts`, `faster on a and b, level on c, answered wrong on d`.

    `missing`: as a row has it, of these hosts.
    """
    found: dict[str, list[str]] = {word: [] for word in (*WORDS.values(), *LACKING)}
    reasons = missing or (None,) * len(hosts)
    for host, relative, why in zip(hosts, across.on_each, reasons, strict=True):
        verdict = relative.verdict if relative else None
        found[WORDS[verdict] if verdict else _lack(why)].append(host)
    told = {word: names for word, names in found.items() if names}
    if len(told) == 1:
        word = next(iter(told))
        return f"{word} on {_all(len(hosts))}" if len(hosts) > 1 else word
    return ", ".join(f"{word} on {_named(names)}" for word, names in told.items())


def _lack(missing: Missing | None) -> str:
    """How a client came to have no figures on a host, in a word of LACKING."""
    if missing is None:
        return NOT_MEASURED
    if missing.reason is not None and isinstance(missing.reason.evidence, AnsweredWrong):
        return ANSWERED_WRONG
    return FAILED if missing.outcome is Outcome.FAILED else NOT_MEASURED


def lacks(row: FleetRow, hosts: tuple[str, ...]) -> dict[str, str]:
    """Why a client has no figures, by host: `answered wrong: in round 3: other content`.

    By EVERYWHERE alone, if it has none on any host.
    """
    if row.is_measured:
        return {
            host: ": ".join(filter(None, (_lack(why), _reason(why))))
            for host, why in zip(hosts, row.missing, strict=True)
            if why is not None
        }
    return {EVERYWHERE: _on_no_host(row, hosts)}


def _on_no_host(row: FleetRow, hosts: tuple[str, ...]) -> str:
    """`answered wrong on all 4 hosts: in round 3: other content`; of several reasons, the first
    that a host has."""
    told = on_each(row.wall, hosts, row.missing)
    reasons = {host: _reason(why) for host, why in zip(hosts, row.missing, strict=True)}
    if len(set(reasons.values())) == 1:
        return ": ".join(filter(None, (told, next(iter(reasons.values())))))
    host = next(host for host, reason in reasons.items() if reason)
    return f"{told} (on {host} {reasons[host]})"


def _reason(missing: Missing | None) -> str:
    return findings.reason(missing.reason) if missing and missing.reason else ""


def without_figures(result: FleetResult) -> list[str]:
    """The clients that no host has figures of, and why; those of whom the same is told together."""
    found: dict[str, list[str]] = {}
    for row in result.rows:
        if not row.is_measured:
            found.setdefault(_on_no_host(row, result.hosts), []).append(row.client)
    return [f"{', '.join(clients)}: {why}" for why, clients in found.items()]


def _all(hosts: int) -> str:
    return "both hosts" if hosts == 2 else f"all {hosts} hosts"


def _named(names: list[str]) -> str:
    if len(names) > NAMED:
        return count(len(names), "host")
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def differ(found: HostsDiffer | None) -> str:
    """`yes, by 8 %`: the standard deviation of the ratio between hosts; `not shown`; `not yet
    told`, before the run has ended."""
    if found is None:
        return ""
    if found.shown is None:
        return "not yet told"
    return f"yes, by {part(math.expm1(found.between))}" if found.shown else "not shown"


def summary(analysis: FleetAnalysis, result: FleetResult) -> str:
    """What all hosts say of a workload, in a sentence or two."""
    if not result.hosts:
        return "No host has figures that can be compared."
    ranked = [row for row in result.rows if row.role is Role.RANKED and row.is_measured]
    if len(ranked) == 1:
        return f"Only {ranked[0].client} has figures, so there is nothing to rank."
    said = (_differing(analysis, result), _leading(result, ranked))
    return " ".join(filter(None, said))


def _differing(analysis: FleetAnalysis, result: FleetResult) -> str:
    """Whether hosts differ, if they were asked."""
    found = [row.wall.differ for row in result.rows if row.wall.differ is not None]
    if not found:
        return ""
    if not has_ended(analysis):
        return "Whether hosts differ is told when the run has ended."
    if differing := sum(bool(one.shown) for one in found):
        clients = count(differing, "client")
        return f"Hosts differ in the wall time of {clients} relative to {result.baseline}."
    return "Hosts were not shown to differ."


def _leading(result: FleetResult, ranked: Sequence[FleetRow]) -> str:
    """Who is the fastest on hosts in general, if one client is and that is shown."""
    placed = [row for row in ranked if row.tiers is not None]
    leaders = [row for row in placed if row.tiers and row.tiers[0] == 1]
    if len(leaders) != 1:
        return ""
    (row,) = leaders
    fastest = "the fastest" if len(placed) == len(ranked) else "the fastest that could be placed"
    if row.client == result.baseline:
        return f"On hosts in general {row.client} is {fastest}."
    if row.wall.over is None or row.wall.over.verdict is Verdict.UNDECIDED:
        return ""
    times = ratio(row.wall.over.ratio.point)
    told = f"{times} times the wall time of {result.baseline}"
    return f"On hosts in general {row.client} is {fastest}: {told}."


def has_ended(analysis: FleetAnalysis) -> bool:
    """Whether the run has: what hosts have in common is looked at then."""
    return analysis.ended_reason != "interrupted"


def in_general(analysis: FleetAnalysis, result: FleetResult) -> str:
    """Why nothing is said of hosts in general; "" if it is."""
    if any(row.wall.over is not None for row in result.rows):
        return ""
    if analysis.mode is FleetMode.SHARD:
        return "measured on one host: workloads are divided, and costs of hosts are not compared"
    if not has_ended(analysis):
        return "hosts in general: told when the run has ended"
    if len(result.hosts) < LEAST_HOSTS:
        return f"hosts in general: needs {LEAST_HOSTS} hosts with figures, has {len(result.hosts)}"
    return (
        f"hosts in general: needs {LEAST_HOSTS} hosts that measured a client in {MINIMUM_ROUNDS} "
        "rounds; no client has so many"
    )


def left_out(result: FleetResult) -> list[str]:
    """The hosts whose figures are not used, and why."""
    withheld = [
        f"{host} is left out: {findings.reason(why).replace('`', '')}"
        for host, why in result.withheld.items()
    ]
    others = [
        f"{host}: {result.baseline} has fewer than {MINIMUM_ROUNDS} rounds that count, so nothing "
        "is compared there"
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
        f"each workload and clock over the whole fleet, margin ±{tolerance(analysis.margin)}; "
        f"{seconds(analysis.seconds)} of measuring on the longest host, ended: "
        f"{analysis.ended_reason}; {f'origin {analysis.origin}; ' if analysis.origin else ''}"
        f"seed {analysis.seed}"
    )
