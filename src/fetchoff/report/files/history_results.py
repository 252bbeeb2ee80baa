"""history.json's results: everything that the table and the chart of a history show, as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fetchoff.model.history import History, Stretch, Why
from fetchoff.report.files.json_results import plain
from fetchoff.report.wording import history as wording


def text(history: History, whys: Sequence[Why] = ()) -> str:
    """The document; figures that are not finite are null. `whys`: of the explained steps."""
    plan = history.plan
    document = {
        "client": plan.client,
        "workload": plan.course.id,
        "alpha": plan.alpha,
        "alpha_of_one": plan.alpha_of_one,
        "most_comparisons": plan.most_comparisons,
        "margin": plan.margin,
        "seed": plan.seed,
        "budget_s": plan.budget_s,
        "seconds": history.seconds,
        "complete": history.is_complete,
        "headline": wording.headline(history),
        "releases": plain(plan.releases),
        "stretches": [_stretch(stretch) for stretch in history.stretches],
        "unlocated": plain(history.unlocated),
        "passed_over": plain(history.passed_over),
        "compared": plain(history.compared),
        "why": [_why(why) for why in whys],
        "notes": list(wording.notes(history)),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _why(why: Why) -> dict[str, object]:
    return {
        "from": why.step.older,
        "to": why.step.newer,
        "gone": [cause.fault for cause in why.gone],
        "come": [cause.fault for cause in why.come],
        "kept": [cause.fault for cause in why.kept],
        "older": plain(why.older.diagnosis) if why.older else None,
        "newer": plain(why.newer.diagnosis) if why.newer else None,
    }


def _stretch(stretch: Stretch) -> dict[str, object]:
    found = stretch.compared
    return {
        "from": stretch.older,
        "to": stretch.newer,
        "kind": stretch.kind.value,
        "found": wording.verdict(stretch),
        "at_most": plain(found.at_most) if found else None,
        "between": list(stretch.between),
        "compared": plain(found) if found else None,
    }
