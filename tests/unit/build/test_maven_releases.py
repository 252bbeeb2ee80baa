"""How the Java kit lists versions by Maven, with a Maven that only reads the POM it is given, and
which artifacts it takes for releases.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fetchoff.catalog.paths import shipped

KIT = shipped("adapters") / "java" / "_kit"
MAVEN = """#!/usr/bin/env python3
import pathlib, re, sys
pom = pathlib.Path(sys.argv[sys.argv.index("--file") + 1])
parent = re.search("<relativePath>(.*)</relativePath>", pom.read_text()).group(1)
# As Maven does it, which joins the two and asks nothing.
if not pathlib.Path(f"{pom.parent}/{parent}").is_file():
    sys.exit(print("[ERROR] no parent POM"))
known = pathlib.Path.home() / ".m2" / "repository" / "org" / "example" / "client"
known.mkdir(parents=True, exist_ok=True)
if "{fails}":
    print("[WARNING] {fails}")
if "{source}":
    (known / "maven-metadata-{source}.xml").write_text(
        "<metadata><versioning><versions><version>1.1</version><version>1.0</version>"
        "</versions></versioning></metadata>"
    )
print("[INFO] Scanning")
print("[ERROR] No versions available for org.example:client:jar:[999999999,)")
sys.exit(1)
"""
TRACKED = """#NOTE: This is a Maven Resolver internal implementation file
client-1.0.pom>{source}=
client-1.0.jar>{source}=
"""


def listed(home: Path, source: str, fails: str = "") -> subprocess.CompletedProcess[str]:
    """What the kit lists, where Maven fetches the list of this source, and says what `fails`."""
    maven = home / "mvn"
    maven.write_text(MAVEN.replace("{source}", source).replace("{fails}", fails))
    maven.chmod(0o755)
    return run(home, "releases.py", "org.example:client")


def run(home: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(home), os.environ["PATH"]])
    return subprocess.run(
        [sys.executable, str(KIT / program), *arguments],
        env={**os.environ, "HOME": str(home), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_parent_is_where_maven_looks_for_it(tmp_path: Path) -> None:
    found = listed(tmp_path, "central")
    assert (found.stdout, found.stderr) == ("1.0\n1.1\n", "")


def test_what_was_built_here_is_no_release(tmp_path: Path) -> None:
    """`mvn install` of a checkout writes such a list."""
    found = listed(tmp_path, "local")
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.startswith("[ERROR] No versions available")


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A list that was fetched on another day."""
    folder = tmp_path / ".m2" / "repository" / "org" / "example" / "client"
    folder.mkdir(parents=True)
    known = folder / "maven-metadata-central.xml"
    known.write_text(
        "<metadata><versioning><versions><version>0.9</version></versions></versioning></metadata>"
    )
    os.utime(known, (1e9, 1e9))
    return known


UNREACHED = (
    "Could not transfer metadata org.example:client/maven-metadata.xml from/to central "
    "(https://repo.maven.apache.org/maven2): transfer failed"
)


@pytest.mark.parametrize(
    ("fetched", "fails", "said"),
    [
        ("", UNREACHED, f"{UNREACHED}: check the network"),
        ("", "", "Maven has not fetched the list anew: check the network"),  # where it is offline
        ("mirror", UNREACHED, f"{UNREACHED}: check the network"),  # the other may have more
    ],
)
@pytest.mark.usefixtures("old")
def test_a_list_of_another_day_is_not_given_for_that_of_today(
    fetched: str, fails: str, said: str, tmp_path: Path
) -> None:
    """A history would end at an old release without a word."""
    found = listed(tmp_path, fetched, fails)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr.startswith(said)
    assert len(found.stderr.splitlines()) == 1  # Fetchoff shows the last


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize("source", ["central", "mirror"])
def test_a_list_that_was_fetched_again_is_taken_alone(source: str, tmp_path: Path) -> None:
    assert listed(tmp_path, source).stdout == "1.0\n1.1\n"


@pytest.mark.usefixtures("old")
def test_that_the_metadata_of_something_else_cannot_be_had_is_not_told(tmp_path: Path) -> None:
    other = UNREACHED.replace("org.example:client", "org.apache.maven.plugins")
    assert listed(tmp_path, "central", other).stdout == "1.0\n1.1\n"


@pytest.mark.parametrize(
    ("tracked", "is_refused"),
    [
        (TRACKED.replace("{source}", "central"), False),
        (TRACKED.replace("{source}", ""), True),
        # Fetched, and then built here: Maven keeps both lines.
        (TRACKED.replace("{source}", "central") + "client-1.0.jar>=\n", True),
        (None, False),  # whoever told Maven not to keep track
    ],
)
def test_an_artifact_that_was_built_here_is_refused(
    tracked: str | None, is_refused: bool, tmp_path: Path
) -> None:
    folder = tmp_path / ".m2" / "repository" / "org" / "example" / "client" / "1.0"
    folder.mkdir(parents=True)
    if tracked is not None:
        (folder / "_remote.repositories").write_text(tracked)
    (tmp_path / "packages.txt").write_text("org.example:client 1.0 sha256:0\n")
    done = run(tmp_path, "refuse_local_builds.py", str(tmp_path / "packages.txt"))
    assert (done.returncode, f"{folder}" in done.stderr) == (int(is_refused), is_refused)
