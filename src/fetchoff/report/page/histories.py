"""The page of many clients' histories: a line for each, with links to their own pages."""

from __future__ import annotations

from collections.abc import Sequence

from fetchoff.model.history import HistoriesPlan, OfClient
from fetchoff.report.page.html import without_scripts
from fetchoff.report.wording import histories as wording


def text(plan: HistoriesPlan, done: Sequence[OfClient]) -> str:
    """The whole page."""
    return without_scripts(
        "histories.html.j2",
        title=wording.title(plan),
        about=wording.about(plan, done),
        lines=list(wording.lines(done)),
        notes=list(wording.notes(plan, done)),
    )
