"""Source trees of the user: taken into the cache, remembered, and built from."""

from __future__ import annotations

import errno
import gzip
import lzma
import os
import re
import shutil
import subprocess
import tarfile
import zipfile
import zlib
from pathlib import Path

import pytest
from tests.command import FAKES

from fetchoff.app.measure import tree_notes
from fetchoff.app.trees import asked_for, set_up_from
from fetchoff.build import setup, trees
from fetchoff.build.build_dir import BuildDir, state
from fetchoff.build.trees import folder_of
from fetchoff.catalog.manifests import discover, read_manifest
from fetchoff.model.client import Client, Description, Launch, Manifest, Readiness
from fetchoff.model.errors import InputError, SetupError, StoreError
from fetchoff.model.tree import Tree

HELLO = Description("1.0", "runtime", "engine", frozenset({"http/1.1"}))


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An adapter folder of one's own, beside its kit, whose own recipe cannot be followed."""
    shutil.copytree(FAKES / "_kit", tmp_path / "adapters" / "_kit")
    folder = Path(shutil.copytree(FAKES / "honest", tmp_path / "adapters" / "honest"))
    with (folder / "adapter.toml").open("a") as file:
        file.write('[setup]\ncheck = [["grep", "-q", "one", "{build}/library"]]\n')
    return folder


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A source tree."""
    folder = tmp_path / "library-1.0"
    (folder / "src").mkdir(parents=True)
    (folder / "library").write_text("one")
    (folder / "src" / "program").write_text("#!/bin/sh\n")
    return folder


def set_up(manifests: list[Manifest]) -> list[Client]:
    def say_hello(launch: Launch, folder: Path) -> Description:
        return HELLO

    return list(setup.set_up(manifests, say_hello))


def contents(tree: Tree) -> dict[str, str]:
    """The files of a tree in the cache, by path."""
    files = (path for path in folder_of(tree).rglob("*") if path.is_file())
    return {str(path.relative_to(folder_of(tree))): path.read_text() for path in files}


WHOLE = {"library": "one", "src/program": "#!/bin/sh\n"}


def test_a_folder_is_copied_without_litter(library: Path) -> None:
    (library / ".git").mkdir()
    (library / ".git" / "HEAD").write_text("")
    (library / "link").symlink_to("library")
    tree = trees.take("fake/honest", library)
    assert tree.name == "library-1.0"
    assert contents(tree) == {**WHOLE, "link": "one"}
    assert (folder_of(tree) / "link").readlink() == Path("library")


def test_what_fetchoff_itself_put_there_is_no_source(library: Path) -> None:
    for name in (".fetchoff/gates.jsonl", ".fetchoff-source/pyproject.toml"):
        (library / name).parent.mkdir()
        (library / name).write_text("")
    assert contents(trees.take("fake/honest", library)) == WHOLE


def test_the_cache_is_no_source_wherever_it_lies(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is copied would be copied again and again."""
    monkeypatch.setenv("FETCHOFF_CACHE", str(library / "src" / "cache"))
    assert contents(trees.take("fake/honest", library)) == WHOLE


@pytest.fixture
def clone(library: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The source tree as a clone, one commit after a tag."""
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "somebody")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "somebody")
    for words in (
        "init --quiet",
        "add .",
        "commit --quiet --message one",
        "tag v2.5.0",
        "commit --quiet --allow-empty --message two",
    ):
        subprocess.run(["git", *words.split()], cwd=library, check=True)
    return library


def test_what_git_says_of_a_clone_is_kept_beside_it(clone: Path, tmp_path: Path) -> None:
    """Not in it: the digest is of the content alone. A worktree is a clone as well."""
    worktree = tmp_path / "worktree"
    command = ["git", "worktree", "add", "--quiet", "--detach", str(worktree)]
    subprocess.run(command, cwd=clone, check=True)
    for folder in (clone, worktree):
        tree = trees.take("fake/honest", folder)
        assert contents(tree) == WHOLE
        trees.copy_to(tree, tmp_path / f"in-{folder.name}" / "0" / tree.name)
        said = (tmp_path / f"in-{folder.name}" / "0.described").read_text()
        assert re.fullmatch(r"v2\.5\.0-1-g[0-9a-f]+", said)


def test_a_hook_of_git_says_nothing_of_a_tree(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Path(shutil.copytree(clone, tmp_path / "other"))
    subprocess.run(["git", "tag", "v9.0.0"], cwd=other, check=True)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    assert trees.described(trees.take("fake/honest", clone)).read_text().startswith("v2.5.0-")


def test_of_a_folder_that_is_no_clone_git_says_nothing(library: Path, tmp_path: Path) -> None:
    tree = trees.take("fake/honest", library)
    assert not trees.described(tree).exists()
    trees.copy_to(tree, tmp_path / "0" / tree.name)
    assert [path.name for path in tmp_path.glob("0*")] == ["0"]


def test_of_a_folder_in_a_clone_git_says_nothing(clone: Path) -> None:
    """It was unpacked there, or is a part: the clone's tags are of something else."""
    assert not trees.described(trees.take("fake/honest", clone / "src")).exists()


def test_a_description_is_forgotten_with_the_clone(clone: Path) -> None:
    assert trees.described(trees.take("fake/honest", clone)).exists()
    shutil.rmtree(clone / ".git")
    assert not trees.described(trees.take("fake/honest", clone)).exists()


FORMATS = {".tar.gz": "gztar", ".tgz": "gztar", ".tar.xz": "xztar", ".tar": "tar", ".zip": "zip"}


@pytest.mark.parametrize("ending", FORMATS)
def test_an_archive_is_unpacked(ending: str, library: Path, tmp_path: Path) -> None:
    kind = FORMATS[ending]
    made = shutil.make_archive(str(tmp_path / "made"), kind, tmp_path, library.name)
    tree = trees.take("fake/honest", Path(made).rename(tmp_path / f"downloaded{ending}"))
    assert tree.name == "library-1.0"
    assert contents(tree) == WHOLE


DAMAGE = [
    (zlib.error("Error -3 while decompressing data: invalid distance"), InputError),
    (lzma.LZMAError("Corrupt input data"), InputError),
    (zipfile.BadZipFile("Bad CRC-32 for file 'library'"), InputError),
    (gzip.BadGzipFile("CRC check failed"), InputError),
    (OSError("Invalid data stream"), InputError),  # as bz2 says it
    (OSError(errno.ENOSPC, "No space left on device"), StoreError),
]


@pytest.mark.parametrize(("raised", "told"), DAMAGE)
def test_a_damaged_archive_is_told(
    raised: Exception, told: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise raised

    monkeypatch.setattr(tarfile, "open", fails)
    (tmp_path / "library.tar").write_text("")
    with pytest.raises(told, match=str(raised.args[-1])):
        trees.take("fake/honest", tmp_path / "library.tar")


def test_an_archive_of_nothing_is_told(tmp_path: Path) -> None:
    (tmp_path / "library.tar").write_bytes(bytes(10_240))
    with pytest.raises(InputError, match="it holds no files"):
        trees.take("fake/honest", tmp_path / "library.tar")


def test_an_encrypted_archive_is_told(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "secret.zip", "w") as archive:
        archive.writestr("library", "one")
    content = bytearray((tmp_path / "secret.zip").read_bytes())
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(header) + flags] |= 1  # APPNOTE.TXT, 4.4.4: encrypted
    (tmp_path / "secret.zip").write_bytes(content)
    with pytest.raises(InputError, match=r"cannot be unpacked: .*encrypted"):
        trees.take("fake/honest", tmp_path / "secret.zip")


def test_what_a_language_installs_packed_stays_packed(tmp_path: Path) -> None:
    (tmp_path / "library-1.0.gem").write_text("a gem")
    tree = trees.take("fake/honest", tmp_path / "library-1.0.gem")
    assert (tree.name, contents(tree)) == ("library-1.0", {"library-1.0.gem": "a gem"})


def test_the_digest_is_of_the_content(library: Path, tmp_path: Path) -> None:
    digests = {trees.take("fake/honest", library).digest}
    copy = Path(shutil.copytree(library, tmp_path / "elsewhere" / library.name))
    digests.add(trees.take("fake/honest", copy).digest)
    assert len(digests) == 1
    for change in (
        lambda: (library / "library").write_text("two"),
        lambda: (library / "src" / "program").chmod(0o755),
        lambda: (library / "library").rename(library / "renamed"),
        lambda: (library / "link").symlink_to("src"),
    ):
        change()
        digests.add(trees.take("fake/honest", library).digest)
    assert len(digests) == 5


def test_names_that_are_not_in_utf_8_are_names(library: Path) -> None:
    digests = set()
    for name in (b"caf\xe9", b"caf\xe8"):
        path = Path(os.fsdecode(os.fsencode(library) + b"/" + name))
        path.write_text("one")
        (library / "link").symlink_to(path.name)
        digests.add(trees.take("fake/honest", library).digest)
        path.unlink()
        (library / "link").unlink()
    assert len(digests) == 2


def test_a_path_that_is_not_in_utf_8_is_told(library: Path) -> None:
    path = library.rename(os.fsdecode(os.fsencode(library.parent) + b"/caf\xe9"))
    with pytest.raises(InputError, match="its path is not in UTF-8"):
        trees.take("fake/honest", path)


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (errno.ENOENT, "there is no such path"),
        (errno.EACCES, "Permission denied"),
        (errno.ENAMETOOLONG, "File name too long"),
    ],
)
def test_a_path_that_cannot_be_looked_at_is_told(
    raised: int, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may look at any."""

    def fails(path: Path) -> None:
        raise OSError(raised, os.strerror(raised))

    monkeypatch.setattr(Path, "stat", fails)
    with pytest.raises(InputError, match=told):
        trees.take("fake/honest", Path("somewhere"))


def test_two_may_take_the_same_tree_at_once(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other one is there first, after this one has looked."""
    rename = Path.rename

    def renamed(path: Path, to: Path) -> Path:
        monkeypatch.setattr(Path, "rename", rename)
        trees.take("fake/honest", library)
        return rename(path, to)

    monkeypatch.setattr(Path, "rename", renamed)
    assert contents(trees.take("fake/honest", library)) == WHOLE


def test_a_tree_that_cannot_be_put_in_its_place_is_told(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, to: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(StoreError, match="No space left on device"):
        trees.take("fake/honest", library)


def test_nothing_is_left_of_what_could_not_be_taken(own_cache: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.tar.gz").write_text("no archive")
    for name in ("empty", "broken.tar.gz"):
        with pytest.raises(InputError):
            trees.take("fake/honest", tmp_path / name)
    assert list((own_cache / "trees").iterdir()) == []


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
