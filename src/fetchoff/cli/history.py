"""`fetchoff history`: in which release a client became slower, or faster."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import completing, options

if TYPE_CHECKING:
    from fetchoff.cli.measure import Manner
    from fetchoff.model.client import Manifest
    from fetchoff.model.course import Course
    from fetchoff.model.release import Release

NAME = "history"
WORKLOAD = "small-get"
BUDGET_S = 600.0
LAST = 8  # releases of each client, where nothing else is asked for
OF_ALL_S = 8 * 3600.0


def command(
    client: Annotated[
        str | None,
        typer.Argument(
            metavar="CLIENT",
            help="A client: an id or adapter folder.",
            autocompletion=completing.clients,
        ),
    ] = None,
    oldest: Annotated[
        str | None,
        typer.Option("--from", metavar="VERSION", help="The oldest release to measure."),
    ] = None,
    newest: Annotated[
        str | None, typer.Option("--to", metavar="VERSION", help="The newest; default: the latest.")
    ] = None,
    last: Annotated[
        int | None,
        typer.Option("--last", metavar="N", min=2, help=f"The last N releases; default: {LAST}."),
    ] = None,
    everyone: Annotated[
        bool, typer.Option("--all", help="The last releases of every client, one after the other.")
    ] = False,
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
    budget: options.Budget = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Explain the releases on both sides of each step.")
    ] = False,
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
    from fetchoff.app.courses import courses, must_be_measurable
    from fetchoff.cli.measure import Manner

    _must_fit(client, oldest, newest, last, everyone=everyone, pre=pre)
    chosen = courses([workload], [link] if link else ())
    must_be_measurable(chosen)
    asked = Asked(chosen[0], budget, _drawn(seed))
    manner = Manner(quiet=quiet or as_json, as_json=as_json, waits=wait, explains=explain)
    if client is None:
        _begin_all(asked, last or LAST, out, manner)
    else:
        _begin(asked, _plain(client), Range(oldest, newest, last or LAST, pre=pre), out, manner)


@dataclass(frozen=True)
class Asked:
    """What is measured, how long, and the seed."""

    course: Course
    budget_s: float | None
    seed: int


@dataclass(frozen=True)
class Range:
    """Which releases: from the oldest to the newest, or the last ones."""

    oldest: str | None
    newest: str | None
    last: int
    pre: bool


def _must_fit(
    client: str | None,
    oldest: str | None,
    newest: str | None,
    last: int | None,
    *,
    everyone: bool,
    pre: bool,
) -> None:
    """InputError for options that contradict each other."""
    from fetchoff.model.errors import InputError

    if everyone and client is not None:
        raise InputError(f"--all and '{client}' contradict each other", "give one of them")
    if not everyone and client is None:
        raise InputError("no client to measure", "name one, or give --all")
    if everyone and (oldest or newest or pre):
        raise InputError("--from, --to and --pre are for one client", "use --last with --all")
    if oldest and last:
        raise InputError("--from and --last contradict each other", "give one of them")
    if newest and not oldest:
        raise InputError("--to needs --from", "say both ends")


def _drawn(seed: int | None) -> int:
    import secrets

    return secrets.randbelow(2**31) if seed is None else seed


def _plain(client: str) -> Manifest:
    """InputError for one version of a client."""
    from fetchoff.cli.compare import one
    from fetchoff.model.errors import InputError

    manifest = one(client)
    if manifest.id.version:
        raise InputError(
            f"'{client}' is one version of a client",
            "leave the version out: --from and --to say it",
        )
    return manifest


def _begin(
    asked: Asked, manifest: Manifest, wanted: Range, out: Path | None, manner: Manner
) -> None:
    import fetchoff
    from fetchoff.app.history import REPEATS
    from fetchoff.app.measure import adapter_of
    from fetchoff.app.releases import releases_of
    from fetchoff.cli.console import say
    from fetchoff.cli.searching import search
    from fetchoff.model.history import HistoryPlan
    from fetchoff.store.history import HISTORY

    known = releases_of(manifest, say)
    plan = HistoryPlan(
        client=str(manifest.id),
        adapter=adapter_of(manifest),
        course=asked.course,
        releases=_wanted(known, wanted),
        seed=asked.seed,
        budget_s=asked.budget_s or BUDGET_S,
        started=_now(),
        fetchoff=fetchoff.__version__,
        repeats=REPEATS,
    )
    folder = out or _folder("history", plan.started, plan.seed)
    with _no_empty_folder(folder, HISTORY.name):
        HISTORY.create(folder, plan)
        search(plan, folder, manner)


@contextlib.contextmanager
def _no_empty_folder(folder: Path, plan: str) -> Iterator[None]:
    """Remove a folder that was made here if an error leaves nothing in it but the plan, as where
    another run is being measured."""
    from fetchoff.model.errors import FetchoffError

    was_there = folder.exists()
    try:
        yield
    except FetchoffError:
        if not was_there and folder.exists() and [each.name for each in folder.iterdir()] == [plan]:
            (folder / plan).unlink()
            folder.rmdir()
        raise


def _wanted(known: tuple[Release, ...], wanted: Range) -> tuple[Release, ...]:
    from fetchoff.app.histories import last_of
    from fetchoff.app.history import between

    if wanted.oldest is None:
        return last_of(known, wanted.last, pre=wanted.pre)
    return between(known, wanted.oldest, wanted.newest, pre=wanted.pre)


def _begin_all(asked: Asked, last: int, out: Path | None, manner: Manner) -> None:
    import fetchoff
    from fetchoff.app.histories import with_releases
    from fetchoff.cli.searching import search_all
    from fetchoff.model.history import HistoriesPlan
    from fetchoff.store.history import HISTORIES

    plan = HistoriesPlan(
        clients=with_releases(),
        last=last,
        course=asked.course,
        seed=asked.seed,
        budget_s=asked.budget_s or OF_ALL_S,
        started=_now(),
        fetchoff=fetchoff.__version__,
    )
    folder = out or _folder("histories", plan.started, plan.seed)
    HISTORIES.create(folder, plan)
    search_all(plan, folder, manner)


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="seconds")


def _folder(kind: str, started: str, seed: int) -> Path:
    """`runs/history-20261124-081500-7`, as run folders have it."""
    from datetime import datetime

    return Path("runs") / f"{kind}-{datetime.fromisoformat(started):%Y%m%d-%H%M%S}-{seed}"
