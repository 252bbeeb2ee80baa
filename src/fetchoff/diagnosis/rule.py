"""What a rule is: a known fault, how it shows, and the function that finds it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from fetchoff.diagnosis.calls import window
from fetchoff.diagnosis.exchanges import Exchanged, exchanges
from fetchoff.model.cause import Cause, Fact, KnownFault, Stretch
from fetchoff.model.recording import Call, Missing, Recording, Source
from fetchoff.model.toggle import Toggle

PLACES = 5  # that a cause keeps
LEAST_TRACED = 2  # exchanges

# Why rules are not tried.
FAILS = "its exchanges fail, and only those that succeed are measured"
COSTS_MEMORY = "it costs memory, and a trial measures time"
COSTS_NO_TIME = "it costs no time"
HAS_NAMES = "it shows over links with names, which are for recordings only"


@dataclass(frozen=True)
class Evidence:
    """The recordings of one client on one course.

    `traced`: another process of it whose system calls were recorded, None without them. `single`:
    another process that was asked for one exchange at a time, where the course has several at once.
    """

    wire: Recording
    traced: Recording | None = None
    single: Recording | None = None

    @cached_property
    def exchanges(self) -> tuple[Exchanged, ...]:
        """The exchanges of the wire's recording."""
        return exchanges(self.wire)

    @cached_property
    def planned(self) -> int:
        """How many exchanges the client was asked for, however many requests it sent; if the loop
        broke off, those that were seen."""
        wire = self.wire
        asked = wire.iterations * len(wire.course.workload.exchanges)
        return max(1, len(self.exchanges) if wire.fault else asked)

    @property
    def exchange_us(self) -> float:
        """Wall time of an exchange, as runs measure it: with several at once, they share it."""
        return self.mean_us(self.wire.wall_ns)

    def mean_us(self, whole_ns: float) -> float:
        """What an exchange has of a time of the whole loop: the mean."""
        return whole_ns / 1e3 / self.planned

    def saving_us(self, idle_ns: float) -> float | None:
        """What an exchange would save without so much idle time of the whole loop; None with
        several at once, where the others may hide the wait of one."""
        return self.mean_us(idle_ns) if self.concurrency == 1 else None

    @property
    def calls(self) -> tuple[Call, ...]:
        return self.traced.calls if self.traced else ()

    @property
    def round_trip_ns(self) -> float:
        """Of the link, both ways; 0 over loopback."""
        return self.wire.course.link.round_trip_ms * 1e6

    @property
    def concurrency(self) -> int:
        """How many exchanges the client is asked to do at once."""
        return self.wire.course.workload.settings.concurrency

    def has(self, source: Source) -> bool:
        """Whether this source was recorded; one that the course has no use for isn't missing."""
        match source:
            case Source.EVENTS:
                return True
            case Source.SEGMENTS:
                return bool(self.wire.segments)
            case Source.CALLS:
                return self.traced is not None and self.traced.has_calls
            case Source.NAMES:
                return self.wire.course.link.names is not None
            case Source.SINGLE:
                return self.concurrency == 1 or bool(self.single and self.single.events)

    def cause(
        self,
        fault: str,
        count: int,
        *facts: Fact,
        of: int | None = None,
        places: tuple[Stretch, ...] = (),
        saves_us: float | None = None,
        waits_us: float | None = None,
        rests_on: tuple[Source, ...] = (Source.EVENTS,),
    ) -> Cause:
        """A cause with what all of them have in common. `of`: the exchanges, by default."""
        return Cause(
            fault=fault,
            count=count,
            of=len(self.exchanges) if of is None else of,
            exchange_us=self.exchange_us,
            facts=facts,
            places=places[:PLACES],
            saves_us=self._can_be_saved(saves_us),
            rests_on=rests_on,
            waits_us=waits_us,
        )

    def _can_be_saved(self, saves_us: float | None) -> float | None:
        """A prediction; None where events of other exchanges were lost, or where waits were counted
        twice because they overlap, so that they are longer than the exchange."""
        if saves_us is None or self.wire.lost or saves_us > self.exchange_us:
            return None
        return saves_us


Find = Callable[[Evidence], Cause | None]
Lacks = Callable[[Evidence], Missing | None]


def nothing(_: Evidence) -> None:
    """For rules that can be asked of a part of a loop."""


def lost_events(evidence: Evidence) -> Missing | None:
    """What rules lack that count events, where some did not fit in."""
    if not evidence.wire.lost:
        return None
    return _did_not_fit(Source.EVENTS, evidence.wire.lost)


def lost_segments(evidence: Evidence) -> Missing | None:
    """What rules lack that look for segments, where some did not fit in."""
    if not evidence.wire.lost_segments:
        return None
    return _did_not_fit(Source.SEGMENTS, evidence.wire.lost_segments)


def _did_not_fit(source: Source, lost: int) -> Missing:
    reason = f"{lost:,} of them did not fit in"
    return Missing(source, reason, "record fewer exchanges, with --iterations", in_part=True)


def whole_loop(evidence: Evidence) -> Missing | None:
    """What rules lack that compare what was seen with what was asked for."""
    if evidence.wire.fault:
        return Missing(Source.EVENTS, "the loop broke off", in_part=True)
    return lost_events(evidence)


def too_few_traced(evidence: Evidence, least: int = LEAST_TRACED) -> Missing | None:
    """What rules lack that count calls an exchange, where fewer whole ones were traced."""
    within = window(evidence.traced)
    if within is not None and within.exchanges >= least:
        return None
    return Missing(Source.CALLS, "too few exchanges were traced", "set more with --iterations")


@dataclass(frozen=True)
class Rule:
    """How a known fault is found.

    `needs`: sources without which it stays silent. `lacks`: what a recording has not, so that the
    fault may be there although it isn't found. `toggle`: what confirms it; without one, only a
    variant of the client can. `untried`: why not even that can, "" where it can.
    """

    fault: KnownFault
    find: Find
    needs: frozenset[Source] = frozenset({Source.EVENTS})
    lacks: Lacks = nothing
    toggle: Toggle | None = None
    untried: str = ""

    @property
    def id(self) -> str:
        return self.fault.id
