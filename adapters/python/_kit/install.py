"""An adapter's environment: install.py INTERPRETER ENVIRONMENT KIT VERSION TREE…, in its folder.

What is installed is in requirements/VERSION.txt or requirements.txt; without either, nothing.
Source trees are installed after that, in place of the packages of the same names.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

PROJECT = ("pyproject.toml", "setup.py", "setup.cfg")
DESCRIBED = re.compile(r"[^\d]*(\d[\d.]*(?:(?:a|b|rc|\.post|\.dev)\d+)?)-(\d+)-g([0-9a-f]+)")
"""What `git describe --tags --long` prints: a tag with a version, commits since, the commit."""
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
    if lock.exists():
        install(python, "-r", str(lock))
    for tree in map(Path, trees):
        install(python, "--force-reinstall", *parts_of(tree), **pretended(tree))
    # Where the user forbids writing bytecode, every start would compile the kit again.
    run(python, "-m", "compileall", "-q", kit, ".")


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


def install(python: str, *what: str, **env: str) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    run(*pip, "install", "--quiet", "--no-deps", *what, **env)


def run(*argv: str, **env: str) -> None:
    status = subprocess.run(argv, env={**os.environ, **env}, check=False).returncode
    if status != 0:
        sys.exit(status)


if __name__ == "__main__":
    main(*sys.argv[1:])
