"""What an adapter needs of the machine: checks, Debian packages, hints."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable

from fetchoff.catalog.workshop import Workshop
from fetchoff.model.client import Manifest
from fetchoff.model.errors import SetupError

CHECK_TIMEOUT_S = 60
LONGEST_GIST = 100


def check(manifest: Manifest) -> None:
    """Run the recipe's checks; SetupError at the first that fails."""
    for command in manifest.recipe.check:
        argv = Workshop.of(manifest).argv(command)
        try:
            done = subprocess.run(
                argv, capture_output=True, text=True, timeout=CHECK_TIMEOUT_S, check=False
            )
        except FileNotFoundError as error:
            raise SetupError(f"there is no command '{argv[0]}'") from error
        except subprocess.TimeoutExpired as error:
            raise SetupError(f"'{' '.join(argv)}' did not end within a minute") from error
        if done.returncode != 0:
            raise SetupError(f"'{' '.join(argv)}' failed: {_gist(done.stderr or done.stdout)}")


def _gist(output: str) -> str:
    """The first line, not at length: Perl lists every folder that it has looked in."""
    lines = output.strip().splitlines()
    if not lines:
        return "no message"
    return lines[0] if len(lines[0]) <= LONGEST_GIST else f"{lines[0][:LONGEST_GIST]}…"


def install_packages(manifests: list[Manifest], on_start: Callable[[str], None]) -> None:
    """One apt-get for what is missing, as root; a package that is not to be had stops no other.

    Only for clients whose checks fail: what works already is not installed a second time.
    """
    lacking = [manifest for manifest in manifests if _lacks_something(manifest)]
    wanted = sorted({package for manifest in lacking for package in manifest.recipe.apt})
    missing = [package for package in wanted if not _is_installed(package)]
    if not missing or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return
    on_start(f"Debian packages: {' '.join(missing)}")
    _apt("update")
    if not _apt("install", "--yes", "--no-install-recommends", *missing):
        for package in missing:
            _apt("install", "--yes", "--no-install-recommends", package)


def _lacks_something(manifest: Manifest) -> bool:
    try:
        check(manifest)
    except SetupError:
        return True
    return False


def _apt(*arguments: str) -> bool:
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "-qq", *arguments]
    return subprocess.run(command, capture_output=True, env=env, check=False).returncode == 0


def _is_installed(package: str) -> bool:
    if shutil.which("dpkg-query") is None:
        return False
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    done = subprocess.run(query, capture_output=True, text=True, check=False)
    return done.stdout == "installed"


def hint(manifest: Manifest) -> str:
    """What would help where a check fails."""
    missing = [package for package in manifest.recipe.apt if not _is_installed(package)]
    hints = [f"apt-get install {' '.join(missing)}"] if missing else []
    if manifest.recipe.hint:
        hints.append(manifest.recipe.hint)
    return ", or ".join(hints)
