"""`fetchoff gate`: did a change make a client slower?"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import completing, options
from fetchoff.cli.duration import duration_s
from fetchoff.cli.status import Status

if TYPE_CHECKING:
    from fetchoff.cli.measure import Manner
    from fetchoff.model.client import Client
    from fetchoff.model.gate import Gate
    from fetchoff.model.witness import Witness
    from fetchoff.store.run_folder import RunFolder

NAME = "gate"
WORKLOAD = "small-get"
BUDGET_S = 180.0
MARGIN_PCT = 2.0

With = typer.Option(
    "--with",
    metavar="PATH",
    help="Build HEAD's library from this source tree or archive. Repeatable: in the order in which "
    "they are to be built.",
)
BaseWith = typer.Option(
    "--base-with", metavar="PATH", help="The same for BASE; default: the released version."
)
File = Path | None


def command(
    base: Annotated[
        str,
        typer.Argument(
            help="The client to compare with: an id or folder.", autocompletion=completing.clients
        ),
    ],
    head: Annotated[
        str | None,
        typer.Argument(
            help="The changed client; default: BASE's, with --with.",
            autocompletion=completing.clients,
        ),
    ] = None,
    head_with: Annotated[list[Path] | None, With] = None,
    base_with: Annotated[list[Path] | None, BaseWith] = None,
    workload: options.Workloads = None,
    link: options.Links = None,
    margin: Annotated[
        float, typer.Option(min=0.1, metavar="PCT", help="How much slower is tolerated, in %.")
    ] = MARGIN_PCT,
    budget: Annotated[
        float,
        typer.Option(metavar="TIME", parser=duration_s, help="How long to measure at most."),
    ] = BUDGET_S,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with status 8 if the answer is 'cannot tell'.")
    ] = False,
    count: Annotated[
        bool, typer.Option("--count/--no-count", help="Also count system calls, bytes, segments.")
    ] = True,
    record: Annotated[
        File, typer.Option(help="Keep in this file how often base differed from base.")
    ] = None,
    markdown: Annotated[File, typer.Option(help="Write a summary for a comment or job.")] = None,
    junit: Annotated[File, typer.Option(help="Write JUnit XML.")] = None,
    benchmark_action: Annotated[
        File, typer.Option(help="Write JSON for github-action-benchmark.")
    ] = None,
    bencher: Annotated[File, typer.Option(help="Write Bencher Metric Format.")] = None,
    placement: options.Placements = None,
    out: options.Out = None,
    seed: options.Seed = None,
    wait: options.Wait = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Find out whether HEAD is slower than BASE, both measured side by side.

    The exit status is 0 if HEAD is shown to be at most --margin slower, 1 if it is shown to be
    slower, and by more than that as far as can be estimated; 0, or with --strict 8, if neither can
    be shown within the budget; 4 if the figures must not be believed.
    """
    from fetchoff.app.courses import courses
    from fetchoff.app.experiments import gate
    from fetchoff.app.gate import gate_of, on_record, sides, with_record
    from fetchoff.app.gate_files import Wanted, must_be_writable
    from fetchoff.app.gate_files import write as write_files
    from fetchoff.app.measure import new_run
    from fetchoff.app.results import write
    from fetchoff.cli.compare import made_ready, must_be_made
    from fetchoff.cli.measure import Manner, measure_to_end
    from fetchoff.model.errors import StoreError

    wanted = Wanted(markdown, junit, benchmark_action, bencher, strict=strict)
    must_be_writable(wanted)
    known = on_record(record) if record else []
    chosen = courses(workload or [WORKLOAD], link or (), placement)
    one, other = map(made_ready, sides(base, head, base_with or (), head_with or ()))
    experiment = gate(
        one,
        other,
        chosen,
        margin=margin / 100,
        budget_s=budget,
        seed=seed,
        placement=placement,
    )
    folder = new_run(experiment, [one, other], f"gate: {other.id} against {one.id}", out)
    manner = Manner(quiet=quiet, as_json=as_json, waits=wait)
    analysis = measure_to_end(folder, [one, other], manner, prints_results=False)
    must_be_made(analysis, {one.id: base, other.id: head or base})
    write(analysis, folder.path)
    found = gate_of(folder, analysis)
    if record:
        found = with_record(found, known)
        _keep(found, record)
    status = _status(found, strict=strict)
    if count and not found.withheld:
        with contextlib.suppress(StoreError):  # a job may be ended while calls are counted
            write_files(found, wanted)
        found = _counted(found, one, other, folder, manner)
    _show(found, folder, quiet=quiet, as_json=as_json)  # a file that can't be written hides nothing
    with _not_instead_of(status):
        write_files(found, wanted)
    raise typer.Exit(status)


def _counted(gate: Gate, base: Client, head: Client, folder: RunFolder, manner: Manner) -> Gate:
    """The gate with what can be counted; if the user presses Ctrl-C, with what was by then."""
    from fetchoff.app.explain import say_nothing
    from fetchoff.app.witness import witnesses
    from fetchoff.cli.console import say

    experiment, records = folder.header.experiment, folder.records()
    tell = say_nothing if manner.quiet or manner.as_json else say
    found: list[Witness] = []
    try:
        for witness in witnesses(base, head, experiment, records, tell, waits=manner.waits):
            found.append(witness)
    except KeyboardInterrupt:
        say("interrupted: the rest is not counted")
    return replace(gate, witnesses=tuple(found))


def _show(gate: Gate, folder: RunFolder, *, quiet: bool, as_json: bool) -> None:
    from fetchoff.app.results import HTML
    from fetchoff.cli.console import data_console, say

    if as_json:
        from fetchoff.report.files.gate import document

        print(document.text(gate))
        return
    from fetchoff.report.terminal import gate as terminal

    data_console().print(terminal.whole(gate))
    if not quiet:
        say(f"report: {folder.path / HTML}")


def _keep(gate: Gate, record: Path) -> None:
    """Put the gate on record; what stands in the way is told, and changes no verdict."""
    from fetchoff.app.gate import put_on_record
    from fetchoff.cli.console import print_error
    from fetchoff.model.errors import FetchoffError

    try:
        put_on_record(gate, record)
    except FetchoffError as error:
        print_error(error)


@contextlib.contextmanager
def _not_instead_of(status: Status) -> Iterator[None]:
    """Tell of a file that can't be written, and end with its status, but not where head is slower:
    whoever goes by the status must hear of that."""
    from fetchoff.cli.console import print_error
    from fetchoff.model.errors import StoreError

    try:
        yield
    except StoreError as error:
        if status is not Status.NO:
            raise
        print_error(error)


def _status(gate: Gate, *, strict: bool) -> Status:
    from fetchoff.model.gate import End

    if gate.withheld:
        return Status.NOT_BELIEVED
    if gate.end is End.CANNOT_TELL:
        return Status.CANNOT_TELL if strict else Status.DONE
    return Status.NO if gate.end is End.SLOWER else Status.DONE
