"""Right before a set of clients takes its turns, each works once more, with the core to itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from fetchoff.model.observation import Outcome
from fetchoff.run.adapters.session import ClientSession

LEAST_TIMES, MOST_TIMES, STILL_CHEAPER = 2, 12, 0.1

Each = Callable[[str, Callable[[ClientSession], None], Sequence[ClientSession]], None]
"""Does one step for those of some sessions that are still in the section."""


def rehearse(sessions: Sequence[ClientSession], each: Each) -> None:
    """Let those with compilers compile again, and time some iterations of everybody.

    Those with compilers come last, and take it in turns: V8 gives up compiled code in some seconds
    without work (docs/decisions/0022-processes-of-their-own.md), so none may wait until all others
    have finished.
    """
    slow = [session for session in sessions if session.adapter.launch.compiles]
    each("rehearsing", ClientSession.rehearse, [s for s in sessions if s not in slow])
    _compile_again(slow, each)
    each("rehearsing", ClientSession.rehearse, slow)


def _compile_again(sessions: Sequence[ClientSession], each: Each) -> None:
    """Go on, time after time, as long as that makes any of them cheaper by a tenth."""
    costs: dict[str, list[int]] = {session.process: [] for session in sessions}

    def go_on(session: ClientSession) -> None:
        costs[session.process].append(session.compile_again())

    for times in range(1, MOST_TIMES + 1):
        each("compiling again", go_on, sessions)
        left = [costs[s.process] for s in sessions if s.outcome is Outcome.OK]
        if times >= LEAST_TIMES and not any(map(_gets_cheaper, left)):
            break


def _gets_cheaper(costs: Sequence[int]) -> bool:
    return costs[-1] < (1 - STILL_CHEAPER) * costs[-2]
