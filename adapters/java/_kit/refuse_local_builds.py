"""refuse_local_builds.py PACKAGES: fails if a jar in the list was built on this machine.

Maven takes what `mvn install` has put into its local repository before all that others have, also
under the number of a release. PACKAGES has a line `GROUP:ARTIFACT VERSION …` for each jar.
"""

import sys
from pathlib import Path

from local_repository import folder_of

TRACKED = "_remote.repositories"
"""Maven's own notes: `FILE>REPOSITORY=` for each file, and no repository if it was built here."""


def main(packages: str) -> None:
    for line in Path(packages).read_text(encoding="utf-8").splitlines():
        package, version, *_ = line.split()
        folder = folder_of(package) / version
        if is_built_here(folder):
            sys.exit(f"{package} {version} was built on this machine: remove {folder}")


def is_built_here(folder: Path) -> bool:
    """Whether a jar has no origin; one that was fetched before keeps that line as well."""
    try:
        lines = (folder / TRACKED).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return False
    return any(line.rstrip().endswith(".jar>=") for line in lines)


main(sys.argv[1])
