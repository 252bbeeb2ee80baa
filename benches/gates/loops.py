"""How long the loops are that are put into a library.

A loop looks at a clock until its time is over, which costs more than that time: by a look, and by
what calling it costs. The gates of loops tell how much, so the loop of `work` is asked for so much
less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benches.gates.gated import Gated
from benches.gates.libraries import Change

PERCENT_OF_CALIBRATION = 10.0
"""Of loops for 30 %, gates of perl/http-tiny found 3.2 to 4.2 µs beyond their length, and of loops
for 3 %, 0.6 to 1.3 µs."""
OF_CALIBRATION = 1 / 3
"""Of what calibrations of 10 % found beyond the length of their loops, loops for 3 % took -8 to
94 % in eight languages, a third in the mean (2026-11-30, commit 670704f9)."""
ENOUGH_ROUNDS = 10
"""Of gates with loops for `work`, after which a client needs no further calibration."""


def with_calibration(changes: Iterable[Change]) -> Iterator[Change]:
    """The changes after the comment's, with a calibration before the work."""
    for change in changes:
        if change is Change.WORK:
            yield Change.CALIBRATION
        if change not in (Change.COMMENT, Change.CALIBRATION):
            yield change


def percent(change: Change, of_work: float) -> float:
    """What a change is to add to the CPU time of base's exchange."""
    return {Change.CALIBRATION: PERCENT_OF_CALIBRATION, Change.WORK: of_work}.get(change, 0.0)


def beyond_ns(client: str, gates: Sequence[Gated]) -> float:
    """What a loop of a client takes beyond its length: the mean over all rounds of its gates of
    `work`; before there are any, OF_CALIBRATION of that of its calibrations; 0 without either.

    What a long loop takes beyond its length isn't what a short one does, and a calibration has few
    rounds. Gates end sooner when they overestimate, so the mean of `work` is rather too large, and
    the next loop too short: harder to find than it should be, not easier.
    """
    works = _that_tell(client, gates, Change.WORK)
    if works:
        return _mean_beyond_ns(works)
    return OF_CALIBRATION * _mean_beyond_ns(_that_tell(client, gates, Change.CALIBRATION))


def _mean_beyond_ns(loops: Sequence[Gated]) -> float:
    """Over all rounds of these gates; 0 without any."""
    rounds = sum(map(_rounds, loops))
    added = (_rounds(gated) * (gated.added_ns - gated.ns) for gated in loops)
    return sum(added) / rounds if rounds else 0.0


def is_calibrated(client: str, gates: Sequence[Gated]) -> bool:
    """Whether it is known well enough what a client's loop takes beyond its length."""
    return sum(map(_rounds, _that_tell(client, gates, Change.WORK))) >= ENOUGH_ROUNDS


def _that_tell(client: str, gates: Sequence[Gated], change: Change) -> list[Gated]:
    return [g for g in gates if g.client == client and g.change is change and g.can_tell]


def _rounds(gated: Gated) -> int:
    return gated.rounds or 1
