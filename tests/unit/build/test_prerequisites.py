"""What is installed as root: what apt-get says is kept, and nothing of ours stays in force."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fetchoff.build import prerequisites
from fetchoff.build.prerequisites import check_all, hint_for, install
from fetchoff.build.steps import Steps
from fetchoff.model.client import Recipe
from fetchoff.model.errors import SetupError, StoreError

APT = """#!/bin/sh
echo "$@" >> "$APT_ASKED"
"$POLICY"; echo "policy says $?"
case "$*" in *no-such*) echo "E: Unable to locate package no-such-one" >&2; exit 100; esac
"""
FORBIDDEN = 101

INSTALLING = """#!/bin/sh
trap '{on_interrupt}' INT
(sleep 1; test -x "$POLICY" && echo "ended, services forbidden" >>"$APT_ASKED") &
echo begun >>"$APT_ASKED"
wait
"""


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where Debian looks for it, as an own folder has it; with a pretended apt-get and dpkg."""
    path = tmp_path / "policy-rc.d"
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in {"apt-get": APT, "dpkg-query": "#!/bin/sh\nexit 1\n"}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setattr(prerequisites, "POLICY", path)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("APT_ASKED", str(tmp_path / "asked"))
    monkeypatch.setenv("POLICY", str(path))
    return path


def test_what_apt_says_is_kept(policy: Path, tmp_path: Path) -> None:
    """One that is not to be had stops no other, and its hint says what apt-get said."""
    recipe = Recipe(apt=("ruby", "no-such-one"))
    refused = install([recipe])
    assert refused == {"no-such-one": "Unable to locate package no-such-one"}
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[0] == "-qq -o DPkg::Lock::Timeout=600 update"
    assert asked[1].endswith(" no-such-one ruby")
    assert [line.split()[-1] for line in asked[2:]] == ["no-such-one", "ruby"]
    log = tmp_path / "cache" / "packages.log"
    assert "E: Unable to locate package no-such-one" in log.read_text()
    told = hint_for(recipe, refused)
    assert told == (
        "apt-get could not install no-such-one: Unable to locate package no-such-one "
        f"(see {log}), or apt-get install ruby"
    )


def test_no_service_starts_meanwhile_and_services_start_after_that(
    policy: Path, tmp_path: Path
) -> None:
    install([Recipe(apt=("nginx-light",))])
    said = (tmp_path / "cache" / "packages.log").read_text()
    assert f"policy says {FORBIDDEN}" in said
    assert not policy.exists()


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C means what it does in a terminal, even where the tests are a job in the background."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("on_interrupt", ["", "exit 100"])
def test_ctrl_c_waits_for_what_apt_get_has_begun(
    on_interrupt: str, times: int, policy: Path, tmp_path: Path
) -> None:
    """Its child is dpkg, which nobody may end, whether apt-get itself ends at once or not."""
    apt = INSTALLING.replace("{on_interrupt}", on_interrupt)
    (tmp_path / "bin" / "apt-get").write_text(apt)
    asked, main = tmp_path / "asked", threading.main_thread().ident
    assert main is not None
    returned = threading.Event()

    def interrupt() -> None:
        while not asked.exists():
            time.sleep(0.01)
        for _ in range(times):
            if not returned.wait(0.2):
                signal.pthread_kill(main, signal.SIGINT)

    sender = threading.Thread(target=interrupt)
    sender.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            install([Recipe(apt=("nginx-light",))])
    finally:
        returned.set()
        sender.join()
    assert asked.read_text().splitlines() == ["begun", "ended, services forbidden"]
    assert not policy.exists()


def test_a_log_that_cannot_be_written_is_told(policy: Path, tmp_path: Path) -> None:
    log = tmp_path / "cache" / "packages.log"
    log.mkdir(parents=True)
    with pytest.raises(StoreError, match=f"{log} cannot be written: Is a directory"):
        install([Recipe(apt=("nginx-light",))])
    assert not policy.exists()


def test_what_a_killed_setup_leaves_forbids_nothing(policy: Path) -> None:
    """It was made by a process that is gone, or whose id is another's by now."""
    left = prerequisites._policy()
    other_start = left.replace(" = ", " = 1")
    other_process = left.replace(f"/proc/{os.getpid()}/", "/proc/4194999/")
    for script in (other_start, other_process):
        policy.write_text(script)
        policy.chmod(0o755)
        assert subprocess.run([policy], check=False).returncode == 0
        assert not policy.exists()
    policy.write_text(left)
    policy.chmod(0o755)
    assert subprocess.run([policy], check=False).returncode == FORBIDDEN
    install([Recipe(apt=("nginx-light",))])
    assert not policy.exists()


def test_a_policy_of_the_owner_is_left_alone(policy: Path) -> None:
    policy.write_text("#!/bin/sh\nexit 104\n")
    policy.chmod(0o755)
    install([Recipe(apt=("nginx-light",))])
    assert policy.read_text() == "#!/bin/sh\nexit 104\n"


def test_a_command_that_cannot_be_run_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tool").write_text("a file")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match="'tool' cannot be run: Permission denied"):
        check_all([["tool"]])
    with pytest.raises(SetupError, match="'tool' cannot be run: Permission denied"):
        Steps().run(["tool"], tmp_path, tmp_path / "log")
    with pytest.raises(SetupError, match="there is no command 'other'"):
        check_all([["other"]])


def test_no_check_is_ended_by_ctrl_c() -> None:
    """It goes to all processes of a session's foreground group, and a check is in no such group."""
    check_all([[sys.executable, "-c", f"import os; exit(os.getsid(0) == {os.getsid(0)})"]])
