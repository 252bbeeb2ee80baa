"""releases.py GROUP:ARTIFACT: a line for each of its versions, by Maven, which knows no dates.

Maven prints no lists. But asked for a version beyond all others it fetches the list, keeps it in
its local repository, and fetches nothing more. It then fails whether or not it could fetch the
list; a list that it had before stays as it was.
"""

import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

from local_repository import folder_of

BEYOND = "[999999999,)"
BUILT_HERE = "maven-metadata-local.xml"  # the list of what `mvn install` has put there: no releases
UNREACHED = "Could not transfer metadata "  # a warning, perhaps of one repository among several
CHECK = "check the network, and proxies, mirrors and `offline` in ~/.m2/settings.xml"
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>fetchoff</groupId>
    <artifactId>kit</artifactId>
    <version>1</version>
    <relativePath>{parent}</relativePath>
  </parent>
  <artifactId>releases</artifactId>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>{group}</groupId>
      <artifactId>{artifact}</artifactId>
      <version>{version}</version>
    </dependency>
  </dependencies>
</project>
"""


def main(package: str) -> None:
    before = lists_of(package)
    said = asked(*package.split(":"))
    now = lists_of(package)
    fresh = [file for file, written in now.items() if before.get(file) != written]
    failed = next((line for line in said.splitlines() if f"{UNREACHED}{package}/" in line), "")
    if failed or (now and not fresh):  # a list of an earlier day may lack the newest releases
        why = failed.removeprefix("[WARNING] ") or "Maven has not fetched the list anew"
        sys.exit(f"{why}: {CHECK}")
    versions = {
        version.text
        for file in fresh
        for version in ET.parse(file).iterfind("versioning/versions/version")
        if version.text
    }
    if not versions:
        sys.exit(next((line for line in said.splitlines() if "ERROR" in line), "no message"))
    print(*sorted(versions), sep="\n")


def lists_of(package: str) -> dict[Path, int]:
    """The lists that Maven has fetched, each with when it was written."""
    found = folder_of(package).glob("maven-metadata-*.xml")
    return {file: file.stat().st_mtime_ns for file in found if file.name != BUILT_HERE}


def asked(group: str, artifact: str) -> str:
    """What Maven says, asked for the version beyond all others."""
    with tempfile.TemporaryDirectory() as scratch:
        pom = Path(scratch) / "pom.xml"
        # Maven takes even an absolute path for one below the folder of the POM.
        parent = os.path.relpath(
            Path(__file__).resolve().with_name("pom.xml"), Path(scratch).resolve()
        )
        pom.write_text(POM.format(parent=parent, group=group, artifact=artifact, version=BEYOND))
        return subprocess.run(
            ["mvn", "--batch-mode", "--update-snapshots", "--file", str(pom), "dependency:resolve"],
            capture_output=True, text=True, check=False,
        ).stdout  # fmt: skip


main(sys.argv[1])
