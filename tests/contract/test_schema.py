"""Validate every line that adapters print against the protocol's JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.contract.standing import ready

from fetchoff.catalog.manifests import discover
from fetchoff.catalog.paths import shipped
from fetchoff.contract.cases import all_cases, plain_get
from fetchoff.model.client import OWN_JSON
from fetchoff.model.workload import required_features
from fetchoff.protocol import adapter as protocol
from fetchoff.protocol.adapter import Spool, prepare
from fetchoff.run.origins.built_in import BuiltInOrigin
from fetchoff.run.os.child import Child

SCHEMA: dict[str, Any] = json.loads((shipped("docs") / "protocol.schema.json").read_text())
TIMEOUT_S = 30.0
DOCUMENT = next(case.workload for case in all_cases() if case.name == "sink-json")


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BuiltInOrigin]:
    origin = BuiltInOrigin(tmp_path_factory.mktemp("origin"))
    yield origin
    origin.end()


@pytest.mark.parametrize("name", discover())
def test_answers_keep_to_the_schema(name: str, origin: BuiltInOrigin, tmp_path: Path) -> None:
    client = ready(name)
    get = plain_get(client.description.features)
    ledger = origin.open(get.settings)
    request = prepare(get, ledger.base_url, Spool(tmp_path))
    exchange = (
        (protocol.HELLO, "description"),
        ({**request, "require": ["made-up"]}, "unsupported"),
        (request, "ready"),
        (protocol.run(1, digest=True), "done"),
        (protocol.run(3, busy_ns=1000), "done"),
        ({"op": "dance"}, "error"),
        (protocol.FINISH, "finished"),
    )
    child = Child(client.launch.command, client.launch.env, tmp_path, tmp_path / "stderr")
    try:
        for message, kind in exchange:
            answer = child.ask(message, TIMEOUT_S)
            jsonschema.validate(answer, {**SCHEMA, "oneOf": [{"$ref": f"#/$defs/{kind}"}]})
        assert child.end() == 0
    finally:
        child.kill()
        ledger.close()


@pytest.mark.parametrize("name", discover())
def test_the_time_in_the_kits_parser_is_told_where_it_is_used(
    name: str, origin: BuiltInOrigin, tmp_path: Path
) -> None:
    client = ready(name)
    if missing := set(required_features(DOCUMENT)) - client.description.features:
        pytest.skip(f"has no {', '.join(sorted(missing))}")
    ledger = origin.open(DOCUMENT.settings)
    child = Child(client.launch.command, client.launch.env, tmp_path, tmp_path / "stderr")
    try:
        child.ask(protocol.HELLO, TIMEOUT_S)
        child.ask(prepare(DOCUMENT, ledger.base_url, Spool(tmp_path)), TIMEOUT_S)
        answer = child.ask(protocol.run(2), TIMEOUT_S)
        jsonschema.validate(answer, {**SCHEMA, "oneOf": [{"$ref": "#/$defs/done"}]})
        parser = client.manifest.json_parser
        assert parser
        assert ("parse_ns" in answer) == (parser != OWN_JSON)
    finally:
        child.kill()
        ledger.close()
