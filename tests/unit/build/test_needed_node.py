"""Packages that need a newer Node.js than the one that is here are refused.

Node.js says that it is another one, and npm is pretended.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fetchoff.build import setup
from fetchoff.catalog.manifests import named
from fetchoff.catalog.paths import shipped
from fetchoff.model.client import Description, Launch, Readiness

PROGRAM = shipped("adapters") / "javascript" / "_kit" / "must-run-here.mjs"
OTHER_VERSION = """\
const versions = {{ ...process.versions, node: "{}" }};
Object.defineProperty(process, "versions", {{ value: versions }});
"""
LOCKED = '{"packages": {"node_modules/got": {"version": "12.6.1", "integrity": "x"}}}'
NPM = f"""\
case "$*" in
*--package-lock-only*) echo '{LOCKED}' >package-lock.json ;;
ci*)
    mkdir -p node_modules/got
    case $(cat package-lock.json) in
    '{LOCKED}') echo '{{"name": "got", "version": "12.6.1", "engines": {{"node": ">=14.16"}}}}' ;;
    *) echo '{{"name": "got", "version": "14.6.6", "engines": {{"node": ">=20"}}}}' ;;
    esac >node_modules/got/package.json ;;
esac
"""


def pretend(folder: Path, version: str) -> str:
    """A PATH with this Node.js, and npm."""
    if (node := shutil.which("node")) is None:
        pytest.skip("not installed: node")
    folder.mkdir()
    preloaded = folder / "version.cjs"
    preloaded.write_text(OTHER_VERSION.format(version))
    for name, script in {"node": f'exec {node} --require {preloaded} "$@"', "npm": NPM}.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize(
    ("client", "node", "reason"),
    [
        ("javascript/got", "20.0.0", ""),
        ("javascript/got", "18.20.8", "got 14.6.6 needs Node.js 20 or later, and this is 18.20.8"),
        ("javascript/got@12.6.1", "18.20.8", ""),
    ],
)
def test_what_the_version_needs_decides(
    client: str, node: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def say_hello(_launch: Launch, _folder: Path) -> Description:
        return Description("1", "r", "", frozenset({"http/1.1"}))

    monkeypatch.setenv("PATH", pretend(tmp_path / "programs", node))
    manifest = named(client)
    assert manifest is not None
    (found,) = setup.set_up([manifest], say_hello)
    assert found.readiness is (Readiness.UNAVAILABLE if reason else Readiness.READY), found.reason
    assert found.reason.endswith(reason)


@pytest.mark.parametrize(
    ("needs", "needed"),
    [
        (">=22.19.0", "22.19"),
        (">=22", "22"),
        ("^22.0.0 || ^24", "22"),
        ("24 || 22.x", "22"),
        (">= 20.18.2 < 23", "20.18.2"),
        (">=20.18.1", ""),
        (">=20.9", ""),
        ("^18.17.0 || >=20", ""),
        ("<22", ""),  # no lower bound: not known to be too old
        ("*", ""),
        (None, ""),
    ],
)
def test_a_package_says_what_it_needs(needs: str | None, needed: str, tmp_path: Path) -> None:
    package = {"name": "a", "version": "1.2.3", "engines": {"node": needs} if needs else {}}
    (tmp_path / "package.json").write_text(json.dumps(package))
    path = pretend(tmp_path / "programs", "20.18.1")
    done = subprocess.run(
        ["node", PROGRAM, tmp_path],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (1 if needed else 0)
    told = f"a 1.2.3 needs Node.js {needed} or later, and this is 20.18.1\n" if needed else ""
    assert done.stderr == told
