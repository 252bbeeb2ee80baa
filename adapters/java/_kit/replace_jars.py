"""Put jars in the places of those of the same artifacts: replace_jars.py LIBRARIES TREE…

A tree is a folder with jars, or a project that was built: in target (Maven) or build/libs (Gradle).
One without a jar that takes the place of another is refused: base and head of a gate would be the
same code.
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
    found = {tree: [(artifact_of(jar), jar) for jar in jars_of(Path(tree))] for tree in trees}
    counted = Counter(artifact for jars in found.values() for artifact, _ in jars)
    if stale := sorted(name for name, n in counted.items() if n > 1 and name in there):
        sys.exit(f"there are several jars of {', '.join(stale)}: give the one to measure")
    for tree, jars in found.items():
        must_be_used(Path(tree).name, {artifact for artifact, _ in jars}, set(there))
        for artifact, jar in jars:
            if artifact in there:
                there[artifact].unlink()
                shutil.copy(jar, Path(libraries) / f"{artifact}-0-from-tree.jar")


def must_be_used(tree: str, artifacts: set[str], used: set[str]) -> None:
    if not artifacts:
        sys.exit(f"there is no jar in {tree}: build it first (mvn package)")
    if used.isdisjoint(artifacts):
        has, uses = ", ".join(sorted(artifacts)), ", ".join(sorted(used))
        sys.exit(f"the adapter uses nothing of {tree}, which has {has}: it uses {uses}")


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
