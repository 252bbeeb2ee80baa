"""Run Fetchoff's command as users do, and read its report."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benches.agreement.arithmetic import without_interval

from fetchoff.model.estimate import Estimate

PROGRAM = Path(sys.executable).parent / "fetchoff"


class RunError(Exception):
    """A run that failed, or that cannot be compared with."""


@dataclass(frozen=True)
class Reported:
    """What a run says of a client. `wall`, `cpu`: ratios to the baseline. `cpu_us`: an exchange."""

    wall: Estimate
    cpu: Estimate
    cpu_us: Estimate
    rounds: int
    request_bytes: float


@dataclass(frozen=True)
class Report:
    """What a run says of a workload. `without`: the clients that have no figures, and why."""

    clients: dict[str, Reported]
    without: dict[str, str]
    withheld: str
    seconds: float


def make(
    folder: Path,
    workload: str,
    clients: Sequence[str],
    baseline: str,
    seed: int,
    budget_s: float | None,
) -> None:
    """Run the command, with its progress and its table on standard error; RunError if it fails."""
    command = [str(PROGRAM), "run", "--workload", workload, "--baseline", baseline]
    command += ["--seed", str(seed), "--out", str(folder)]
    command += ["--budget", str(budget_s)] if budget_s else []
    for client in clients:
        command += ["--client", client]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)
    if done.returncode:
        raise RunError(f"'fetchoff run' ended with exit status {done.returncode}")


def read(folder: Path, workload: str, baseline: str) -> Report:
    """The report in a run folder; RunError if it is not one, or has another baseline."""
    try:
        document = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"{folder}: no results.json can be read: {error}") from error
    found = [one for one in document["results"] if one["workload"] == workload]
    if not found:
        raise RunError(f"{folder} has no workload {workload}")
    result = found[0]
    if result["baseline"] != baseline:
        raise RunError(f"the baseline of {folder} is {result['baseline']}, not {baseline}")
    clients, without = {}, {}
    for standing in result["standings"]:
        if None in (standing["wall"], standing["cpu"], standing["costs"]):
            without[standing["client"]] = f"{standing['outcome']}: {standing['message']}"
        else:
            clients[standing["client"]] = _reported(standing)
    return Report(clients, without, result["withheld"], document["seconds"])


def _reported(standing: dict[str, Any]) -> Reported:
    sent = standing["wire"]["bytes_in_per_exchange"] if standing["wire"] else None
    return Reported(
        wall=_estimate(standing["wall"]["ratio"]),
        cpu=_estimate(standing["cpu"]["ratio"]),
        cpu_us=_estimate(standing["costs"]["cpu_us"]),
        rounds=standing["rounds"],
        request_bytes=math.nan if sent is None else sent,
    )


def _estimate(member: dict[str, float | None]) -> Estimate:
    point, low, high, level = (member[name] for name in ("point", "low", "high", "level"))
    assert point is not None
    if low is None or high is None or not level:
        return without_interval(point)
    return Estimate(point, low, high, level)
