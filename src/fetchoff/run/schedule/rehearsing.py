"""Right before a set of clients takes its turns, each works once more, with the core to itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fetchoff.model.observation import Outcome
from fetchoff.run.adapters.session import ClientSession

LEAST_TIMES, MOST_TIMES, STILL_CHEAPER = 2, 16, 0.1

Each = Callable[[str, Callable[[ClientSession], None], Sequence[ClientSession]], None]
"""Does one step for those of some sessions that are still in the section."""


def rehearse(sessions: Sequence[ClientSession], each: Each) -> None:
    """Time some iterations of everybody, and let those with compilers compile again.

    Those with compilers come last, and take it in turns: V8 gives up compiled code in some seconds
    without work (docs/decisions/0022-processes-of-their-own.md), so none may be idle until all
    others have finished. They have been timed before, so that they do as much as they should.
    """
    slow = [session for session in sessions if session.adapter.launch.compiles]
    each("rehearsing", ClientSession.rehearse, sessions)
    _compile_again(slow, each)


def _compile_again(sessions: Sequence[ClientSession], each: Each) -> None:
    """Each goes on, time after time, as long as that makes it cheaper by a tenth, or its warm-up
    was cut off and still lacks exchanges.

    Who has waited for others does it once more.
    """
    costs: dict[str, list[float]] = {session.process: [] for session in sessions}

    def go_on(session: ClientSession) -> None:
        costs[session.process].append(session.compile_again())

    def is_done(session: ClientSession) -> bool:
        of_it = costs[session.process]
        is_cut_off = session.lacks and not session.mostly_waits  # or it would take minutes
        if is_cut_off or len(of_it) < LEAST_TIMES:
            return False
        return of_it[-1] >= (1 - STILL_CHEAPER) * of_it[-2]

    going = last = list(sessions)
    for _ in range(MOST_TIMES):
        last = going
        each("compiling again", go_on, last)
        going = [s for s in last if s.outcome is Outcome.OK and not is_done(s)]
        if not going:
            break
    each("compiling again", go_on, [session for session in sessions if session not in last])
