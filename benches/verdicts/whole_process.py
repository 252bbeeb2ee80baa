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


@dataclass(frozen=True)
class Compared:
    """Welch's verdicts on B ÷ A, and what it took."""

    cpu_verdict: str
    wall_verdict: str
    cpu_ratio: float
    wall_ratio: float
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
        found = {
            name: self._measure(name, n, budget_s / 2) for name, n in sides[:: -1 if swap else 1]
        }
        (a_wall, a_cpu), (b_wall, b_cpu) = found["A"], found["B"]
        return Compared(
            cpu_verdict=_welch(a_cpu, b_cpu, alpha),
            wall_verdict=_welch(a_wall, b_wall, alpha),
            cpu_ratio=statistics.mean(b_cpu) / statistics.mean(a_cpu),
            wall_ratio=statistics.mean(b_wall) / statistics.mean(a_wall),
            half_width=_half_width(a_cpu, b_cpu, alpha),
            runs=min(len(a_cpu), len(b_cpu)),
            seconds=time.monotonic() - began,
        )

    def _measure(self, name: str, n: int, budget_s: float) -> tuple[list[float], list[float]]:
        """Wall and CPU seconds of each run that fits into the budget, three at least."""
        ledger = self._origin.open()
        messages = self._folder / f"{name}.jsonl"
        message = prepare(self._workload, ledger.base_url, Spool(self._folder))
        messages.write_bytes(b"".join(map(encode, (HELLO, message, run(n), FINISH))))
        walls: list[float] = []
        cpus: list[float] = []
        began = time.monotonic()
        while len(walls) < 3 or time.monotonic() - began < budget_s:
            result = self._hyperfine(messages)
            walls += result["times"]
            cpus += [result["user"] + result["system"]]
        ledger.close()
        return walls, cpus

    def _hyperfine(self, messages: Path):  # type: ignore[no-untyped-def]
        export = self._folder / "export.json"
        command = f"{' '.join(self._launch.command)} < {messages}"
        subprocess.run(
            ["hyperfine", "--runs", "2", "--style", "none", "--export-json", str(export), command],
            check=True,
            capture_output=True,
            env={"PATH": "/usr/bin:/bin", **self._launch.env},
        )  # fmt: skip
        return json.loads(export.read_text())["results"][0]


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
