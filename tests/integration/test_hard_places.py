"""Full disks, one core, no rights: a run does what it can and says what is missing."""

from __future__ import annotations

import os
import pwd
import resource
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command import Command, Ran, fake, let_all_in
from tests.integration import runs
from tests.integration.processes import wait_for_none

from fetchoff.store.run_folder import RunFolder

UPLOAD = """\
schema = 1
about = "PUT of 5 MB"

[[exchange]]
method = "PUT"
target = "/upload"
body = { kind = "raw", size = 5_000_000 }
"""


@pytest.fixture
def ready(fetchoff: Command) -> Command:
    fetchoff("setup", fake("honest"), fake("slow"))
    return fetchoff


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 28 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=28k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs root; the other test limits files instead")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def measured(ready: Command, run: Path) -> list[str | Path]:
    clients = ("-c", fake("honest"), "-c", fake("slow"))
    return ["run", "-w", "tiny.toml", *clients, "--budget", "60", "-o", run]


def assert_nothing_is_lost(ran: Ran, run: Path) -> None:
    """The command ended with a message and shows the results so far."""
    assert ran.status == 6, ran.err
    assert "Traceback" not in ran.err
    assert "batches.jsonl cannot be written" in ran.err
    assert "make room" in ran.err
    assert "fake/honest" in ran.out
    assert len(runs.turns(run)) > 3
    assert not (run / ".spool").exists()


def test_full_disk(disk: Path, ready: Command) -> None:
    run = disk / "run"
    ran = ready(*measured(ready, run))
    assert_nothing_is_lost(ran, run)
    assert "No space left on device" in ran.err
    assert wait_for_none(ready.folder) == []
    reported = ready("report", run)
    assert reported.status == 6
    assert "fake/honest" in reported.out
    kept = len(runs.turns(run))
    subprocess.run(["mount", "-o", "remount,size=50m", str(disk)], check=True)
    assert ready("resume", run, "--quiet", timeout_s=200).status == 0
    assert len(runs.turns(run)) > kept
    runs.assert_every_slot_once(run)


def test_file_that_may_not_grow(ready: Command) -> None:
    run = ready.folder / "run"
    process = ready.start(*measured(ready, run))
    runs.wait_for_lines(run, 12, process)
    most = (run / "batches.jsonl").stat().st_size + 1000
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, most))
    out, err = process.communicate(timeout=100)
    assert_nothing_is_lost(Ran(process.returncode, out, err), run)
    assert len(RunFolder.open(run).records()) > 10


def test_no_room_for_what_is_to_be_sent(ready: Command) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    (ready.folder / "upload.toml").write_text(UPLOAD)
    clients = ("-c", fake("honest"), "-c", fake("slow"))
    process = ready.start("run", "-w", "upload.toml", *clients, "-o", "run", before=limit)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 6, err
    assert ".spool cannot be written" in err
    assert "Traceback" not in err


def test_one_core(ready: Command) -> None:
    core = str(min(os.sched_getaffinity(0)))
    command = replace(ready, wrapper=("taskset", "-c", core))
    clients = ("-c", fake("honest"), "-c", fake("slow"))
    ran = command("run", "-w", "tiny.toml", *clients, "--budget", "4", "-o", "run")
    assert ran.status == 0, ran.err
    run = ready.folder / "run"
    assert "one core only" in " ".join(runs.results(run)["notes"])
    assert "one core only" in " ".join(ran.out.split())
    assert runs.standings(run)["fake/honest"]["outcome"] == "ok"
    examined = command("doctor")
    assert examined.status == 0
    assert "one core" in examined.out


@pytest.fixture
def nobody(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command as a user without rights, with its own home folder."""
    if os.geteuid() != 0:
        pytest.skip("who runs the tests is no superuser: every other test is this one")
    if shutil.which("setpriv") is None:
        pytest.skip("becoming somebody else needs setpriv")
    user = pwd.getpwnam("nobody")
    base = Path(tmp_path_factory.mktemp("nobody"))
    let_all_in(base)
    home = base / "home"
    home.mkdir()
    os.chown(home, user.pw_uid, user.pw_gid)
    # Reading stays permitted, wherever this checkout and its Python are; nothing else is.
    rights = [f"--{kind}=-all,+dac_read_search" for kind in ("inh-caps", "ambient-caps")]
    user_ids = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    become = ("setpriv", *user_ids, *rights, "--bounding-set=-all,+dac_read_search")
    return Command(home, home / "cache", wrapper=become)


@pytest.fixture
def honest(nobody: Command, ready: Command) -> str:
    """An adapter that this user has set up, with a Python that anybody may start."""
    python = shutil.which("python3", path="/usr/bin:/bin")
    if python is None:
        pytest.skip("an adapter of one's own needs a Python that anybody may start")
    shutil.copy(ready.folder / "tiny.toml", nobody.folder)
    fakes = Path(shutil.copytree(Path(fake("honest")).parent, nobody.folder / "fakes"))
    kit = fakes / "_kit" / "kit.toml"
    kit.write_text(kit.read_text().replace("{python}", python))
    assert nobody("setup", str(fakes / "honest")).status == 0
    return str(fakes / "honest")


def test_no_rights(nobody: Command, honest: str) -> None:
    ran = nobody("run", "-w", "tiny.toml", "-c", honest, "--budget", "4", "-o", "run")
    assert ran.status == 0, ran.err
    run = nobody.folder / "run"
    assert "no permission for a higher priority" in " ".join(runs.results(run)["notes"])
    assert runs.standings(run)["fake/honest"]["outcome"] == "ok"
    assert "no higher priority is permitted" in nobody("doctor").out


def test_explaining_without_rights(nobody: Command, honest: str) -> None:
    """Packets are missing, and are said to be; everything else is told."""
    ran = nobody("explain", honest, "-w", "tiny.toml", "--no-try")
    assert ran.status == 0, ran.err
    said = " ".join((ran.out + ran.err).split())
    assert "fake/honest tiny" in said
    assert "packets were not recorded: the packets of 'lo' may not be seen" in said
    assert "sudo setcap cap_net_raw+ep" in said


def test_somebody_elses_run_is_not_changed(nobody: Command, finished_run: Path) -> None:
    shutil.copytree(finished_run, nobody.folder.parent / "run")
    ran = nobody("resume", nobody.folder.parent / "run")
    assert ran.status == 6
    assert "Permission denied" in ran.err
    reported = nobody("report", nobody.folder.parent / "run")
    assert reported.status == 6
    assert "fake/honest" in reported.out
