"""Search releases with progress, and show what was found: shared by history and resume."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import typer

from fetchoff.app import histories
from fetchoff.app.explain import say_nothing
from fetchoff.app.history import Comparer, Search, spent_in
from fetchoff.app.steps import explain_steps, whys
from fetchoff.cli.console import data_console, say
from fetchoff.cli.measure import Manner, measure_watched
from fetchoff.cli.setup import set_up_all
from fetchoff.cli.status import Status
from fetchoff.model.client import Client, Manifest
from fetchoff.model.errors import AdapterError, BusyError, FetchoffError, StoreError
from fetchoff.model.history import HistoriesPlan, History, HistoryPlan, OfClient, PassedOver, Why
from fetchoff.report.files import histories_results, history_results
from fetchoff.report.page import histories as histories_page
from fetchoff.report.page import history as page
from fetchoff.report.terminal import histories as histories_table
from fetchoff.report.terminal import history as terminal
from fetchoff.store.plan_file import write
from fetchoff.store.run_folder import RunFolder

JSON, HTML = "results.json", "report.html"


def search(plan: HistoryPlan, folder: Path, manner: Manner) -> History:
    """Measure what is left of a history; write and show what it says, even if it is interrupted or
    fails. AdapterError if no two releases could be compared."""
    searched = Search(plan)
    try:
        found, explained = _searched(searched, folder, manner)
    except (KeyboardInterrupt, FetchoffError) as error:
        so_far = searched.so_far()
        is_interrupted = isinstance(error, KeyboardInterrupt)
        if is_interrupted or so_far.compared:
            say(f"{'interrupted: ' if is_interrupted else ''}{_how_to_go_on(folder)}")
            _show(so_far, whys(so_far, folder), manner)
            with _after(error):
                _written(so_far, folder)
                _say_where(folder, manner)
        if is_interrupted:
            raise typer.Exit(Status.INTERRUPTED) from None
        raise
    _show(found, explained, manner)
    _say_where(folder, manner)
    if not found.compared:
        raise _nothing_compared(plan.client)
    return found


def _nothing_compared(client: str) -> AdapterError:
    return AdapterError(
        f"no two releases of {client} could be compared",
        "see the reasons in the results, and test the client with 'fetchoff check CLIENT'",
    )


def _how_to_go_on(folder: Path) -> str:
    return f"continue with 'fetchoff resume {folder}'"


def search_all(plan: HistoriesPlan, folder: Path, manner: Manner) -> tuple[OfClient, ...]:
    """Measure what is left of all histories; write and show what they say, even if interrupted, or
    if an error ends it that would be the same for all. AdapterError if nothing could be compared
    of any client."""
    done: list[OfClient] = []

    def searcher(own: HistoryPlan, place: Path) -> History:
        return _searched_or_cut_short(own, place, manner, done)

    def tell(one: OfClient) -> None:
        done.append(one)
        if not _is_quiet(manner):
            said = f"{one.client} ({len(done)} of {len(plan.clients)})"
            say(f"{said}: {histories_table.said(one)}")

    try:
        histories.search_all(plan, folder, searcher, tell)
    except KeyboardInterrupt as error:
        say(f"interrupted: {_how_to_go_on(folder)}")
        _show_all(plan, done, manner)
        with _after(error):
            _write_all(plan, done, folder, manner)
        raise typer.Exit(Status.INTERRUPTED) from None
    except FetchoffError as error:
        if done:
            say(_how_to_go_on(folder))
            _show_all(plan, done, manner)
            with _after(error):
                _write_all(plan, done, folder, manner)
        raise
    _show_all(plan, done, manner)
    _write_all(plan, done, folder, manner)
    if not any(one.history and one.history.compared for one in done):
        raise _nothing_compared("a client")
    return tuple(done)


def _searched_or_cut_short(
    plan: HistoryPlan, folder: Path, manner: Manner, done: list[OfClient]
) -> History:
    """The whole search with its files. Of one that is cut short, what is known: by CutShort where
    the others go on, and among those that are `done` where all of them end."""
    searched = Search(plan)
    try:
        return _searched(searched, folder, manner)[0]
    except (KeyboardInterrupt, FetchoffError) as error:
        so_far = searched.so_far()
        if so_far.compared:
            with _after(error):
                _written(so_far, folder)
        reason = error.message if isinstance(error, FetchoffError) else "interrupted"
        if isinstance(error, KeyboardInterrupt | BusyError | StoreError):
            if so_far.compared:
                one = OfClient(plan.client, folder.name, so_far, reason, so_far.seconds)
                done.append(one)
            raise
        raise histories.CutShort(so_far, reason, spent_in(folder)) from error


def _is_quiet(manner: Manner) -> bool:
    return manner.quiet or manner.as_json


def _searched(searched: Search, folder: Path, manner: Manner) -> tuple[History, tuple[Why, ...]]:
    """The whole search, with its files."""
    quiet = _is_quiet(manner)

    def tell(passed: PassedOver) -> None:
        if not quiet:
            say(f"passed over {passed.version}: {passed.reason}")

    comparer = _comparer(searched.plan, folder, manner)
    found = searched.run(comparer, tell)
    if manner.explains:
        explain_steps(found, folder, comparer.ready, say_nothing if quiet else say)
    return found, _written(found, folder)


def _comparer(plan: HistoryPlan, folder: Path, manner: Manner) -> Comparer:
    quiet = _is_quiet(manner)

    def set_up(manifest: Manifest) -> Client:
        return set_up_all([manifest], quiet=True)[0]

    def measure(run: RunFolder, clients: Sequence[Client]) -> None:
        if not quiet:
            say(f"comparing {' and '.join(client.id for client in clients)}")
        measure_watched(run, clients, replace(manner, quiet=quiet))

    return Comparer(plan, folder, set_up, measure)


@contextlib.contextmanager
def _after(error: BaseException) -> Iterator[None]:
    """Write what there is after an error; that it can't be written must not take its place."""
    try:
        yield
    except StoreError as failed:
        if not isinstance(error, StoreError):
            say(f"note: {failed.message}")


def _written(history: History, folder: Path) -> tuple[Why, ...]:
    """Write a history's files. Returns what the folder keeps of the sides of its steps."""
    explained = whys(history, folder)
    hint = _make_room(folder)
    write(folder, JSON, history_results.text(history, explained), hint)
    write(folder, HTML, page.text(history, explained), hint)
    return explained


def _make_room(folder: Path) -> str:
    return f"make room; what was measured is kept, and 'fetchoff resume {folder}' writes it anew"


def _show(history: History, explained: Sequence[Why], manner: Manner) -> None:
    if manner.as_json:
        print(history_results.text(history, explained))
        return
    data_console().print(terminal.whole(history, explained))


def _show_all(plan: HistoriesPlan, done: Sequence[OfClient], manner: Manner) -> None:
    if manner.as_json:
        print(histories_results.text(plan, done))
        return
    data_console().print(histories_table.whole(plan, done))


def _write_all(plan: HistoriesPlan, done: Sequence[OfClient], folder: Path, manner: Manner) -> None:
    """The files of all histories, after they were shown: a disk may be full."""
    hint = _make_room(folder)
    write(folder, JSON, histories_results.text(plan, done), hint)
    write(folder, HTML, histories_page.text(plan, done), hint)
    _say_where(folder, manner)


def _say_where(folder: Path, manner: Manner) -> None:
    if not _is_quiet(manner):
        say(f"report: {folder / HTML}   data: {folder / JSON}")
