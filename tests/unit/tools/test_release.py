"""A release: its files are whole and always the same, and all of them state one version."""

from __future__ import annotations

import fnmatch
import io
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest
import yaml
from tools.release.notes import section, versions
from tools.release.sources import normalised
from tools.release.wheel import without_folders

from fetchoff.catalog.paths import shipped

ROOT = shipped("docs").parent
LICENSE = "MIT OR Apache-2.0"
EPOCH = 1_700_000_000
NOT_CARRIED = {".containerignore", ".gitignore"}  # they are of no use outside the repository


def archive(path: Path, files: dict[str, bytes], *, mtime: float, user: str, mode: int) -> Path:
    with tarfile.open(path, "w:gz") as made:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode = len(content), mtime, mode
            member.uname, member.uid = user, len(user)
            made.addfile(member, io.BytesIO(content))
    return path


def test_an_sdist_is_the_same_whoever_makes_it_and_when(tmp_path: Path) -> None:
    files = {"a/run": b"#!/bin/sh\n", "a/text": b"words\n"}
    backwards = dict(reversed(files.items()))
    one = archive(tmp_path / "1", files, mtime=1, user="one", mode=0o755)
    other = archive(tmp_path / "2", backwards, mtime=2.5, user="other", mode=0o700)
    first, second = (
        normalised(path, tmp_path / f"{path.name}.tgz", EPOCH) for path in (one, other)
    )
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as made:
        members = made.getmembers()
        assert [member.name for member in members] == sorted(files)
        assert {(m.mtime, m.uid, m.uname, m.mode) for m in members} == {(EPOCH, 0, "", 0o755)}
        assert made.extractfile("a/text").read() == b"words\n"  # type: ignore[union-attr]


def test_another_content_makes_another_sdist(tmp_path: Path) -> None:
    one = archive(tmp_path / "1", {"a": b"1"}, mtime=1, user="", mode=0o644)
    other = archive(tmp_path / "2", {"a": b"2"}, mtime=1, user="", mode=0o644)
    first, second = (
        normalised(path, tmp_path / f"{path.name}.tgz", EPOCH) for path in (one, other)
    )
    assert first.read_bytes() != second.read_bytes()


def test_programs_name_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cargo" / "registry" / "src" / "a-registry-1234").mkdir(parents=True)
    monkeypatch.setenv("CARGO_HOME", str(tmp_path / "cargo"))
    assert without_folders(tmp_path / "source") == [
        f"--remap-path-prefix={tmp_path}/cargo/registry/src/a-registry-1234=/crates",
        f"--remap-path-prefix={tmp_path}/source=/fetchoff",
    ]


def test_all_files_state_one_version() -> None:
    assert len(set(versions().values())) == 1, versions()


def test_the_section_of_a_version() -> None:
    changelog = "# Changelog\n\n## Unreleased\n\nnew\n\n## 0.2.0 (2026-12-01)\n\n### Added\n\n- x\n"
    assert section(changelog, "0.2.0") == "### Added\n\n- x"
    assert section(changelog, "Unreleased") == "new"
    assert section(changelog, "0.1.0") == ""
    assert section("## [1.0.0] - 2026\n\nx\n", "1.0.0") == "x"


def test_every_package_states_the_licence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    assert project["license"] == workspace["package"]["license"] == LICENSE
    for name in project["license-files"]:
        assert "The Fetchoff authors" in (ROOT / name).read_text() or name == "LICENSE-APACHE"
    for path in (ROOT / "crates").glob("*/Cargo.toml"):
        package = tomllib.loads(path.read_text(encoding="utf-8"))["package"]
        assert package["license"] == {"workspace": True}, path


def test_how_to_cite() -> None:
    document = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "version"} <= set(document)
    assert document["license"] == LICENSE.split(" OR ")


def test_the_sdist_carries_every_file_of_the_repository() -> None:
    """By MANIFEST.in and by what setuptools takes itself."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("this is no checkout")
    lines = [line.split() for line in (ROOT / "MANIFEST.in").read_text().splitlines()]
    patterns = [one for line in lines if line[0] == "include" for one in line[1:]]
    grafted = {line[1] for line in lines if line[0] == "graft"} | {"src"}
    excluded = [one for line in lines if line[0] == "global-exclude" for one in line[1:]]
    for name in listed.stdout.splitlines():
        folder, slash, _ = name.partition("/")
        taken = folder in grafted if slash else any(fnmatch.fnmatch(name, p) for p in patterns)
        itself = name in {"setup.py", "MANIFEST.in"}
        assert taken or itself or name in NOT_CARRIED, name
        assert not any(fnmatch.fnmatch(Path(name).name, p) for p in excluded), name
