"""`fetchoff resume`: continue an interrupted run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fetchoff.cli import options

if TYPE_CHECKING:
    from pathlib import Path

    from fetchoff.cli.measure import Manner
    from fetchoff.model.analysis import Analysis
    from fetchoff.model.errors import InputError
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
    from fetchoff.app.unchanged import must_be_unchanged
    from fetchoff.cli.measure import Manner, claims_explained, explain_and_show, measure_to_end
    from fetchoff.cli.searching import search, search_all
    from fetchoff.store.history import HISTORIES, HISTORY
    from fetchoff.store.run_folder import RunFolder

    _must_not_be_of_a_host(run)
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
        _show_ended(folder, manner)
        return
    clients = states(recorded(folder.header))
    must_be_unchanged(folder.header, clients)
    analysis = measure_to_end(folder, clients, manner)
    analysis = claims_explained(analysis, folder, clients, manner)
    explain_and_show(analysis, folder, clients, manner)


def _show_ended(folder: RunFolder, manner: Manner) -> None:
    """What a run says that ended, perhaps before its clients were explained."""
    from fetchoff.app import unchanged
    from fetchoff.app.results import analysis_of
    from fetchoff.cli.console import say
    from fetchoff.cli.measure import claims_explained, explain_and_show

    folder.close()
    if not manner.quiet:
        say("this run is complete; nothing is left to measure")
    analysis, clients = analysis_of(folder), []
    if manner.explains or _lacks_a_claimed_fault(analysis):
        clients = unchanged.unchanged_of(folder.header, say)
    analysis = claims_explained(analysis, folder, clients, manner)
    explain_and_show(analysis, folder, clients, manner)


def _lacks_a_claimed_fault(analysis: Analysis) -> bool:
    """Whether a claim of its article is about a fault that nobody has looked for yet."""
    known = {(each.diagnosis.client, each.diagnosis.course) for each in analysis.explanations}
    claims = analysis.reproduction.article.findings if analysis.reproduction else ()
    return any((claim.of.client, claim.of.workload) not in known for claim in claims)


def _must_not_be_of_a_host(run: Path) -> None:
    """What `fetchoff resume` appended to the run folder that a host keeps for itself would be no
    record of that host, and ruin it."""
    from fetchoff.fleet.host.own_folder import is_of_a_host

    if is_of_a_host(run):
        raise _of_a_host(run)


def _must_be_of_one_machine(folder: RunFolder) -> None:
    from fetchoff.model.errors import InputError

    if folder.header.machine:
        folder.close()
        raise _of_a_host(folder.path)
    if folder.header.hosts:
        folder.close()
        raise InputError(
            f"{folder.path} is a run of several hosts",
            f"continue it with 'fetchoff fleet resume {folder.path}'",
        )


def _of_a_host(run: Path) -> InputError:
    from fetchoff.model.errors import InputError

    return InputError(
        f"{run} is what one host of a fleet has measured",
        "continue the whole run, where it was begun: 'fetchoff fleet resume RUN'",
    )
