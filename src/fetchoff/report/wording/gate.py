"""Gates in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from fetchoff.model.finding import Clock
from fetchoff.model.gate import Answer, End, Gate, Judged, Lost, Side, TrackRecord
from fetchoff.model.witness import (
    LEAST_REPETITIONS,
    Countable,
    Counter,
    Difference,
    Quantity,
    Witness,
)
from fetchoff.report.wording import findings
from fetchoff.report.wording.bounds import at_most
from fetchoff.report.wording.figures import (
    MINUS,
    MISSING,
    count,
    interval_in_words,
    microseconds,
    names,
    percent,
    ratio,
    seconds,
    tolerance,
)

WITHHELD = "withheld"
MOST_ROUNDS = 4  # that are named one by one
CLOCKS = {Clock.WALL: "wall", Clock.CPU: "CPU"}


def end(gate: Gate) -> str:
    """`not slower`, `slower`, `cannot tell`; `withheld` where the figures must not be believed."""
    return WITHHELD if gate.withheld else str(gate.end)


def title(gate: Gate) -> str:
    """`python/httpx@head 0.28.2 against python/httpx 0.28.1`."""
    return f"{side(gate.head)} against {side(gate.base)}"


def side(one: Side) -> str:
    """A client with its version, and what it was built from."""
    built = f", built from {' and '.join(one.built_from)}" if one.built_from else ""
    return f"{one.client} {one.version}{built}".strip()


def sentences(gate: Gate) -> tuple[str, ...]:
    """What the gate found, the end first."""
    broken = tuple(map(lost, gate.lost))
    if gate.withheld:
        return (findings.withheld(gate.withheld), *broken)
    return (_end(gate), *_faster(gate), *_advice(gate), *broken, *_found(gate))


def _end(gate: Gate) -> str:
    margin = tolerance(gate.margin)
    told = [row for row in gate.rows if row.answer is _TELLING[gate.end]]
    if gate.end is End.SLOWER:
        return f"Slower: {_all(gate, told)}."
    if gate.end is End.CANNOT_TELL and told:
        return f"Cannot tell whether head is more than {margin} slower: {_all(gate, told)}."
    whole = f"at most {margin} more than base in {count(len(gate.rows), 'comparison')}"
    if gate.end is End.CANNOT_TELL:
        return (
            "Cannot tell, because head broke down more often than base. "
            f"Where it didn't, it costs {whole}."
        )
    return f"Not slower: head costs {whole}."


_TELLING = {
    End.SLOWER: Answer.SLOWER,
    End.CANNOT_TELL: Answer.CANNOT_TELL,
    End.NOT_SLOWER: Answer.NOT_SLOWER,
}


def _all(gate: Gate, rows: list[Judged]) -> str:
    return "; ".join(f"{taken(row)} of {gate.base.client} on {row.workload}" for row in rows)


def taken(row: Judged) -> str:
    """`1.031 (1.024–1.038) times the CPU time`."""
    found = f"{ratio(row.ratio.point)} ({interval_in_words(row.ratio)})"
    return f"{found} times the {CLOCKS[row.clock]} time"


def _faster(gate: Gate) -> Iterator[str]:
    if faster := [row for row in gate.rows if row.answer is Answer.FASTER]:
        yield f"Faster: {_all(gate, faster)}."


def _advice(gate: Gate) -> Iterator[str]:
    if gate.end is not End.CANNOT_TELL or gate.has_broken_head:
        return
    if gate.budget_needed is not None:
        yield f"--budget {gate.budget_needed} would probably tell."
        return
    untold = [row for row in gate.rows if row.answer is Answer.CANNOT_TELL]
    over = {one.workload: one for one in gate.lost if one.given_up}
    hopeless = [row for row in untold if row.workload in over]
    for workload in dict.fromkeys(row.workload for row in hopeless):
        who = " and ".join(over[workload].given_up)
        yield f"No budget would tell of {workload}: {who} broke down too often to be tried again."
    apart = [row for row in untold if row.clocks_apart and row not in hopeless]
    if apart:
        where = " and ".join(f"{CLOCKS[row.clock]} time on {row.workload}" for row in apart)
        yield (
            f"No budget would tell of {where}: an adapter's own clock is further off the harness's "
            "than head is from base."
        )
    rest = [row for row in untold if row not in hopeless and row not in apart]
    if any(row.enough is None for row in rest):
        of_rest = " the rest" if hopeless or apart else ""
        yield f"No budget would tell{of_rest}: use a quieter machine, or a larger --margin."


def lost(one: Lost) -> str:
    """`On small-get, head broke down in round 6 of 31, and base in none: it ended …`."""
    sides = [("head", one.head), ("base", one.base)]
    if not one.head:
        sides.reverse()
    told = [*(sides if one.head or one.base else ())]
    if one.controls:
        told.append(("a further process of base", one.controls))
    if told:
        who, rounds = told[0]
        parts = [f"{who} broke down in {_rounds(rounds, one.of_rounds)}"]
        parts += [f"{who} in {_rounds(rounds) if rounds else 'none'}" for who, rounds in told[1:]]
    else:
        parts = [f"{' and '.join(one.given_up)} broke down in rounds that don't count"]
    *before, last = parts
    whole = f"{', '.join(before)}, and {last}" if before else last
    return f"On {one.workload}, {whole}: {one.message.rstrip('.')}."


def _rounds(numbers: Sequence[int], of_rounds: int | None = None) -> str:
    """`rounds 2 and 6 of 31`; if they are many, only how many."""
    of = f" of {of_rounds}" if of_rounds is not None else ""
    if len(numbers) > MOST_ROUNDS:
        return f"{len(numbers)}{of} rounds"
    told = names(str(number + 1) for number in numbers).replace("`", "")
    return f"round{'' if len(numbers) == 1 else 's'} {told}{of}"


def _found(gate: Gate) -> Iterator[str]:
    """What else is known; what is the same of base and head is one sentence."""
    for workload, of_one in groupby(gate.findings, key=itemgetter(0)):
        for remark in findings.remarks(finding for _, finding in of_one):
            yield f"On {workload}, {remark.replace('`', '')}."


def verdict(gate: Gate, row: Judged) -> str:
    """What is said of a comparison: its answer, unless the figures must not be believed."""
    return WITHHELD if gate.withheld else str(row.answer)


def change(row: Judged) -> str:
    """`+3.1 %`, `−0.4 %`."""
    if not math.isfinite(row.ratio.point):
        return MISSING
    return f"{(row.ratio.point - 1) * 100:+z.1f} %".replace("-", MINUS)


def cost(row: Judged, *, of_head: bool) -> str:
    """`446 µs`."""
    return microseconds((row.head_us if of_head else row.base_us).point)


def base_against_base(gate: Gate) -> str:
    """What a second process of base showed here, and in the gates before."""
    differing = [one for one in gate.again if one.differs]
    if differing:
        where = names(f"{one.workload} {CLOCKS[one.clock]}" for one in differing)
        here = f"called different here ({where}), which is wrong"
    else:
        here = "not called different here"
    before = f"; {track_record(gate.record)}" if gate.record else ""
    return f"Base against base: {here}{before}."


def track_record(record: TrackRecord) -> str:
    """`1 of 57 gates on record (at most 9.4 %, with 97.5 % confidence)`."""
    bound = at_most(record.bound)
    gates = count(record.gates, "gate")
    return f"{record.differed} of {gates} on record (at most {bound}, with 97.5 % confidence)"


def settings(gate: Gate) -> str:
    """The error rate, the margin, and what was measured."""
    rounds = max((row.rounds for row in gate.rows), default=0)
    return (
        f"α = {percent(gate.alpha)} over all {count(len(gate.rows), 'comparison')}; "
        f"margin {tolerance(gate.margin)}; {percent(1 - gate.alpha)} intervals; "
        f"{count(rounds, 'round')}, {seconds(gate.seconds)} of {seconds(gate.budget_s)}; "
        f"seed {gate.seed}"
    )


def counted(witness: Witness) -> str:
    """What a counter found on a workload, in a sentence."""
    who = _COUNTERS[witness.counter]
    if why := why_uncounted(witness):
        hint = f" ({witness.missing.hint})" if witness.missing and witness.missing.hint else ""
        return f"Nothing was counted on {witness.workload} by {who}: {why}{hint}."
    kinds = "1 quantity" if witness.steady == 1 else f"{witness.steady} quantities"
    where = "round" if witness.counter is Counter.LEDGER else "recording"
    times = count(witness.repetitions, where)
    found = _CHANGED if witness.differences else "and none differs between them"
    wavering = f" (left out, as they vary: {len(witness.wavering)})" if witness.wavering else ""
    return (
        f"Counted on {witness.workload} by {who}: {kinds} are the same in {times} of each side, "
        f"{found}{wavering}."
    )


_CHANGED = "and these differ between them"
_COUNTERS = {
    Counter.LEDGER: "the origin's ledger",
    Counter.STRACE: "strace",
    Counter.ALLOCATOR: "the allocator",
}


def difference(one: Difference, witness: Witness) -> str:
    """`+1 write call on a socket an exchange (2 → 3): …what that means`."""
    more = f"{one.more:+,}".replace("-", MINUS)
    of = "an exchange" if witness.exchanges == 1 else "an iteration"
    means = f": {meaning(one)}" if meaning(one) else ""
    return f"{more} {quantity(one.quantity, one.more)} {of} ({one.base:,} → {one.head:,}){means}"


def quantity(one: Quantity, many: int) -> str:
    """`writes to a socket`, `segments`; with 1 in the singular."""
    single = abs(many) == 1
    if one.of is Countable.CALLS:
        where = " on a socket" if one.on else ""
        return f"{one.name} call{'' if single else 's'}{where}"
    return str(one.of).removesuffix("s") if single else str(one.of)


MEANING = {
    "write": "one more trip into the kernel, and without buffering a segment of its own",
    "read": "the answer is fetched in more pieces",
    "poll": "it waits or looks once more whether the socket is ready",
    "connect": "connections are opened that were kept before",
    "clone": "a thread or process is started",
    "open": "a file is opened while exchanges run",
    "look": "a file is looked for while exchanges run",
}
"""What more of a kind of call means, by kind."""

_KINDS = {
    "write": ("write", "writev", "send", "sendto", "sendmsg", "sendmmsg"),
    "read": ("read", "readv", "recv", "recvfrom", "recvmsg"),
    "poll": ("poll", "ppoll", "select", "pselect6", "epoll_wait", "epoll_pwait", "epoll_ctl"),
    "connect": ("connect", "socket"),
    "clone": ("clone", "clone3", "vfork", "fork"),
    "open": ("open", "openat", "openat2"),
    "look": ("access", "faccessat", "faccessat2", "stat", "lstat", "newfstatat", "statx"),
}


def meaning(one: Difference) -> str:
    """What a difference means, where more of it means something; else ""."""
    if one.more <= 0:
        return ""
    match one.quantity.of:
        case Countable.CONNECTIONS:
            return MEANING["connect"]
        case Countable.SEGMENTS:
            return "the same bytes cross the network in more pieces"
        case Countable.BYTES_SENT:
            return "requests are larger, such as by a field"
        case Countable.BYTES_RECEIVED:
            return "answers are larger: something else is asked for"
        case Countable.ALLOCATIONS:
            return "memory is asked for more often"
    kinds = (kind for kind, calls in _KINDS.items() if one.quantity.name in calls)
    return MEANING.get(next(kinds, ""), "")


def why_uncounted(witness: Witness) -> str:
    """Why a witness tells nothing; "" if it does."""
    if witness.missing:
        return witness.missing.reason
    if witness.repetitions < LEAST_REPETITIONS:
        return f"fewer than {LEAST_REPETITIONS} rounds were measured"
    return ""
