"""An adapter's environment: install.py INTERPRETER ENVIRONMENT KIT VERSION TREE…, in its folder.

What is installed is in requirements/VERSION.txt or requirements.txt; without either, nothing.
Source trees are installed after that, in place of the packages of the same names.
"""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

PROJECT = ("pyproject.toml", "setup.py", "setup.cfg")
DESCRIBED = re.compile(r"[^\d]*(\d[\d.]*(?:(?:a|b|rc|\.post|\.dev)\d+)?)-(\d+)-g([0-9a-f]+)")
"""What `git describe --tags --long` prints: a tag with a version, commits since, the commit."""
IMPORTED = re.compile(r"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)
"""A module that a source names. Only its own interpreter need be able to parse it."""
UNKNOWN = "0+fetchoff"
PRETENDED = (
    "SETUPTOOLS_SCM_PRETEND_VERSION",  # also hatch-vcs
    "PDM_BUILD_SCM_VERSION",
    "POETRY_DYNAMIC_VERSIONING_BYPASS",
    "UV_DYNAMIC_VERSIONING_BYPASS",
)


def main(interpreter: str, environment: str, kit: str, version: str, *trees: str) -> None:
    python = f"{environment}/bin/python"
    run(interpreter, "-m", "venv", "--without-pip", environment)
    lock = Path(f"requirements/{version}.txt" if version else "requirements.txt")
    locked = install(python, "-r", str(lock)) if lock.exists() else {}
    brought = {
        tree: install(python, "--force-reinstall", *parts_of(Path(tree)), **pretended(Path(tree)))
        for tree in trees
    }
    must_be_used(brought, set(locked), imported_from(environment) if trees else set())
    # Where the user forbids writing bytecode, every start would compile the kit again.
    run(python, "-m", "compileall", "-q", kit, ".")


def must_be_used(
    brought: dict[str, dict[str, set[str]]], locked: set[str], imported: set[str]
) -> None:
    """End the program if a tree has nothing that the adapter uses: base and head of a gate would be
    the same code.

    `brought`: by tree, its packages with what they require. The adapter uses what takes the place
    of a locked package, what it imports itself, and what these require.
    """
    used, needed = set(), locked | imported
    while not needed <= used:
        used |= needed
        of_used = [p[name] for p in brought.values() for name in p.keys() & used]
        needed = set().union(*of_used)
    for tree, packages in brought.items():
        if used.isdisjoint(packages):
            has, uses = ", ".join(sorted(packages)), ", ".join(sorted(locked)) or "no package"
            sys.exit(
                f"the adapter uses nothing of {Path(tree).name}, which installs {has}: "
                f"it uses {uses}"
            )


def imported_from(environment: str) -> set[str]:
    """The packages of an environment that the sources in this folder import: one that no registry
    has is locked nowhere, and a fork may have another name for the same modules."""
    sources = [path.read_text(encoding="utf-8") for path in Path().glob("*.py")]
    modules = {name for source in sources for name in IMPORTED.findall(source)}
    places = list(map(str, Path(environment).glob("lib/*/site-packages")))
    return {
        plain(one.metadata["Name"])
        for one in distributions(path=places)
        if not modules.isdisjoint(file.parts[0].partition(".")[0] for file in one.files or ())
    }


def parts_of(tree: Path) -> list[str]:
    """What pip installs: a project, whatever wheels lie in it, or wheels alone."""
    is_project = any((tree / name).is_file() for name in PROJECT)
    wheels = [] if is_project else [str(wheel) for wheel in tree.glob("*.whl")]
    return wheels or [str(tree)]


def pretended(tree: Path) -> dict[str, str]:
    """Variables for builds that would ask Git for the version: a tree comes without its `.git`.

    A source distribution has its version in PKG-INFO, where such builds look.
    """
    if (tree / "PKG-INFO").is_file():
        return {}
    return dict.fromkeys(PRETENDED, version_of(tree))


def version_of(tree: Path) -> str:
    """The version of a tree of a clone, by the description that lies beside it."""
    description = tree.parent.with_suffix(".described")
    if not description.is_file():
        return UNKNOWN
    found = DESCRIBED.fullmatch(description.read_text(encoding="utf-8"))
    if found is None:
        return UNKNOWN
    version, commits, commit = found.groups()
    return version if commits == "0" else f"{version}+{commits}.g{commit}"


def install(python: str, *what: str, **env: str) -> dict[str, set[str]]:
    """The names of what was installed, each with the names that it requires."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    report = Path(python).parent / "report.json"
    run(*pip, "install", "--quiet", "--no-deps", "--report", str(report), *what, **env)
    found = [one["metadata"] for one in json.loads(report.read_text(encoding="utf-8"))["install"]]
    return {plain(one["name"]): set(map(plain, one.get("requires_dist", ()))) for one in found}


def plain(requirement: str) -> str:
    """The name that a requirement begins with, as all spellings of it are compared (PEP 503)."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


def run(*argv: str, **env: str) -> None:
    status = subprocess.run(argv, env={**os.environ, **env}, check=False).returncode
    if status != 0:
        sys.exit(status)


if __name__ == "__main__":
    main(*sys.argv[1:])
