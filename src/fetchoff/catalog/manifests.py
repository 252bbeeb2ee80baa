"""adapters/<language>/<library>/adapter.toml over its language's kit.toml: a family of clients.

One folder holds a client, its variants, its versions, and the runtimes that it is listed with.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

from pydantic import Field

from fetchoff.catalog.kits import (
    Kit,
    ReleasesTable,
    RunTable,
    RuntimeTable,
    SetupTable,
    TreeTable,
    kit_folder,
    read_kit,
)
from fetchoff.catalog.paths import shipped
from fetchoff.catalog.toml import Document, Homepage, read
from fetchoff.model.allocations import Counting
from fetchoff.model.client import (
    OWN_JSON,
    ClientId,
    Cure,
    Fault,
    Kind,
    Launch,
    Manifest,
    Recipe,
    Releases,
    Runtime,
    TreeRecipe,
)
from fetchoff.model.errors import InputError
from fetchoff.model.placeholders import filled

PLACES = ("adapter", "kit", "build", "shared", "source", "python", "jobs", "runtime")
"""Placeholders of commands and environments, in addition to those of a kit or a runtime."""

TREES = "trees"
"""The placeholder of the source trees, in the steps of `[tree]`: one argument for each tree."""


class _Fault(Document):
    why: str
    sometimes: bool = False
    breaks: bool = False


_Faults = dict[str, str | _Fault]


class _Variant(Document):
    about: str
    source: str | None = None
    env: dict[str, str] = Field(default_factory=dict)
    in_batches: bool | None = None
    faults: _Faults = Field(default_factory=dict)
    cures: dict[str, str] = Field(default_factory=dict)


class _Adapter(Document):
    schema_: int = Field(alias="schema", ge=1, le=1)
    client: str
    about: str
    source: str
    homepage: Homepage = ""
    kind: Kind = Kind.PRODUCT
    tried: bool = True
    own_json: bool = False
    versions: tuple[str, ...] = ()
    runtimes: tuple[str, ...] = ()
    variants: dict[str, _Variant] = Field(default_factory=dict)
    faults: _Faults = Field(default_factory=dict)
    cures: dict[str, str] = Field(default_factory=dict)
    setup: SetupTable = Field(default_factory=SetupTable)
    tree: TreeTable = Field(default_factory=TreeTable)
    releases: ReleasesTable = Field(default_factory=ReleasesTable)
    run: RunTable = Field(default_factory=RunTable)


@dataclass(frozen=True)
class Family:
    """The clients of one adapter folder."""

    folder: Path
    id: ClientId
    adapter: _Adapter
    kit_folder: Path
    kit: Kit

    @classmethod
    def of(cls, folder: Path) -> Family:
        """Read a folder; InputError if a document is not valid."""
        path = folder / "adapter.toml"
        adapter = read(path, _Adapter)
        try:
            client = ClientId.parse(adapter.client)
        except InputError as error:
            raise InputError(f"{path}: client: {error.message}", error.hint) from error
        kit = kit_folder(folder, client.language)
        return cls(folder.resolve(), client, adapter, kit, read_kit(kit))

    def listed(self) -> Iterator[Manifest]:
        """The client itself, its variants, their other versions, and the declared runtimes."""
        for variant in (self.id.variant, *self._variants):
            yield self.member(replace(self.id, variant=variant))
            for version in self.adapter.versions[1:]:
                yield self.member(replace(self.id, variant=variant, version=version))
        for runtime in self.adapter.runtimes:
            yield self.member(replace(self.id, runtime=runtime))

    def has(self, client: ClientId) -> bool:
        """Whether the family has `client`, at any version and runtime."""
        same = (client.language, client.library) == (self.id.language, self.id.library)
        return same and client.variant in (self.id.variant, *self._variants)

    def member(self, client: ClientId) -> Manifest:
        """One client of the family; InputError if it has no such version or runtime.

        A version that the folder does not have is one of the registry, if the kit says how to get
        it; nobody knows yet whether there is such a version.
        """
        variant = self._variants.get(client.variant)
        source = (variant.source if variant else None) or self.adapter.source
        self._must_exist(source)
        releases = self._releases
        version = self._version(client)
        runtime = self._runtime(client)
        manifest = Manifest(
            id=client,
            built_as=replace(client, version=version),
            kit=self.id.language,
            kind=self.adapter.kind,
            about=variant.about if variant else self.adapter.about,
            homepage=self.adapter.homepage,
            tried=self.adapter.tried,
            json_parser=OWN_JSON if self.adapter.own_json else self.kit.json_parser,
            is_control=client.library == self.kit.control,
            faults=_faults({**self.adapter.faults, **(variant.faults if variant else {})}),
            folder=self.folder,
            kit_folders=self._kit_folders,
            source=source,
            set={
                "version": (version,),
                "package": (releases.package if releases else "",),
                "beside": self.adapter.releases.beside,
                **self.kit.set,
                **(runtime.set if runtime else {}),
            },
            runtime=self._recipe_of_runtime(client.runtime, runtime),
            recipe=self._recipe(runtime),
            launch=self._launch(variant, runtime),
            from_trees=self._tree_recipe(runtime),
            cures=self._cures(client),
            releases=releases,
            unreleased="" if releases else self._unreleased,
            is_resolved=version != self.id.version and version not in self.adapter.versions,
            is_standard=self.adapter.releases.package == "",
        )
        self._must_be_known(manifest)
        return manifest

    def _cures(self, client: ClientId) -> dict[str, Cure]:
        """Those of the library, and those of its variants, which have them and need them no more.

        A variant of another version or runtime is not listed, but can be named.
        """
        told = {fault: Cure(words) for fault, words in self.adapter.cures.items()}
        if client.variant != self.id.variant:
            own = self._variants[client.variant].cures
            return {fault: cure for fault, cure in told.items() if fault not in own}
        for name, variant in self._variants.items():
            by = str(replace(client, variant=name))
            told |= {fault: Cure(words, by) for fault, words in variant.cures.items()}
        return told

    def _must_be_known(self, manifest: Manifest) -> None:
        """InputError for a misspelt placeholder, which would not be replaced."""
        known = (*PLACES, *manifest.set, *(name.lstrip("_") for name, _ in manifest.kit_folders))
        launch, trees = manifest.launch, manifest.from_trees
        words = [*chain(*manifest.recipe.steps, *manifest.recipe.check), *launch.command]
        if trees is not None:
            known = (*known, TREES)
            words += [*chain(*trees.recipe.steps, *trees.recipe.check), *trees.env.values()]
        if (releases := manifest.releases) is not None:
            words += [*releases.listing, *chain(*releases.resolve), *releases.locks]
        for name in re.findall(r"\{([a-z_]+)\}", " ".join([*words, *launch.env.values()])):
            if name in known:
                continue
            if near := difflib.get_close_matches(name, known, n=1):
                raise InputError(
                    f"{self.folder}/adapter.toml or its kit.toml: unknown placeholder '{{{name}}}'",
                    f"did you mean {{{near[0]}}}?",
                )

    @property
    def _variants(self) -> dict[str, _Variant]:
        return self.adapter.variants

    @cached_property
    def _kit_folders(self) -> tuple[tuple[str, Path], ...]:
        others = ((f"_kit_{name}", kit_folder(self.folder, name)) for name in self.kit.also)
        return (("_kit", self.kit_folder), *others)

    def _must_exist(self, source: str) -> None:
        if not (self.folder / source).is_file():
            raise InputError(
                f"{self.folder}/adapter.toml: source: there is no file '{source}' in {self.folder}"
            )

    def _version(self, client: ClientId) -> str:
        versions = self.adapter.versions
        if client.version == self.id.version:
            return versions[0] if versions else self.id.version
        if client.version not in versions and self._releases is None:
            raise InputError(f"there is no client '{client}'", self._unreleased)
        return client.version

    @property
    def _unreleased(self) -> str:
        """Why no registry is asked, and what there is instead."""
        if versions := self.adapter.versions:
            return _choices(self.id, "versions", versions)
        if self.kit.releases.resolve is not None:
            return f"{self.id} comes with its runtime: choose one, as in {self.id}~RUNTIME"
        why = f"versions of {self.id.language} libraries are not had from a registry"
        if self._tree_recipe(None) is None:
            return why
        return f"{why}; build one from its sources: fetchoff setup --from {self.id}=PATH"

    @property
    def _releases(self) -> Releases | None:
        """None where the kit does not say how, or the library comes with its runtime."""
        own, kit = self.adapter.releases, self.kit.releases
        package = own.package if own.package is not None else kit.package
        resolve = own.resolve if own.resolve is not None else kit.resolve
        if not package or resolve is None:
            return None
        return Releases(
            package=filled(package, {"library": self.id.library}),
            listing=(own.list if own.list is not None else kit.list) or (),
            resolve=resolve,
            locks=(own.locks if own.locks is not None else kit.locks) or (),
            hint=own.hint or kit.hint,
        )

    def _runtime(self, client: ClientId) -> RuntimeTable | None:
        if not client.runtime:
            return None
        if client.runtime not in self.kit.runtimes:
            raise InputError(
                f"there is no client '{client}'",
                _choices(f"the kit of {self.id.language}", "runtimes", tuple(self.kit.runtimes)),
            )
        return self.kit.runtimes[client.runtime]

    def _recipe_of_runtime(self, name: str, runtime: RuntimeTable | None) -> Runtime | None:
        if runtime is None:
            return None
        return Runtime(self.id.language, name, self.kit_folder, runtime.steps)

    def _recipe(self, runtime: RuntimeTable | None) -> Recipe:
        own, kit = self.adapter.setup, self.kit.setup
        base = runtime or kit
        steps = own.steps if own.steps is not None else kit.steps
        return Recipe(
            apt=(*base.apt, *own.apt),
            check=(*base.check, *own.check),
            hint=own.hint or base.hint,
            steps=steps or (),
            built_with=(*base.built_with, *own.built_with),
            is_compiled=bool(kit.built_with or base.built_with or own.built_with),
        )

    def _tree_recipe(self, runtime: RuntimeTable | None) -> TreeRecipe | None:
        """None where neither the adapter nor its kit says how.

        An adapter with steps of its own needs steps of its own here too: the kit's know nothing of
        what those do.
        """
        own, kit = self.adapter.tree, self.kit.tree
        steps = own.steps
        if steps is None and self.adapter.setup.steps is None:
            steps = kit.steps
        if steps is None:
            return None
        base = runtime or self.kit.setup
        recipe = Recipe(
            apt=(*base.apt, *kit.apt, *own.apt),
            check=(*base.check, *kit.check, *own.check),
            hint=own.hint or kit.hint or base.hint,
            steps=steps,
            built_with=(*base.built_with, *kit.built_with, *own.built_with),
            is_compiled=self._recipe(runtime).is_compiled or bool(kit.built_with or own.built_with),
        )
        return TreeRecipe(recipe, proof=self.adapter.setup.check, env={**kit.env, **own.env})

    def _launch(self, variant: _Variant | None, runtime: RuntimeTable | None) -> Launch:
        own, kit = self.adapter.run, self.kit.run
        command = own.command or kit.command
        if not command:
            raise InputError(
                f"{self.folder}/adapter.toml: run.command: neither the adapter nor its kit says "
                "how to start it"
            )
        warm_ups = (
            runtime.warm_up_exchanges if runtime else None,
            own.warm_up_exchanges,
            kit.warm_up_exchanges,
        )
        in_batches = (variant.in_batches if variant else None, own.in_batches, kit.in_batches)
        counted = own.allocations or kit.allocations
        return Launch(
            command,
            env={
                **kit.env,
                **(runtime.env if runtime else {}),
                **own.env,
                **(variant.env if variant else {}),
            },
            children=bool(_stated(own.children, kit.children)),
            in_batches=bool(_stated(*in_batches)),
            warm_up_exchanges=_stated(*warm_ups),
            compiles=bool((runtime and runtime.warm_up_exchanges) or kit.warm_up_exchanges),
            lead_ms=_stated(own.lead_ms, kit.lead_ms),
            lead_bytes=_stated(own.lead_bytes, kit.lead_bytes),
            turn_ms=_stated(own.turn_ms, kit.turn_ms),
            rest_ms=_stated(own.rest_ms, kit.rest_ms),
            allocations=Counting(counted.by, counted.env)
            if counted and not (runtime and runtime.own_allocator)
            else None,
        )


def _stated(*values: int | None) -> int:
    """The first that is stated; 0 if none is."""
    return next((value for value in values if value is not None), 0)


def _faults(faults: _Faults) -> dict[str, Fault]:
    return {
        case: Fault(fault) if isinstance(fault, str) else Fault(**fault.model_dump())
        for case, fault in faults.items()
    }


def _choices(whose: object, what: str, names: tuple[str, ...]) -> str:
    return f"{whose} has {what} {', '.join(names)}" if names else f"{whose} has no {what}"


def families(root: Path | None = None, folders: str = "[!_]*/[!_]*") -> Iterator[Family]:
    """The adapter folders under `root` that match a glob; by default all shipped ones."""
    root = root or shipped("adapters")
    for path in sorted(root.glob(f"{folders}/adapter.toml")):
        yield Family.of(path.parent)


def discover(root: Path | None = None) -> dict[str, Manifest]:
    """Every client that is listed, by id."""
    members = (manifest for family in families(root) for manifest in family.listed())
    return {str(manifest.id): manifest for manifest in members}


def named(text: str, root: Path | None = None) -> Manifest | None:
    """The client of this id, listed or not: any version and runtime of a listed family.

    None if there is no such family; InputError if it has no such version or runtime.
    """
    try:
        client = ClientId.parse(text)
    except InputError:
        return None
    folders = f"{client.language}/{client.library}*"
    family = next((one for one in families(root, folders) if one.has(client)), None)
    return family.member(client) if family else None


def read_manifest(folder: Path) -> Manifest:
    """The manifest of one adapter folder: its client without variant, version and runtime."""
    family = Family.of(folder)
    return family.member(family.id)
