"""The environment of an adapter: install.py INTERPRETER ENVIRONMENT KIT VERSION, in its folder.

What is installed is in requirements/VERSION.txt or requirements.txt; without either, nothing.
"""

import subprocess
import sys
from pathlib import Path


def main(interpreter: str, environment: str, kit: str, version: str) -> None:
    python = f"{environment}/bin/python"
    run(interpreter, "-m", "venv", "--without-pip", environment)
    lock = Path(f"requirements/{version}.txt" if version else "requirements.txt")
    if lock.exists():
        install(python, lock)
    # Where the user forbids writing bytecode, every start would compile the kit again.
    run(python, "-m", "compileall", "-q", kit, ".")


def install(python: str, lock: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python]
    run(*pip, "install", "--quiet", "--no-deps", "-r", str(lock))


def run(*argv: str) -> None:
    status = subprocess.run(argv, check=False).returncode
    if status != 0:
        sys.exit(status)


main(*sys.argv[1:])
