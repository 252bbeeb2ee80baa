"""How the Java kit lists versions by Maven, with a Maven that only reads the POM it is given."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from fetchoff.catalog.paths import shipped

PROGRAM = shipped("adapters") / "java" / "_kit" / "releases.py"
MAVEN = """#!/usr/bin/env python3
import pathlib, re, sys
pom = pathlib.Path(sys.argv[sys.argv.index("--file") + 1])
parent = re.search("<relativePath>(.*)</relativePath>", pom.read_text()).group(1)
# As Maven does it, which joins the two and asks nothing.
if not pathlib.Path(f"{pom.parent}/{parent}").is_file():
    sys.exit(print("[ERROR] no parent POM"))
known = pathlib.Path.home() / ".m2" / "repository" / "org" / "example" / "client"
known.mkdir(parents=True)
(known / "maven-metadata-central.xml").write_text(
    "<metadata><versioning><versions><version>1.1</version><version>1.0</version>"
    "</versions></versioning></metadata>"
)
"""


def test_the_parent_is_where_maven_looks_for_it(tmp_path: Path) -> None:
    maven = tmp_path / "mvn"
    maven.write_text(MAVEN)
    maven.chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])
    listed = subprocess.run(
        [sys.executable, str(PROGRAM), "org.example:client"],
        env={**os.environ, "HOME": str(tmp_path), "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (listed.stdout, listed.stderr) == ("1.0\n1.1\n", "")
