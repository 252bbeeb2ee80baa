"""Plain loops against Fetchoff: `make bench-agreement`.

A loop is a small program that uses a library as its documentation shows, without Fetchoff's kits,
and reads its own clocks. Loops run on the origin, core and policy that Fetchoff measures such
exchanges with, in rounds of fresh processes whose exchanges are mixed in stretches of about a
second. Then the ratios of their wall and CPU time to the baseline's are held against those that a
run of Fetchoff reports. Half of the rounds come before that run and half after it, so that a drift
of the machine meets both.

With --total, the adapters are driven by hand as well, by a few long `run`s and nothing else, and
all CPU time ÷ all exchanges is held against the CPU time of an exchange that the run reports.

Prints tables, and writes everything to the file of --out. Exit status 1 if a client disagrees, in a
ratio or in µs, or half of the ratios by more than 1 %; if a loop failed or no longer compiles; or
if the run has no figures for a client, or withholds its ranking. Intervals have a level of 99 %, so
one of a hundred clients that agree may be said not to. Measure on a quiet machine, or with
`--disturbed` on one that is disturbed on purpose, and give it time: each process of python/requests
alone takes more than ten seconds.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from pathlib import Path
from typing import Any

from benches.agreement import findings, runs, tables
from benches.agreement.arithmetic import Agreement, Overall
from benches.agreement.processes import unfit
from benches.agreement.rounds import Amounts, Failures, Measured, measure_round, stand
from benches.agreement.runs import Report, RunError
from benches.agreement.subjects import OF_OTHER_KITS, Subject, Way, gathered, with_loops
from benches.disturber.disturbing import DisturberFailed, disturbed_if

from fetchoff.app.choose import chosen
from fetchoff.app.setup import with_set_up
from fetchoff.catalog.workloads import workload
from fetchoff.model.client import matching
from fetchoff.model.errors import FetchoffError
from fetchoff.model.finding import Clock
from fetchoff.model.loopback import Loopback
from fetchoff.run.host.machine import usable_cores
from fetchoff.run.host.placement import on_core

GOAL_MEDIAN = 0.01
CLOCKS = {Clock.WALL: "Wall time", Clock.CPU: "CPU time"}


class UsageError(Exception):
    """The request cannot be fulfilled."""


class Bench:
    """The requested rounds, and the run in their middle."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self.arguments = arguments
        self.measured: list[Measured] = []
        self.report: Report | None = None
        self._folder = folder
        self._stand = stand(arguments.workload, Loopback(arguments.loopback))
        if reason := unfit(workload(arguments.workload)):
            raise UsageError(f"no plain loops of {arguments.workload}: {reason}")
        ways = tuple(Way) if arguments.total else (Way.LOOP,)
        names = _names(arguments.clients, arguments.baseline, ways)
        if arguments.setup:
            with_set_up(chosen(names))
        build = folder / "build"
        build.mkdir()
        found = gathered(names, ways, build)
        self.subjects, self.skipped = found.subjects, found.skipped
        self.failures: Failures = {(name, Way.LOOP): why for name, why in found.failed.items()}
        if (arguments.baseline, Way.LOOP) not in [subject.key for subject in self.subjects]:
            reasons = {**found.skipped, **found.failed}
            reason = reasons.get(arguments.baseline, "it has no plain loop")
            raise UsageError(f"the baseline {arguments.baseline} cannot be measured: {reason}")

    def measure(self) -> None:
        """Do all rounds, and in the middle the run, unless one exists or none is wanted."""
        arguments = self.arguments
        if arguments.run:
            self.report = runs.read(arguments.run, arguments.workload, arguments.baseline)
        before = math.ceil(arguments.processes / 2)
        for number in range(arguments.processes):
            if number == before:
                self._run()
            self._round(number)
        if before == arguments.processes:
            self._run()

    def _run(self) -> None:
        arguments = self.arguments
        if arguments.only_loops or self.report:
            return
        stamp = time.strftime("%Y%m%d-%H%M%S")
        out = arguments.out.with_name(f"{arguments.out.stem}-run-{stamp}")
        clients = dict.fromkeys(subject.client for subject in self._alive())
        workload, baseline = arguments.workload, arguments.baseline
        runs.make(out, workload, list(clients), baseline, arguments.seed, arguments.budget)
        self.report = runs.read(out, workload, baseline)
        print(f"the run is kept in {out}", file=sys.stderr)

    def _round(self, number: int) -> None:
        arguments, began_s = self.arguments, time.monotonic()
        amounts = Amounts(arguments.exchanges, arguments.warm_up, arguments.at_most_s)
        rng = random.Random(f"{arguments.seed} {number}")
        folder = self._folder / f"round-{number}"
        folder.mkdir()
        with on_core(usable_cores()[0]):
            measured, failures = measure_round(
                number, self._alive(), amounts, self._stand, rng, folder
            )
        self.measured += measured
        self.failures |= failures
        if reason := self.failures.get((arguments.baseline, Way.LOOP)):
            raise UsageError(f"the baseline {arguments.baseline} failed: {reason}")
        self.measured = [m for m in self.measured if (m.client, m.way) not in self.failures]
        self.write()
        seconds = time.monotonic() - began_s
        print(
            f"round {number + 1} of {arguments.processes}: {len(measured)} processes, "
            f"{seconds:.0f} s",
            file=sys.stderr,
        )

    def _alive(self) -> list[Subject]:
        return [subject for subject in self.subjects if subject.key not in self.failures]

    def show(self) -> bool:
        """Print everything; return whether the goals are met."""
        arguments = self.arguments
        found = findings.loops(self.measured, arguments.baseline)
        tables.show_loops(found)
        met = not self.failures and not _lacks(self.report)
        if self.report:
            for clock, name in CLOCKS.items():
                agreements = self._agreements(self.report, clock)
                title = f"{name} relative to {arguments.baseline}"
                tables.show_agreements(title, agreements, ("Fetchoff", "plain loop"))
                met &= _are_met(agreements)
        if arguments.total:
            met &= self._show_absolute()
        tables.show_lines(self._notes(found))
        return met

    def _agreements(self, report: Report, clock: Clock) -> list[Agreement]:
        return findings.agreements(self.measured, report, self.arguments.baseline, clock)

    def _show_absolute(self) -> bool:
        """Costs in µs, and of adapters relative to loops; whether all agree with the run's."""
        titles = {Way.LOOP: "plain loops", Way.ADAPTER: "adapters driven by hand"}
        met = True
        if self.report:
            for way in Way:
                means = findings.real_means(self.measured, self.report, way)
                title = f"All CPU time ÷ all exchanges of {titles[way]}, µs"
                tables.show_agreements(title, means, ("outside", "Fetchoff"))
                met &= all(one.is_within for one in means)
        tables.show_kits(findings.kits(self.measured))
        return met

    def _notes(self, found: Sequence[findings.Loop]) -> list[str]:
        at = self._stand
        lines = [
            f"{at.workload}: client and origin on core {at.core}, {at.urgency}, "
            f"{at.loopback} loopback; seed {self.arguments.seed}"
        ]
        lines += [f"not measured: {name}: {why}" for name, why in self.skipped.items()]
        lines += [f"failed: {name} ({way}): {why}" for (name, way), why in self.failures.items()]
        if self.report:
            lines += [
                f"the run has no figures for {n}: {w}" for n, w in self.report.without.items()
            ]
            if self.report.withheld:
                lines.append(f"the run withholds its ranking: {self.report.withheld}")
        lines += [
            f"note: {remark}" for remark in findings.remarks(found, self.measured, self.report)
        ]
        return lines

    def write(self) -> None:
        """Everything as JSON; what is not a finite number is null."""
        baseline, report = self.arguments.baseline, self.report
        document: dict[str, Any] = {
            "options": {name: _plain(value) for name, value in vars(self.arguments).items()},
            "stand": self._stand,
            "skipped": self.skipped,
            "failed": {f"{name} ({way})": why for (name, way), why in self.failures.items()},
            "outside": findings.loops(self.measured, baseline),
            "report": report,
        }
        if report:
            for clock in Clock:
                found = self._agreements(report, clock)
                document[f"agreements in {clock}"] = found
                document[f"overall in {clock}"] = _overall(found)
            for way in Way:
                means = findings.real_means(self.measured, report, way)
                document[f"real means by {way}"] = means
                document[f"overall by {way}"] = _overall(means)
        document["adapter relative to loop"] = findings.kits(self.measured)
        document["processes"] = self.measured
        text = json.dumps(_plain(document), indent=1, ensure_ascii=False)
        self.arguments.out.write_text(text + "\n", encoding="utf-8")


def _names(patterns: Sequence[str], baseline: str, ways: Sequence[Way]) -> list[str]:
    """The clients that match the patterns, and the baseline."""
    known = with_loops() + (list(OF_OTHER_KITS) if Way.ADAPTER in ways else [])
    names = {baseline: None}
    for pattern in patterns or ["*"]:
        picked = matching(pattern, known)
        if not picked:
            raise UsageError(f"no plain loop of '{pattern}'; there are: {', '.join(known)}")
        names |= dict.fromkeys(picked)
    return list(names)


def _overall(agreements: Sequence[Agreement]) -> Overall | None:
    return Overall.of(agreements) if agreements else None


def _are_met(agreements: Sequence[Agreement]) -> bool:
    overall = _overall(agreements)
    return (
        overall is not None
        and overall.within == overall.clients
        and overall.median_size <= GOAL_MEDIAN
    )


def _lacks(report: Report | None) -> bool:
    """Whether a run tells less than it was asked."""
    return report is not None and bool(report.without or report.withheld)


def _plain(value: Any) -> Any:
    """Data that JSON has: dataclasses as objects, agreements with what they come to."""
    if isinstance(value, Agreement):
        return _plain(asdict(value) | {"within": value.is_within})
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, dict):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return str(value) if isinstance(value, Path) else value


def _listed(text: str) -> list[str]:
    return text.split(",")


def _arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    add = parser.add_argument
    add("--clients", type=_listed, default=[], metavar="ID,…", help="ids or globs; default: all")
    add("--baseline", default="python/requests")
    add("--workload", default="small-get", help="of one GET or one small form")
    add(
        "--loopback",
        choices=[*Loopback],
        default=Loopback.MACHINE,
        help="of the loops; large content needs 'own', whose receive buffers have one size",
    )
    add("--processes", type=int, default=10, help="rounds, of one fresh process each")
    add("--exchanges", type=int, default=20_000, help="measured, of each process")
    add("--warm-up", type=int, default=2_000, help="exchanges before, at least")
    add("--at-most-s", type=float, default=20.0, help="measured, of each process, if that is less")
    add("--seed", type=int, default=1)
    add("--disturbed", action="store_true", help="with benches/disturber beside it")
    add("--setup", action="store_true", help="first set up the clients that never were")
    either = parser.add_mutually_exclusive_group().add_argument
    either("--only-loops", action="store_true", help="no run of Fetchoff, nothing is compared")
    either("--run", type=Path, help="the folder of a run to compare with, instead of making one")
    add("--budget", type=float, help="of that run; by default what 'fetchoff run' takes")
    add("--total", action="store_true", help="adapters driven by hand as well; absolute costs")
    add("--out", type=Path, default=Path("bench-agreement.json"), help="the run is kept beside it")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> int:
    """Measure, print and write; 0 if all agree, 1 if not, 2 if it could not be told."""
    arguments = _arguments(given)
    try:
        with tempfile.TemporaryDirectory(prefix="fetchoff-agreement-") as folder:
            with disturbed_if(arguments.disturbed, arguments.seed):
                bench = Bench(arguments, Path(folder))
                bench.measure()
            bench.write()
            return 0 if bench.show() else 1
    except (UsageError, RunError, FetchoffError, DisturberFailed) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
