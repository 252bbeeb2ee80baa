"""Clients that are built from source trees of the user."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from tests.command import FAKES

from fetchoff.app.measure import tree_notes
from fetchoff.app.trees import asked_for, set_up_from
from fetchoff.build import setup, trees
from fetchoff.build.build_dir import BuildDir, state
from fetchoff.catalog.manifests import discover, read_manifest
from fetchoff.model.client import Client, Description, Launch, Manifest, Readiness
from fetchoff.model.errors import InputError, SetupError

HELLO = Description("1.0", "runtime", "engine", frozenset({"http/1.1"}))


pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An adapter folder of one's own, beside its kit, whose own recipe cannot be followed."""
    shutil.copytree(FAKES / "_kit", tmp_path / "adapters" / "_kit")
    folder = Path(shutil.copytree(FAKES / "honest", tmp_path / "adapters" / "honest"))
    with (folder / "adapter.toml").open("a") as file:
        file.write('[setup]\ncheck = [["grep", "-q", "one", "{build}/library"]]\n')
    return folder


def set_up(manifests: list[Manifest]) -> list[Client]:
    def say_hello(launch: Launch, folder: Path) -> Description:
        return HELLO

    return list(setup.set_up(manifests, say_hello))


def test_built_from_a_tree_and_found_again(folder: Path, library: Path) -> None:
    """Also when the tree has gone from where the user had it."""
    assert set_up([read_manifest(folder)])[0].readiness is Readiness.UNAVAILABLE
    (client,) = set_up_from({str(folder): [library]}, set_up)
    shutil.rmtree(library)
    assert client == state(read_manifest(folder))
    assert client.readiness is Readiness.READY
    assert client.trees == (str(library),)
    build = BuildDir.of(read_manifest(folder)).folder / "build"
    assert (build / "library").read_text() == "one"
    assert client.launch is not None
    assert client.launch.env["LIBRARY"] == f"{build}/library"


def test_a_run_notes_it_without_the_users_folders(folder: Path, library: Path) -> None:
    clients = set_up_from({str(folder): [library]}, set_up)
    note = "fake/honest was built from sources of the user: library-1.0"
    assert list(tree_notes(clients)) == [note]
    assert list(tree_notes([state(discover()["c/libcurl"])])) == []


def test_another_content_is_another_build(folder: Path, library: Path) -> None:
    set_up_from({str(folder): [library]}, set_up)
    before = BuildDir.of(read_manifest(folder))
    (library / "library").write_text("one more")
    assert state(read_manifest(folder)).readiness is Readiness.READY
    set_up_from({str(folder): [library]}, set_up)
    assert BuildDir.of(read_manifest(folder)).digest != before.digest


def test_a_changed_adapter_is_built_from_the_same_tree(folder: Path, library: Path) -> None:
    set_up_from({str(folder): [library]}, set_up)
    shutil.rmtree(library)
    (folder / "new").write_text("")
    client = state(read_manifest(folder))
    assert (client.readiness, client.trees) == (Readiness.NOT_SET_UP, (str(library),))
    assert set_up([read_manifest(folder)])[0].readiness is Readiness.READY


def test_several_trees_in_their_order(folder: Path, library: Path, tmp_path: Path) -> None:
    second = Path(shutil.copytree(library, tmp_path / "second" / library.name))
    (second / "library").write_text("one, the second")
    set_up_from({str(folder): [library, second]}, set_up)
    build = BuildDir.of(read_manifest(folder)).folder / "build"
    assert (build / "library").read_text() == "one, the second"


def test_from_its_usual_place_again(folder: Path, library: Path) -> None:
    usual = BuildDir.of(read_manifest(folder))
    set_up_from({str(folder): [library]}, set_up)
    assert BuildDir.of(read_manifest(folder)) != usual
    (client,) = set_up_from({str(folder): []}, set_up)
    assert client.readiness is Readiness.UNAVAILABLE  # its check fails without a library
    assert BuildDir.of(read_manifest(folder)) == usual
    path = folder / "adapter.toml"
    path.write_text(path.read_text().replace('"grep", "-q", "one", "{build}/library"', '"true"'))
    (client,) = set_up_from({str(folder): []}, set_up)
    assert (client.readiness, client.trees) == (Readiness.READY, ())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda library: (library / "library").unlink(), "failed while building"),
        (lambda library: (library / "library").write_text("two"), "'grep -q one"),
    ],
    ids=["the build fails", "the check after it fails"],
)
def test_a_tree_that_does_not_do_leaves_all_as_it_was(
    change: object, reason: str, folder: Path, library: Path
) -> None:
    set_up_from({str(folder): [library]}, set_up)
    before = state(read_manifest(folder))
    assert callable(change)
    change(library)
    with pytest.raises(SetupError, match=reason) as caught:
        set_up_from({str(folder): [library]}, set_up)
    assert str(library) in caught.value.message
    assert caught.value.hint
    assert state(read_manifest(folder)) == before


def test_a_disk_that_is_full_is_a_tree_that_does_not_do(
    folder: Path, library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(setup, "build", full)
    with pytest.raises(SetupError, match="No space left on device") as caught:
        set_up_from({str(folder): [library]}, set_up)
    assert f"fake/honest cannot be built from {library}: " in caught.value.message


def test_a_version_that_cannot_be_had_is_a_tree_that_does_not_do(
    folder: Path, library: Path
) -> None:
    """The registry is asked for the rest of its lock file first."""
    with (folder.parent / "_kit" / "kit.toml").open("a") as file:
        file.write('[releases]\npackage = "it"\nresolve = [["false"]]\nlocks = []\n')
    with pytest.raises(SetupError, match="this version cannot be had") as caught:
        set_up_from({f"{folder}@9.9": [library]}, set_up)
    assert str(library) in caught.value.message


def test_a_client_stays_as_it_was_until_it_is_built(folder: Path, library: Path) -> None:
    """Whoever looks meanwhile sees nothing of it, nor who comes after a process that was killed."""
    set_up_from({str(folder): [library]}, set_up)
    before = trees.chosen(read_manifest(folder)), state(read_manifest(folder))
    (library / "library").write_text("one more")

    def watched(manifests: list[Manifest]) -> list[Client]:
        clients = set_up(manifests)
        assert (trees.chosen(read_manifest(folder)), state(read_manifest(folder))) == before
        return clients

    def killed(manifests: list[Manifest]) -> list[Client]:
        watched(manifests)
        os._exit(9)

    child = os.fork()
    if child == 0:
        try:
            set_up_from({str(folder): [library]}, killed)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    assert state(read_manifest(folder)) == before[1]
    (client,) = set_up_from({str(folder): [library]}, watched)
    assert client == state(read_manifest(folder)) != before[1]


def test_the_usual_place_is_chosen_before_it_is_built(folder: Path, library: Path) -> None:
    """What undoes a choice needs no success."""
    set_up_from({str(folder): [library]}, set_up)

    def watched(manifests: list[Manifest]) -> list[Client]:
        assert trees.chosen(read_manifest(folder)) == ()
        return set_up(manifests)

    set_up_from({str(folder): []}, watched)


def test_an_adapter_with_steps_of_its_own_says_itself_how(folder: Path) -> None:
    path = folder / "adapter.toml"
    path.write_text(path.read_text() + 'steps = [["true"]]\n')
    assert read_manifest(folder).from_trees is None
    path.write_text(path.read_text() + '[tree]\nsteps = [["ls", "{trees}"]]\n')
    recipe = read_manifest(folder).from_trees
    assert recipe is not None
    assert recipe.recipe.steps == (("ls", "{trees}"),)


def test_the_trees_stand_only_where_there_are_any(folder: Path) -> None:
    path = folder / "adapter.toml"
    path.write_text(path.read_text() + '[tree]\nsteps = [["ls", "{tree}"]]\n')
    with pytest.raises(InputError, match=r"unknown placeholder '\{tree\}'") as caught:
        read_manifest(folder)
    assert caught.value.hint == "did you mean {trees}?"


def test_the_home_of_nobody_is_told() -> None:
    with pytest.raises(InputError, match="'~no-such-user/it' is in the home of nobody"):
        asked_for(["a/b=~no-such-user/it"])


def test_what_is_asked_for() -> None:
    home = Path.home()
    assert asked_for(["a/b=x=y", "a/b=~/z", "c/d="]) == {
        "a/b": [Path("x=y"), home / "z"],
        "c/d": [],
    }
