"""results.json: everything that the analysis holds, described by docs/results.schema.json."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING

from fetchoff.model.analysis import Analysis, Point, RankingRow, RoundCost, WorkloadResult
from fetchoff.model.check import SelfCheck
from fetchoff.model.estimate import Estimate
from fetchoff.model.explanation import Explanation
from fetchoff.model.finding import Finding
from fetchoff.model.judgement import Judgement, Reproduction
from fetchoff.report.article.published import measured_figure
from fetchoff.report.wording import claims as wording_of_claims
from fetchoff.report.wording import findings, self_checks

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SCHEMA = 1
APART = ("results", "points", "rounds", "reproduction", "explanations", "pairwise")
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


def text(analysis: Analysis) -> str:
    """The whole file."""
    return in_lines(document(analysis))


def in_lines(whole: Mapping[str, Json]) -> str:
    """One line for each member of a document, so that it can be searched."""
    members = (f"{in_a_line(key)}: {in_a_line(value)}" for key, value in whole.items())
    return "{\n" + ",\n".join(members) + "\n}\n"


def in_a_line(value: Json) -> str:
    """A value as JSON has it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def claims(reproduction: Reproduction) -> str:
    """claims.json: every claim of the article as it is stated, and what became of it."""
    return json.dumps(judged(reproduction), indent=1, ensure_ascii=False) + "\n"


def judged(reproduction: Reproduction) -> list[Json]:
    """The claims of claims.json as plain data."""
    return [_judgement(judgement) for judgement in reproduction.judgements]


def document(analysis: Analysis) -> dict[str, Json]:
    """The document as plain data. A number that is not finite becomes null."""
    whole: dict[str, Json] = {"schema": SCHEMA}
    for field in fields(analysis):
        if field.name not in APART:
            whole[field.name] = plain(getattr(analysis, field.name))
    return whole | {
        "results": [result_of(result) for result in analysis.results],
        "article": _article(analysis.reproduction, analysis) if analysis.reproduction else None,
        "explanations": [explanation_of(each) for each in analysis.explanations],
        "rounds": {name: _columns(RoundCost, costs) for name, costs in analysis.rounds.items()},
        "points": {name: _columns(Point, batches) for name, batches in analysis.points.items()},
    }


def explanation_of(each: Explanation) -> dict[str, Json]:
    """A diagnosis and the faults that it names, without its events."""
    return {"diagnosis": plain(each.diagnosis), "known": plain(each.known)}


def result_of(result: WorkloadResult) -> dict[str, Json]:
    """A course, with its findings as sentences and as objects."""
    found = ((result.withheld,) if result.withheld else ()) + result.findings
    return members(result, "standings", "checks", "withheld", "findings") | {
        "standings": [_standing(row) for row in result.standings],
        "checks": [_check(check) for check in result.checks],
        "withheld": findings.withheld(result.withheld),
        "notes": [remark.replace("`", "") for remark in findings.remarks(result.findings)],
        "findings": [_finding(finding) for finding in found],
    }


def _standing(row: RankingRow) -> dict[str, Json]:
    found = ((row.reason,) if row.reason else ()) + row.findings
    return members(row, "reason", "findings") | {
        "message": findings.message(row),
        "notes": list(findings.notes(row)),
        "findings": [_finding(finding) for finding in found],
    }


def _check(check: SelfCheck) -> dict[str, Json]:
    return members(check) | {"text": self_checks.sentence(check)}


def _finding(finding: Finding) -> dict[str, Json]:
    return {"kind": finding.kind.value, **members(finding)}


def _judgement(judgement: Judgement) -> dict[str, Json]:
    return members(judgement, "reasons") | {
        "published": wording_of_claims.published(judgement.claim.statement),
        "text": wording_of_claims.reasons(judgement),
    }


def members(value: DataclassInstance, *apart: str) -> dict[str, Json]:
    """The fields of a dataclass by their names, but for some."""
    shown = (field.name for field in fields(value) if field.name not in apart)
    return {name: plain(getattr(value, name)) for name in shown}


def _columns(kind: type[Point | RoundCost], rows: Sequence[Point | RoundCost]) -> Json:
    """Row for row, column by column: a run has tens of thousands of batches."""
    return {field.name: [plain(getattr(row, field.name)) for row in rows] for field in fields(kind)}


def _article(reproduction: Reproduction, analysis: Analysis) -> Json:
    """An article's claims with their verdicts, and its tables with our figures."""
    article = reproduction.article
    return {
        "id": article.id,
        "title": article.title,
        "year": article.year,
        "report": plain(article.report),
        "claims": [
            {
                "id": judgement.claim.id,
                "text": judgement.claim.text,
                "measure": wording_of_claims.measure(judgement.claim.statement).lower(),
                "published": wording_of_claims.published(judgement.claim.statement),
                "measured": plain(judgement.measured),
                "verdict": plain(judgement.verdict),
                "reason": wording_of_claims.reasons(judgement),
            }
            for judgement in reproduction.judgements
        ],
        "tables": [
            {
                "title": table.title,
                "n": table.n,
                "cells": [
                    {
                        "row": row.label,
                        "column": column.heading,
                        "client": cell.side.client,
                        "workload": cell.side.workload,
                        "figure": plain(cell.figure),
                        "published": plain(cell.published),
                        "measured": plain(measured_figure(cell, table.n, analysis)),
                    }
                    for row in table.rows
                    for column, cell in zip(table.columns, row.cells, strict=True)
                ],
            }
            for table in article.tables
        ],
    }


def plain(value: object) -> Json:
    """Any of our plain data as JSON. A number that is not finite becomes null."""
    match value:
        case Enum():
            return str(value.value)
        case float():
            return value if math.isfinite(value) else None
        case None | bool() | int() | str():
            return value
        case Mapping():
            return {str(key): plain(member) for key, member in value.items()}
        case tuple() | list():
            return [plain(member) for member in value]
        case Estimate():
            return members(value.two_ended)
        case _ if is_dataclass(value) and not isinstance(value, type):
            return members(value)
    raise TypeError(f"a result cannot hold a {type(value).__name__}")
