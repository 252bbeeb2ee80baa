"""Versions from a registry: resolved once, locked in the cache, and a client is built from that.

The registry is a folder with a file for each version, and the package manager is a shell script.
"""

from __future__ import annotations

import errno
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command import FAKES

from fetchoff.app.choose import chosen
from fetchoff.app.measure import client_record
from fetchoff.app.releases import releases_of
from fetchoff.build import locks, resolving, setup
from fetchoff.build.build_dir import BuildDir, state
from fetchoff.catalog.manifests import named
from fetchoff.model.client import Client, Description, Launch, Manifest, Package, Readiness
from fetchoff.model.errors import InputError, SetupError, StoreError
from fetchoff.model.release import Release

KIT = """\
schema = 1
language = "fake"
set.shell = ["sh"]
[setup]
steps = [["cp", "lock-{version}", "{build}/lock"]]
[releases]
package = "the-{library}"
list = ["sh", "{kit}/list.sh", "{package}"]
resolve = [["sh", "{kit}/resolve.sh", "{package}", "{version}", "{build}/packages.txt", "{beside}"]]
locks = ["lock-{version}"]
hint = "ask the shell"
[run]
command = ["{shell}", "{source}"]
"""
LIST = """\
[ -d "$REGISTRY/$1" ] || { echo "no package $1" >&2; exit 1; }
for version in "$REGISTRY/$1"/*; do echo "$(basename "$version") $(cat "$version")"; done
"""
RESOLVE = """\
echo asked >>"$REGISTRY/asked"
[ ! -f "$REGISTRY/away" ] || { echo "no route to the registry" >&2; exit 1; }
[ -f "$REGISTRY/$1/$2" ] || { echo "there is no $1 $2" >&2; exit 1; }
echo "$1 $2, beside $#" >"lock-$2"
echo "$1 $2 sha256:abc" >"$3"
echo "another 1.0 sha256:def" >>"$3"
"""
ADAPTER = """\
schema = 1
client = "fake/library"
about = "a client"
source = "adapter.sh"
versions = ["2.0"]
[variants.loud]
about = "its loud variant"
"""


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "registry"
    (folder / "the-library").mkdir(parents=True)
    for version, day in {
        "1.0": "2020-01-01",
        "1.10": "2021-01-01",
        "1.9": "",
        "2.0rc1": "",
    }.items():
        (folder / "the-library" / version).write_text(day)
    monkeypatch.setenv("REGISTRY", str(folder))
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def root(tmp_path: Path, registry: Path) -> Path:
    root = tmp_path / "adapters"
    shutil.copytree(FAKES / "_kit", root / "fake" / "_kit")
    for name, text in {"kit.toml": KIT, "list.sh": LIST, "resolve.sh": RESOLVE}.items():
        (root / "fake" / "_kit" / name).write_text(text)
    folder = root / "fake" / "library"
    folder.mkdir()
    for name, text in {"adapter.toml": ADAPTER, "adapter.sh": "", "lock-2.0": "own"}.items():
        (folder / name).write_text(text)
    return root


def member(root: Path, text: str) -> Manifest:
    manifest = named(text, root)
    assert manifest is not None
    return manifest


def prepared(*manifests: Manifest) -> list[Client]:
    def say_hello(launch: Launch, folder: Path) -> Description:
        return Description("1", "r", "", frozenset({"http/1.1"}))

    return list(setup.set_up(manifests, say_hello))


def times_asked(registry: Path) -> int:
    return len((registry / "asked").read_text().splitlines())


def test_a_version_is_locked_and_built_from_its_lock(root: Path, registry: Path) -> None:
    manifest = member(root, "fake/library@1.10")
    assert state(manifest).readiness is Readiness.NOT_SET_UP
    (client,) = prepared(manifest)
    assert client.readiness is Readiness.READY
    built = BuildDir.of(manifest).folder / "build" / "lock"
    assert built.read_text() == "the-library 1.10, beside 3\n"
    assert client.packages == (
        Package("another", "1.0", "sha256:def"),
        Package("the-library", "1.10", "sha256:abc"),
    )
    assert client_record(client).packages == client.packages


def test_it_is_resolved_once_whatever_the_registry_does_later(root: Path, registry: Path) -> None:
    prepared(member(root, "fake/library@1.10"), member(root, "fake/library+loud@1.10"))
    assert times_asked(registry) == 1
    shutil.rmtree(registry / "the-library")
    (root / "fake" / "library" / "adapter.sh").write_text("# another program, the same library")
    (client,) = prepared(member(root, "fake/library@1.10"))
    assert client.readiness is Readiness.READY
    assert times_asked(registry) == 1


def left_in_the_cache(root: Path) -> list[Path]:
    """What is neither a lock nor a client."""
    return [path for path in (root.parent / "cache" / "locks").iterdir() if path.suffix]


def test_other_lock_files_are_another_client(root: Path, registry: Path) -> None:
    manifest = member(root, "fake/library@1.10")
    prepared(manifest)
    before = BuildDir.of(manifest).digest
    lock = locks.known(manifest)
    assert lock is not None
    (lock.files / "lock-1.10").write_text("changed")
    assert BuildDir.of(manifest).digest != before


def test_the_folder_s_own_versions_ask_nobody(root: Path, registry: Path) -> None:
    manifest = member(root, "fake/library@2.0")
    assert not manifest.is_resolved
    assert prepared(manifest)[0].readiness is Readiness.READY
    assert not (registry / "asked").exists()


def test_a_version_that_is_not_there(root: Path, registry: Path) -> None:
    (client,) = prepared(member(root, "fake/library@9.9"))
    assert client.readiness is Readiness.UNAVAILABLE
    assert client.reason == "this version cannot be had: there is no the-library 9.9"
    assert left_in_the_cache(root) == []
    folder = root / "fake" / "library"
    assert client.hint == (f"'fetchoff versions {folder}' lists what can be had; ask the shell")


def test_what_there_is_of_a_runtime_is_listed_for_it(root: Path, registry: Path) -> None:
    """Its package manager may have other versions, and is perhaps the only one there is."""
    with (root / "fake" / "_kit" / "kit.toml").open("a") as file:
        file.write('[runtimes.old]\nabout = "an old shell"\n')
    (client,) = prepared(member(root, "fake/library@9.9~old"))
    asked = f"{root}/fake/library~old"
    assert client.hint.startswith(f"'fetchoff versions {asked}' lists")
    assert [str(manifest.id) for manifest in chosen([asked])] == ["fake/library~old"]


def test_a_registry_that_was_away_is_asked_again(root: Path, registry: Path) -> None:
    manifest = member(root, "fake/library@1.10")
    (registry / "away").touch()
    (client,) = prepared(manifest)
    assert client.readiness is Readiness.UNAVAILABLE
    assert client.reason == "this version cannot be had: no route to the registry"
    assert state(manifest).readiness is Readiness.NOT_SET_UP
    (registry / "away").unlink()
    assert prepared(manifest)[0].readiness is Readiness.READY


def test_a_build_that_fails_is_remembered(root: Path, registry: Path) -> None:
    text = (root / "fake" / "_kit" / "kit.toml").read_text()
    (root / "fake" / "_kit" / "kit.toml").write_text(text.replace('"cp"', '"false"'))
    manifest = member(root, "fake/library@1.10")
    prepared(manifest)
    assert state(manifest).readiness is Readiness.UNAVAILABLE


def test_a_version_of_the_folder_can_be_resolved_like_any_other(root: Path, registry: Path) -> None:
    """Beside the client that the folder's own lock file builds, and without a change to that."""
    pinned = member(root, "fake/library@2.0")
    resolved = replace(pinned, is_resolved=True)
    prepared(pinned)
    (client,) = prepared(resolved)
    assert client.readiness is Readiness.UNAVAILABLE
    assert "there is no the-library 2.0" in client.reason
    (registry / "the-library" / "2.0").touch()
    (client,) = prepared(resolved)
    assert client.readiness is Readiness.READY
    assert client.packages[-1] == Package("the-library", "2.0", "sha256:abc")
    assert client_record(client).packages == client.packages
    built = [BuildDir.of(one).folder / "build" / "lock" for one in (pinned, resolved)]
    assert [path.read_text() for path in built] == ["own", "the-library 2.0, beside 3\n"]
    assert (root / "fake" / "library" / "lock-2.0").read_text() == "own"
    assert state(pinned).packages == ()


def test_a_kit_that_locks_nothing_is_at_fault(root: Path, registry: Path) -> None:
    (root / "fake" / "_kit" / "resolve.sh").write_text('touch "$3" "lock-$2"')
    (client,) = prepared(member(root, "fake/library@1.10"))
    assert "locked no package" in client.reason
    (root / "fake" / "_kit" / "resolve.sh").write_text('echo "a 1 b" >"$3"')
    (client,) = prepared(member(root, "fake/library@1.10"))
    assert "left no" in client.reason
    assert "lock-1.10" in client.reason
    assert left_in_the_cache(root) == []


def test_what_there_is_newest_first(root: Path) -> None:
    assert releases_of(member(root, "fake/library")) == (
        Release("2.0rc1"),
        Release("1.10", "2021-01-01"),
        Release("1.9"),
        Release("1.0", "2020-01-01"),
    )


def test_a_registry_that_does_not_answer(root: Path, registry: Path) -> None:
    shutil.rmtree(registry / "the-library")
    with pytest.raises(SetupError, match=r"the-library cannot be listed: no package the-library"):
        releases_of(member(root, "fake/library"))


def test_a_registry_that_does_not_answer_is_no_matter_of_packages(
    root: Path, registry: Path
) -> None:
    shutil.rmtree(registry / "the-library")
    needing(root, "true")
    with pytest.raises(SetupError) as caught:
        releases_of(member(root, "fake/library"))
    assert caught.value.hint == ""


def needing(root: Path, tool: str) -> None:
    """The clients need a tool, and a Debian package has it."""
    kit = root / "fake" / "_kit" / "kit.toml"
    needs = f'[setup]\napt = ["no-such-package"]\ncheck = [["{tool}"]]\n'
    kit.write_text(kit.read_text().replace("[setup]\n", needs))


@pytest.mark.parametrize("program", ["sh", "no-such-tool"])
def test_versions_that_cannot_be_listed_for_want_of_a_tool(
    program: str, root: Path, registry: Path
) -> None:
    """Whether a script of the kit looks for the tool, or it is itself what lists."""
    shutil.rmtree(registry / "the-library")
    needing(root, "no-such-tool")
    kit = root / "fake" / "_kit" / "kit.toml"
    kit.write_text(kit.read_text().replace('list = ["sh"', f'list = ["{program}"'))
    with pytest.raises(SetupError) as caught:
        releases_of(member(root, "fake/library"))
    assert caught.value.hint == "apt-get install no-such-package"


def test_versions_of_a_runtime_that_cannot_be_built_for_want_of_a_tool(
    root: Path, registry: Path
) -> None:
    with (root / "fake" / "_kit" / "kit.toml").open("a") as file:
        file.write(
            '[runtimes.old]\nabout = ""\napt = ["no-such-package"]\nhint = "get it by hand"\n'
            'steps = [["no-such-tool"]]\n'
        )
    with pytest.raises(SetupError, match="there is no command 'no-such-tool'") as caught:
        releases_of(member(root, "fake/library~old"))
    assert caught.value.hint == "apt-get install no-such-package, or get it by hand"


def test_versions_for_which_there_is_no_room_are_told(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(resolving, "copy_sources", full)
    with pytest.raises(StoreError, match="cannot be written: No space left on device") as caught:
        releases_of(member(root, "fake/library"))
    assert caught.value.hint.startswith("make room")


def test_a_library_that_comes_with_its_runtime(root: Path) -> None:
    path = root / "fake" / "library" / "adapter.toml"
    own = ADAPTER.replace('versions = ["2.0"]\n', "")
    path.write_text(f'{own}\n[releases]\npackage = ""\n')
    with pytest.raises(InputError) as caught:
        member(root, "fake/library@1.10")
    assert "comes with its runtime" in caught.value.hint
    with pytest.raises(InputError, match="no versions in a registry"):
        releases_of(member(root, "fake/library"))


def test_packages_that_are_resolved_with_it(root: Path, registry: Path) -> None:
    path = root / "fake" / "library" / "adapter.toml"
    path.write_text(f'{ADAPTER}\n[releases]\nbeside = ["more", "and-more"]\n')
    manifest = member(root, "fake/library@1.0")
    prepared(manifest)
    built = BuildDir.of(manifest).folder / "build" / "lock"
    assert built.read_text() == "the-library 1.0, beside 5\n"
