"""A gate as Fetchoff's own JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from fetchoff.model.estimate import Estimate
from fetchoff.model.gate import Gate
from fetchoff.model.witness import Witness
from fetchoff.report.wording import findings
from fetchoff.report.wording import gate as wording
from fetchoff.report.wording.figures import significant


def text(gate: Gate) -> str:
    """Every figure of a gate: docs/gate.md says what each member is."""
    return json.dumps(document(gate), indent=1, ensure_ascii=False)


def document(gate: Gate) -> dict[str, object]:
    """The same as plain data."""
    return {
        "schema": 1,
        "end": wording.end(gate),
        "withheld": findings.withheld(gate.withheld) or None,
        "base": asdict(gate.base),
        "head": asdict(gate.head),
        "alpha": gate.alpha,
        "margin": gate.margin,
        "seconds": significant(gate.seconds),
        "budget_s": gate.budget_s,
        "budget_needed_s": gate.budget_needed,
        "seed": gate.seed,
        "comparisons": [
            {
                "workload": row.workload,
                "clock": str(row.clock),
                "verdict": None if gate.withheld else str(row.answer),
                "ratio": _estimate(row.ratio),
                "base_us": _estimate(row.base_us),
                "head_us": _estimate(row.head_us),
                "rounds": row.rounds,
            }
            for row in gate.rows
        ],
        "base_against_base": [
            {
                "workload": one.workload,
                "clock": str(one.clock),
                "ratio": _estimate(one.ratio),
                "differs": one.differs,
            }
            for one in gate.again
        ],
        "lost_rounds": [
            {name: list(of) if isinstance(of, tuple) else of for name, of in asdict(one).items()}
            for one in gate.lost
        ],
        "findings": [
            {
                "workload": workload,
                "kind": str(finding.kind),
                "clients": list(finding.subject),
                "text": findings.note(finding).replace("`", ""),
            }
            for workload, finding in gate.findings
        ],
        "record": asdict(gate.record) if gate.record else None,
        "counted": [_counted(witness) for witness in gate.witnesses],
    }


def _estimate(estimate: Estimate) -> dict[str, float | None]:
    return {name: significant(value) for name, value in asdict(estimate.two_ended).items()}


def _counted(witness: Witness) -> dict[str, object]:
    return {
        "workload": witness.workload,
        "counter": str(witness.counter),
        "repetitions": witness.repetitions,
        "steady": witness.steady,
        "wavering": [wording.quantity(one, 2) for one in witness.wavering],
        "differences": [
            {
                "quantity": wording.quantity(one.quantity, 2),
                "base": one.base,
                "head": one.head,
                "meaning": wording.meaning(one),
            }
            for one in witness.differences
        ],
        "missing": wording.why_uncounted(witness) or None,
    }
