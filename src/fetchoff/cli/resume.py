"""`fetchoff resume`: continue an interrupted run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fetchoff.cli import options

if TYPE_CHECKING:
    from fetchoff.store.run_folder import RunFolder

NAME = "resume"


def command(
    run: options.RunPath,
    explain: options.Explain = False,
    wait: options.Wait = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Continue a run that was killed or interrupted, without repeating what is complete.

    If a round was interrupted within a workload, that workload is measured again with new
    processes. Its earlier batches stay in the folder but don't count.
    """
    from fetchoff.app.choose import recorded, states
    from fetchoff.app.results import analysis_of
    from fetchoff.app.unchanged import must_be_unchanged
    from fetchoff.cli import results
    from fetchoff.cli.console import say
    from fetchoff.cli.measure import Manner, claims_explained, explain_and_show, measure_to_end
    from fetchoff.cli.searching import search, search_all
    from fetchoff.store.history import HISTORIES, HISTORY
    from fetchoff.store.run_folder import RunFolder

    manner = Manner(quiet=quiet, as_json=as_json, waits=wait, explains=explain)
    if HISTORY.is_in(run):
        search(HISTORY.read(run), run, manner)
        return
    if HISTORIES.is_in(run):
        search_all(HISTORIES.read(run), run, manner)
        return
    folder = RunFolder.open(run, to_append=True)
    _must_be_of_one_machine(folder)
    if folder.ended is not None:
        folder.close()
        if not quiet:
            say("this run is complete; nothing is left to measure")
        analysis = analysis_of(folder)
        results.write_and_show(analysis, run, quiet=quiet, as_json=as_json)
        return
    clients = states(recorded(folder.header))
    must_be_unchanged(folder.header, clients)
    analysis = measure_to_end(folder, clients, manner)
    analysis = claims_explained(analysis, folder, clients, manner)
    explain_and_show(analysis, folder, clients, manner)


def _must_be_of_one_machine(folder: RunFolder) -> None:
    from fetchoff.model.errors import InputError

    if folder.header.hosts:
        folder.close()
        raise InputError(
            f"{folder.path} is a run of several hosts",
            f"continue it with 'fetchoff fleet resume {folder.path}'",
        )
