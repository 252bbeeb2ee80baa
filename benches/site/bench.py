"""How long a site of many runs takes: `make bench-site`.

    python -m benches.site.bench [--runs N] [--keep FOLDER]

The runs are made up: 28 clients on three workloads each, with every batch in results.json and a
whole report.html. Reading is to the end of the index, writing from there to the site in its place.
Exit status 1 if a link is broken, or it took longer than 30 s for each 500 runs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests import links
from tests.unit.report import sited

from fetchoff.app import results, site
from fetchoff.app.site import Origin, gather
from fetchoff.report.files import csv_results, json_results
from fetchoff.report.page import html

RUNS = 500
SECONDS_A_RUN = 30 / 500
LEAST_S = 5.0  # starting Python, and templates that are compiled once
SEEDS = 4  # as many different runs; the others are these at other times
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
MB = 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description="Time a site of many runs.")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--keep", type=Path, help="a folder for runs and site; default: none")
    arguments = parser.parse_args()
    with _folder(arguments.keep) as folder:
        make(folder / "runs", arguments.runs)
        sys.exit(report(folder, arguments.runs))


def report(folder: Path, runs: int) -> int:
    """Build the site, say how long it took, and check its links; the exit status."""
    began = time.monotonic()
    gathered = gather([Origin(folder / "runs")])
    if gathered.passed:
        sys.exit(f"left out: {gathered.passed[0]}")
    read_s = time.monotonic() - began
    built = site.build(gathered, folder / "site")
    whole_s = time.monotonic() - began
    pages = links.read(folder / "site")
    broken = links.broken(folder / "site", pages)
    files = [path for path in (folder / "site").rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    own = sum(p.stat().st_size for p in files if p.name not in (results.HTML, results.CSV))
    print(
        f"{built.runs} runs of {_size(folder / 'runs') / MB:,.0f} MB results.json: "
        f"{built.pages} pages, {own / MB:,.0f} MB and {(size - own) / MB:,.0f} MB of copies\n"
        f"read {read_s:.1f} s, written {whole_s - read_s:.1f} s, together {whole_s:.1f} s\n"
        f"{len(broken)} broken links"
    )
    for link in broken[:20]:
        print(f"broken: {link}")
    return int(bool(broken) or whole_s > LEAST_S + runs * SECONDS_A_RUN)


def make(folder: Path, runs: int) -> None:
    """So many run folders. Reports are alike, and so they're one file with many names."""
    bases = [sited.ranked(f"made-up-{seed}", 1, seed) for seed in range(min(SEEDS, runs))]
    texts = [json_results.text(base) for base in bases]
    folder.mkdir(parents=True)
    shared = folder.parent / results.HTML
    shared.write_text(html.text(replace(bases[0], explanations=())), "utf-8")
    for number in range(runs):
        base, text = bases[number % SEEDS], texts[number % SEEDS]
        at = (BEGAN + timedelta(hours=number)).isoformat(timespec="seconds")
        run = folder / f"run-{number}"
        run.mkdir()
        text = text.replace(base.run_id, f"run-{number}").replace(base.started, at)
        (run / "results.json").write_text(text, "utf-8")
        (run / results.CSV).write_text(csv_results.text(base), "utf-8")
        (run / results.HTML).hardlink_to(shared)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("results.json"))


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept
        return
    with tempfile.TemporaryDirectory(prefix="fetchoff-site-bench-") as folder:
        yield Path(folder)


if __name__ == "__main__":
    main()
