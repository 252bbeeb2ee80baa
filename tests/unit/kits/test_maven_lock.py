"""Maven's local repository is not made for several writers: whoever calls Maven holds one lock."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from fetchoff.build.build_dir import BuildDir
from fetchoff.catalog.manifests import families
from fetchoff.model.client import Manifest

OF_JAVA = ("java/_kit/resolve.sh", "java/_kit/releases.py")
"""The scripts that call Maven themselves."""


def manifests() -> Iterator[Manifest]:
    """Every client without variants, on every runtime of its kit."""
    for family in families():
        for runtime in ("", *family.kit.runtimes):
            yield family.member(replace(family.id, runtime=runtime))


def steps_of(manifest: Manifest) -> Iterator[Sequence[str]]:
    yield from manifest.recipe.steps
    if manifest.from_trees is not None:
        yield from manifest.from_trees.recipe.steps
    if manifest.releases is not None:
        yield from (manifest.releases.listing, *manifest.releases.resolve)
    if manifest.runtime is not None:
        yield from manifest.runtime.steps


def calls_maven(step: Sequence[str], manifest: Manifest) -> bool:
    kit = f"{manifest.kit}/_kit"
    return "mvn" in step or any(part.replace("{kit}", kit) in OF_JAVA for part in step)


def test_whoever_calls_maven_holds_one_lock(own_cache: Path) -> None:
    """JRuby's runtimes are built beside the clients of Java, and versions listed beside both."""
    locks = {}
    for manifest in manifests():
        build_dir = BuildDir(manifest, own_cache / "adapters" / "one")
        for step in steps_of(manifest):
            if calls_maven(step, manifest):
                program, lock, *_ = build_dir.argv(step)
                locks[f"{manifest.id}: {' '.join(step)}"] = program, os.path.normpath(lock)
    assert {name.partition("/")[0] for name in locks} == {"java", "ruby"}
    assert set(locks.values()) == {("flock", str(own_cache))}
