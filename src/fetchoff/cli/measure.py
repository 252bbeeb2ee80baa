"""Measure with progress and show the results: shared by run, compare, reproduce and resume."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fetchoff.app.measure import launches, measure
from fetchoff.app.results import analysis_of
from fetchoff.cli.console import say
from fetchoff.cli.live import watching
from fetchoff.model.client import Client
from fetchoff.model.errors import BusyError, FetchoffError, InputError
from fetchoff.model.observation import Batch, Turns
from fetchoff.store.run_folder import RunFolder

if TYPE_CHECKING:
    from fetchoff.model.analysis import Analysis
    from fetchoff.model.observation import Record


@dataclass(frozen=True)
class Manner:
    """How the user wants to measure and see results.

    `waits`: wait while another run is measured on this machine. `explains`: explain the slowest
    clients after the ranking.
    """

    quiet: bool = False
    as_json: bool = False
    waits: bool = False
    per_day: float | None = None
    explains: bool = False


def measure_watched(folder: RunFolder, clients: Sequence[Client], manner: Manner) -> None:
    """Measure with progress on standard error; errors propagate."""
    quiet = manner.quiet or manner.as_json
    with watching(folder.header.experiment, folder, quiet=quiet) as listener:
        measure(folder, launches(clients), listener, waits=manner.waits, say=say)


def measure_to_end(
    folder: RunFolder, clients: Sequence[Client], manner: Manner, *, prints_results: bool = True
) -> Analysis:
    """Measure and analyse; on an error, write and show the results so far.

    `prints_results`: whether the caller's --json is those results, and not another document.
    """
    try:
        measure_watched(folder, clients, manner)
    except BusyError:
        raise
    except (KeyboardInterrupt, FetchoffError) as error:
        _rescue(folder, manner, prints_results=prints_results, goes_on=_how_to_go_on(folder, error))
        raise
    return analysis_of(folder)


def measure_and_show(folder: RunFolder, clients: Sequence[Client], manner: Manner) -> Analysis:
    """Measure, write the results, and show the ranking; on an error, show the results so far."""
    return explain_and_show(measure_to_end(folder, clients, manner), folder, clients, manner)


def explain_and_show(
    analysis: Analysis, folder: RunFolder, clients: Sequence[Client], manner: Manner
) -> Analysis:
    """Explain the slowest clients if the user wants that, write the results, and show them."""
    from fetchoff.cli import results

    if manner.explains:
        analysis = explained(analysis, folder, clients, manner)
    results.write_and_show(
        analysis,
        folder.path,
        quiet=manner.quiet,
        as_json=manner.as_json,
        per_day=manner.per_day,
    )
    return analysis


def explained(
    analysis: Analysis, folder: RunFolder, clients: Sequence[Client], manner: Manner
) -> Analysis:
    """The analysis with explanations; with those there are if that fails, or the user presses
    Ctrl-C: what was measured is shown anyway."""
    from fetchoff.app.explain import say_nothing
    from fetchoff.app.explaining import explain_ranked
    from fetchoff.model.origin import BUILT_IN

    quiet = manner.quiet or manner.as_json
    if folder.header.experiment.origin != BUILT_IN:
        say("note: only exchanges with the built-in origin can be explained")
        return analysis
    try:
        return explain_ranked(folder, analysis, clients, say_nothing if quiet else say)
    except KeyboardInterrupt:
        say("interrupted: the rest is not explained")
    except FetchoffError as error:
        say(f"note: the rest is not explained: {error.message}")
    return analysis_of(folder)


def claims_explained(
    analysis: Analysis, folder: RunFolder, clients: Sequence[Client], manner: Manner
) -> Analysis:
    """The analysis with explanations of the faults that its article's claims are about.

    The results are written before, so that Ctrl-C loses none of them.
    """
    from fetchoff.app.explain import say_nothing
    from fetchoff.app.explaining import explain_claimed
    from fetchoff.app.results import write

    found = analysis.reproduction
    if found is None or not found.article.findings:
        return analysis
    write(analysis, folder.path)
    said = say_nothing if manner.quiet or manner.as_json else say
    explain_claimed(folder, found.article, clients, said)
    return analysis_of(folder)


def _how_to_go_on(folder: RunFolder, error: BaseException) -> str:
    """How to continue a run. What is wrong with its workloads is wrong for ever: a run keeps them
    as they were."""
    if isinstance(error, InputError):
        return "begin another run when it is mended"
    return f"continue with 'fetchoff resume {folder.path}'"


def _rescue(folder: RunFolder, manner: Manner, *, prints_results: bool, goes_on: str) -> None:
    """Say what is kept, and write and show results if there are any; remove a folder without
    measurements that was made for this. `goes_on`: how to continue."""
    from fetchoff.app.results import write
    from fetchoff.cli import results

    if folder.is_new and not folder.records():
        folder.discard()
        return
    measured = sum(_pieces(record) for record in folder.records())
    say(f"{measured} turns and batches are kept in {folder.path}; {goes_on}")
    with contextlib.suppress(FetchoffError):
        analysis = analysis_of(folder)
        if manner.as_json and not prints_results:
            write(analysis, folder.path)
            return
        results.write_and_show(analysis, folder.path, quiet=manner.quiet, as_json=manner.as_json)


def _pieces(record: Record) -> int:
    """How many turns or batches a record holds."""
    if isinstance(record, Turns):
        return len(record.exchanges)
    return int(isinstance(record, Batch))
