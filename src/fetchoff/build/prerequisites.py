"""What an adapter needs of the machine: checks, Debian packages, hints."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType

from fetchoff.build.build_dir import BuildDir
from fetchoff.build.steps import not_run
from fetchoff.build.writing import writing
from fetchoff.catalog.paths import cache
from fetchoff.model.client import Manifest, Recipe
from fetchoff.model.environment import environment
from fetchoff.model.errors import SetupError

CHECK_TIMEOUT_S = 60
LOCK = ("-o", "DPkg::Lock::Timeout=600")  # seconds, for another program that installs packages
LONGEST_GIST = 100
POLICY = Path("/usr/sbin/policy-rc.d")
_MARK = "# Fetchoff installs packages, whose services are not to start: in force while it does."

Refused = Mapping[str, str]
"""Packages that apt-get could not install, and why."""


def check(manifest: Manifest) -> None:
    """Run the checks of a client's recipe, in its environment; SetupError at the first that fails.

    What passes here would be in vain if the adapter were then started in another.
    """
    build_dir = BuildDir.of(manifest)
    commands = [build_dir.argv(command) for command in build_dir.manifest.recipe.check]
    check_all(commands, build_dir.own_env)


def prove(build_dir: BuildDir) -> None:
    """Run the checks of what was built from source trees, in the client's environment.

    SetupError at the first that fails.
    """
    recipe = build_dir.manifest.from_trees
    if not build_dir.trees or recipe is None:
        return
    try:
        check_all([build_dir.argv(command) for command in recipe.proof], build_dir.launch().env)
    except SetupError as error:
        hint = f"the build left something out; its whole output: {build_dir.folder / 'setup.log'}"
        raise SetupError(error.message, hint) from error


def check_all(commands: Iterable[Sequence[str]], extra: Mapping[str, str] | None = None) -> None:
    """Run commands that must succeed; SetupError at the first that does not.

    Each in a session of its own: Ctrl-C would end it otherwise, and a client whose check was ended
    would be remembered as one that fails.
    """
    for argv in commands:
        try:
            done = subprocess.run(
                argv,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                capture_output=True,
                text=True,
                timeout=CHECK_TIMEOUT_S,
                check=False,
                env=environment(os.environ, extra or {}),
            )
        except OSError as error:
            raise not_run(argv[0], error) from error
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


def install_packages(manifests: list[Manifest], on_start: Callable[[str], None]) -> Refused:
    """What clients lack, as root.

    Only for clients whose checks fail: what works already is not installed a second time.
    """
    lacking = [manifest for manifest in manifests if _lacks_something(manifest)]
    return install([BuildDir.of(manifest).manifest.recipe for manifest in lacking], on_start)


def install(recipes: Iterable[Recipe], on_start: Callable[[str], None] = lambda _: None) -> Refused:
    """One apt-get for all packages that are missing; one that is not to be had stops no other.

    Does nothing where that is not permitted, or there is no apt-get.
    """
    wanted = sorted({package for recipe in recipes for package in recipe.apt})
    missing = [package for package in wanted if not _is_installed(package)]
    if not missing or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return {}
    on_start(f"Debian packages: {' '.join(missing)}")
    with _no_service_is_started():
        _apt("update")
        if not _apt("install", "--yes", "--no-install-recommends", *missing):
            return {}
        why = {p: _apt("install", "--yes", "--no-install-recommends", p) for p in missing}
        return {package: reason for package, reason in why.items() if reason}


@contextlib.contextmanager
def _no_service_is_started() -> Iterator[None]:
    """A server's package would start it on port 80: Debian's policy-rc.d says no meanwhile.

    Where this process is killed it stays, forbids nothing more, and goes when it is next asked.
    """
    is_ours = POLICY.is_file() and _MARK in POLICY.read_text(encoding="utf-8", errors="replace")
    try:
        with POLICY.open("w" if is_ours else "x", encoding="ascii") as file:
            file.write(_policy())
    except OSError:  # there is one already, and it is its owner's
        yield
        return
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink(missing_ok=True)


def _policy() -> str:
    """The script. 101: forbidden by policy, invoke-rc.d(8); field 22 of proc(5)'s stat: its start.

    The name of a program may have spaces, so fields are counted from the end of it.
    """
    stat = f"/proc/{os.getpid()}/stat"
    began = Path(stat).read_text().rpartition(")")[2].split()[19]
    return f"""#!/bin/sh
{_MARK}
if [ "$(sed 's/.*) //' {stat} 2>/dev/null | cut -d ' ' -f 20)" = {began} ]; then exit 101; fi
rm -f "$0"
"""


def _lacks_something(manifest: Manifest) -> bool:
    try:
        check(manifest)
    except SetupError:
        return True
    return False


def _apt(*arguments: str) -> str:
    """Why it failed, in a line, or ""; what it says is added to a log.

    In a session of its own: Ctrl-C reaches it by `_ended` alone.
    """
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    command = ["apt-get", "-qq", *LOCK, *arguments]
    (status, output), interrupt = _ended(command, env)
    said = output.decode(errors="replace").strip()
    with writing(_log()), _log().open("a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(command)}\n{said}\n")
    if interrupt is not None:
        raise interrupt
    if status == 0:
        return ""
    return said.splitlines()[-1].removeprefix("E: ") if said else f"status {status}"


def _ended(
    command: Sequence[str], env: Mapping[str, str]
) -> tuple[tuple[int, bytes], KeyboardInterrupt | None]:
    """The status of apt-get and what it said, once it and all that it started have ended; and
    whether the user wanted that earlier.

    Then it is told so: it stops fetching. While dpkg installs, it ignores that, and nobody may end
    dpkg. It alone is told: the scripts of a package would not ignore it.
    """
    interrupt = None
    wanted = threading.Event()
    running: list[subprocess.Popen[bytes]] = []

    def run() -> tuple[int, bytes]:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=env,
            start_new_session=True,
        )
        running.append(process)
        if wanted.is_set():
            process.send_signal(signal.SIGINT)
        output, _ = process.communicate()
        return process.returncode, output

    # In a thread, which no signal interrupts; the end of the pool waits for it in any case.
    with ThreadPoolExecutor(max_workers=1) as pool:
        ended = pool.submit(run)
        while True:
            try:
                return ended.result(), interrupt
            except KeyboardInterrupt as error:
                interrupt = error
                wanted.set()
                for process in running:
                    process.send_signal(signal.SIGINT)


def _log() -> Path:
    return cache() / "packages.log"


def _is_installed(package: str) -> bool:
    if shutil.which("dpkg-query") is None:
        return False
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    done = subprocess.run(query, capture_output=True, text=True, check=False)
    return done.stdout == "installed"


def hint_for(recipe: Recipe, refused: Refused = MappingProxyType({})) -> str:
    """What would help where a recipe's check fails; `refused`: what was just tried in vain."""
    missing = [package for package in recipe.apt if not _is_installed(package)]
    told = [f"{name}: {refused[name]}" for name in missing if name in refused]
    hints = [f"apt-get could not install {'; '.join(told)} (see {_log()})"] if told else []
    if untried := [name for name in missing if name not in refused]:
        hints.append(f"apt-get install {' '.join(untried)}")
    if recipe.hint:
        hints.append(recipe.hint)
    return ", or ".join(hints)
