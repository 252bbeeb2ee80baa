"""Rival methods: measure whole processes that start, fetch and end.

Sequentially, as hyperfine measures commands; and alternated, on our core and as urgent as our own.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from fetchoff.catalog.workloads import workload
from fetchoff.model.client import Launch
from fetchoff.model.course import Course
from fetchoff.model.environment import environment
from fetchoff.protocol.adapter import FINISH, HELLO, Spool, prepare, run
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.host.placement import lay_out, on_core, strongest_urgency, urgently
from fetchoff.run.origins.built_in import BuiltInLedger, BuiltInOrigin
from fetchoff.run.os.child import encode

ITERATIONS = 1000
LEAST_RUNS = 3
LEAST_SHARE = 0.01  # of a process's time in its iterations; what is timed less is noise


@dataclass(frozen=True)
class Walls:
    """Wall seconds of runs of A and of B (hyperfine exports no CPU time of single runs), and all
    seconds that they took. `truth`: B ÷ A by what an iteration was timed to take."""

    a: list[float]
    b: list[float]
    seconds: float
    truth: float


@dataclass(frozen=True)
class Longer:
    """Iterations of B, and how many times as long its whole process takes as A's."""

    iterations: int
    truth: float

    @classmethod
    def by(cls, truth: float, seconds_of: Callable[[int], float]) -> Longer:
        """So many more iterations that the whole process takes `truth` times as long.

        A process also starts, and an interpreter loads its modules: 3 % more iterations are less
        than 3 % more of all that. `seconds_of`: what a process of so many iterations takes.
        """
        if truth == 1.0:
            return cls(ITERATIONS, 1.0)
        all_s = seconds_of(ITERATIONS)
        share = max((seconds_of(2 * ITERATIONS) - all_s) / all_s, LEAST_SHARE)  # of the iterations
        more = min(round(ITERATIONS * (truth - 1) / share), ITERATIONS)
        return cls(ITERATIONS + more, 1 + share * more / ITERATIONS)


def has_hyperfine() -> bool:
    """Whether hyperfine is installed."""
    return shutil.which("hyperfine") is not None


class WholeProcesses:
    """An adapter is fed its messages from a file, so that hyperfine can run it like any command."""

    def __init__(self, launch: Launch, workload_id: str) -> None:
        self._launch = launch
        self._workload = workload(workload_id)
        self._temporary = tempfile.TemporaryDirectory(prefix="fetchoff-bench-")
        self._folder = Path(self._temporary.name)
        self._origin = BuiltInOrigin(self._folder)

    def __enter__(self) -> WholeProcesses:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._origin.end()
        self._temporary.cleanup()

    def sequential(self, truth: float, budget_s: float, *, swap: bool) -> Walls:
        """Half of the budget for each side, one after the other as hyperfine does it."""
        longer = Longer.by(truth, lambda n: statistics.median(self._measure("timed", n, 0.0)))
        began = time.monotonic()
        sides = [("A", ITERATIONS), ("B", longer.iterations)]
        walls = {
            name: self._measure(name, n, budget_s / 2) for name, n in sides[:: -1 if swap else 1]
        }
        return Walls(walls["A"], walls["B"], time.monotonic() - began, longer.truth)

    def alternated(self, truth: float, budget_s: float, *, swap: bool) -> Walls:
        """Run A, B, B, A … on the core of measured processes with top priority: pairs."""
        layout = lay_out(Course(self._workload), usable_cores(), strongest_urgency())
        self._origin.place(layout.origin_cores, layout.urgency)
        ledger = self._origin.open()
        walls: dict[str, list[float]] = {"A": [], "B": []}

        def seconds_of(n: int) -> float:
            script = self._script("timed", n, ledger)
            return statistics.median(self._once(script) for _ in range(LEAST_RUNS))

        with on_core(max(layout.client_cores)), urgently(layout.urgency):
            longer = Longer.by(truth, seconds_of)
            sides = [("A", ITERATIONS), ("B", longer.iterations)]
            scripts = {name: self._script(name, n, ledger) for name, n in sides}
            began = time.monotonic()
            while len(walls["A"]) < LEAST_RUNS or time.monotonic() - began < budget_s:
                for name in "AB"[:: -1 if (len(walls["A"]) % 2 == 1) != swap else 1]:
                    walls[name].append(self._once(scripts[name]))
            seconds = time.monotonic() - began
        ledger.close()
        return Walls(walls["A"], walls["B"], seconds, longer.truth)

    def _once(self, script: Path) -> float:
        """Wall seconds of one run, which inherits the core and the priority."""
        began = time.perf_counter()
        subprocess.run(
            [str(script)],
            check=True,
            capture_output=True,
            env=environment(os.environ, self._launch.env),
        )
        return time.perf_counter() - began

    def _measure(self, name: str, n: int, budget_s: float) -> list[float]:
        """Wall seconds of as many runs as fit into the budget."""
        ledger = self._origin.open()
        script = self._script(name, n, ledger)
        few = self._hyperfine(script, LEAST_RUNS)
        more = int((budget_s - sum(few)) / statistics.mean(few))
        rest = self._hyperfine(script, more) if more > 1 else []
        ledger.close()
        return few + rest

    def _script(self, name: str, n: int, ledger: BuiltInLedger) -> Path:
        """A command without arguments: the adapter with its messages on standard input."""
        messages = self._folder / f"{name}.jsonl"
        message = prepare(self._workload, ledger.base_url, Spool(self._folder))
        messages.write_bytes(b"".join(map(encode, (HELLO, message, run(n), FINISH))))
        script = self._folder / f"{name}.sh"
        script.write_text(f"#!/bin/sh\nexec {' '.join(self._launch.command)} < {messages}\n")
        script.chmod(0o755)
        return script

    def _hyperfine(self, script: Path, runs: int) -> list[float]:
        export = self._folder / "export.json"
        program = shutil.which("hyperfine")
        assert program is not None
        command = [program, "-N", "--style", "none", "--export-json", str(export)]
        subprocess.run(
            [*command, "--runs", str(runs), str(script)],
            check=True,
            capture_output=True,
            env=environment(os.environ, self._launch.env),
        )
        times: list[float] = json.loads(export.read_text())["results"][0]["times"]
        return times
