"""Kill runs with SIGKILL at random moments, resume them, and count what was lost or doubled.

    .venv/bin/python -m benches.kill.bench --kills 200
    .venv/bin/python -m benches.kill.bench --kills 100 --link

A run is killed and resumed until it is complete; then the next one starts, until there were enough
kills. Half of the kills come a random time after the start, half after a random number of journal
lines, in the middle of measuring. Over a link, SIGINT, SIGTERM and SIGKILL take turns.
Exit status 1 if batches were lost or doubled, or processes, namespaces or devices were left.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import Popen

from tests.command import Command, fake
from tests.integration.processes import (
    control_groups,
    devices,
    networks_made_from,
    wait_for_none,
    wait_until_let_go,
)
from tests.integration.runs import planned_slots, slot_of

from fetchoff.model.observation import Batch, SectionDone, Turns
from fetchoff.store.journal import JOURNAL
from fetchoff.store.run_folder import HEADER, RunFolder

CLIENTS = ("honest", "slow")
LINK = Path(__file__).with_name("near.toml")
INTERRUPTED = 130  # the exit status of who was asked to end, and could
LATEST_KILL_S = 4.0
LONGEST_RUN_S = 120.0
WORKLOAD = """\
schema = 1
about = "short batches, so that there are many to be killed in"
batch_ms = 2

[settings]
reuse = "either"

[[exchange]]
target = "/bytes/16"
"""


@dataclass(frozen=True)
class Manner:
    """The kind of run to kill, and the signals, used in turn.

    `most_lines`: of the journal, before a kill. `over`: further arguments of the run.
    """

    signals: tuple[signal.Signals, ...] = (signal.SIGKILL,)
    most_lines: int = 80
    over: tuple[str | Path, ...] = ()


PLAIN = Manner()
OVER_LINK = Manner((signal.SIGINT, signal.SIGTERM, signal.SIGKILL), 30, ("--link", LINK))


@dataclass
class Tally:
    """The results of all kills; `faults` is empty if nothing went wrong."""

    kills: int = 0
    runs: int = 0
    sections: int = 0
    batches: int = 0
    cut_batches: int = 0
    networks: int = 0
    left_behind: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.kills} kills in {self.runs} runs: {self.sections} workloads of rounds measured "
            f"whole, {self.batches} batches in them, {self.cut_batches} in those that were cut; "
            f"{self._left()}; {len(self.faults)} faults"
        )

    def _left(self) -> str:
        kinds = ("processes", "namespaces", "devices")
        left = ", ".join(f"{self.left_behind[kind]} {kind}" for kind in kinds)
        return f"{left} left behind, of {self.networks} namespaces"


def kill_often(kills: int, folder: Path, cache: Path, seed: int, manner: Manner = PLAIN) -> Tally:
    """Begin runs and kill them, `kills` times in all."""
    moments = random.Random(seed)
    command = Command(folder, cache)
    for name in ("one", "two"):
        (folder / f"{name}.toml").write_text(WORKLOAD)
    command("setup", *map(fake, CLIENTS))
    tally = Tally()
    while tally.kills < kills and not tally.faults:
        _one_run(command, folder / f"run-{tally.runs}", kills, moments, manner, tally)
        tally.runs += 1
    return tally


def _one_run(
    command: Command,
    run: Path,
    kills: int,
    moments: random.Random,
    manner: Manner,
    tally: Tally,
) -> None:
    """Do one run to its end, killing it while kills are left."""
    while not tally.faults:
        process = command.start(*_arguments(run, manner))
        kept = _journal(run)
        how = manner.signals[tally.kills % len(manner.signals)]
        networks: set[str] = set()
        if tally.kills < kills:
            _wait_for_moment(process, run, moments, manner)
            networks = networks_made_from(command.folder)
            process.send_signal(how)
        _, err = process.communicate(timeout=LONGEST_RUN_S)
        if process.returncode not in (-how, INTERRUPTED):
            if process.returncode != 0:
                tally.faults.append(f"{run.name}: exit status {process.returncode}: {err}")
            break
        tally.kills += 1
        tally.networks += len(networks)
        _note_left_behind(command.folder, networks, f"{run.name}, {how.name}", tally)
        whole = kept[: kept.rfind(b"\n") + 1]
        if not _journal(run).startswith(whole):
            tally.faults.append(f"{run.name}: lines of the journal have disappeared")
    if not tally.faults:
        tally.faults += _faults_of(run, tally)


def _note_left_behind(home: Path, networks: set[str], where: str, tally: Tally) -> None:
    """Note what is left of an ended run; `networks`: the namespaces that it had."""
    for kind, left in (
        ("processes", wait_for_none(home)),
        ("namespaces", wait_until_let_go(networks)),
        ("devices", devices()),
    ):
        tally.left_behind[kind] += len(left)
        tally.faults += [f"{where}: left behind: {one}" for one in left]


def _wait_for_moment(
    process: Popen[str], run: Path, moments: random.Random, manner: Manner
) -> None:
    """Wait until a random moment or the end of the process."""
    lines = moments.randrange(1, manner.most_lines) if moments.random() < 0.5 else None
    deadline = time.monotonic() + moments.uniform(0, LATEST_KILL_S)
    begin = _journal(run).count(b"\n")
    while process.poll() is None:
        is_late = time.monotonic() > deadline
        if is_late if lines is None else _journal(run).count(b"\n") - begin >= lines:
            return
        time.sleep(0.001)


def _arguments(run: Path, manner: Manner) -> Iterator[str | Path]:
    if (run / HEADER).exists():
        yield from ("resume", run)
        return
    yield from ("run", "--out", run, "--budget", "4", "--workload", "one.toml")
    yield from ("--workload", "two.toml")
    yield from manner.over
    for name in CLIENTS:
        yield from ("--client", fake(name))


def _journal(run: Path) -> bytes:
    try:
        return (run / JOURNAL).read_bytes()
    except FileNotFoundError:
        return b""


def _faults_of(run: Path, tally: Tally) -> list[str]:
    """What was lost or doubled in a complete run."""
    folder = RunFolder.open(run)
    experiment = folder.header.experiment
    done = [record for record in folder.records() if isinstance(record, SectionDone)]
    accepted = {(section.sample, section.workload): section.attempt for section in done}
    batches = [record for record in folder.records() if isinstance(record, Batch | Turns)]
    counted = [b for b in batches if accepted.get((b.sample, b.workload)) == b.attempt]
    slots = Counter(slot_of(batch) for batch in counted)
    planned = planned_slots(experiment, accepted)
    tally.sections += len(done)
    tally.batches += len(counted)
    tally.cut_batches += len(batches) - len(counted)
    faults = [f"measured twice: {slot}" for slot in (slots - planned)]
    faults += [f"lost: {slot}" for slot in (planned - slots)]
    if len(accepted) != len(done):
        faults.append("a workload of a round was measured whole twice")
    return [f"{run.name}: {fault}" for fault in faults]


def main() -> int:
    """Do the kills and print the tally; exit status 1 if there were faults."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--link", action="store_true", help=f"over the link of {LINK.name}")
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fetchoff-kill-") as name:
        folder = Path(name)
        manner = OVER_LINK if arguments.link else PLAIN
        tally = kill_often(arguments.kills, folder, folder / "cache", arguments.seed, manner)
    print(f"{tally}, {time.monotonic() - began:.0f} s")
    for fault in tally.faults:
        print(fault)
    for group in control_groups():
        print(f"a control group is there: {group}")
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
