"""Source trees of the user: folders, clones and archives are taken into the cache."""

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

from fetchoff.build import trees
from fetchoff.build.trees import folder_of
from fetchoff.model.errors import InputError, StoreError
from fetchoff.model.tree import Tree

pytestmark = pytest.mark.usefixtures("own_cache")


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


RESULTS = '{"fetchoff": "1.0", "started": "2026-11-24T08:15:00+00:00"}'


def put(place: Path, content: str = "") -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(content)


@pytest.mark.parametrize("name", ["run.json", "history.json", "histories.json"])
def test_results_are_no_sources_wherever_they_lie(name: str, library: Path) -> None:
    """Each gate writes some, by default into the folder that it was started in: the next one would
    have another digest, and setuptools refuses a second package, `runs`."""
    digest = trees.take("fake/honest", library).digest
    for place in ("runs/20261124-081500-7", "src/mine", "out/deep/one"):
        put(library / place / name, RESULTS)
        put(library / place / "batches.jsonl", "{}")
    put(library / "runs" / ".gitignore", "*")
    tree = trees.take("fake/honest", library)
    assert tree.digest == digest
    assert not any((folder_of(tree) / name).exists() for name in ("runs", "out"))


def test_a_folder_that_holds_more_than_results_is_a_source(library: Path) -> None:
    """So is one with files that are only called so, whatever is in them."""
    put(library / "runs" / "a" / "run.json", RESULTS)
    more = {"runs/__init__.py": "", "b/run.json": "{}", "c/run.json": "no JSON", "d/run.json": "[]"}
    for place, content in more.items():
        put(library / place, content)
    (library / "e" / "run.json").mkdir(parents=True)
    assert contents(trees.take("fake/honest", library)) == WHOLE | more


def test_what_setuptools_has_built_before_is_no_source_of_python(library: Path) -> None:
    """A module that was removed since would be installed again."""
    sources = {"build/tool.py": "", "src/build/lib/x.py": ""}
    built = {"build/lib/x.py": "", "build/lib.linux-x86_64/x.so": "", "build/temp.linux/x.o": ""}
    for place, content in (sources | built).items():
        put(library / place, content)
    assert contents(trees.take("python/httpx", library)) == WHOLE | sources
    assert contents(trees.take("java/okhttp", library)) == WHOLE | sources | built


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
    (library / "src" / "program").chmod(0o755)
    made = shutil.make_archive(str(tmp_path / "made"), kind, tmp_path, library.name)
    tree = trees.take("fake/honest", Path(made).rename(tmp_path / f"downloaded{ending}"))
    assert tree.name == "library-1.0"
    assert contents(tree) == WHOLE
    files = [path for path in trees.folder_of(tree).rglob("*") if path.is_file()]
    executable = {path.name for path in files if path.stat().st_mode & 0o111}
    assert executable == {"program"}


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
