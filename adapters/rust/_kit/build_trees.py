"""Build the adapter in this folder with crates of source trees: BUILD SHARED JOBS TREE…

A crate that the adapter itself depends on becomes a path dependency, whatever its version. The
other crates of the trees take the places of the registry's, where their versions fit. A tree that
is not used is refused: base and head of a gate would be the same code.
"""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Crate:
    """A crate of a source tree, in this folder."""

    version: str
    folder: str


Crates = dict[str, Crate]
"""By name."""


def main(build: str, shared: str, jobs: str, *trees: str) -> None:
    found = {tree: crates_of(tree) for tree in trees}
    crates = {name: crate for of_tree in found.values() for name, crate in of_tree.items()}
    direct = tomllib.loads(Path("Cargo.toml").read_text(encoding="utf-8"))["dependencies"]
    locked = list(of_the_registry())
    must_be_used(found, {name for name, _ in locked} | direct.keys())  # or of no registry
    for name in sorted(direct.keys() & crates.keys()):
        cargo("add", "--quiet", "--path", crates[name].folder, name)
    options = []
    for name in sorted({name for name, _ in locked} & crates.keys()):
        options += ["--config", f"patch.crates-io.{name}.path={json.dumps(crates[name].folder)}"]
    for name, version in locked:
        if name in crates:
            unlock(f"{name}@{version}", crates[name].version, options)
    os.environ.update(CARGO_TARGET_DIR=build, CARGO_BUILD_BUILD_DIR=shared)
    cargo(*options, "build", "--release", "--jobs", jobs)
    must_fit(crates)
    must_be_used(found, {package["name"] for package in packages() if "source" not in package})


def crates_of(tree: str) -> Crates:
    """The crates in a tree: one, or those of a workspace."""
    manifest = Path(tree, "Cargo.toml")
    if not manifest.is_file():
        sys.exit(f"{tree} has no Cargo.toml")
    asked = ["--no-deps", "--format-version", "1", "--manifest-path", str(manifest)]
    ended = subprocess.run(["cargo", "metadata", *asked], check=False, stdout=subprocess.PIPE)
    if ended.returncode != 0:
        sys.exit(ended.returncode)
    return {
        package["name"]: Crate(package["version"], str(Path(package["manifest_path"]).parent))
        for package in json.loads(ended.stdout)["packages"]
    }


def packages() -> list[dict[str, str]]:
    return tomllib.loads(Path("Cargo.lock").read_text(encoding="utf-8"))["package"]


def of_the_registry() -> Iterator[tuple[str, str]]:
    """Names and versions."""
    return ((one["name"], one["version"]) for one in packages() if "source" in one)


def unlock(locked: str, version: str, options: list[str]) -> None:
    """Lock the version of a tree instead, because Cargo doesn't leave a locked version for a patch.

    Where it doesn't fit, Cargo changes nothing, and may complain: `must_fit` looks at that.
    """
    update = ["cargo", *options, "update", "--quiet", locked, "--precise", version]
    subprocess.run(update, check=False, stderr=subprocess.DEVNULL)


def must_be_used(found: dict[str, Crates], used: Collection[str]) -> None:
    for tree, crates in found.items():
        if crates.keys().isdisjoint(used):
            has = ", ".join(sorted(crates))
            sys.exit(f"the adapter uses nothing of {Path(tree).name}, which has {has}")


def must_fit(crates: Crates) -> None:
    """End the program if a crate still comes from the registry alone: of a patch that is not used,
    Cargo only warns."""
    ours = {one["name"] for one in packages() if "source" not in one}
    for name, version in of_the_registry():
        if name in crates and name not in ours:
            own = crates[name].version
            sys.exit(
                f"the adapter uses {name} {version} of the registry: {own} of the tree does not fit"
            )


def cargo(*argv: str) -> None:
    status = subprocess.run(["cargo", *argv], check=False).returncode
    if status != 0:
        sys.exit(status)


main(*sys.argv[1:])
