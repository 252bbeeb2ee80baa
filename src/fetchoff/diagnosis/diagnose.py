"""Ask all rules about a client's recordings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from fetchoff.diagnosis.rule import Evidence, Rule, lost_segments
from fetchoff.diagnosis.rules.registry import all_rules
from fetchoff.model.cause import Cause, Diagnosis
from fetchoff.model.client import Cure
from fetchoff.model.recording import Missing, Source


def diagnose(evidence: Evidence, faults: tuple[str, ...] = ()) -> Diagnosis:
    """What the rules find; causes in the order of what they are predicted to save."""
    wire = evidence.wire
    causes: list[Cause] = []
    silent: list[str] = []
    gaps: list[Missing] = []
    for rule in all_rules():
        if _is_elsewhere(rule, evidence):
            continue
        if not all(evidence.has(source) for source in rule.needs):
            silent.append(rule.id)
        elif (cause := rule.find(evidence)) is not None:
            causes.append(cause)
        elif (gap := rule.lacks(evidence)) is not None:
            silent.append(rule.id)
            gaps.append(gap)
    return Diagnosis(
        client=wire.client,
        course=wire.course.id,
        exchange_us=evidence.exchange_us,
        cpu_us=_spent_us(evidence, wire.cpu_ns),
        origin_us=_spent_us(evidence, wire.origin_cpu_ns),
        causes=tuple(sorted(causes, key=_weight)),
        missing=tuple(dict.fromkeys((*_missing(evidence), *gaps))),
        silent=tuple(silent),
        faults=faults,
    )


def with_cures(diagnosis: Diagnosis, cures: Mapping[str, Cure]) -> Diagnosis:
    """The diagnosis with what ends each cause in this library, where that is known."""
    causes = tuple(replace(cause, cure=cures.get(cause.fault)) for cause in diagnosis.causes)
    return replace(diagnosis, causes=causes)


def _spent_us(evidence: Evidence, cpu_ns: int) -> float:
    """CPU time of an exchange; NaN if the loop broke off before anybody read the clock."""
    return math.nan if evidence.wire.fault and not cpu_ns else evidence.mean_us(cpu_ns)


def _is_elsewhere(rule: Rule, evidence: Evidence) -> bool:
    """Whether its fault can't show on this course at all."""
    return Source.NAMES in rule.needs and evidence.wire.course.link.names is None


def _weight(cause: Cause) -> tuple[float, str]:
    return (-(cause.saves_us or 0.0), cause.fault)


def _missing(evidence: Evidence) -> tuple[Missing, ...]:
    others = filter(None, (evidence.traced, evidence.single))
    found = [*evidence.wire.missing, *(gap for other in others for gap in other.missing)]
    lost = lost_segments(evidence)  # told whatever the rules find, as they may be kept in a file
    return (*found, lost) if lost else tuple(found)
