"""Stored results are read as they were written, and nothing else is."""

from __future__ import annotations

import json
import math
import types
import typing
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from tests.unit.report import factory, linked, sited

from fetchoff.catalog.paths import shipped
from fetchoff.model.errors import StoreError
from fetchoff.model.results_file import ResultsFile, StoredExplanation
from fetchoff.report.files import json_results
from fetchoff.store import results_file

SCHEMA: dict[str, Any] = json.loads((shipped("docs") / "results.schema.json").read_text("utf-8"))


def document() -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(json_results.text(factory.analysis()))
    return loaded


def read(found: object) -> ResultsFile:
    return results_file.of_text(json.dumps(found).encode(), "a file")


def test_what_was_written_is_read(tmp_path: Path) -> None:
    analysis = sited.ranked()
    found = results_file.read(sited.write(tmp_path / "run", analysis))
    assert found.run_id == analysis.run_id
    assert [course.workload for course in found.results] == [
        result.workload for result in analysis.results
    ]
    for course, result in zip(found.results, analysis.results, strict=True):
        for stored, standing in zip(course.standings, result.standings, strict=True):
            assert (stored.client, stored.tiers) == (standing.client, standing.tiers)
            if standing.costs:
                assert stored.costs is not None
                assert stored.costs.wall_us.estimate == standing.costs.wall_us
    (explained,) = found.explanations
    (cause,) = analysis.explanations[0].diagnosis.causes
    again = explained.diagnosis.causes[0].cause
    assert (again.fault, again.saves_us, again.tried) == (cause.fault, cause.saves_us, cause.tried)


def test_links_and_articles_are_read(tmp_path: Path) -> None:
    far = results_file.read(sited.write(tmp_path / "far", sited.over_link("1", 1)))
    assert far.results[0].link is not None
    assert far.results[0].link.asked.id == linked.LINK.id
    article = results_file.read(sited.write(tmp_path / "article", sited.article("2", 2)))
    assert article.article is not None
    assert {claim.verdict.value for claim in article.article.claims} >= {"holds"}


def test_a_number_that_is_none_is_not_finite() -> None:
    found = document()
    wall = found["results"][0]["standings"][0]["costs"]["wall_us"]
    wall["low"] = wall["high"] = wall["point"] = None
    costs = read(found).results[0].standings[0].costs
    assert costs is not None
    estimate = costs.wall_us.estimate
    assert math.isnan(estimate.point)
    assert (estimate.low, estimate.high) == (-math.inf, math.inf)


def test_members_that_were_added_later_are_passed_over() -> None:
    found = document() | {"added": 1}
    found["results"][0]["added"] = [{}]
    assert read(found) == read(document())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": 2}, "it has schema 2; this version reads schema 1"),
        ({"schema": "1"}, "schema: "),
        ({"run_id": 7}, "run_id: "),
        ({"started": "yesterday"}, "started: "),
        ({"started": "2026-11-20T09:41:07"}, "started: "),
        ({"started": "0001-01-01T00:00:00+23:59"}, "started: "),
        ({"results": [{}]}, "results.0.workload: "),
        ({"environment": {"\x1b[2Jname": 1}}, "environment.?[2Jname: "),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, object], said: str) -> None:
    with pytest.raises(StoreError, match="a file is not valid: ") as error:
        read(document() | change)
    assert said in error.value.message
    assert error.value.message.isprintable()


def test_an_old_file_without_a_schema_is_refused() -> None:
    found = document()
    del found["schema"]
    with pytest.raises(StoreError, match="schema"):
        read(found)


def test_a_choice_that_there_is_not_is_refused() -> None:
    found = document()
    found["results"][0]["standings"][0]["outcome"] = "splendid"
    with pytest.raises(StoreError, match="outcome"):
        read(found)


def test_a_homepage_that_is_a_script_is_refused() -> None:
    found = document()
    found["cards"][0]["homepage"] = "javascript:alert(1)"
    with pytest.raises(StoreError, match="http"):
        read(found)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 5000])
def test_what_is_no_json_is_refused(text: bytes) -> None:
    with pytest.raises(StoreError, match="not valid"):
        results_file.of_text(text, "a file")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"results\.json cannot be read"):
        results_file.read(tmp_path)


def resolved(node: dict[str, Any]) -> dict[str, Any]:
    """A node of the schema itself, where it's given by reference or may also be null."""
    if "$ref" in node:
        return resolved(SCHEMA["$defs"][node["$ref"].rpartition("/")[2]])
    if "oneOf" in node:
        return resolved(next(one for one in node["oneOf"] if one != {"type": "null"}))
    return node


def plain(kind: Any) -> Any:
    """A type without None and without the tuple around it."""
    arguments = [one for one in typing.get_args(kind) if one not in (type(None), Ellipsis)]
    origin = typing.get_origin(kind)
    if origin in (tuple, typing.Union, types.UnionType) and arguments:
        return plain(arguments[0])
    return kind


def members(kind: Any, node: dict[str, Any], name: str) -> Iterator[tuple[str, Any, Any]]:
    """Every member of the types, with its type and its node of the schema."""
    node = resolved(node)
    if node.get("type") == "array" and "items" in node:
        node = resolved(node["items"])
    hints = typing.get_type_hints(kind)
    for field in fields(kind):
        assert field.name in node["properties"], f"{name}.{field.name}"
        is_required = field.default is MISSING and field.default_factory is MISSING
        assert not is_required or field.name in node["required"], f"{name}.{field.name}"
        of, inner = plain(hints[field.name]), node["properties"][field.name]
        yield f"{name}.{field.name}", of, inner
        if is_dataclass(of) and of is not StoredExplanation:
            yield from members(of, inner, f"{name}.{field.name}")


def test_the_types_are_those_of_the_schema() -> None:
    found = list(members(ResultsFile, SCHEMA, "results"))
    assert len(found) > 90
    for name, of, node in found:
        choices = resolved(node).get("enum")
        if isinstance(of, type) and issubclass(of, Enum):
            assert choices is not None, name
            assert {one.value for one in of} == set(choices), name
