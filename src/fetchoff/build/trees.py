"""Source trees of the user: copied into the cache, and remembered as what a client is built from.

A tree lies in the cache under its content's digest, so that a client can be built again from what
it was built from, whatever became of the folder that the user named. Beside it is what Git says of
its version, for builds that would ask Git themselves.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import lzma
import os
import shutil
import stat
import subprocess
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from fnmatch import fnmatchcase
from pathlib import Path

from fetchoff.build.writing import writing
from fetchoff.catalog.paths import cache
from fetchoff.model.client import Manifest
from fetchoff.model.errors import InputError, StoreError
from fetchoff.model.tree import Tree
from fetchoff.store.run_folder import HEADER, HISTORIES, HISTORY

OWN = ".fetchoff"
"""How the names begin that Fetchoff's files for CI put into a checkout: its own source, its record
of gates and its cache."""
LITTER = frozenset({"__pycache__", "node_modules", ".git", ".hg", ".svn", ".tox"})
MARKED = ("CACHEDIR.TAG", "pyvenv.cfg")
"""What marks a folder as a cache (https://bford.info/cachedir), such as Cargo's target and those of
pytest and mypy, or as an environment of Python."""
RESULTS = (HEADER, HISTORY, HISTORIES)
"""The files that folders of Fetchoff's results begin with."""
OF_EACH = frozenset({"fetchoff", "started"})
"""What these files have, and others of the same names hardly do."""
BUILT_BY_SETUPTOOLS = ("lib", "lib.*", "bdist.*", "temp.*")
"""In `build`: copies of modules, which another build in the same folder takes for its own, also
those that the project has no more."""
PACKED = (".gem", ".jar", ".whl")
"""Archives that are taken as they are, by a language's own installer or class path."""

ARCHIVES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip")
EXECUTABLE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
DAMAGED = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(EOFError, OSError, RuntimeError, ValueError),
)
"""What unpacking raises where an archive is cut off, garbled or encrypted."""
_ACCEPTED = f"a folder of sources, or an archive of them ({', '.join((*ARCHIVES, *PACKED))})"


def folder_of(tree: Tree) -> Path:
    """Where a tree lies in the cache."""
    return _store() / tree.digest[:16] / tree.name


def described(tree: Tree) -> Path:
    """A file with what `git describe --tags --long` said of a tree; none where Git said nothing."""
    return _store() / f"{tree.digest[:16]}.described"


def copy_to(tree: Tree, place: Path) -> None:
    """Copy a tree out of the cache; `described` goes beside the folder that it is in."""
    shutil.copytree(folder_of(tree), place, symlinks=True)
    _let_write(place)
    if described(tree).is_file():
        shutil.copy(described(tree), place.parent.with_suffix(".described"))


def take(client: str, path: Path) -> Tree:
    """Copy or unpack what the user named into the cache.

    InputError where it is no source tree, StoreError where the cache cannot hold it.
    """
    _must_be_there(client, path)
    with (
        writing(_store()),
        tempfile.TemporaryDirectory(dir=_made_store(), prefix="new-") as scratch,
    ):
        try:
            copy = _copied(path, Path(scratch), is_python=client.startswith("python/"))
            _let_write(copy)
        except shutil.Error as error:
            raise InputError(f"'{path}' cannot be copied: {error.args[0][0][2]}") from error
        except OSError as error:
            raise StoreError(f"'{path}' cannot be copied: {error}") from error
        if not any(entry.is_file() for entry in copy.rglob("*")):
            raise InputError(f"{client} cannot be built from '{path}': it holds no files", _hint())
        _must_be_text(path, copy.name)
        tree = Tree(str(path.resolve()), copy.name, _digest_of(copy))
        try:
            _keep(copy, folder_of(tree))
        except OSError as error:
            raise StoreError(f"'{path}' cannot be kept: {error}") from error
    version = _description(path)
    with writing(described(tree)):
        if version:
            described(tree).write_text(version, encoding="utf-8")
        else:
            described(tree).unlink(missing_ok=True)
    return tree


def chosen(manifest: Manifest) -> tuple[Tree, ...]:
    """What the client is built from; nothing: from where its recipe has its library."""
    if manifest.trees is not None:
        return manifest.trees
    path = _choice(manifest)
    try:
        documents = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, json.JSONDecodeError):
        return ()
    except OSError as error:
        raise StoreError(
            f"{path} cannot be read: {error.strerror}",
            "make it readable, or set FETCHOFF_CACHE to another folder",
        ) from error
    trees = tuple(Tree(**document) for document in documents)
    return trees if all(folder_of(tree).is_dir() for tree in trees) else ()


def choose(manifest: Manifest, trees: Sequence[Tree]) -> None:
    """Remember what a client is built from; no trees: forget it. StoreError if that fails."""
    path = _choice(manifest)
    with writing(path):
        if not trees:
            path.unlink(missing_ok=True)
            return
        _made_store()
        part = path.with_suffix(".part")
        part.write_text(json.dumps([asdict(tree) for tree in trees], indent=1), encoding="utf-8")
        part.replace(path)


def _must_be_there(client: str, path: Path) -> None:
    """InputError if not, or if nobody may look: `exists` raises what it doesn't expect."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        told = f"{client} cannot be built from '{path}': there is no such path"
        raise InputError(told, _hint()) from error
    except OSError as error:
        told = f"{client} cannot be built from '{path}': {error.strerror}"
        raise InputError(told, _hint()) from error


def _must_be_text(path: Path, name: str) -> None:
    """InputError for names that no document can hold. Those of the files in it are in none."""
    try:
        f"{path.resolve()}/{name}".encode()
    except UnicodeEncodeError as error:
        shown = os.fsencode(path).decode(errors="backslashreplace")
        raise InputError(
            f"'{shown}' cannot be used: its path is not in UTF-8", "rename it"
        ) from error


def _keep(copy: Path, folder: Path) -> None:
    """Put a copy in its place, unless another process has done so, perhaps just now."""
    if folder.exists():
        return
    folder.parent.mkdir(exist_ok=True)
    try:
        copy.rename(folder)
    except OSError:
        if not folder.is_dir():
            with contextlib.suppress(OSError):  # another process may be about to fill it
                folder.parent.rmdir()
            raise


def _let_write(folder: Path) -> None:
    """Let the owner change a copy of what was read-only, as modules of Go and packages of Nix are.

    A folder cannot be renamed otherwise, and a build writes in it.
    """
    for place, _, names in os.walk(folder):
        Path(place).chmod(Path(place).stat().st_mode | stat.S_IRWXU)
        for path in (Path(place, name) for name in names):
            mode = path.lstat().st_mode
            if stat.S_ISREG(mode) and not mode & stat.S_IWUSR:
                path.chmod(mode | stat.S_IWUSR)


def _description(path: Path) -> str:
    """What Git says of a folder's commit; "" if it is not the top of a clone.

    A tree that was unpacked in a clone of something else must not get the version of that.
    """
    if not path.is_dir():
        return ""
    top = _git_says(path, "rev-parse", "--show-toplevel")
    if not top or Path(top) != path.resolve():
        return ""
    return _git_says(path, "describe", "--tags", "--long")


def _git_says(path: Path, *words: str) -> str:
    """What a command prints in a folder; "" if it fails.

    A Git hook, which may have started Fetchoff, has variables that name another repository.
    """
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", "-C", str(path), *words],
            env=env,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        return ""
    return done.stdout.removesuffix("\n")


def _copied(path: Path, scratch: Path, *, is_python: bool) -> Path:
    """`path` as a folder in `scratch` that has the name of what is in it."""
    if path.is_dir():

        def no_sources(folder: str, names: list[str]) -> set[str]:
            is_build = is_python and Path(folder) == path / "build"
            return _litter(folder, names) | (_built(names) if is_build else set())

        copy = scratch / path.resolve().name
        return Path(shutil.copytree(path, copy, symlinks=True, ignore=no_sources))
    if path.name.endswith(PACKED):
        folder = scratch / path.stem
        folder.mkdir()
        shutil.copy(path, folder)
        return folder
    ending = next((ending for ending in ARCHIVES if path.name.endswith(ending)), None)
    if ending is None:
        raise InputError(f"'{path}' is neither a folder nor an archive of a known kind", _hint())
    folder = scratch / path.name.removesuffix(ending)
    folder.mkdir()
    _unpack(path, folder)
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


def _litter(folder: str, names: list[str]) -> set[str]:
    """Which of the names in a folder are no sources."""
    marked = {name for name in names for mark in MARKED if Path(folder, name, mark).is_file()}
    place, store = Path(folder).resolve(), cache().resolve()
    own = {name for name in names if name.startswith(OWN) or place / name == store}
    results = {name for name in names if _holds_results(Path(folder, name))}
    return marked | own | results | (LITTER & set(names))


def _built(names: Iterable[str]) -> set[str]:
    """What setuptools has made of the sources, of the names in its folder for that."""
    return {name for name in names for mark in BUILT_BY_SETUPTOOLS if fnmatchcase(name, mark)}


def _holds_results(folder: Path) -> bool:
    """Whether a folder is of a run or a history, or holds nothing else but such folders, as `runs`
    does: a build would take it for another package."""
    try:
        if not folder.is_dir():
            return False
        if any(_is_of_fetchoff(folder / name) for name in RESULTS):
            return True
        inside = () if folder.is_symlink() else folder.iterdir()
        shown = [path for path in inside if not path.name.startswith(".")]  # no .gitignore
    except OSError:  # it cannot be copied either
        return False
    return bool(shown) and all(map(_holds_results, shown))


def _is_of_fetchoff(file: Path) -> bool:
    """Whether Fetchoff has written a file: a library may have one of the same name."""
    if not file.is_file():
        return False
    try:
        found = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return isinstance(found, dict) and found.keys() >= OF_EACH


def _unpack(archive: Path, folder: Path) -> None:
    safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # not before 3.11.4
    try:
        if archive.suffix == ".zip":
            _unzip(archive, folder)
        else:
            with tarfile.open(archive) as tar:
                tar.extractall(folder, **safely)  # type: ignore[arg-type]
    except DAMAGED as error:
        if isinstance(error, OSError) and error.errno is not None:  # the disk is full, say
            raise
        reason = str(error).partition(":\n")[0]
        raise InputError(f"'{archive}' cannot be unpacked: {reason}", _hint()) from error


def _unzip(archive: Path, folder: Path) -> None:
    """With what is executable, which `extract` leaves out: the upper half of the attributes is the
    mode that Unix has given a file (a link comes as a file with its target)."""
    with zipfile.ZipFile(archive) as zipped:
        for member in zipped.infolist():
            place = Path(zipped.extract(member, folder))
            mode = member.external_attr >> 16
            if place.is_file() and not stat.S_ISLNK(mode):
                place.chmod(place.stat().st_mode | (mode & EXECUTABLE))


def _digest_of(tree: Path) -> str:
    """Of names, contents, links, and of what is executable."""
    hasher = hashlib.sha256()
    for path in sorted(tree.rglob("*")):
        inside = path.relative_to(tree)
        if path.is_symlink():
            hasher.update(os.fsencode(f"\0link {inside}\0{path.readlink()}"))
        elif path.is_file():
            kind = "program" if os.access(path, os.X_OK) else "file"
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            hasher.update(os.fsencode(f"\0{kind} {inside}\0{content}"))
    return hasher.hexdigest()


def _choice(manifest: Manifest) -> Path:
    """All clients that are built alike share it."""
    return _store() / f"{str(manifest.built_as).replace('/', '--')}.json"


def _store() -> Path:
    return cache() / "trees"


def _made_store() -> Path:
    folder = _store()
    folder.mkdir(exist_ok=True)
    return folder


def _hint() -> str:
    return f"give {_ACCEPTED}"
