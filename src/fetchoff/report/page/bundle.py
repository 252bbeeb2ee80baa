"""The page's scripts as one: modules of `scripts/`, each in a function, before those that need it.

They are ordinary modules, which node checks and runs as they are. A page that is opened from a file
can't load modules, so they are put together when it is written. That needs two forms of lines, and
no others are used: `import { a, b } from "./name.mjs";` and `export const name = …`. Lines that are
comments stay here.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from importlib.resources import files

_IMPORT = re.compile(r'^import \{ (?P<names>[^}]+) \} from "\./(?P<module>\w+)\.mjs";$', re.M)
_COMMENT = re.compile(r"^ *//.*\n", re.M)
_EXPORT = re.compile(r"^export (?=(?:const|class) (?P<name>\w+))", re.M)


@functools.cache
def bundle(entry: str) -> str:
    """One script from the module `entry` and all that it imports."""
    parts: dict[str, str] = {}
    _add(entry, parts)
    last = parts.pop(entry)
    return "".join([*(_wrapped(name, body) for name, body in parts.items()), last])


def source_of(module: str) -> str:
    """The text of a module."""
    return (files("fetchoff.report.page") / "scripts" / f"{module}.mjs").read_text("utf-8")


def digest_of(script: str) -> str:
    """What a page's policy calls a script that it permits (Content Security Policy 3, 2.3.1)."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return f"'sha256-{digest}'"


def _add(module: str, parts: dict[str, str]) -> None:
    """Add what a module needs, then itself."""
    if module in parts:
        return
    text = source_of(module)
    for found in _IMPORT.finditer(text):
        _add(found["module"], parts)
    parts[module] = _IMPORT.sub(r"const { \g<names> } = of_\g<module>;", _COMMENT.sub("", text))


def _wrapped(module: str, body: str) -> str:
    """A module as a function that is called once and returns what it exports."""
    names = ", ".join(found["name"] for found in _EXPORT.finditer(body))
    return f"const of_{module} = (() => {{\n{_EXPORT.sub('', body)}return {{ {names} }};\n}})();\n"
