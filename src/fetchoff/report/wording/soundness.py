"""A whole run's self-checks in one line, and how the run is cited."""

from __future__ import annotations

from collections.abc import Sequence

from fetchoff.model.analysis import Analysis, WorkloadResult
from fetchoff.model.check import CheckOutcome, SelfCheck, not_tested, withholds
from fetchoff.report.wording import findings, sentences
from fetchoff.report.wording.figures import count, names


def soundness(results: Sequence[WorkloadResult]) -> str:
    """`sound`, or what is not: `withheld because …`, `not steady: …`, `not tested: …`, `not enough
    data for …`."""
    checks = tuple(dict.fromkeys(check for result in results for check in result.checks))
    unclear = [check for check in checks if check.outcome is CheckOutcome.INCONCLUSIVE]
    parts = [
        f"{sentences.title(result)} is withheld because: {findings.reason(result.withheld)}"
        for result in results
        if result.withheld
    ]
    unsteady = [c for c in checks if c.outcome is CheckOutcome.FAILED and not withholds(c)]
    if unsteady:
        clients = names(dict.fromkeys(check.client for check in unsteady)).replace("`", "")
        parts.append(f"not steady: {clients} ({_of(unsteady, checks)} failed)")
    untested = not_tested(checks)
    if untested:
        parts.append(f"not tested: {', '.join(untested)}")
    partly = [check for check in unclear if check.kind not in untested]
    if partly:
        kinds = ", ".join(dict.fromkeys(check.kind.value for check in partly))
        parts.append(f"not enough data for {kinds} ({_of(partly, checks)})")
    if parts:
        return "; ".join(parts)
    return f"sound, {count(len(checks), 'check')} passed" if checks else "none were made"


def _of(some: Sequence[SelfCheck], checks: Sequence[SelfCheck]) -> str:
    return f"{len(some)} of {count(len(checks), 'check')}"


def citation(analysis: Analysis) -> str:
    """What another text says of this run."""
    day = analysis.started.partition("T")[0]
    where = analysis.environment.get("processor", "")
    parts = (
        f"Fetchoff, “{analysis.title}”, run {analysis.run_id}, {day}",
        f"origin {analysis.origin}" if analysis.origin else "",
        f"on {where}" if where else "",
        f"seed {analysis.seed}",
        f"α = {100 * analysis.alpha:g} %, margin ±{100 * analysis.margin:g} %",
    )
    return "; ".join(part for part in parts if part) + "."
