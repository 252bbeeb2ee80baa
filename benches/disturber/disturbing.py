"""Disturb the machine with other work: `with disturbed(seed, core): …`.

    python -m benches.disturber.disturbing --seconds 60

The program disturber.c does the work, on a core that the measured processes do not use.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from fetchoff.run.host.machine import usable_cores

SOURCE = Path(__file__).with_name("disturber.c")
LONGEST_S = 12 * 3600.0
PATIENCE_S = 10.0


class DisturberFailed(Exception):
    """The disturber did not start or ended too early, so the measurements were not disturbed."""


@dataclass
class Disturbance:
    """What the disturber did, known once it has ended. Milliseconds."""

    busy_ms: int = 0
    idle_ms: int = 0
    hops: int = 0
    calls: int = 0


@contextlib.contextmanager
def disturbed(
    seed: int, core: int | None = None, seconds: float = LONGEST_S
) -> Iterator[Disturbance]:
    """Disturb until the context ends; DisturberFailed if the disturber ended before.

    `core`: the harness's, if nothing else is said.
    """
    core = usable_cores()[0] if core is None else core
    did = Disturbance()
    with tempfile.TemporaryDirectory(prefix="fetchoff-disturber-") as folder:
        program = Path(folder) / "disturber"
        built = subprocess.run(
            ["cc", "-O2", "-o", str(program), str(SOURCE)],
            capture_output=True,
            text=True,
            check=False,
        )
        if built.returncode:
            raise DisturberFailed(f"the disturber does not compile: {built.stderr.strip()}")
        command = [str(program), str(seed), str(core), f"{seconds:g}", str(os.getpid())]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout is not None
            if process.stdout.readline() != "ready\n":
                raise DisturberFailed(f"the disturber does not start on core {core}")
            yield did
            if process.poll() is not None:
                raise DisturberFailed("the disturber ended before the measurement did")
            process.terminate()
            said, _ = process.communicate(timeout=PATIENCE_S)
            did.busy_ms, did.idle_ms, did.hops, did.calls = map(int, said.split())
        finally:
            process.kill()
            process.communicate()


def disturbed_if(wanted: bool, seed: int) -> AbstractContextManager[object]:  # noqa: FBT001
    """For benches with --disturbed."""
    return disturbed(seed) if wanted else contextlib.nullcontext()


def main() -> None:
    """Disturb a machine by hand and print what was done."""
    import time

    parser = argparse.ArgumentParser(description="Disturb the machine, on the harness's core.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--core", type=int)
    arguments = parser.parse_args()
    with disturbed(arguments.seed, arguments.core) as did:
        time.sleep(arguments.seconds)
    print(
        f"seed {arguments.seed}: busy for {did.busy_ms} ms, idle for {did.idle_ms} ms: "
        f"{did.hops} pointers, {did.calls} system calls"
    )


if __name__ == "__main__":
    main()
