"""Build an experiment from the user's choices."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace

from fetchoff.app.choose import tries_again
from fetchoff.model.client import Client, Kind, Readiness
from fetchoff.model.course import Course
from fetchoff.model.errors import InputError
from fetchoff.model.estimate import EVERY_ROUND
from fetchoff.model.experiment import Entrant, Experiment, Role, controls_of, with_controls
from fetchoff.model.origin import BUILT_IN
from fetchoff.model.workload import Placement

NAMED = 5  # clients, in a message
PAIR_TURNS, MORE_TURNS = 10, 20
"""Of each client in a round of a pair, and where one has a compiler, or of a gate. Of a pair's
controls, the busy one has a turn in every second cycle and the twin in every fourth, so in a round
of ten cycles they have five and three."""
TURN_OF_BUDGET_S = 12.0
"""Each such part of the budget is two turns a round: docs/decisions/0024-rounds-of-pairs.md."""
GATE_LOOKS = (*EVERY_ROUND, *range(EVERY_ROUND[-1] + 2, 81, 2))
"""A gate that must show how small a difference is needs more rounds than others."""
FEW = 1 / 3  # of all clients
PREFERRED_BASELINES = ("python/requests", "ruby/net-http", "perl/lwp", "c/libcurl")


def ranking(
    clients: Sequence[Client],
    courses: Sequence[Course],
    *,
    suite: str,
    baseline: str,
    budget_s: float,
    blocks: int,
    blocks_over_links: int = Experiment.blocks_over_links,
    seed: int | None,
    origin: str = BUILT_IN,
    placement: Placement | None = None,
    had_by: Mapping[str, int] | None = None,
) -> Experiment:
    """An experiment that ranks all clients that are ready; InputError if there is none.

    `had_by`: how many hosts have each client, where there are several.
    """
    ready = [client for client in clients if client.readiness is Readiness.READY]
    if not ready:
        raise _nobody_ready(clients, is_fleet=had_by is not None)
    if all(_role(client) is Role.FLOOR for client in ready):
        raise InputError(
            "only floors are ready, and floors are never ranked",
            "choose another client from 'fetchoff clients'",
        )
    reference = _baseline(baseline, [c.id for c in ready if _role(c) is Role.RANKED])
    entrants = with_controls(
        tuple((c.id, c.manifest.kit, _role(c)) for c in ready),
        preferred=_controlled(ready, had_by or {}),
    )
    return Experiment(
        entrants=_sparing(entrants, ready, reference),
        courses=tuple(courses),
        baseline=reference,
        seed=_seed(seed),
        budget_s=budget_s,
        blocks=blocks,
        blocks_over_links=blocks_over_links,
        suite=suite,
        origin=origin,
        placement=placement,
    )


def pair(
    a: Client,
    b: Client,
    courses: Sequence[Course],
    *,
    budget_s: float,
    seed: int | None,
    origin: str = BUILT_IN,
    limit: float | None = None,
    placement: Placement | None = None,
) -> Experiment:
    """An experiment that compares b with a; if both are one client, two processes of it.

    `limit`: find out whether b costs more than this share on top of a, 0.03 for 3 %.
    """
    entrants = [Entrant(a.id, a.id, a.id)]
    if a.id == b.id:
        entrants.append(Entrant(f"{b.id}#again", b.id, f"{b.id}#again"))
    else:
        entrants.append(Entrant(b.id, b.id, b.id))
    for client in (a, b) if a.id != b.id else (a,):
        # Controls double the number of processes. Warming up clients with a compiler takes most of
        # a round, so their controls take part in every third round only.
        entrants += [replace(e, seldom=_compiles(client)) for e in controls_of(client.id, rare=2)]
    return Experiment(
        entrants=tuple(entrants),
        courses=tuple(courses),
        baseline=a.id,
        seed=_seed(seed),
        budget_s=budget_s,
        pair_only=True,
        origin=origin,
        limit=limit,
        turns=_turns_of_a_pair((a, b), budget_s),
        placement=placement,
    )


def gate(
    base: Client,
    head: Client,
    courses: Sequence[Course],
    *,
    margin: float,
    budget_s: float,
    seed: int | None,
    placement: Placement | None = None,
) -> Experiment:
    """An experiment that finds out whether head is slower than base anywhere; `margin`: tolerated.

    A second process of base takes part as head does: in every round, with as many exchanges. So it
    shows whether such an experiment calls equals different. Head has no controls of its own: what
    they test is what it shares with base.
    """
    usual = pair(
        base, head, courses, budget_s=budget_s, seed=seed, limit=margin, placement=placement
    )
    twin = controls_of(base.id)[0]
    rarer = (replace(one, seldom=_compiles(base)) for one in controls_of(base.id, rare=2)[1:])
    ranked = (one for one in usual.entrants if one.role is Role.RANKED)
    return replace(
        usual,
        entrants=(*ranked, twin, *rarer),
        margin=margin,
        jointly=True,
        looks=GATE_LOOKS,
        turns=MORE_TURNS,
    )


def _controlled(clients: Sequence[Client], had_by: Mapping[str, int]) -> set[str]:
    """The client of each kit that has the controls: one that most hosts have, because a host that
    lacks it tests nothing of the kit; among those, the one that the kit prefers."""
    ranked = [client for client in clients if _role(client) is Role.RANKED]
    ranked.sort(key=lambda c: (-had_by.get(c.id, 0), not c.manifest.is_control, c.id))
    found: dict[str, str] = {}
    for client in ranked:
        found.setdefault(client.manifest.kit, client.id)
    return set(found.values())


def _turns_of_a_pair(clients: Sequence[Client], budget_s: float) -> int:
    """Few rounds tell little however long they are, so short ones give a verdict sooner; but there
    are never more than 40, so where there is time for more, they are longer. Where a compiler makes
    each round begin with seconds of warming up, short ones would not be sooner over."""
    if any(map(_compiles, clients)):
        return MORE_TURNS
    return max(PAIR_TURNS, 2 * int(budget_s / TURN_OF_BUDGET_S))


def _sparing(
    entrants: Sequence[Entrant], clients: Sequence[Client], baseline: str
) -> tuple[Entrant, ...]:
    """If few clients have a compiler, let them take part in every third round only.

    Their warm-up takes seconds in each round, in which all others could have had another round. If
    many clients have a compiler, skipping gains nothing. The baseline takes part in every round,
    because all ratios need it.
    """
    slow = {client.id for client in clients if _compiles(client) and client.id != baseline}
    if len(slow) > FEW * len(clients):
        return tuple(entrants)
    return tuple(replace(e, seldom=True) if e.client in slow else e for e in entrants)


def _compiles(client: Client) -> bool:
    return client.launch is not None and client.launch.compiles


def _nobody_ready(clients: Sequence[Client], *, is_fleet: bool) -> InputError:
    """The error that says why no client is ready, and what to do."""
    ids = [client.id for client in clients]
    named = ", ".join(ids[:NAMED]) + (", …" if len(ids) > NAMED else "")
    failed = [client for client in clients if client.readiness is Readiness.UNAVAILABLE]
    if failed and len(failed) == len(ids):
        reasons = "; ".join(f"{client.id}: {client.reason}" for client in failed[:NAMED])
        again = "" if is_fleet else tries_again(failed)  # `fleet run --setup` tries all again
        hint = "; ".join(filter(None, (failed[0].hint, again)))
        return InputError(f"no client is available on this machine: {reasons}", hint)
    return InputError(
        f"no client is ready: {named or 'none was chosen'}",
        "set them up: give the same command with --setup",
    )


def _role(client: Client) -> Role:
    return Role.FLOOR if client.manifest.kind is Kind.FLOOR else Role.RANKED


def _baseline(wanted: str, ready: Sequence[str]) -> str:
    if wanted in ready:
        return wanted
    return next((name for name in PREFERRED_BASELINES if name in ready), ready[0])


def _seed(given: int | None) -> int:
    return secrets.randbelow(2**31) if given is None else given
