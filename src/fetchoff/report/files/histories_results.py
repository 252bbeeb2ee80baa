"""The results of the histories of many clients, as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence

from fetchoff.model.history import HistoriesPlan, OfClient
from fetchoff.report.wording import histories as wording


def text(plan: HistoriesPlan, done: Sequence[OfClient]) -> str:
    """The document. The results of each history are in its own folder."""
    document = {
        "workload": plan.course.id,
        "last": plan.last,
        "seed": plan.seed,
        "budget_s": plan.budget_s,
        "complete": len(done) == len(plan.clients) and not any(map(_is_cut_short, done)),
        "clients": [_client(one) for one in done],
        "notes": list(wording.notes(plan, done)),
    }
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _client(one: OfClient) -> dict[str, object]:
    found = one.history
    return {
        "client": one.client,
        "folder": one.folder if found else None,
        "said": wording.said(one),
        "from": found.span[0] if found else None,
        "to": found.span[1] if found else None,
        "steps": [{"from": step.older, "to": step.newer} for step in found.steps] if found else [],
        "complete": found.is_complete if found else False,
        "seconds": one.seconds,
    }


def _is_cut_short(one: OfClient) -> bool:
    """Whether 'fetchoff resume' would go on with it."""
    return one.history is not None and bool(one.reason)
