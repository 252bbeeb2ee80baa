"""Put jars in the places of those of the same artifacts: replace_jars.py LIBRARIES TREE…

A tree is a folder with jars, or a project that was built: in target (Maven) or build/libs (Gradle).
"""

import re
import shutil
import sys
import zipfile
from collections import Counter
from pathlib import Path

PLACES = ("*.jar", "target/*.jar", "build/libs/*.jar", "*/target/*.jar", "*/build/libs/*.jar")
BESIDE = re.compile(r"-(sources|javadoc|tests|test-sources|original)\.jar$|^original-")
POM = re.compile(r"META-INF/maven/[^/]+/([^/]+)/pom\.properties")
VERSIONED = re.compile(r"(.+?)-\d.*\.jar")


def main(libraries: str, *trees: str) -> None:
    there = {artifact_of(jar): jar for jar in Path(libraries).glob("*.jar")}
    found = [jar for tree in trees for jar in jars_of(Path(tree))]
    several = sorted(name for name, n in Counter(map(artifact_of, found)).items() if n > 1)
    if stale := [name for name in several if name in there]:
        sys.exit(f"there are several jars of {', '.join(stale)}: give the one to measure")
    replaced = 0
    for jar in found:
        artifact = artifact_of(jar)
        if old := there.get(artifact):
            old.unlink()
            shutil.copy(jar, Path(libraries) / f"{artifact}-0-from-tree.jar")
            replaced += 1
    if not found:
        sys.exit(f"there is no jar in {' or '.join(trees)}: build it first (mvn package)")
    if not replaced:
        names = ", ".join(sorted(map(artifact_of, found)))
        sys.exit(f"the adapter uses none of {names}; it uses {', '.join(sorted(there))}")


def jars_of(tree: Path) -> list[Path]:
    """The jars of a tree that hold classes."""
    found = (jar for place in PLACES for jar in sorted(tree.glob(place)))
    return [jar for jar in found if not BESIDE.search(jar.name)]


def artifact_of(jar: Path) -> str:
    """The artifact's id: as Maven left it in the jar, or as the file's name has it."""
    with zipfile.ZipFile(jar) as archive:
        poms = {match[1] for name in archive.namelist() if (match := POM.fullmatch(name))}
    if len(poms) == 1:
        return poms.pop()
    versioned = VERSIONED.fullmatch(jar.name)
    return versioned[1] if versioned else jar.stem


main(*sys.argv[1:])
