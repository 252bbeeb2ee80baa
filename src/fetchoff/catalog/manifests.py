"""adapters/<language>/<library>/adapter.toml, read over its language's kit.toml."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from fetchoff.catalog.places import shipped
from fetchoff.catalog.toml import Document, read
from fetchoff.model.client import ClientId, Kind, Launch, Manifest, Recipe
from fetchoff.model.errors import InputError

Argv = tuple[str, ...]


class _Setup(Document):
    apt: tuple[str, ...] = ()
    check: tuple[Argv, ...] = ()
    hint: str = ""
    steps: tuple[Argv, ...] | None = None


class _Run(Document):
    command: Argv | None = None
    children: bool | None = None
    warm_up_ms: int | None = Field(default=None, ge=0, le=10_000)
    env: dict[str, str] = Field(default_factory=dict)


class _Kit(Document):
    schema_: int = Field(alias="schema", ge=1, le=1)
    language: str
    also: tuple[str, ...] = ()
    setup: _Setup = Field(default_factory=_Setup)
    run: _Run = Field(default_factory=_Run)


class _Adapter(Document):
    schema_: int = Field(alias="schema", ge=1, le=1)
    client: str
    about: str
    source: str
    homepage: str = ""
    kind: Kind = Kind.PRODUCT
    setup: _Setup = Field(default_factory=_Setup)
    run: _Run = Field(default_factory=_Run)


def discover(root: Path | None = None) -> dict[str, Manifest]:
    """Every adapter under `root` (the shipped ones by default), by id."""
    root = root or shipped("adapters")
    found = (read_manifest(path.parent) for path in sorted(root.glob("[!_]*/[!_]*/adapter.toml")))
    return {str(manifest.id): manifest for manifest in found}


def read_manifest(folder: Path) -> Manifest:
    """The manifest of one adapter folder; its kit is the `_kit` beside it, or the shipped one."""
    path = folder / "adapter.toml"
    adapter = read(path, _Adapter)
    try:
        client = ClientId.parse(adapter.client)
    except InputError as error:
        raise InputError(f"{path}: client: {error.message}", error.hint) from error
    kit_folder = _kit_folder(folder, client.language)
    kit = read(kit_folder / "kit.toml", _Kit)
    command = adapter.run.command or kit.run.command
    if not command:
        raise InputError(
            f"{path}: run.command: neither the adapter nor its kit says how to start it"
        )
    if not (folder / adapter.source).is_file():
        raise InputError(f"{path}: source: there is no file '{adapter.source}' in {folder}")
    steps = adapter.setup.steps if adapter.setup.steps is not None else kit.setup.steps
    children = adapter.run.children if adapter.run.children is not None else kit.run.children
    warm_up_ms = next(
        (ms for ms in (adapter.run.warm_up_ms, kit.run.warm_up_ms) if ms is not None), 0
    )
    return Manifest(
        id=client,
        kit=client.language,
        kind=adapter.kind,
        about=adapter.about,
        homepage=adapter.homepage,
        folder=folder.resolve(),
        kit_folders=(
            ("_kit", kit_folder),
            *((f"_kit_{name}", _kit_folder(folder, name)) for name in kit.also),
        ),
        source=adapter.source,
        recipe=Recipe(
            apt=(*kit.setup.apt, *adapter.setup.apt),
            check=(*kit.setup.check, *adapter.setup.check),
            hint=adapter.setup.hint or kit.setup.hint,
            steps=steps or (),
        ),
        launch=Launch(command, {**kit.run.env, **adapter.run.env}, children or False, warm_up_ms),
    )


def _kit_folder(folder: Path, language: str) -> Path:
    beside, cousin = folder.parent / "_kit", folder.parent.parent / language / "_kit"
    for place in (beside, cousin, shipped("adapters") / language / "_kit"):
        path = place / "kit.toml"
        if path.is_file() and read(path, _Kit).language == language:
            return place.resolve()
    raise InputError(
        f"{folder}/adapter.toml: client: there is no kit for '{language}'",
        f"a kit is a folder adapters/{language}/_kit with a kit.toml; see docs/adapters.md",
    )
