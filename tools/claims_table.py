"""What docs/articles.md and docs/reported.md have in common: a row for each claim."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fetchoff.model.judgement import Judgement
from fetchoff.report.wording import claims
from fetchoff.report.wording.figures import MISSING
from fetchoff.store.run_folder import RunFolder


def machine(run: RunFolder) -> str:
    """Where and on which day a run was made."""
    environment = run.header.environment
    return (
        f"a virtual machine with {environment['cores']} cores "
        f"({environment['processor']}), {run.header.started[:10]}"
    )


def row(cells: Iterable[str]) -> str:
    """A line of a table."""
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def told(judgement: Judgement) -> Iterator[str]:
    """What a claim says, what was published, what was measured, and the verdict."""
    reasons = claims.reasons(judgement)
    reason = f": {reasons}" if reasons else ""
    yield judgement.claim.text
    yield claims.published(judgement.claim.statement) or MISSING
    yield claims.measured(judgement)
    yield claims.measured_interval(judgement)
    yield f"**{judgement.verdict.value}**{reason}"
