"""`fetchoff site`: static pages from many runs, and a look at them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import options

if TYPE_CHECKING:
    from fetchoff.app.site import Origin

NAME = "site"
SITE = Path("site")
PORT = 8000

app = typer.Typer(
    help="Build static pages from many runs, and look at them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command(name="build")
def build(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUNS", help="Run folders, or folders that hold some."),
    ] = None,
    others: Annotated[
        list[str] | None,
        typer.Option(
            "--from-others",
            metavar="[NAME=]DIR",
            help="Runs that somebody else measured; they are marked with the name. Repeatable.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The site's folder.")] = SITE,
    quiet: options.Quiet = False,
) -> None:
    """Build a site of static pages from the results of runs.

    It works from its folder, offline, and on any static host. Folders that can't be read are left
    out and named. A site that is there already is replaced as a whole.
    """
    from fetchoff.app import site
    from fetchoff.app.site_folder import must_be_a_site_or_nothing, must_be_writable
    from fetchoff.cli.console import say
    from fetchoff.model.errors import InputError

    origins = [*map(site.Origin, runs or ()), *map(_of_others, others or ())]
    if not origins:
        raise InputError("no runs are named", site.GIVE)
    must_be_a_site_or_nothing(out)
    must_be_writable(out)
    gathered = site.gather(origins)
    for passed in gathered.passed:
        say(f"left out: {passed.folder}: {passed.reason}")
    built = site.build(gathered, out)
    if not quiet:
        from fetchoff.report.wording.figures import count

        say(f"site: {out / 'index.html'}: {count(built.pages, 'page')}, {count(built.runs, 'run')}")


def _of_others(text: str) -> Origin:
    """`NAME=DIR`; without a name, it's the folder's."""
    from fetchoff.app.site import Origin
    from fetchoff.model.errors import InputError

    name, is_named, folder = text.partition("=")
    if not is_named:
        name, folder = Path(text).resolve().name, text
    if not (name and folder and name.isprintable()):
        raise InputError(f"'{text}' does not say whose runs these are", "write NAME=DIR")
    return Origin(Path(folder), name)


@app.command(name="serve")
def serve(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The site's folder.")] = SITE,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes any that is free.")
    ] = PORT,
) -> None:
    """Serve a site on this machine until Ctrl-C."""
    import contextlib

    from fetchoff.app.site_server import server
    from fetchoff.cli.console import say

    with server(folder, port) as serving:
        say(f"serving {folder} on http://127.0.0.1:{serving.server_port}/ until Ctrl-C")
        with contextlib.suppress(KeyboardInterrupt):
            serving.serve_forever()
