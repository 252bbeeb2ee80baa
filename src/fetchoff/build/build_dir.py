"""The cache folder of one adapter: named after its content, built, remembered as ready or not."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from fetchoff.build import locks, trees
from fetchoff.build.locks import Lock
from fetchoff.build.machine import of_its_tools, of_the_machine
from fetchoff.build.runtimes import is_built, runtime_folder
from fetchoff.build.sources import copy_of, digest_of
from fetchoff.build.steps import Steps
from fetchoff.catalog.manifests import TREES
from fetchoff.catalog.naming import asked_as
from fetchoff.catalog.paths import cache
from fetchoff.model.client import Client, Description, Launch, Manifest, Readiness
from fetchoff.model.placeholders import filled
from fetchoff.model.tree import Tree

READY = "ready.json"


@dataclass(frozen=True)
class BuildDir:
    """The cache folder of one adapter at one content.

    `trees`: the source trees that its library is built from, if the user chose that; `manifest` has
    the recipe for them then. `lock`: where its version was resolved from a registry.
    """

    manifest: Manifest
    folder: Path
    trees: tuple[Tree, ...] = ()
    lock: Lock | None = None

    @classmethod
    def of(cls, manifest: Manifest) -> BuildDir:
        """The folder that is named after everything that what is in it depends on."""
        chosen = trees.chosen(manifest) if manifest.from_trees is not None else ()
        if chosen and manifest.from_trees is not None:
            places = tuple(f"{{build}}/trees/{n}/{tree.name}" for n, tree in enumerate(chosen))
            recipe, known = manifest.from_trees.recipe, {**manifest.set, TREES: places}
            manifest = replace(manifest, recipe=recipe, set=known)
        lock = locks.known(manifest) if manifest.is_resolved else None
        name = str(manifest.built_as).replace("/", "--")
        digest = _digest(manifest, chosen, lock)[:16]
        return cls(manifest, cache() / "adapters" / f"{name}-{digest}", chosen, lock)

    @property
    def digest(self) -> str:
        """Of everything that what is in the folder depends on."""
        return self.folder.name.rpartition("-")[2]

    @property
    def sources(self) -> str:
        """A digest of its sources alone (kits, adapter, lock file, source trees): another machine
        that has the same has the same."""
        return _hashed((), self.manifest, self.trees, self.lock)[:16]

    @property
    def adapter(self) -> Path:
        return self.folder / self.manifest.folder.name

    @property
    def shared(self) -> Path:
        """Of the adapters of a language that the same tools build: Cargo keeps what a library in C
        was compiled to, whatever becomes of the compiler."""
        tools = "".join(of_its_tools(self.manifest.recipe))
        mark = f"-{hashlib.sha256(tools.encode()).hexdigest()[:16]}" if tools else ""
        return cache() / "shared" / f"{self.manifest.kit}{mark}"

    def argv(self, parts: Sequence[str]) -> list[str]:
        """A command with its placeholders replaced; one that stands alone may become several."""
        filled = []
        for part in parts:
            alone = self.manifest.set.get(part[1:-1]) if part[:1] == "{" else None
            filled += [self.fill(piece) for piece in ((part,) if alone is None else alone)]
        return filled

    def fill(self, text: str) -> str:
        """`text` with its placeholders replaced; other braces are left alone."""
        text = filled(text, {name: " ".join(words) for name, words in self.manifest.set.items()})
        places = {
            "adapter": self.adapter,
            "kit": self.folder / "_kit",
            "build": self.folder / "build",
            "shared": self.shared,
            "source": self.adapter / self.manifest.source,
            "python": sys.executable,
            "jobs": os.cpu_count() or 1,
        }
        if self.manifest.runtime is not None:
            places["runtime"] = runtime_folder(self.manifest.runtime)
        places |= {
            name.lstrip("_"): self.folder / name for name, _ in self.manifest.kit_folders[1:]
        }
        return filled(text, places)

    def launch(self) -> Launch:
        """How to start what was built."""
        launch = self.manifest.launch
        command = tuple(self.argv(launch.command))
        return replace(launch, command=command, env={**self.own_env, **self._tree_env})

    @property
    def own_env(self) -> dict[str, str]:
        """What the manifest adds to the environment, whether its library is built yet or not."""
        return {name: self.fill(value) for name, value in self.manifest.launch.env.items()}

    @property
    def _tree_env(self) -> dict[str, str]:
        if not self.trees or self.manifest.from_trees is None:
            return {}
        return {name: self.fill(value) for name, value in self.manifest.from_trees.env.items()}


def _digest(manifest: Manifest, chosen: Sequence[Tree], lock: Lock | None) -> str:
    machine = chain(of_the_machine(manifest), of_its_tools(manifest.recipe))
    return _hashed(machine, manifest, chosen, lock)


def _hashed(
    begin: Iterable[str], manifest: Manifest, chosen: Sequence[Tree], lock: Lock | None
) -> str:
    hasher = hashlib.sha256(" ".join(begin).encode())
    for tree in chosen:
        hasher.update(f"\0tree {tree.name}\0{tree.digest}".encode())
    if lock is not None:
        hasher.update(f"\0lock\0{lock.digest}".encode())
    for name, folder in (*manifest.kit_folders, (manifest.folder.name, manifest.folder)):
        hasher.update(f"\0{name}\0{digest_of(folder)}".encode())
    return hasher.hexdigest()


def state(manifest: Manifest) -> Client:
    """The client as it stands: ready, not set up, or unavailable and why the last try failed."""
    build_dir = BuildDir.of(manifest)
    from_ = tuple(tree.path for tree in build_dir.trees)
    locked = build_dir.lock.packages if build_dir.lock else ()
    ready = _read_json(build_dir.folder / READY)
    if ready is not None and (manifest.runtime is None or is_built(manifest.runtime)):
        description = _description(ready)
        launch = replace(build_dir.launch(), description=description)
        return Client(manifest, Readiness.READY, description, launch, trees=from_, packages=locked)
    failed = _read_json(build_dir.folder / "failed.json")
    if failed is not None:
        return Client(
            manifest,
            Readiness.UNAVAILABLE,
            reason=str(failed["reason"]),
            hint=str(failed["hint"]),
            trees=from_,
        )
    return Client(
        manifest,
        Readiness.NOT_SET_UP,
        reason="not set up yet",
        hint=f"fetchoff setup {asked_as(manifest)}",
        trees=from_,
    )


def build(build_dir: BuildDir, steps: Steps) -> None:
    """Copy the sources and run the recipe's steps; SetupError if one fails."""
    copy_sources(build_dir)
    if build_dir.lock is not None:
        shutil.copytree(build_dir.lock.files, build_dir.adapter, dirs_exist_ok=True)
    for tree, place in zip(build_dir.trees, build_dir.manifest.set.get(TREES, ()), strict=True):
        trees.copy_to(tree, Path(build_dir.fill(place)))
    for step in build_dir.manifest.recipe.steps:
        steps.run(build_dir.argv(step), build_dir.adapter, build_dir.folder / "setup.log")


def copy_sources(build_dir: BuildDir) -> None:
    """Make the folder anew, with copies of the kits and the adapter; InputError as `copy_of`."""
    shutil.rmtree(build_dir.folder, ignore_errors=True)
    (build_dir.folder / "build").mkdir(parents=True)
    build_dir.shared.mkdir(parents=True, exist_ok=True)
    folders = (*build_dir.manifest.kit_folders, (build_dir.adapter.name, build_dir.manifest.folder))
    for name, folder in folders:
        copy_of(folder, build_dir.folder / name)


def remember_ready(build_dir: BuildDir, description: Description) -> None:
    """Keep what the adapter answered to `hello`: from now on it is ready."""
    (build_dir.folder / "failed.json").unlink(missing_ok=True)
    _write_json(
        build_dir.folder / READY,
        {
            "version": description.version,
            "runtime": description.runtime,
            "engine": description.engine,
            "features": sorted(description.features),
        },
    )


def forget_ready(build_dir: BuildDir) -> None:
    """It is to be built again."""
    (build_dir.folder / READY).unlink(missing_ok=True)


def remember_failure(build_dir: BuildDir, reason: str, hint: str) -> None:
    """Keep why it is not ready."""
    _write_json(build_dir.folder / "failed.json", {"reason": reason, "hint": hint})


def _description(ready: Mapping[str, object]) -> Description:
    features = ready["features"]
    assert isinstance(features, list)
    return Description(
        version=str(ready["version"]),
        runtime=str(ready["runtime"]),
        engine=str(ready["engine"]),
        features=frozenset(features),
    )


def _read_json(path: Path) -> dict[str, object] | None:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return document if isinstance(document, dict) else None


def _write_json(path: Path, document: Mapping[str, object]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(document, indent=1), encoding="utf-8")
    part.replace(path)
