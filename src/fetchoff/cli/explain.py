"""`fetchoff explain`: what makes a client slow, or slower than another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import completing, options

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from fetchoff.app.explain import Explained
    from fetchoff.model.breakdown import Breakdown
    from fetchoff.model.calls import CallTable
    from fetchoff.model.cause import Diagnosis, KnownFault, Stretch
    from fetchoff.model.client import Client
    from fetchoff.model.course import Course
    from fetchoff.model.slope import RoundTrips

NAME = "explain"
WORKLOAD = "small-get"
BUDGET_S = 30.0


@dataclass(frozen=True)
class Request:
    """What the user asks for, beside the clients."""

    course: Course
    timeline: int
    tries: bool
    traces: bool
    calls: bool
    round_trips: bool
    iterations: int | None
    packets: Path | None
    budget_s: float
    out: Path | None
    seed: int | None
    quiet: bool
    as_json: bool


def command(
    client: options.Client,
    other: Annotated[
        str | None,
        typer.Argument(
            metavar="[B]",
            help="Say why B is slower or faster than CLIENT.",
            autocompletion=completing.clients,
        ),
    ] = None,
    workload: Annotated[
        str,
        typer.Option(
            "--workload",
            "-w",
            help="A workload: a name or a TOML file.",
            autocompletion=completing.workloads,
        ),
    ] = WORKLOAD,
    link: Annotated[
        str | None,
        typer.Option(
            "--link", "-l", help="A link: an id or a TOML file.", autocompletion=completing.links
        ),
    ] = None,
    timeline: Annotated[
        int,
        typer.Option("--timeline", metavar="N", min=0, help="Show N exchanges, event by event."),
    ] = 0,
    tries: Annotated[
        bool, typer.Option("--try/--no-try", help="Toggle what is found, and measure both ways.")
    ] = True,
    trace: Annotated[
        bool,
        typer.Option(
            "--trace/--no-trace", help="Trace system calls, in a loop of their own (strace)."
        ),
    ] = True,
    calls: Annotated[
        bool, typer.Option("--calls", help="Show the system calls of an exchange, by name.")
    ] = False,
    round_trips: Annotated[
        bool,
        typer.Option(
            "--round-trips", help="Count the round trips of an exchange, over three emulated links."
        ),
    ] = False,
    iterations: Annotated[
        int | None, typer.Option("--iterations", min=1, help="Iterations to record.")
    ] = None,
    keep_packets: Annotated[
        Path | None,
        typer.Option(
            "--keep-packets",
            metavar="FILE",
            help="Keep the recorded packets in a pcapng file; with B in two, FILE-a and FILE-b.",
        ),
    ] = None,
    budget: options.Budget = BUDGET_S,
    out: options.Out = None,
    seed: options.Seed = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Find out what makes CLIENT slow, or why B is slower than CLIENT.

    Each finding is seen in a recording, predicted by taking the wait out of it, and, where one
    factor can be toggled, tried: both ways are measured.
    """
    from fetchoff.app.courses import courses
    from fetchoff.cli.compare import ready

    request = Request(
        course=courses([workload], [link] if link else ())[0],
        timeline=timeline,
        tries=tries,
        traces=trace or calls,
        calls=calls,
        round_trips=round_trips,
        iterations=iterations,
        packets=_writable(keep_packets),
        budget_s=budget or BUDGET_S,
        out=out,
        seed=seed,
        quiet=quiet or as_json,
        as_json=as_json,
    )
    _must_be_possible(request, compares=other is not None)
    if other is None:
        _explain_one(ready(client), request)
    else:
        _explain_difference(*_both(client, other), request)


def _must_be_possible(request: Request, *, compares: bool) -> None:
    """InputError or StoreError for what no recording changes, before minutes are spent on one."""
    from fetchoff.app.courses import must_be_measurable
    from fetchoff.store.run_folder import must_hold_no_run

    if compares:
        must_be_measurable([request.course])
    if request.out is not None and (compares or request.tries):
        must_hold_no_run(request.out)


def _both(a: str, b: str) -> tuple[Client, Client]:
    """Both clients, ready. Two folders of one client, such as a copy that was edited, are two."""
    from fetchoff.app.choose import told_apart
    from fetchoff.cli.compare import made_ready, one

    first, second = map(made_ready, told_apart(one(a), one(b)))
    return first, second


def _explain_one(client: Client, request: Request) -> None:
    from fetchoff.model.errors import AdapterError, FetchoffError

    found = _explained(client, request)
    diagnosis, faults = found.diagnosis, found.diagnosis.faults
    try:
        if request.tries and not faults:
            diagnosis = _tried(client, diagnosis, request)
        slope, failed = _slope(client, request) if request.round_trips else (None, 0)
    except (KeyboardInterrupt, FetchoffError):
        _show(found, diagnosis, request, None)  # what was found until then is told
        raise
    _show(found, diagnosis, request, slope)
    if faults or failed:
        raise typer.Exit(AdapterError.exit_code if faults else failed)


def _slope(client: Client, request: Request) -> tuple[RoundTrips | None, int]:
    """The round trips of an exchange; where they cannot be counted, an exit status."""
    from fetchoff.app.explain import say_nothing
    from fetchoff.app.slopes import slope_of
    from fetchoff.cli.console import say
    from fetchoff.model.errors import FetchoffError

    seed = 1 if request.seed is None else request.seed
    said = say_nothing if request.quiet else say
    try:
        return slope_of(client, request.course.workload, seed, said), 0
    except FetchoffError as error:
        say(f"round trips were not counted: {error.message}")
        if error.hint:
            say(f"hint: {error.hint}")
        return None, error.exit_code


def _writable(path: Path | None) -> Path | None:
    """InputError where no file can be made."""
    from fetchoff.model.errors import InputError

    if path is not None and not path.absolute().parent.is_dir():
        raise InputError(f"--keep-packets: there is no folder {path.parent}", "make it first")
    return path


def _explained(client: Client, request: Request) -> Explained:
    from fetchoff.app.explain import Asked, explain, say_nothing
    from fetchoff.cli.console import say

    seed = 1 if request.seed is None else request.seed
    asked = Asked(request.iterations, request.packets, seed, request.traces)
    return explain(client, request.course, asked, say_nothing if request.quiet else say)


def _tried(client: Client, diagnosis: Diagnosis, request: Request) -> Diagnosis:
    from fetchoff.app.trials import trial_of
    from fetchoff.cli.measure import Manner, measure_watched

    trial = trial_of(
        client,
        request.course,
        diagnosis,
        budget_s=request.budget_s,
        out=request.out,
        seed=request.seed,
    )
    if trial is None:
        return diagnosis
    measure_watched(trial.folder, list(trial.clients), Manner(quiet=request.quiet, waits=True))
    return trial.judged()


def _explain_difference(a: Client, b: Client, request: Request) -> None:
    from fetchoff.model.errors import AdapterError, FetchoffError

    found: list[Explained] = []
    try:
        for client, side in ((a, "a"), (b, "b")):
            packets = _of_side(request.packets, side)
            found.append(_explained(client, replace(request, packets=packets)))
        breakdown = _measured(a, b, [each.diagnosis for each in found], request)
    except (KeyboardInterrupt, FetchoffError):
        _show_diagnoses(found, as_json=request.as_json)  # what was found of each is told
        raise
    _show_difference(breakdown, as_json=request.as_json)
    if request.timeline and not request.as_json:
        _show_both(found, request.timeline)
    if any(each.diagnosis.faults for each in found):
        raise typer.Exit(AdapterError.exit_code)


def _measured(a: Client, b: Client, diagnoses: Sequence[Diagnosis], request: Request) -> Breakdown:
    """The two measured beside each other, and their difference divided."""
    from fetchoff.app.contrasts import Contrast
    from fetchoff.app.experiments import pair
    from fetchoff.app.measure import new_run
    from fetchoff.cli.measure import Manner, measure_watched

    experiment = pair(a, b, [request.course], budget_s=request.budget_s, seed=request.seed)
    folder = new_run(experiment, [a, b], f"{b.id} against {a.id}", request.out)
    measure_watched(folder, [a, b], Manner(quiet=request.quiet, waits=True))
    return Contrast(folder, request.course, *diagnoses).breakdown()


def _of_side(path: Path | None, side: str) -> Path | None:
    """The packets of one of two clients: packets-a.pcapng."""
    return path and path.with_name(f"{path.stem}-{side}{path.suffix}")


def _show(
    found: Explained, diagnosis: Diagnosis, request: Request, slope: RoundTrips | None
) -> None:
    from fetchoff.app.explain import excerpt
    from fetchoff.cli.console import data_console, print_json
    from fetchoff.report.files.json_results import members
    from fetchoff.report.terminal import calls
    from fetchoff.report.terminal import slope as of_slope
    from fetchoff.report.terminal.diagnosis import whole
    from fetchoff.report.terminal.timeline import timeline

    made = _calls(found) if request.calls else None
    if request.as_json:
        further = {"calls": made, "round_trips": slope}
        told = {name: members(one) for name, one in further.items() if one is not None}
        print_json(members(diagnosis) | told)
        return
    console = data_console()
    console.print(whole(diagnosis, _faults()))
    if request.calls:
        console.print()
        console.print(calls.whole(made))
    if slope is not None:
        console.print()
        console.print(of_slope.whole(slope))
    if request.timeline:
        marked = _marked(diagnosis)
        console.print()
        part = excerpt(found.evidence, request.timeline, marked)
        console.print(timeline(part, marked))


def _marked(diagnosis: Diagnosis) -> list[Stretch]:
    return [place for cause in diagnosis.causes for place in cause.places]


def _show_both(found: Sequence[Explained], exchanges: int) -> None:
    """Both clients' time lines."""
    from fetchoff.app.explain import excerpt
    from fetchoff.cli.console import data_console
    from fetchoff.report.terminal.timeline import side_by_side

    parts = []
    for each in found:
        marked = _marked(each.diagnosis)
        part = excerpt(each.evidence, exchanges, marked)
        parts.append((each.diagnosis.client, part, marked))
    console = data_console()
    console.print()
    console.print(side_by_side(parts))


def _calls(found: Explained) -> CallTable | None:
    from fetchoff.diagnosis.calls import table

    traced = found.evidence.traced
    return table(traced) if traced else None


def _show_difference(found: Breakdown, *, as_json: bool) -> None:
    from fetchoff.cli.console import data_console, print_json
    from fetchoff.report.files.json_results import members
    from fetchoff.report.terminal import breakdown
    from fetchoff.report.wording.breakdown import withheld

    if as_json:
        why = withheld(found.withheld) if found.withheld else None
        print_json(members(found, "withheld") | {"withheld": why})
        return
    data_console().print(breakdown.whole(found, _faults()))
    _print_each(found.diagnoses)


def _show_diagnoses(found: Sequence[Explained], *, as_json: bool) -> None:
    """Of each client by itself, where the two could not be compared."""
    from fetchoff.cli.console import print_json
    from fetchoff.report.files.json_results import members

    if as_json:
        print_json({"diagnoses": [members(each.diagnosis) for each in found]})
    else:
        _print_each([each.diagnosis for each in found])


def _print_each(diagnoses: Iterable[Diagnosis]) -> None:
    from fetchoff.cli.console import data_console
    from fetchoff.report.terminal import diagnosis

    console, faults = data_console(), _faults()
    for each in diagnoses:
        console.print()
        console.print(diagnosis.whole(each, faults))


def _faults() -> Mapping[str, KnownFault]:
    from fetchoff.diagnosis.rules.registry import all_rules

    return {rule.id: rule.fault for rule in all_rules()}
