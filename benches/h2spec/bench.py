"""h2spec (https://github.com/summerwind/h2spec) against the origin, in the clear and over TLS.

    go install github.com/summerwind/h2spec/cmd/h2spec@latest
    .venv/bin/python -m benches.h2spec.bench

Exit status 1 if anything fails, 2 if over one listener no case passed or failed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fetchoff.model.workload import Protocol, Settings
from fetchoff.run.origins.built_in import BuiltInOrigin

Listener = tuple[str, Settings, tuple[str, ...]]
LISTENERS: tuple[Listener, ...] = (
    ("in the clear", Settings(protocol=Protocol.H2C), ()),
    ("over TLS", Settings(protocol=Protocol.H2, tls=True), ("-t", "-k")),
)


@dataclass(frozen=True)
class CaseResult:
    """The result of one case of h2spec: passed, skipped or failed."""

    section: str
    about: str
    outcome: str


def main() -> int:
    arguments = _parser().parse_args()
    if shutil.which(arguments.h2spec) is None:
        print(f"error: {arguments.h2spec} is not installed", file=sys.stderr)
        print("hint: 'make bench-h2spec' installs it", file=sys.stderr)
        return 2
    found: list[Counter[str]] = []
    with tempfile.TemporaryDirectory(prefix="fetchoff-h2spec-") as folder:
        origin = BuiltInOrigin(Path(folder))
        try:
            for listener in LISTENERS:
                found.append(_counted(listener, origin, arguments, Path(folder)))
        finally:
            origin.end()
    if not all(counts["passed"] + counts["failed"] for counts in found):
        print("error: there was nothing to try: are there such sections?", file=sys.stderr)
        return 2
    return 1 if any(counts["failed"] for counts in found) else 0


def _counted(
    listener: Listener, origin: BuiltInOrigin, arguments: argparse.Namespace, folder: Path
) -> Counter[str]:
    """Print what became of the cases over one listener; how many have passed, failed, …"""
    name, settings, options = listener
    port = origin.open(settings).base_url.rpartition(":")[2]
    command = (arguments.h2spec, "-h", "127.0.0.1", "-p", port, *options, *arguments.sections)
    tried = list(_tried(command, folder / f"{port}.xml"))
    counts = Counter(case.outcome for case in tried)
    print(f"{name}: " + ", ".join(f"{n} {outcome}" for outcome, n in counts.items()))
    for case in tried:
        if case.outcome != "passed":
            print(f"  {case.outcome}: {case.section}: {case.about}")
    return counts


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("sections", nargs="*", help="such as hpack or http2/5.1; all if none")
    parser.add_argument("--h2spec", default="h2spec", help="the program, if it is not on the PATH")
    return parser


def _tried(command: tuple[str, ...], report: Path) -> Iterator[CaseResult]:
    done = subprocess.run((*command, "-j", str(report)), stdout=subprocess.DEVNULL, check=False)
    if not report.exists():
        print(f"error: {command[0]} reports nothing, status {done.returncode}", file=sys.stderr)
        return
    for case in ET.parse(report).iter("testcase"):
        outcome = next((kind for kind in ("failure", "error", "skipped") if _has(case, kind)), "")
        named = {"": "passed", "skipped": "skipped"}.get(outcome, "failed")
        yield CaseResult(case.get("package", ""), case.get("classname", ""), named)


def _has(case: ET.Element, kind: str) -> bool:
    return case.find(kind) is not None


if __name__ == "__main__":
    sys.exit(main())
