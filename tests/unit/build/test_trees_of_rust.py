"""How the Rust kit puts crates of source trees in the places of the registry's, or refuses them.

The registry is a folder (https://doc.rust-lang.org/cargo/reference/source-replacement.html).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fetchoff.catalog.paths import shipped

PROGRAM = shipped("adapters") / "rust" / "_kit" / "build_trees.py"
ADAPTER = """[workspace]

[package]
name = "adapter"
version = "0.1.0"
edition = "2021"

[dependencies]
direct = "1"
"""
CONFIG = """[source.crates-io]
replace-with = "here"

[source.here]
directory = "registry"
"""


@pytest.fixture(autouse=True)
def cargo(monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("cargo") is None:
        pytest.skip("not installed: cargo")
    monkeypatch.setenv("CARGO_NET_OFFLINE", "true")


def write_crate(folder: Path, name: str, version: str, needs: str = "", says: str = "") -> Path:
    """`needs`: a line of its dependencies. `says`: what its function returns."""
    (folder / "src").mkdir(parents=True)
    package = f'[package]\nname = "{name}"\nversion = "{version}"\nedition = "2021"\n'
    (folder / "Cargo.toml").write_text(f"{package}[dependencies]\n{needs}\n")
    body = f'"{says}"' if says else f"{needs.split()[0]}::says()"
    (folder / "src" / "lib.rs").write_text(f"pub fn says() -> &'static str {{ {body} }}\n")
    return folder


def write_workspace(folder: Path, *members: str) -> Path:
    (folder / "Cargo.toml").write_text(f"[workspace]\nmembers = {json.dumps(members)}\n")
    return folder


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    """It uses `direct`, which uses `indirect`, and prints what that says."""
    folder = tmp_path / "adapter"
    (folder / "src").mkdir(parents=True)
    (folder / ".cargo").mkdir()
    (folder / ".cargo" / "config.toml").write_text(CONFIG)
    (folder / "Cargo.toml").write_text(ADAPTER)
    main = 'fn main() { println!("{}", direct::says()); }\n'
    (folder / "src" / "main.rs").write_text(main)
    for crate in (
        write_crate(folder / "registry" / "direct", "direct", "1.0.0", 'indirect = "1"'),
        write_crate(folder / "registry" / "indirect", "indirect", "1.0.0", says="released"),
    ):
        checksums = {"files": {}, "package": "0" * 64}
        (crate / ".cargo-checksum.json").write_text(json.dumps(checksums))
    subprocess.run(["cargo", "generate-lockfile", "--quiet"], cwd=folder, check=True)
    return folder


def said(adapter: Path, *trees: Path) -> str:
    """What the adapter says that was built with these trees, or the last line of the complaint."""
    build = adapter.parent / "build"
    arguments = map(str, (build, adapter.parent / "shared", 1, *trees))
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments],
        cwd=adapter,
        env={name: value for name, value in os.environ.items() if name != "CARGO_TARGET_DIR"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        return done.stderr.splitlines()[-1]
    program = [str(build / "release" / "adapter")]
    return subprocess.run(program, capture_output=True, text=True, check=True).stdout.strip()


def test_what_the_adapter_depends_on_is_taken_in_any_version(adapter: Path, tmp_path: Path) -> None:
    assert said(adapter, write_crate(tmp_path / "it", "direct", "9.0.0", says="changed")) == (
        "changed"
    )


def test_what_no_registry_has_is_taken(adapter: Path, tmp_path: Path) -> None:
    own = write_crate(tmp_path / "own", "own", "0.1.0", says="as it was")
    manifest = ADAPTER.replace('direct = "1"', f"own = {{ path = {json.dumps(str(own))} }}")
    (adapter / "Cargo.toml").write_text(manifest)
    main = adapter / "src" / "main.rs"
    main.write_text(main.read_text().replace("direct", "own"))
    subprocess.run(["cargo", "generate-lockfile", "--quiet"], cwd=adapter, check=True)
    assert said(adapter, write_crate(tmp_path / "it", "own", "0.2.0", says="changed")) == "changed"


def test_what_it_depends_on_indirectly_is_taken_where_it_fits(
    adapter: Path, tmp_path: Path
) -> None:
    tree = write_crate(tmp_path / "it", "indirect", "1.1.0", says="changed")
    assert said(adapter, tree) == "changed"


def test_a_version_that_does_not_fit_is_refused(adapter: Path, tmp_path: Path) -> None:
    """Cargo only warns, and builds with the registry's."""
    tree = write_crate(tmp_path / "it", "indirect", "2.0.0", says="changed")
    told = "the adapter uses indirect 1.0.0 of the registry: 2.0.0 of the tree does not fit"
    assert said(adapter, tree) == told


def test_also_of_a_workspace_that_is_used_otherwise(adapter: Path, tmp_path: Path) -> None:
    write_crate(tmp_path / "it" / "direct", "direct", "1.1.0", 'indirect = "1"')
    write_crate(tmp_path / "it" / "indirect", "indirect", "2.0.0", says="changed")
    told = said(adapter, write_workspace(tmp_path / "it", "direct", "indirect"))
    assert told.startswith("the adapter uses indirect 1.0.0 of the registry")


def test_what_a_changed_crate_needs_no_more_may_not_fit(adapter: Path, tmp_path: Path) -> None:
    write_crate(tmp_path / "it" / "direct", "direct", "1.1.0", says="changed")
    write_crate(tmp_path / "it" / "indirect", "indirect", "2.0.0", says="unused")
    assert said(adapter, write_workspace(tmp_path / "it", "direct", "indirect")) == "changed"


def test_a_tree_that_is_not_used_is_refused(adapter: Path, tmp_path: Path) -> None:
    direct = write_crate(tmp_path / "direct", "direct", "1.1.0", says="changed")
    other = write_crate(tmp_path / "some-repository", "other", "1.0.0", says="other")
    indirect = write_crate(tmp_path / "indirect", "indirect", "1.1.0", says="unused")
    told = "the adapter uses nothing of some-repository, which has other"
    assert said(adapter, direct, other) == told
    told = "the adapter uses nothing of indirect, which has indirect"
    assert said(adapter, direct, indirect) == told
