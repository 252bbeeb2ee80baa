"""h2spec (https://github.com/summerwind/h2spec) against the origin, in the clear and over TLS.

    go install github.com/summerwind/h2spec/cmd/h2spec@latest
    .venv/bin/python benches/h2spec/bench.py

Exit status 1 if anything fails.
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

LISTENERS = (
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
        print(f"error: {arguments.h2spec} is not installed\nhint: see the head of this file")
        return 2
    failures = 0
    with tempfile.TemporaryDirectory(prefix="fetchoff-h2spec-") as folder:
        origin = BuiltInOrigin(Path(folder))
        for name, settings, options in LISTENERS:
            ledger = origin.open(settings)
            port = ledger.base_url.rpartition(":")[2]
            results = list(_results(arguments.h2spec, port, options, Path(folder) / "report.xml"))
            counts = Counter(case.outcome for case in results)
            print(f"{name}: " + ", ".join(f"{n} {outcome}" for outcome, n in counts.items()))
            failures += counts["failed"]
            for case in results:
                if case.outcome != "passed":
                    print(f"  {case.outcome}: {case.section}: {case.about}")
        origin.end()
    return 1 if failures else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--h2spec", default="h2spec", help="the program, if it is not on the PATH")
    return parser


def _results(
    program: str, port: str, options: tuple[str, ...], report: Path
) -> Iterator[CaseResult]:
    command = (program, "-h", "127.0.0.1", "-p", port, "-j", str(report), *options)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    for case in ET.parse(report).iter("testcase"):
        outcome = next((kind for kind in ("failure", "error", "skipped") if _has(case, kind)), "")
        named = {"": "passed", "skipped": "skipped"}.get(outcome, "failed")
        yield CaseResult(case.get("package", ""), case.get("classname", ""), named)


def _has(case: ET.Element, kind: str) -> bool:
    return case.find(kind) is not None


if __name__ == "__main__":
    sys.exit(main())
