"""Build a site from run folders: find them, read what they say, and write the pages."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from fetchoff.app.fleet_results import HOSTS, write_document
from fetchoff.app.results import CSV, HTML
from fetchoff.app.site_folder import cannot_be_written, staged
from fetchoff.catalog.paths import is_there
from fetchoff.model.errors import FetchoffError, InputError, StoreError
from fetchoff.model.results_file import ResultsFile
from fetchoff.report.site import render
from fetchoff.report.site.collection import collect
from fetchoff.report.site.entries import History, Run
from fetchoff.report.site.runs import LeftOut
from fetchoff.store import results_file
from fetchoff.store.history import HISTORIES, HISTORY
from fetchoff.store.journal import JOURNAL
from fetchoff.store.run_folder import HEADER

KNOWN = frozenset({HEADER, HISTORY.name, results_file.FILE})
GIVE = "give run folders, or a folder of them, such as runs/"


@dataclass(frozen=True)
class Origin:
    """Where runs are found. `by`: who measured them; "": the user."""

    folder: Path
    by: str = ""


@dataclass(frozen=True)
class Passed:
    """A folder that isn't in the site, and why; the reason doesn't name its path."""

    folder: Path
    reason: str


@dataclass(frozen=True)
class Gathered:
    """What was found. `folders`: of each run and history, by its folder in the site."""

    runs: tuple[Run, ...]
    histories: tuple[History, ...]
    folders: dict[str, Path]
    passed: tuple[Passed, ...]


@dataclass(frozen=True)
class Built:
    """A site that was written. `runs`: histories are among them."""

    pages: int
    runs: int


def gather(origins: Iterable[Origin]) -> Gathered:
    """Read every run and history below these folders.

    What can't be read is passed over with a reason. InputError if a folder is missing, or doesn't
    hold any run.
    """
    found: dict[str, Run | History] = {}
    folders: dict[str, Path] = {}
    passed: list[Passed] = []
    for origin in origins:
        for folder in _run_folders(origin.folder, passed.append):
            try:
                read = _read(folder, origin.by)
            except FetchoffError as error:
                passed.append(Passed(folder, _without_path(error.message, folder)))
                continue
            for one in read:
                if one.folder in found:
                    passed.append(Passed(folder, f"has the id of {folders[one.folder].name}"))
                    break
                found[one.folder] = one
                folders[one.folder] = folder
    return Gathered(
        tuple(one for one in found.values() if isinstance(one, Run)),
        tuple(one for one in found.values() if isinstance(one, History)),
        folders,
        tuple(passed),
    )


def build(gathered: Gathered, out: Path) -> Built:
    """Write the site; whatever happens, `out` is what it was before, or the whole new site.

    InputError if nothing was gathered, or `out` is something else; StoreError if it can't be
    written.
    """
    if not gathered.folders:
        raise InputError("there is no run to show", "measure one with 'fetchoff run'")
    _must_be_apart(gathered.folders.values(), out)
    whole = collect(gathered.runs, gathered.histories)
    left_out = [LeftOut(one.folder.name, one.reason) for one in gathered.passed]
    pages = 0
    try:
        with staged(out) as site:
            for address, text in render.files(whole, left_out):
                _write(site / address, text)
                pages += address.endswith(".html")
            shown: tuple[Run | History, ...] = (*whole.runs, *whole.histories)
            for one in shown:
                for name in one.files:
                    _copy(gathered.folders[one.folder] / name, site / one.folder / name)
    except OSError as error:
        raise cannot_be_written(error.filename or out, error) from error
    return Built(pages, len(gathered.folders))


def _run_folders(top: Path, passed: Callable[[Passed], None]) -> Iterator[Path]:
    """The folder itself if it is one, or else those below it, in order. `passed`: is told of those
    below it that can't be read."""
    if not (is_there(top) and top.is_dir()):
        raise InputError(f"{top} is not a folder", GIVE)
    is_empty = True

    def refused(error: OSError) -> None:
        nonlocal is_empty
        folder = Path(error.filename or top)
        if folder == top:
            raise InputError(f"{top} cannot be read: {error.strerror}", GIVE) from error
        is_empty = False
        passed(Passed(folder, f"it cannot be read: {error.strerror}"))

    for place, below, names in os.walk(top, onerror=refused):
        if KNOWN.isdisjoint(names) or HISTORIES.name in names:  # those are below it
            below[:] = sorted(name for name in below if not name.startswith("."))
            continue
        below.clear()
        is_empty = False
        yield Path(place)
    if is_empty:
        raise InputError(f"there is no run folder in {top}", GIVE)


def _read(folder: Path, by: str) -> Sequence[Run | History]:
    """A run or a history with the files to copy; of a fleet, a run for each host with results."""
    try:
        return _read_in(folder, by)
    except OSError as error:  # a folder that may be listed, and not entered
        raise StoreError(f"{folder} cannot be read: {error.strerror}") from error


def _read_in(folder: Path, by: str) -> Sequence[Run | History]:
    """The same, or an OSError. A report is a program, so those of others stay."""
    copied = () if by else tuple(name for name in (HTML, CSV) if (folder / name).is_file())
    if HISTORY.is_in(folder):
        return [_history(folder, by, copied)]
    results = _results(folder)
    if results.hosts:
        return _of_hosts(folder, results, by)
    return [Run(results, results_file.moment(results.started), by, copied)]


def _of_hosts(folder: Path, results: ResultsFile, by: str) -> list[Run]:
    moment = results_file.moment(results.started)
    reports = set() if by else {path.name for path in (folder / HOSTS).glob("*.html")}
    runs = []
    for host in results.hosts:
        own, report = results.on(host), f"{host.id}.html"
        if own.results:
            copied = (f"{HOSTS}/{report}",) if report in reports else ()
            runs.append(Run(own, moment, by, copied))
    if not runs:
        raise StoreError(f"no host of {folder} has measured anything")
    return runs


def _history(folder: Path, by: str, copied: tuple[str, ...]) -> History:
    plan = HISTORY.read(folder)
    file = results_file.read_history(folder)
    try:
        began = results_file.moment(plan.started)
    except ValueError as error:
        raise StoreError(f"{folder / HISTORY.name} is not valid: {error}") from error
    if copied:  # its report leads to those of the comparisons
        reports = sorted(folder.glob(f"comparisons/*/{HTML}"))
        copied += tuple(str(path.relative_to(folder)) for path in reports)
    name = f"{began:%Y%m%d-%H%M%S}-{plan.seed}-{plan.client}"  # `--all` begins all with one seed
    return History(file, name, began, by, copied)


def _results(folder: Path) -> ResultsFile:
    """What was stored, or computed from the observations if nothing was."""
    if (folder / results_file.FILE).exists() or not (folder / JOURNAL).exists():
        return results_file.read(folder)
    from fetchoff.app.results import analysis_of
    from fetchoff.report.files import json_results
    from fetchoff.store.run_folder import RunFolder

    run, document = RunFolder.open(folder), StringIO()
    try:
        if run.header.hosts:
            write_document(run, document)
        else:
            document.write(json_results.text(analysis_of(run)))
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        # Records that no run of this version makes: one folder must not keep all others out.
        raise StoreError(f"{folder / JOURNAL} cannot be analysed: {error}") from error
    return results_file.of_text(document.getvalue().encode(), str(folder))


def _must_be_apart(folders: Iterable[Path], out: Path) -> None:
    """A site is replaced as a whole, so runs must not lie in it."""
    site = out.resolve()
    for folder in folders:
        if folder.resolve().is_relative_to(site):
            raise InputError(f"{folder} lies in {out}", "choose another folder with --out")


def _without_path(reason: str, folder: Path) -> str:
    """A site is published, so it doesn't tell where the folders of its owner are."""
    return reason.replace(f"{folder}/", "").replace(str(folder), "it")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
