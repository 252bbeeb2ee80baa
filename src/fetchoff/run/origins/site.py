"""The documents of a real server: what the built-in origin answers, as files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from fetchoff.model.errors import InputError
from fetchoff.model.origin import Serves
from fetchoff.model.workload import Exchange, Workload
from fetchoff.run.origins.built_in import BuiltInOrigin
from fetchoff.run.origins.reference import save

TWO_RUNS = "measure these workloads in two runs, or on the built-in origin"


def fill_site(site: Path, workloads: Iterable[Workload], serves: Serves) -> None:
    """Write a file for every target that is not answered otherwise; those that are there stay."""
    files = _files(workloads, serves)
    missing = {path: exchange for path, exchange in files.items() if not (site / path).exists()}
    if not missing:
        return
    site.mkdir(parents=True, exist_ok=True)
    origin = BuiltInOrigin(site.parent)
    try:
        ledger = origin.open()
        for path, exchange in missing.items():
            file = site / path
            file.parent.mkdir(parents=True, exist_ok=True)
            part = file.with_name(file.name + ".part")
            save(exchange, ledger.base_url, part)
            part.replace(file)
        ledger.close()
    finally:
        origin.end()


def _files(workloads: Iterable[Workload], serves: Serves) -> dict[str, Exchange]:
    """What is to be fetched for each path; a HEAD is answered from the file of the GET."""
    files: dict[str, Exchange] = {}
    for workload in workloads:
        for exchange in workload.exchanges:
            if serves.answers_itself(exchange):
                continue
            path = exchange.target.partition("?")[0].lstrip("/") or "index.html"
            known = files.setdefault(path, exchange)
            if (_safe(known), known.body) != (_safe(exchange), exchange.body):
                raise InputError(
                    f"{known.method} and {exchange.method} {exchange.target} have different "
                    "answers, and this origin has one file for both",
                    TWO_RUNS,
                )
    for path in files:
        for above in map(str, PurePosixPath(path).parents):
            if above in files:
                raise InputError(
                    f"/{path} lies below /{above}, and this origin has a file for each",
                    TWO_RUNS,
                )
    return files


def _safe(exchange: Exchange) -> bool:
    """GET and HEAD, which are answered from the same content."""
    return exchange.method in ("GET", "HEAD")
