"""System calls of a client, in words."""

from __future__ import annotations

from fetchoff.model.calls import CallTable
from fetchoff.report.wording.figures import count, number


def heading(found: CallTable) -> str:
    """What the table is of."""
    return f"{found.course} · system calls of {count(found.exchanges, 'exchange')}"


def sentence(found: CallTable) -> str:
    """How many calls there are, and those that are dear."""
    whole = sum(kind.count for kind in found.kinds)
    dear = [
        f"{number(many, 1)} {what}"
        for many, what in (
            (found.timers, "timers that run out"),
            (found.threads, "threads started"),
            (found.certificates, "files of certificates opened"),
        )
        if many >= 0.05
    ]
    among = f", among them {', '.join(dear)}" if dear else ""
    return f"An exchange makes {number(whole, 1)} system calls{among}."


NOTE = "times are shares of all calls, waits included; tracing makes each call slower"
NONE = "No exchange was traced as a whole."
