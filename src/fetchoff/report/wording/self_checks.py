"""Self-checks in words: what is asked, and what was found."""

from __future__ import annotations

from fetchoff.model.check import ACCOUNTS, CheckKind, CheckOutcome, Reading, SelfCheck

ASKED = {
    CheckKind.SAME: "two processes of a client must not differ",
    CheckKind.BUSY: "time spun inside a client must be seen",
    CheckKind.MORE: "more requests must cost as much more",
    CheckKind.TREND: "what is measured must be steady",
    CheckKind.COMMON_TREND: "what all clients have in common must be steady",
    CheckKind.POSITION: "later places of a cycle must cost as much as earlier ones",
    CheckKind.BATCH_POSITION: "later batches of a block must cost as much as earlier ones",
    CheckKind.FIRST_BATCH: "the first batch of a block must cost as much as the others",
    CheckKind.CPU_ACCOUNT: (
        "the origin's and the harness's readings of a process's CPU clock must agree"
    ),
    CheckKind.WALL_ACCOUNT: (
        "the origin's and the harness's clocks must agree on how long the turns took"
    ),
    CheckKind.REQUEST_ACCOUNT: "the exchanges of all turns must be those that the ledger counted",
    CheckKind.PLACEMENT: "the origin must be where it was planned",
}
BLAMED = {
    CheckKind.SAME: "differs from itself",
    CheckKind.BUSY: "does not show what it spun",
    CheckKind.MORE: "does not show more requests",
    CheckKind.TREND: "went on getting cheaper or dearer",
}
"""What a client has done that a failed check names."""
COUNTED = {
    CheckKind.COMMON_TREND: "rounds",
    CheckKind.POSITION: "groups",
    CheckKind.BATCH_POSITION: "rounds",
    CheckKind.FIRST_BATCH: "rounds",
}
"""Whose values are counted, where they are not those of processes."""


def sentence(check: SelfCheck) -> str:
    """`time spun inside a client must be seen (cpu; 9 processes asked): it holds, within …`."""
    return _of_account(check) if check.kind in ACCOUNTS else _of_question(check)


def _of_account(check: SelfCheck) -> str:
    asked = ASKED[check.kind]
    if check.worst is not None:
        return f"{asked}: {_reading(check.worst)}"
    if check.outcome is CheckOutcome.INCONCLUSIVE:
        return f"{asked}: too little to tell"
    return f"{asked}: it holds, {check.count} times"


def _reading(worst: Reading) -> str:
    if worst.place:
        return worst.place
    on = f" on {worst.host}" if worst.host else ""
    whose = f"{worst.client} in " if worst.client else ""
    where = "" if worst.round is None else f"{whose}round {worst.round + 1}{on}: "
    return f"{where}{worst.share:.3f}"


def _of_question(check: SelfCheck) -> str:
    whom = COUNTED.get(check.kind, "processes")
    asked = f"{ASKED[check.kind]} ({check.metric}; {check.count} {whom} asked)"
    within = "" if check.tolerance is None else f"within ±{100 * check.tolerance:g} {_unit(check)}"
    match check.outcome:
        case CheckOutcome.PASSED:
            return f"{asked}: it holds, {within}{_would_find(check)}"
        case CheckOutcome.FAILED if check.client:
            return f"{asked}: {check.client} {BLAMED[check.kind]}"
        case CheckOutcome.FAILED:
            return f"{asked}: it does not hold"
        case CheckOutcome.INCONCLUSIVE:
            return f"{asked}: too few, or too noisy, to tell {within}{_would_find(check)}"


def _would_find(check: SelfCheck) -> str:
    if check.least_fault is None:
        return ""
    points = 100 * check.least_fault
    digits = f"{points:,.0f}" if points >= 10 else f"{points:.1f}"
    return f"; a fault of {digits} {_unit(check)} would be found with a probability of 90 %"


def _unit(check: SelfCheck) -> str:
    """How much more it was is another thing for each client: iterations are whole."""
    return "% of what was added" if check.kind is CheckKind.MORE else "points"
