"""Build the adapter in this folder with crates of source trees: BUILD SHARED JOBS TREE…

A crate that the adapter itself depends on becomes a path dependency, whatever its version. The
other crates of the trees take the places of the registry's, where their versions fit.
"""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path


def main(build: str, shared: str, jobs: str, *trees: str) -> None:
    crates = {name: folder for tree in trees for name, folder in crates_of(tree)}
    direct = tomllib.loads(Path("Cargo.toml").read_text(encoding="utf-8"))["dependencies"]
    locked = tomllib.loads(Path("Cargo.lock").read_text(encoding="utf-8"))["package"]
    used = {package["name"] for package in locked}
    if used.isdisjoint(crates):
        sys.exit(f"the adapter uses none of {', '.join(crates)}")
    for name in direct.keys() & crates.keys():
        cargo("add", "--quiet", "--path", crates[name], name)
    options = []
    for name in sorted(used & crates.keys()):
        options += ["--config", f"patch.crates-io.{name}.path={json.dumps(crates[name])}"]
    os.environ.update(CARGO_TARGET_DIR=build, CARGO_BUILD_BUILD_DIR=shared)
    cargo(*options, "build", "--release", "--jobs", jobs)


def crates_of(tree: str) -> list[tuple[str, str]]:
    """Names and folders of the crates in a tree: one, or those of a workspace."""
    manifest = Path(tree, "Cargo.toml")
    if not manifest.is_file():
        sys.exit(f"{tree} has no Cargo.toml")
    asked = ["--no-deps", "--format-version", "1", "--manifest-path", str(manifest)]
    ended = subprocess.run(["cargo", "metadata", *asked], check=False, stdout=subprocess.PIPE)
    if ended.returncode != 0:
        sys.exit(ended.returncode)
    found = json.loads(ended.stdout)["packages"]
    return [(package["name"], str(Path(package["manifest_path"]).parent)) for package in found]


def cargo(*argv: str) -> None:
    status = subprocess.run(["cargo", *argv], check=False).returncode
    if status != 0:
        sys.exit(status)


main(*sys.argv[1:])
