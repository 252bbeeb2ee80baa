"""How the Go kit lists and resolves versions that go marks, with a pretended go."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fetchoff.build.resolving import listed
from fetchoff.catalog.manifests import discover
from fetchoff.catalog.paths import shipped
from fetchoff.model.errors import SetupError

KIT = shipped("adapters") / "go" / "_kit"
GO = """#!/bin/sh
case "$*" in
"mod init "*) ;;
"get "*) echo "the network is away" >&2; exit 1 ;;
*-versions*" example.org/client") echo "example.org/client v1.0.0 v2.0.0+incompatible" ;;
*" -e "*) printf 'v1.0.0 2018-01-02\\nv2.0.0+incompatible 2019-03-04\\nv3.0.0+incompatible \\n' ;;
esac
"""


def run(folder: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A program of the kit, in a folder with that go and a go.mod."""
    go = folder / "go"
    go.write_text(GO)
    go.chmod(0o755)
    (folder / "go.mod").touch()
    return subprocess.run(
        ["sh", str(KIT / program), *arguments],
        cwd=folder,
        env={**os.environ, "PATH": os.pathsep.join([str(folder), os.environ["PATH"]])},
        capture_output=True,
        text=True,
        check=False,
    )


def test_versions_are_listed_as_they_can_be_asked_for(tmp_path: Path) -> None:
    """`+incompatible` would be a variant in the id of a client."""
    listed = run(tmp_path, "releases.sh", "example.org/client")
    assert (listed.returncode, listed.stderr) == (0, "")
    lines = [line.split() for line in listed.stdout.splitlines()]
    assert lines == [["1.0.0", "2018-01-02"], ["2.0.0", "2019-03-04"], ["3.0.0"]]


def test_without_go_it_is_told_what_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    for program in ("sh", "mktemp", "rm"):
        found = shutil.which(program)
        assert found is not None
        (tmp_path / "bin" / program).symlink_to(found)
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(
        SetupError, match=r"fasthttp cannot be listed: _kit/.*go: .*not found"
    ) as caught:
        listed(discover()["go/fasthttp"])
    assert caught.value.hint == "apt-get install golang, or https://go.dev/dl"


@pytest.mark.parametrize(("version", "is_there"), [("1.0.0", True), ("2.0.0", True), ("9", False)])
def test_a_version_that_is_listed_is_not_denied(
    version: str, is_there: bool, tmp_path: Path
) -> None:
    resolve = ("local", "example.org/client", version, str(tmp_path / "packages.txt"))
    said = run(tmp_path, "resolve.sh", *resolve).stderr
    assert "the network is away" in said
    assert (f"there is no example.org/client {version}" in said) is not is_there
