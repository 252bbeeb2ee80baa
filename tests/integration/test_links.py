"""Runs over emulated links: measured like other runs; nothing of a link outlives them."""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest
from tests.command import PROGRAM, Command, Ran, fake, let_all_in
from tests.conftest import WORKLOAD
from tests.integration import runs
from tests.integration.processes import (
    devices,
    emulator,
    networks_made_from,
    wait_for_none,
    wait_until_let_go,
)

import fetchoff as package
from fetchoff.build import servers
from fetchoff.catalog import origins
from fetchoff.model.client import Readiness
from fetchoff.model.lateness import spoilt
from fetchoff.model.observation import (
    Batch,
    Interrupted,
    LinkCalibrated,
    LinkUsed,
    SectionDone,
    Turns,
)
from fetchoff.run.adapters.sizing import LEAST_TIMEOUT_S
from fetchoff.run.os.programs import program
from fetchoff.store.run_folder import RunFolder

ROUND_TRIP_MS = 5
FIVE = """\
schema = 1
about = "5 ms there and back"

[both]
delay_ms = 2.5
"""
LOSSY = """\
schema = 1
about = "loses packets, and is not always as quick"

[both]
delay_ms = 2
jitter_ms = 1
loss = 0.03
"""
CLIENT = "python/http-client"

pytestmark = pytest.mark.usefixtures("namespaces")


@dataclass(frozen=True)
class Kept:
    """The records of a run over links."""

    calibrated: list[LinkCalibrated]
    used: list[LinkUsed]
    batches: list[Batch]

    @classmethod
    def in_(cls, run: Path) -> Kept:
        records = RunFolder.open(run).records()
        return cls(
            [record for record in records if isinstance(record, LinkCalibrated)],
            [record for record in records if isinstance(record, LinkUsed)],
            [record for record in records if isinstance(record, Batch)],
        )


def late(run: Path) -> list[bool]:
    """For every batch over a link, whether it does not count."""
    experiment = RunFolder.open(run).header.experiment
    client_of = {entrant.key: entrant.client for entrant in experiment.entrants}
    batches = [batch for batch in Kept.in_(run).batches if batch.emulated]
    judged = (
        spoilt(
            [batch for batch in batches if batch.workload == course.id],
            *(client_of, course.link, experiment.at_stake),
        )
        for course in experiment.courses
    )
    return [bool(why) for whys in judged for why in whys]


def assert_measured(ran: Ran, run: Path) -> None:
    """The run has results, or says that the machine was too busy for any batch to count."""
    assert Kept.in_(run).used, ran.err
    if all(late(run)):
        assert "batches do not count" in " ".join(ran.err.split())
    else:
        assert ran.status == 0, ran.err
    assert (run / "results.json").exists()


@pytest.fixture
def links(fetchoff: Command) -> Command:
    """The command in a folder with workloads and two links."""
    (fetchoff.folder / "five.toml").write_text(FIVE)
    (fetchoff.folder / "lossy.toml").write_text(LOSSY)
    fetchoff("setup", CLIENT, fake("honest"), fake("slow"))
    return fetchoff


@pytest.fixture
def run(links: Command) -> Path:
    return links.folder / "run"


@pytest.fixture
def none_left(links: Command) -> Iterator[None]:
    """Check that no process or device is left after the test."""
    yield
    assert wait_for_none(links.folder) == []
    assert devices() == []


@pytest.mark.usefixtures("none_left")
def test_from_the_command_to_the_results(links: Command, run: Path) -> None:
    clients = ("-c", CLIENT, "-c", fake("honest"))
    ran = links(*("run", "-w", "small-get", "--link", "five.toml", *clients), "--budget", "3")
    run = next((links.folder / "runs").iterdir())
    assert_measured(ran, run)
    assert [course["workload"] for course in runs.results(run)["results"]] == ["small-get/five"]
    kept = Kept.in_(run)
    (calibrated,) = kept.calibrated
    assert calibrated.calibration.link == "five"
    assert calibrated.calibration.round_trip_p50_ms >= ROUND_TRIP_MS
    for used in kept.used:
        assert used.workload == "small-get/five"
        assert used.emulated.packets > 0
        assert used.emulated.lost == used.emulated.dropped == 0
    assert {batch.entrant for batch in kept.batches} >= {CLIENT, "fake/honest"}
    for batch in kept.batches:
        assert "known" not in batch.entrant
        assert batch.cost.wall_ns >= batch.exchanges * ROUND_TRIP_MS * 1e6


def test_who_opens_a_connection_for_each_request_waits_twice(links: Command, run: Path) -> None:
    fresh = WORKLOAD.replace('reuse = "either"', "reuse = false")
    (links.folder / "fresh.toml").write_text(fresh)
    arguments = ("-w", "fresh.toml", "--link", "five.toml", "-c", fake("honest"))
    ran = links("run", *arguments, "--budget", "2", "-o", run)
    assert_measured(ran, run)
    for batch in Kept.in_(run).batches:
        assert batch.cost.wall_ns >= batch.exchanges * 2 * ROUND_TRIP_MS * 1e6


def test_links_and_loopback_side_by_side(links: Command, run: Path) -> None:
    over = ("--link", "loopback", "--link", "five.toml", "--link", "lossy.toml")
    arguments = ("-w", "steady.toml", *over, "-c", fake("honest"), "--seed", "1")
    ran = links("run", *arguments, "--budget", "5", "-o", run)
    assert_measured(ran, run)
    kept = Kept.in_(run)
    assert {record.calibration.link for record in kept.calibrated} == {"five", "lossy"}
    assert len(kept.calibrated) == 2
    assert {used.workload for used in kept.used} == {"steady/five", "steady/lossy"}
    assert {batch.workload for batch in kept.batches} == {"steady/five", "steady/lossy"}
    taken = [r for r in RunFolder.open(run).records() if isinstance(r, Turns)]
    assert {turns.workload for turns in taken} == {"steady"}
    assert "fake/honest#busy" in {turns.entrant for turns in taken}
    assert runs.standings(run, "steady")["fake/honest"]["outcome"] == "ok"
    lossy = [used.emulated for used in kept.used if used.workload == "steady/lossy"]
    assert sum(emulated.lost for emulated in lossy) > 0
    assert sum(emulated.unasked for emulated in lossy) == 0


def test_tls_over_a_link(links: Command, run: Path) -> None:
    """The certificate is valid for the origin's address on the link."""
    (links.folder / "tls.toml").write_text(WORKLOAD.replace("[settings]", "[settings]\ntls = true"))
    arguments = ("-w", "tls.toml", "--link", "five.toml", "-c", fake("honest"))
    ran = links("run", *arguments, "--budget", "2", "-o", run)
    assert_measured(ran, run)
    for invocation in runs.invocations(run):
        assert invocation.outcome == "ok"
        assert invocation.ledger["handshakes_full"] == invocation.ledger["connections"]
        assert invocation.ledger["handshakes_failed"] == 0


@pytest.mark.parametrize("tls", [False, True])
def test_a_real_server_over_a_link(tls: bool, links: Command, run: Path) -> None:
    server = servers.state(origins.origin("nginx"))
    if server.readiness is not Readiness.READY:
        pytest.skip(f"{server.reason} ({server.hint})")
    command = replace(links, cache=server.built.parent.parent)
    settings = '[settings]\ntls = true\nprotocol = "http/1.1"' if tls else "[settings]"
    (links.folder / "get.toml").write_text(WORKLOAD.replace("[settings]", settings))
    command("setup", fake("honest"))
    arguments = ("-w", "get.toml", "--link", "five.toml", "-c", fake("honest"))
    ran = command("run", "--origin", "nginx", *arguments, "--budget", "2", "-o", run)
    assert_measured(ran, run)
    for invocation in runs.invocations(run):
        assert invocation.outcome == "ok", invocation.message


@pytest.mark.usefixtures("none_left")
@pytest.mark.parametrize(
    "how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=["INT", "TERM", "KILL"]
)
def test_interrupted_and_resumed(how: signal.Signals, links: Command, run: Path) -> None:
    clients = ("-c", fake("honest"), "-c", fake("slow"))
    over = ("--link", "five.toml", "--link", "loopback")
    process = links.start("run", "-w", "tiny.toml", *over, *clients, "--budget", "5", "-o", run)
    runs.wait_for_lines(run, 12, process)
    emulator(links.folder)
    networks = networks_made_from(links.folder)
    process.send_signal(how)
    _, err = process.communicate(timeout=60)
    assert process.returncode == (-how if how is signal.SIGKILL else 130), err
    assert "Traceback" not in err
    assert wait_for_none(links.folder) == []
    assert wait_until_let_go(networks) == set()
    kept = (run / "batches.jsonl").read_bytes()
    kept = kept[: kept.rfind(b"\n") + 1]
    ran = links("resume", run)
    assert_measured(ran, run)
    assert (run / "batches.jsonl").read_bytes().startswith(kept)
    runs.assert_every_slot_once(run)


def test_an_emulator_that_stops_for_a_moment_costs_batches_and_no_rounds(
    links: Command, run: Path
) -> None:
    arguments = ("-w", "steady.toml", "--link", "five.toml", "-c", fake("honest"), "--budget", "12")
    process = links.start("run", *arguments, "-o", run)
    runs.wait_for_lines(run, 1, process)  # that the link was tried; rounds are written at their end
    while process.poll() is None:
        with contextlib.suppress(psutil.Error, TimeoutError):
            stopped = emulator(links.folder, patience_s=0)
            stopped.suspend()
            time.sleep(0.1)
            stopped.resume()
        time.sleep(0.3)
    _, err = process.communicate(timeout=60)
    assert 0 < sum(late(run)) < len(late(run)), err
    assert "batches do not count: packets left the link late" in " ".join(err.split())
    (result,) = runs.results(run)["results"]
    (left_out,) = result["link"]["batches_left_out"]
    assert left_out == {"batches": sum(late(run)), "why": "packets left the link late"}
    assert result["rounds"] + len(result["link"]["left_out"]) == len(Kept.in_(run).used)


@pytest.mark.usefixtures("none_left")
def test_an_emulator_that_is_killed(links: Command, run: Path) -> None:
    """The run ends, no client is blamed, and what was measured is kept."""
    clients = ("-c", fake("honest"), "-c", fake("slow"))
    arguments = ("-w", "steady.toml", "--link", "five.toml", *clients, "--budget", "25")
    process = links.start("run", *arguments, "-o", run)
    while not runs.finished_sections(run):
        runs.wait_for_lines(run, runs.lines(run) + 1, process)
    runs.wait_for_lines(run, runs.lines(run) + 2, process)
    networks = networks_made_from(links.folder)
    killed = time.monotonic()
    emulator(links.folder).kill()
    _, err = process.communicate(timeout=100)
    assert process.returncode == 7, err
    assert time.monotonic() - killed < LEAST_TIMEOUT_S, "no client's answer is waited for"
    assert "error: the link emulator ended with signal SIGKILL" in err
    assert "hint: what was measured is kept" in err
    assert "batches are kept" in err
    assert "Traceback" not in err
    assert wait_for_none(links.folder) == []
    assert wait_until_let_go(networks) == set()
    records = RunFolder.open(run).records()
    assert any(isinstance(record, SectionDone) for record in records)
    assert {invocation.outcome for invocation in runs.invocations(run)} == {"ok"}
    cut = [record.reason for record in records if isinstance(record, Interrupted)]
    assert all("the link emulator ended" in reason for reason in cut)
    assert_measured(links("resume", run), run)
    runs.assert_every_slot_once(run)


@pytest.mark.usefixtures("none_left")
@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            "echo no such thing here >&2; exit 1",
            "ended with exit status 1; its last words: no such",
        ),
        ("echo nonsense; exec cat", "not a JSON line: 'nonsense'"),
        ("echo '{\"protocol\":3}'; exec cat", "speaks version 3 of the control protocol, not 2"),
        ("echo '{\"protocol\":2}'; read _; echo '{\"link\":1}'; exec cat", "'backend' is None"),
        (
            'echo \'{"protocol":2}\'; read _; echo \'{"error":"not today"}\'; exec cat',
            "the link cannot be made: not today",
        ),
        ("exec sleep 60", "no answer within 10 s"),
    ],
)
def test_a_link_that_cannot_be_had(script: str, said: str, links: Command, run: Path) -> None:
    program = links.folder / "emulator"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    arguments = ("-w", "tiny.toml", "--link", "five.toml", "-c", fake("honest"), "-o", run)
    ran = links("run", *arguments, FETCHOFF_LINK=str(program))
    assert ran.status == 7, ran.err
    assert said in " ".join(ran.err.split())
    assert "hint: " in ran.err
    assert "Traceback" not in ran.err


@pytest.fixture
def nobody(links: Command, tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The command as a user without any rights, with everything it needs in that user's home."""
    if os.geteuid() != 0:
        pytest.skip("who runs the tests is no superuser: every other test is this one")
    python = shutil.which("python3", path="/usr/bin:/bin")
    if python is None or shutil.which("setpriv") is None:
        pytest.skip("somebody else needs setpriv, and a Python that anybody may start")
    user = pwd.getpwnam("nobody")
    base = Path(tmp_path_factory.mktemp("nobody"))
    let_all_in(base)
    home = Path(shutil.copytree(links.folder, base / "home"))
    kit = Path(shutil.copytree(Path(fake("honest")).parent, home / "fakes")) / "_kit" / "kit.toml"
    kit.write_text(kit.read_text().replace("{python}", python))
    os.chown(home, user.pw_uid, user.pw_gid)
    ids = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
    rights = [f"--{kind}=-all" for kind in ("inh-caps", "ambient-caps", "bounding-set")]
    libraries = [Path(package.__file__).parents[1], Path(sysconfig.get_path("purelib"))]
    ours = {f"FETCHOFF_{name.upper()}": f"fetchoff-{name}" for name in ("link", "origin", "tap")}
    env = {
        "PYTHONPATH": ":".join(map(str, libraries)),
        **{variable: str(program(name)) for variable, name in ours.items()},
    }
    become = ("setpriv", *ids, *rights, python)
    command = Command(home, home / "cache", wrapper=become, env=env)
    if (tried := command("--version")).status != 0:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        reason = (tried.err.splitlines() or ["it cannot be started"])[-1]
        pytest.skip(f"{python} as nobody cannot run {PROGRAM} of Python {version}: {reason}")
    return command


def set_up_honest(nobody: Command) -> str:
    """The fake client, ready for that user; skip the test where it may not make namespaces."""
    probe = [*nobody.wrapper[:-1], "unshare", "--user", "--net", "true"]
    if (tried := subprocess.run(probe, capture_output=True, text=True)).returncode != 0:
        pytest.skip(f"users without rights may not make namespaces: {tried.stderr.strip()}")
    honest = str(nobody.folder / "fakes" / "honest")
    assert nobody("setup", honest).status == 0
    return honest


def test_without_any_rights(nobody: Command, none_left: None) -> None:
    """The emulator makes a user namespace, which owns the network namespaces."""
    honest = set_up_honest(nobody)
    run = nobody.folder / "run"
    arguments = ("-w", "tiny.toml", "--link", "five.toml", "-c", honest)
    ran = nobody("run", *arguments, "--budget", "3", "-o", run)
    assert_measured(ran, run)
    assert wait_for_none(nobody.folder) == []
    for batch in Kept.in_(run).batches:
        assert batch.cost.wall_ns >= batch.exchanges * ROUND_TRIP_MS * 1e6


def test_without_any_rights_the_tap_sees_the_packets_of_a_link(
    nobody: Command, none_left: None
) -> None:
    honest = set_up_honest(nobody)
    packets = nobody.folder / "packets.pcapng"
    asked = ("-w", "tiny.toml", "--link", "five.toml", "--no-try", "--no-trace", "--json")
    ran = nobody("explain", honest, *asked, "--keep-packets", packets)
    assert ran.status == 0, ran.err
    missing = [gap for gap in json.loads(ran.out)["missing"] if gap["source"] == "segments"]
    assert missing == []
    assert packets.stat().st_size > 0
