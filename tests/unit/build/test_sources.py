"""What clients and servers are built from, and what else lies beside it."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from tests.command import FAKES

import fetchoff
from fetchoff.app import own_code
from fetchoff.build import servers, setup, sources
from fetchoff.build.build_dir import state
from fetchoff.catalog.manifests import read_manifest
from fetchoff.catalog.origins import origin, read_origin
from fetchoff.model.client import Client, Description, Launch, Readiness
from fetchoff.model.errors import InputError

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An adapter folder of one's own, beside its kit."""
    shutil.copytree(FAKES / "_kit", tmp_path / "adapters" / "_kit")
    return Path(shutil.copytree(FAKES / "honest", tmp_path / "adapters" / "honest"))


def set_up(folder: Path) -> Client:
    def say_hello(launch: Launch, folder: Path) -> Description:
        return Description("1.0", "runtime", "", frozenset({"http/1.1"}))

    (client,) = setup.set_up([read_manifest(folder)], say_hello)
    return client


def open_in_editors(folder: Path) -> None:
    """As Emacs and Vim leave a folder in which a file is edited."""
    (folder / ".#adapter.toml").symlink_to("me@here.4711:1764000000")
    for name in ("#adapter.toml#", ".adapter.toml.swp", "adapter.toml~"):
        (folder / name).write_text("half of it")


@pytest.mark.parametrize("place", [".", "../_kit"])
def test_what_is_open_in_an_editor_is_built_as_it_was_saved(place: str, folder: Path) -> None:
    open_in_editors(folder / place)
    assert set_up(folder).readiness is Readiness.READY
    for path in (folder / place).glob("*adapter.toml?*"):
        path.unlink()
    assert state(read_manifest(folder)).readiness is Readiness.READY


def test_a_server_is_built_as_it_was_saved(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(origin("nginx").folder, tmp_path / "nginx"))
    before = servers.state(read_origin(folder)).built
    open_in_editors(folder)
    assert servers.state(read_origin(folder)).built == before


def test_a_link_to_nothing_is_no_source(folder: Path) -> None:
    (folder / "gone").symlink_to("nowhere")
    assert set_up(folder).readiness is Readiness.READY


def test_a_source_that_cannot_be_read_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root can read any."""
    read_bytes = Path.read_bytes

    def fails(path: Path) -> bytes:
        if path.name == "secret":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", fails)
    (folder / "secret").touch()
    told = f"{folder}/secret cannot be read: Permission denied"
    with pytest.raises(InputError) as caught:
        state(read_manifest(folder))
    assert caught.value.message == told
    client = set_up(folder)
    assert (client.readiness, client.reason) == (Readiness.UNAVAILABLE, told)


def test_what_cannot_be_copied_is_named(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    client = set_up(folder)
    assert client.readiness is Readiness.UNAVAILABLE
    assert client.reason.startswith(f"{folder}/pipe cannot be read: ")
    (folder / "pipe").unlink()
    assert set_up(folder).readiness is Readiness.READY


def test_a_place_that_cannot_be_written_is_not_the_source_s_fault(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(OSError, match="No space left on device"):
        sources.copy_of(folder, tmp_path / "copy")


def test_an_own_module_that_is_open_in_an_editor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "__init__.py").write_text("one = 1")
    monkeypatch.setattr(fetchoff, "__file__", str(tmp_path / "__init__.py"))
    before = own_code.code()
    (tmp_path / ".#it.py").symlink_to("me@here.4711:1764000000")
    assert own_code.code() == before
    (tmp_path / "it.py").touch()
    assert own_code.code() != before
