"""Findings in sentences, with what a reader can do.

Client names stand in backticks; the page turns those into code, terminal and files drop them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from fetchoff.model.analysis import RankingRow
from fetchoff.model.finding import Advice, ClientEvidence, Finding
from fetchoff.report.wording import of_clients, of_workloads
from fetchoff.report.wording.figures import names

MOST_NAMES = 6
ADVICE = {
    Advice.FREE_PLACEMENT: "'--placement free', or '+free' after a workload's name, tells more",
    Advice.MORE_ROUNDS: "more rounds or a quieter machine would",
    Advice.LARGER_BUDGET: "more rounds (a larger --budget) or a quieter machine would",
    Advice.STOP_OTHER_WORK: (
        "Something disturbed the machine, or favours one process over another: stop other work, "
        "look at 'fetchoff doctor', and run again"
    ),
    Advice.LARGER_QUOTA: "measure without a quota, or go by CPU time",
    Advice.SLOWER_LINK: "Stop other work, or choose a slower link, and run again",
}


def remarks(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Every finding with its clients; what is the same of several is one sentence, in the place of
    the first."""
    alike: dict[object, list[Finding]] = {}
    for place, finding in enumerate(findings):
        key: object = place
        if isinstance(finding.evidence, ClientEvidence):
            key = (of_clients.key(finding.evidence), finding.advice)
        alike.setdefault(key, []).append(finding)
    return tuple(_remark(same) for same in alike.values())


def note(finding: Finding) -> str:
    """What a finding says, without its clients: `its own clock is 12 % off the harness's`."""
    return _advised(finding, reason(finding))


def notes(row: RankingRow) -> tuple[str, ...]:
    """What must be known of a client beside its figures."""
    return tuple(note(finding) for finding in row.findings)


def message(row: RankingRow) -> str:
    """Why a client has no figures, or not those of every round; "" if it has all."""
    return note(row.reason) if row.reason else ""


def reason(finding: Finding) -> str:
    """What a finding says, without what to do about it."""
    if isinstance(finding.evidence, ClientEvidence):
        return of_clients.sentence([finding.evidence])
    return of_workloads.sentence(finding.evidence)


def withheld(finding: Finding | None) -> str:
    """Why a ranking is withheld, and what to do about it; "" if it is not."""
    if finding is None:
        return ""
    return ". ".join([reason(finding), *advice(finding)])


def advice(finding: Finding) -> tuple[str, ...]:
    """What a reader can do; nothing if that is not known."""
    return (ADVICE[finding.advice],) if finding.advice else ()


def _remark(same: Sequence[Finding]) -> str:
    found = [f.evidence for f in same if isinstance(f.evidence, ClientEvidence)]
    if not found:
        return note(same[0])
    clients = dict.fromkeys(client for finding in same for client in finding.subject)
    said = _advised(same[0], of_clients.sentence(found))
    return f"{names(clients, most=MOST_NAMES)}: {said}"


def _advised(finding: Finding, said: str) -> str:
    return ": ".join([said, *advice(finding)])
