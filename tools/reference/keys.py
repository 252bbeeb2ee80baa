"""docs/reference/toml.md: every key of every TOML file, from the types that read them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tools.reference.markdown import code, table

from fetchoff.catalog import claims, kits, links, manifests, origins, workloads
from fetchoff.catalog.toml import Document

Schema = Mapping[str, Any]
LEAD = """\
# Every TOML key

Fetchoff refuses keys that are not on this page, and names the file, the line and the key. The page
is written from the types that read the files, by `make reference`. A key without a default must be
given. What a key means is told on the page that each section names."""
NUMBERS = {
    "minimum": "at least",
    "exclusiveMinimum": "more than",
    "maximum": "at most",
    "exclusiveMaximum": "less than",
}
TYPES = {
    "integer": "whole number",
    "number": "number",
    "string": "text",
    "boolean": "`true` or `false`",
    "null": "",
}


@dataclass(frozen=True)
class File:
    """A kind of file. `told`: the page that explains it."""

    name: str
    path: str
    told: str
    kind: type[Document]


FILES = (
    File("Workload", "catalog/workloads/ID.toml", "catalog.md#a-workload", workloads._Workload),
    File("Suite", "catalog/suites/ID.toml", "catalog.md#a-suite", workloads._Suite),
    File("Link", "catalog/links/ID.toml", "catalog.md#a-link", links._Link),
    File("Article", "catalog/claims/ID.toml", "catalog.md#an-article", claims._Article),
    File("Adapter", "adapters/LANGUAGE/LIBRARY/adapter.toml", "adapters.md", manifests._Adapter),
    File("Kit", "adapters/LANGUAGE/_kit/kit.toml", "adapters.md#kittoml", kits.Kit),
    File("Origin", "catalog/origins/ID/origin.toml", "origins.md", origins._Origin),
)


def page() -> str:
    """The page as Markdown, with a section per kind of file."""
    return "\n\n".join([LEAD, *(part for file in FILES for part in sections(file))]) + "\n"


def sections(file: File) -> Iterator[str]:
    """A kind of file, and the tables in it."""
    schema = file.kind.model_json_schema()
    inner = schema.get("$defs", {})
    yield f"## {file.name}"
    yield f"`{file.path}`, explained in [{file.told.partition('#')[0]}](../{file.told})."
    yield keys(schema, file)
    for name, definition in inner.items():
        if "properties" in definition:
            yield f"### {heading(file, name)}"
            yield keys(definition, file, inner)


def keys(table_schema: Schema, file: File, inner: Mapping[str, Schema] | None = None) -> str:
    """The keys of one table."""
    definitions = table_schema.get("$defs", {}) if inner is None else inner
    needed = set(table_schema.get("required", ()))
    rows = [
        (code(key), told(value, file, definitions), "" if key in needed else default(value))
        for key, value in table_schema["properties"].items()
    ]
    return table(("key", "value", "default"), rows)


def told(schema: Schema, file: File, definitions: Mapping[str, Schema]) -> str:
    """What a key may have, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if "properties" not in definitions[name]:
            return told(definitions[name], file, definitions)
        anchor = heading(file, name).lower().replace(":", "").replace(" ", "-")
        return f"[table](#{anchor})"
    for several in ("anyOf", "oneOf"):
        if several in schema:
            ways = (told(one, file, definitions) for one in schema[several])
            return " or ".join(dict.fromkeys(filter(None, ways)))
    if "enum" in schema:
        return ", ".join(code(json.dumps(value)) for value in schema["enum"])
    if "const" in schema:
        return code(json.dumps(schema["const"]))
    if schema.get("type") == "array":
        return _list(schema, file, definitions)
    if schema.get("type") == "object":
        return _table_of(schema, file, definitions)
    return _scalar(schema)


def default(schema: Schema) -> str:
    """What stands for a key that is left out; TOML has no null."""
    value = schema.get("default")
    return "" if value in (None, [], {}, "") else code(json.dumps(value))


def heading(file: File, name: str) -> str:
    """The section of a table."""
    return f"{file.name}: {name.strip('_').removesuffix('Table') or 'Table'}"


def _list(schema: Schema, file: File, definitions: Mapping[str, Schema]) -> str:
    if "prefixItems" in schema:
        members = ", ".join(told(one, file, definitions) for one in schema["prefixItems"])
        return f"[{members}]"
    least = ", not empty" if schema.get("minItems") else ""
    return f"list of {told(schema.get('items', {}), file, definitions)}{least}"


def _table_of(schema: Schema, file: File, definitions: Mapping[str, Schema]) -> str:
    values = schema.get("additionalProperties")
    if not isinstance(values, Mapping):
        return "table"
    return f"table of names, each with {told(values, file, definitions)}"


def _scalar(schema: Schema) -> str:
    limits = [f"{words} {schema[key]:,}" for key, words in NUMBERS.items() if key in schema]
    if "pattern" in schema:
        limits.append(f"like {code(schema['pattern'])}")
    return ", ".join([TYPES[schema["type"]] if "type" in schema else "anything", *limits])
