"""Setting up: what is ready is asked again, what two ids share is built once, and disks fill up."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command import FAKES

from fetchoff.app.measure import client_record
from fetchoff.app.releases import releases_of
from fetchoff.app.unchanged import must_be_the_same
from fetchoff.build import servers, setup
from fetchoff.build.build_dir import state
from fetchoff.build.runtimes import runtime_folder
from fetchoff.build.steps import Steps
from fetchoff.catalog.manifests import named
from fetchoff.catalog.origins import origin, read_origin
from fetchoff.model.client import Client, Description, Launch, Manifest, Readiness
from fetchoff.model.errors import AdapterError, SetupError, StoreError

KIT = """\
schema = 1
language = "fake"
[setup]
steps = [["sh", "-c", "echo built >>$BUILDS; sleep 0.1"]]
[releases]
package = "it"
list = ["sh", "-c", "echo 1.0"]
resolve = [["true"]]
locks = ["lock"]
[run]
command = ["sh", "{source}"]
[runtimes.found]
about = "what is found on this machine"
steps = [["sh", "{kit}/find.sh", "{runtime}/found"]]
[runtimes.unlocked]
about = "what must not be built beside another setup"
steps = [["sh", "-c", "! flock --nonblock $FETCHOFF_CACHE/setup.lock true"]]
"""
ADAPTER = """\
schema = 1
client = "fake/one"
about = "a client"
source = "adapter.toml"
versions = ["1.0"]
"""
ORIGIN = """\
schema = 1
about = "a server"
[serves]
[setup]
steps = [["sh", "-c", "! flock --nonblock $FETCHOFF_CACHE/setup.lock true"]]
[version]
command = ["echo", "it is 1.0"]
pattern = '{pattern}'
[run]
command = ["true"]
"""
STEPS = """steps = [["sh", "-c", "echo built >>$BUILDS; sleep 0.1"]]"""
SETUP = """\
import sys
from pathlib import Path
from fetchoff.build import setup
from fetchoff.catalog.manifests import named
list(setup.set_up([named("fake/one", Path(sys.argv[1]))], None))
"""
PATIENCE_S = 20
HELLO = Description("1.0", "runtime", "libcurl 1", frozenset({"http/1.1"}))
UPGRADED = Description("1.0", "runtime", "libcurl 2", frozenset({"http/1.1", "tls"}))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of adapters, which note their builds in $BUILDS."""
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("BUILDS", str(tmp_path / "builds"))
    root = tmp_path / "adapters"
    shutil.copytree(FAKES / "_kit", root / "fake" / "_kit")
    (root / "fake" / "_kit" / "kit.toml").write_text(KIT)
    (root / "fake" / "_kit" / "find.sh").write_text(f'ln -s "{tmp_path}/jdk" "$1"')
    for name in ("one", "two"):
        folder = root / "fake" / name
        folder.mkdir()
        (folder / "adapter.toml").write_text(ADAPTER.replace("one", name))
    return root


def manifest_of(root: Path, text: str = "fake/one") -> Manifest:
    manifest = named(text, root)
    assert manifest is not None
    return manifest


def set_up(*manifests: Manifest, hello: Description | AdapterError = HELLO) -> dict[str, Client]:
    def say_hello(launch: Launch, folder: Path) -> Description:
        if isinstance(hello, AdapterError):
            raise hello
        return hello

    return {client.id: client for client in setup.set_up(manifests, say_hello)}


def builds(root: Path) -> int:
    return len((root.parent / "builds").read_text().splitlines())


def with_step(root: Path, script: str) -> Manifest:
    """A client with this step alone: a shell script, in which a backslash is one."""
    (root / "fake" / "_kit" / "kit.toml").write_text(
        KIT.replace(STEPS, f"steps = [['sh', '-c', '''{script}''']]")
    )
    return manifest_of(root)


def killed_in_a_step(root: Path) -> int:
    """The process id of a step that a setup has been killed in, with SIGKILL; it is in $BUILDS."""
    setting_up = subprocess.Popen([sys.executable, "-c", SETUP, root])
    notes, began = root.parent / "builds", time.monotonic()
    while not (notes.exists() and notes.read_text().endswith("\n")):
        assert setting_up.poll() is None
        assert time.monotonic() - began < PATIENCE_S
        time.sleep(0.01)
    setting_up.kill()
    setting_up.wait()
    return int(notes.read_text())


def is_running(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="without setpriv a step lives on")
def test_a_step_dies_with_its_setup(root: Path) -> None:
    with_step(root, "echo $$ >>$BUILDS; exec sleep 500")
    step, began = killed_in_a_step(root), time.monotonic()
    while is_running(step) and time.monotonic() - began < PATIENCE_S:
        time.sleep(0.01)
    lives = is_running(step)
    if lives:
        os.kill(step, signal.SIGKILL)
    assert not lives


def test_the_next_setup_waits_for_what_a_killed_one_has_left_running(root: Path) -> None:
    """Otherwise both would write in one folder: the compilers of a killed make, for instance."""
    manifest = with_step(
        root, "echo $$ >>$BUILDS; (sleep 1; echo late >>{build}/late) & wait; test -s {build}/late"
    )
    killed_in_a_step(root)
    (client,) = set_up(manifest).values()
    assert client.readiness is Readiness.READY
    time.sleep(1)
    late = next((root.parent / "cache" / "adapters").glob("*/build/late"))
    assert late.read_text() == "late\n"


def test_whoever_waits_for_another_setup_says_so(root: Path, own_cache: Path) -> None:
    """Another may build for half an hour."""
    said: list[str] = []
    another, begins = contextlib.ExitStack(), threading.Event()
    another.enter_context(setup.lock())

    def say(text: str) -> None:
        said.append(text)
        begins.set()

    def end_the_other() -> None:
        assert begins.wait(PATIENCE_S)
        another.close()

    ending = threading.Thread(target=end_the_other)
    ending.start()
    (client,) = setup.set_up([manifest_of(root)], lambda *_: HELLO, say=say)
    ending.join()
    assert client.readiness is Readiness.READY
    assert said == [f"another setup builds in {own_cache}; waiting for it to end"]
    list(setup.set_up([manifest_of(root, "fake/two")], lambda *_: HELLO, say=say))
    assert len(said) == 1


def test_a_daemon_that_a_step_leaves_keeps_no_setup_waiting(root: Path) -> None:
    """As a compiler's cache may start one, which ends minutes later."""
    manifest = with_step(root, "setsid sleep 500 >/dev/null 2>&1 & echo $! >>$BUILDS; sleep 0.3")
    try:
        set_up(manifest)
        assert is_running(int((root.parent / "builds").read_text()))
        with (root.parent / "cache" / "setup.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    finally:
        os.kill(int((root.parent / "builds").read_text()), signal.SIGKILL)


@pytest.mark.parametrize("program", ["no-such-program", "./no-such-program"])
def test_a_step_whose_program_is_missing_is_told(program: str, tmp_path: Path) -> None:
    """By us: what guards it would only say that it could not start it."""
    with pytest.raises(SetupError, match=f"^there is no command '{program}'$"):
        Steps().run([program], tmp_path, tmp_path / "log")


def test_a_step_may_be_a_program_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "program").write_text("#!/bin/sh\ntouch done\n")
    (tmp_path / "program").chmod(0o755)
    Steps().run(["./program"], tmp_path, tmp_path / "log")
    assert (tmp_path / "done").exists()


def test_what_is_ready_tells_anew_what_it_is(root: Path) -> None:
    manifest = manifest_of(root)
    (client,) = set_up(manifest).values()
    record = client_record(client)
    must_be_the_same(record, client)
    (client,) = set_up(manifest, hello=UPGRADED).values()
    assert client == state(manifest)
    assert client.description == UPGRADED
    assert client.launch is not None
    assert client.launch.description == UPGRADED
    assert builds(root) == 1
    with pytest.raises(SetupError, match="fake/one has changed since this run began"):
        must_be_the_same(record, client)


def test_what_is_ready_and_says_no_hello_is_built_again(root: Path) -> None:
    manifest = manifest_of(root)
    set_up(manifest)
    (client,) = set_up(manifest, hello=AdapterError("one: no such library")).values()
    assert (client.readiness, client.reason) == (Readiness.UNAVAILABLE, "no such library")
    assert builds(root) == 2
    assert set_up(manifest)[client.id].readiness is Readiness.READY


def test_what_two_ids_share_is_built_once(root: Path) -> None:
    both = set_up(manifest_of(root), manifest_of(root, "fake/one@1.0"))
    assert {client.readiness for client in both.values()} == {Readiness.READY}
    assert len(both) == 2
    assert builds(root) == 1


def test_what_two_ids_share_says_one_hello_at_a_time(root: Path) -> None:
    """They have one file for what it says on standard error, and one for what is kept of it."""
    manifests = manifest_of(root), manifest_of(root, "fake/one@1.0")
    set_up(*manifests)
    speaking = threading.Lock()

    def say_hello(launch: Launch, folder: Path) -> Description:
        assert speaking.acquire(blocking=False)
        time.sleep(0.1)
        speaking.release()
        return UPGRADED

    assert {one.description for one in setup.set_up(manifests, say_hello)} == {UPGRADED}


@pytest.mark.parametrize(
    ("written", "hello"),
    [("remember_ready", HELLO), ("remember_failure", AdapterError("one: ended"))],
)
def test_a_full_disk_stops_no_other(
    written: str, hello: Description | AdapterError, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(setup, written, full)
    clients = set_up(manifest_of(root), manifest_of(root, "fake/two"), hello=hello)
    assert len(clients) == 2
    for client in clients.values():
        assert client.readiness is Readiness.UNAVAILABLE
        assert "No space left on device" in client.reason


def test_a_runtime_is_looked_for_again_where_it_is_gone_or_sought_elsewhere(root: Path) -> None:
    for name in ("jdk", "other"):
        (root.parent / name).mkdir()
    manifest = manifest_of(root, "fake/one~found")
    assert set_up(manifest)[str(manifest.id)].readiness is Readiness.READY
    (root.parent / "jdk").rmdir()
    assert state(manifest).readiness is Readiness.NOT_SET_UP
    (root.parent / "jdk").mkdir()
    assert state(manifest).readiness is Readiness.READY
    (root / "fake" / "_kit" / "find.sh").write_text(f'ln -s "{root.parent}/other" "$1"')
    set_up(manifest)
    assert manifest.runtime is not None
    found = runtime_folder(manifest.runtime) / "found"
    assert found.readlink() == root.parent / "other"
    found.unlink()
    found.symlink_to(root.parent / "gone")
    set_up(manifest)
    assert found.readlink() == root.parent / "other"


def origin_of(root: Path, pattern: str) -> Path:
    (root / "server").mkdir()
    (root / "server" / "origin.toml").write_text(ORIGIN.replace("{pattern}", pattern))
    return root / "server"


def test_a_server_of_ones_own_is_named_by_its_folder(root: Path, tmp_path: Path) -> None:
    """Its id is only the last part of it."""
    folder = shutil.copytree(origin_of(root, r"is (\S+)"), tmp_path / "my own" / "server")
    hint = servers.state(read_origin(folder)).hint
    assert hint == f"fetchoff origins --setup '{folder}'"
    assert origin(shlex.split(hint)[-1]).folder == folder
    nginx = origin("nginx")
    nginx = replace(nginx, recipe=replace(nginx.recipe, steps=(("true",),)))
    assert servers.state(nginx).hint == "fetchoff origins --setup nginx"


def test_servers_and_runtimes_are_not_built_beside_another_setup(root: Path) -> None:
    """Their steps here fail unless the lock of setup is held."""
    server = servers.set_up(read_origin(origin_of(root, r"is (\S+)")))
    assert (server.readiness, server.version) == (Readiness.READY, "1.0")
    assert releases_of(manifest_of(root, "fake/one~unlocked"))[0].version == "1.0"


def test_a_lock_that_cannot_be_opened_is_told(root: Path) -> None:
    lock = root.parent / "cache" / "setup.lock"
    lock.mkdir(parents=True)
    with pytest.raises(StoreError) as caught:
        set_up(manifest_of(root))
    assert caught.value.message == f"{lock} cannot be written: Is a directory"
    assert "FETCHOFF_CACHE" in caught.value.hint


def test_a_server_that_the_cache_has_no_place_for_is_told(root: Path) -> None:
    (root.parent / "cache").mkdir()
    (root.parent / "cache" / "origins").touch()
    with pytest.raises(StoreError, match=r"cache/origins/.* cannot be written: Not a directory"):
        servers.set_up(read_origin(origin_of(root, r"is (\S+)")))


def test_a_runtime_that_the_cache_has_no_place_for_is_told(root: Path) -> None:
    (root.parent / "cache").mkdir()
    (root.parent / "cache" / "runtimes").touch()
    with pytest.raises(StoreError, match=r"cache/runtimes/.* cannot be written: Not a directory"):
        releases_of(manifest_of(root, "fake/one~unlocked"))


@pytest.mark.parametrize("pattern", ["(", r"is \S+"])
def test_a_pattern_that_can_find_no_version_is_told(pattern: str, root: Path) -> None:
    server = servers.set_up(read_origin(origin_of(root, pattern)))
    assert server.readiness is Readiness.UNAVAILABLE
    assert server.reason.startswith(f"the pattern '{pattern}' finds no version: ")
    assert "docs/origins.md" in server.hint
