"""What docs/gate.md tells maintainers to type, typed in a fresh clone.

Git is the real one. Of the other programs, there are only those below: each notes what it is given,
makes what the real one would make, and fails where something that it is to read isn't there.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest
import typer
from benches.gates import libraries

from fetchoff.catalog.manifests import discover
from fetchoff.catalog.paths import shipped
from fetchoff.cli.main import app

NOTES = """\
#!/bin/sh
set -eu
echo "${0##*/} $*" >>"$NOTED"
"""
PROGRAMS = {
    "cmake": """\
case $1 in
-S) test -d "$2" && mkdir "$4" ;;
--build) test -d "$2" && : >"$2/libcurl.so" ;;
--install) test -f "$2/libcurl.so" && mkdir "$4" ;;
esac
""",
    "fetchoff": """\
before=
for word in "$@"; do
    case $before in --with | --base-with) test -e "$word" ;; esac
    case $word in adapters/* | */adapters/*) test -f "$word/adapter.toml" ;; esac
    before=$word
done
""",
    "mvn": """\
test -f "$2/pom.xml" && mkdir "$2/target"
cp "$JAR" "$2/target/$2-5.7-SNAPSHOT.jar"
""",
}
GRADLE = """\
test "$1" = :okhttp:jvmJar && mkdir -p okhttp/build/libs
cp "$JAR" okhttp/build/libs/okhttp-jvm-5.4.0-SNAPSHOT.jar
"""
CLONES = {
    "Java": {"httpclient5/pom.xml": "", "okhttp/build.gradle.kts": "", "gradlew": NOTES + GRADLE},
    "An adapter": {"adapters/python/treq/adapter.toml": ""},
}
"""What the repositories of the guides have, as far as it is named in them."""

RELEASED = ("httpclient5-5.5.1.jar", "okhttp-jvm-5.3.2.jar")


@dataclass(frozen=True)
class Guide:
    """Commands, and what they are in a section about."""

    heading: str
    commands: str

    @property
    def gate(self) -> list[str]:
        """The words of its last line."""
        return shlex.split(self.commands.splitlines()[-1])


def guides() -> list[Guide]:
    """All of them, the one for every language first."""
    text = (shipped("docs") / "gate.md").read_text().split("\n## Guides by language\n")[1]
    _, *parts = re.split(r"^###? (.*)$", f"### Every language\n{text}", flags=re.M)
    return [
        Guide(heading, commands)
        for heading, section in zip(parts[::2], parts[1::2], strict=True)
        for commands in re.findall(r"^```\n(.*?)^```$", section, re.M | re.S)
    ]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with the programs, and with an empty jar."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name, text in PROGRAMS.items():
        (programs / name).write_text(NOTES + text)
        (programs / name).chmod(0o755)
    for name in ("git", "cp", "mkdir"):
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    zipfile.ZipFile(tmp_path / "empty.jar", "w").close()
    return tmp_path


def environment(place: Path) -> dict[str, str]:
    return {
        "PATH": str(place / "programs"),
        "HOME": str(place),
        "NOTED": str(place / "noted"),
        "JAR": str(place / "empty.jar"),
    }


def cloned(place: Path, heading: str) -> Path:
    """A clone of a repository whose branch is not called main, with what the guide's one has."""
    origin, clone = place / "origin", place / "clone"
    for name, text in {"a-file": "", **CLONES.get(heading, {})}.items():
        (origin / name).parent.mkdir(parents=True, exist_ok=True)
        (origin / name).write_text(text)
        (origin / name).chmod(0o755)
    author = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    for words in (
        ("init", "--quiet", "--initial-branch", "trunk", origin),
        ("-C", origin, "add", "."),
        ("-C", origin, *author, "commit", "--quiet", "--message", "all"),
        ("clone", "--quiet", origin, clone),
    ):
        subprocess.run(["git", *words], check=True, env=environment(place))
    return clone


def typed(guide: Guide, place: Path) -> list[str]:
    """What the programs are given."""
    bash = shutil.which("bash")
    assert bash is not None
    subprocess.run(
        [bash, "-euc", guide.commands],
        cwd=cloned(place, guide.heading),
        env=environment(place),
        check=True,
    )
    return (place / "noted").read_text().splitlines()


@pytest.mark.parametrize("guide", guides(), ids=lambda guide: guide.heading)
def test_each_can_be_typed_as_it_stands(
    guide: Guide, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a fresh clone, whatever its branch is called; and the command knows what it is given."""
    assert typed(guide, place)[-1] == shlex.join(guide.gate)
    monkeypatch.chdir(place / "clone")
    program, name, *words = guide.gate
    assert (program, name) == ("fetchoff", "gate")
    gate = typer.main.get_command(app).get_command(None, name)  # type: ignore[attr-defined]
    given = gate.make_context(name, words).params
    assert given["base"] in discover() or (Path(given["base"]) / "adapter.toml").is_file()


def test_each_language_that_builds_from_a_checkout_has_one() -> None:
    able = {one.id.language for one in discover().values() if one.from_trees is not None}
    told = {guide.gate[2].split("/")[0] for guide in guides()} - {"..", "."}
    assert told == able - {"cpp"}  # as C


def test_jars_are_where_the_kit_looks_for_them(place: Path) -> None:
    of_java = [guide for guide in guides() if guide.heading == "Java"]
    assert len(of_java) == len(RELEASED)
    libraries_ = place / "libraries"
    libraries_.mkdir()
    for name in RELEASED:
        shutil.copy(place / "empty.jar", libraries_ / name)
    for guide in of_java:
        shutil.rmtree(place / "origin", ignore_errors=True)
        shutil.rmtree(place / "clone", ignore_errors=True)
        typed(guide, place)
        tree = next(word for option, word in pairwise(guide.gate) if option == "--with")
        program = shipped("adapters") / "java" / "_kit" / "replace_jars.py"
        subprocess.run([sys.executable, program, libraries_, tree], cwd=place / "clone", check=True)
    assert sorted(path.name for path in libraries_.iterdir()) == [
        "httpclient5-0-from-tree.jar",
        "okhttp-jvm-0-from-tree.jar",
    ]


def test_libcurl_is_built_as_in_the_bench(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both trees, and in the same way: with the options that the guide was tried with."""
    (guide,) = (one for one in guides() if one.heading == "C and C++: libcurl")
    noted = typed(guide, place)
    built: list[str] = []

    def note(command: Sequence[str | Path], _folder: Path) -> str:
        built.append(" ".join(map(str, command)))
        return ""

    monkeypatch.setattr(libraries, "told", note)
    for tree in (Path("../base"), Path("./")):
        libraries.libcurl(tree)
    assert [line.replace("./", "") for line in noted if line.startswith("cmake")] == [
        line.replace("./", "") for line in built
    ]
