"""`fetchoff history`: in which release a client became slower, or faster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import completing, options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fetchoff.model.client import Client, Manifest
    from fetchoff.model.history import History, HistoryPlan, PassedOver
    from fetchoff.store.run_folder import RunFolder

NAME = "history"
WORKLOAD = "small-get"
BUDGET_S = 600.0
JSON, HTML = "results.json", "report.html"


def command(
    client: options.Client,
    oldest: Annotated[
        str, typer.Option("--from", metavar="VERSION", help="The oldest release to measure.")
    ],
    newest: Annotated[
        str | None, typer.Option("--to", metavar="VERSION", help="The newest; default: the latest.")
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
    pre: Annotated[bool, typer.Option("--pre", help="Measure pre-releases too.")] = False,
    budget: options.Budget = BUDGET_S,
    out: options.Out = None,
    seed: options.Seed = None,
    wait: options.Wait = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Find the releases in which a client's cost changed.

    The oldest and the newest release are compared first. If they differ, the stretch between them
    is halved, until each step is found between two neighbouring releases. 'fetchoff resume FOLDER'
    continues a search that was interrupted.
    """
    from fetchoff.cli.compare import one
    from fetchoff.model.errors import InputError
    from fetchoff.store import history as store

    manifest = one(client)
    if manifest.id.version:
        raise InputError(
            f"'{client}' is one version of a client",
            "leave the version out: --from and --to say it",
        )
    plan = _plan(manifest, oldest, newest, workload, link, pre=pre, budget=budget, seed=seed)
    folder = out or Path("runs") / f"history-{_stamp(plan.started)}-{plan.seed}"
    store.create(folder, plan)
    search(plan, folder, waits=wait, quiet=quiet, as_json=as_json)


def _stamp(started: str) -> str:
    """`20261124-081500`, as run folders have it."""
    from datetime import datetime

    return f"{datetime.fromisoformat(started):%Y%m%d-%H%M%S}"


def search(plan: HistoryPlan, folder: Path, *, waits: bool, quiet: bool, as_json: bool) -> History:
    """Measure what is left of a history; show and write what it says, even if it is interrupted."""
    from fetchoff.app.history import Comparer, Search
    from fetchoff.cli.console import say
    from fetchoff.cli.measure import Manner, measure_watched
    from fetchoff.cli.setup import set_up_all

    manner = Manner(quiet=quiet or as_json, waits=waits)

    def set_up(manifest: Manifest) -> Client:
        return set_up_all([manifest], quiet=True)[0]

    def measure(run: RunFolder, clients: Sequence[Client]) -> None:
        if not manner.quiet:
            say(f"comparing {' and '.join(client.id for client in clients)}")
        measure_watched(run, clients, manner)

    def tell(passed: PassedOver) -> None:
        if not manner.quiet:
            say(f"passed over {passed.version}: {passed.reason}")

    searched = Search(plan)
    try:
        found = searched.run(Comparer(plan, folder, set_up, measure), tell)
    except KeyboardInterrupt:
        say(f"interrupted: continue with 'fetchoff resume {folder}'")
        _write_and_show(searched.so_far(), folder, quiet=quiet, as_json=as_json)
        raise
    _write_and_show(found, folder, quiet=quiet, as_json=as_json)
    return found


def _plan(
    manifest: Manifest,
    oldest: str,
    newest: str | None,
    workload: str,
    link: str | None,
    *,
    pre: bool,
    budget: float | None,
    seed: int | None,
) -> HistoryPlan:
    import secrets
    from datetime import UTC, datetime

    import fetchoff
    from fetchoff.app.courses import courses, must_be_measurable
    from fetchoff.app.history import between
    from fetchoff.app.measure import adapter_of
    from fetchoff.app.releases import releases_of
    from fetchoff.model.history import HistoryPlan

    chosen = courses([workload], [link] if link else ())
    must_be_measurable(chosen)
    return HistoryPlan(
        client=str(manifest.id),
        adapter=adapter_of(manifest),
        course=chosen[0],
        releases=between(releases_of(manifest), oldest, newest, pre=pre),
        seed=secrets.randbelow(2**31) if seed is None else seed,
        budget_s=budget or BUDGET_S,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        fetchoff=fetchoff.__version__,
    )


def _write_and_show(history: History, folder: Path, *, quiet: bool, as_json: bool) -> None:
    from fetchoff.cli.console import data_console, say
    from fetchoff.report.files import history_results
    from fetchoff.report.page import history as page
    from fetchoff.report.terminal import history as terminal
    from fetchoff.store import history as store

    text = history_results.text(history)
    store.write(folder, JSON, text)
    store.write(folder, HTML, page.text(history))
    if as_json:
        print(text)
        return
    data_console().print(terminal.whole(history))
    if not quiet:
        say(f"report: {folder / HTML}   data: {folder / JSON}")
