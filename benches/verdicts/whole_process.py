"""The rival: hyperfine on whole processes that each start, fetch, and end."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from scipy.stats import t as student
from scipy.stats import ttest_ind

from fetchoff.catalog.workloads import workload
from fetchoff.model.client import Launch
from fetchoff.protocol.adapter import FINISH, HELLO, Spool, prepare, run
from fetchoff.run.origin import BuiltInOrigin
from fetchoff.run.process import encode

ITERATIONS = 1000
LEAST_RUNS = 3


@dataclass(frozen=True)
class Compared:
    """Welch's verdict on B ÷ A in wall time (hyperfine exports no CPU time of single runs)."""

    verdict: str
    ratio: float
    half_width: float
    runs: int
    seconds: float


class WholeProcesses:
    """An adapter is fed its messages from a file, so that hyperfine can run it like any command."""

    def __init__(self, launch: Launch, workload_id: str) -> None:
        if shutil.which("hyperfine") is None:
            sys.exit("hyperfine is not installed: apt-get install hyperfine")
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

    def compare(self, truth: float, budget_s: float, alpha: float, *, swap: bool) -> Compared:
        """Half of the budget for each side, one after the other as hyperfine does it."""
        began = time.monotonic()
        sides = [("A", ITERATIONS), ("B", round(ITERATIONS * truth))]
        walls = {
            name: self._measure(name, n, budget_s / 2) for name, n in sides[:: -1 if swap else 1]
        }
        a, b = walls["A"], walls["B"]
        return Compared(
            verdict=_welch(a, b, alpha),
            ratio=statistics.mean(b) / statistics.mean(a),
            half_width=_half_width(a, b, alpha),
            runs=min(len(a), len(b)),
            seconds=time.monotonic() - began,
        )

    def _measure(self, name: str, n: int, budget_s: float) -> list[float]:
        """Wall seconds of as many runs as fit into the budget."""
        ledger = self._origin.open()
        script = self._script(name, n, ledger.base_url)
        few = self._hyperfine(script, LEAST_RUNS)
        more = int((budget_s - sum(few)) / statistics.mean(few))
        rest = self._hyperfine(script, more) if more > 1 else []
        ledger.close()
        return few + rest

    def _script(self, name: str, n: int, base_url: str) -> Path:
        """A command without arguments: the adapter with its messages on standard input."""
        messages = self._folder / f"{name}.jsonl"
        message = prepare(self._workload, base_url, Spool(self._folder))
        messages.write_bytes(b"".join(map(encode, (HELLO, message, run(n), FINISH))))
        script = self._folder / f"{name}.sh"
        script.write_text(f"#!/bin/sh\nexec {' '.join(self._launch.command)} < {messages}\n")
        script.chmod(0o755)
        return script

    def _hyperfine(self, script: Path, runs: int) -> list[float]:
        export = self._folder / "export.json"
        command = ["hyperfine", "-N", "--style", "none", "--export-json", str(export)]
        subprocess.run(
            [*command, "--runs", str(runs), str(script)],
            check=True,
            capture_output=True,
            env={"PATH": "/usr/bin:/bin", **self._launch.env},
        )
        times: list[float] = json.loads(export.read_text())["results"][0]["times"]
        return times


def _welch(a: list[float], b: list[float], alpha: float) -> str:
    p = ttest_ind(a, b, equal_var=False).pvalue
    if not p < alpha:
        return "undecided"
    return "slower" if statistics.mean(b) > statistics.mean(a) else "faster"


def _half_width(a: list[float], b: list[float], alpha: float) -> float:
    """Of the interval of the ratio, about: the difference's over the mean."""
    variances = [statistics.variance(side) / len(side) for side in (a, b)]
    degrees = sum(variances) ** 2 / sum(
        v**2 / (len(side) - 1) for v, side in zip(variances, (a, b), strict=True)
    )
    width = float(student.isf(alpha / 2, degrees)) * sum(variances) ** 0.5
    return width / statistics.mean(a)
