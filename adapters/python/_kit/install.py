"""An adapter's environment: install.py INTERPRETER ENVIRONMENT KIT VERSION TREE…, in its folder.

What is installed is in requirements/VERSION.txt or requirements.txt; without either, nothing.
Source trees are installed after that, in place of the packages of the same names.
"""

import subprocess
import sys
from pathlib import Path


def main(interpreter: str, environment: str, kit: str, version: str, *trees: str) -> None:
    python = f"{environment}/bin/python"
    run(interpreter, "-m", "venv", "--without-pip", environment)
    lock = Path(f"requirements/{version}.txt" if version else "requirements.txt")
    if lock.exists():
        install(python, "-r", str(lock))
    for tree in trees:
        packed = [str(wheel) for wheel in Path(tree).glob("*.whl")]
        install(python, "--force-reinstall", *(packed or [tree]))
    # Where the user forbids writing bytecode, every start would compile the kit again.
    run(python, "-m", "compileall", "-q", kit, ".")


def install(python: str, *what: str) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    run(*pip, "install", "--quiet", "--no-deps", *what)


def run(*argv: str) -> None:
    status = subprocess.run(argv, check=False).returncode
    if status != 0:
        sys.exit(status)


main(*sys.argv[1:])
