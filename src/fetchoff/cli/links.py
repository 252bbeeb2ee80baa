"""`fetchoff links`: list the networks that you can measure over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from fetchoff.cli import completing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fetchoff.cli.listings import BurstsListing, DirectionListing, LinkListing
    from fetchoff.cli.table import Listing
    from fetchoff.model.link import Bursts, Link, Profile

NAME = "links"


def command(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Ids or TOML files; default: all.", autocompletion=completing.links),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the emulated links that you can measure over.

    'fetchoff run --link ID' measures over one; 'fetchoff link ID' runs any command over it.
    """
    from fetchoff.catalog import files, links
    from fetchoff.cli.console import data_console, print_json
    from fetchoff.model.link import LOOPBACK

    shown = [links.link(name) for name in names or (LOOPBACK.id, *files.names("links"))]
    if as_json:
        print_json([_document(link) for link in shown])
    else:
        data_console().print(_table(shown), crop=False)


def _table(links: Sequence[Link]) -> Listing:
    from rich.markup import escape

    from fetchoff.cli.table import Listing
    from fetchoff.report.wording.links import loss, rate, round_trip

    rows = [
        (one.id, round_trip(one), rate(one.up), rate(one.down), loss(one), escape(one.about))
        for one in links
    ]
    headings = ("link", "round trip", "up", "down", "lost", "what it is")
    return Listing(headings, rows, whole=5)


def _document(link: Link) -> LinkListing:
    return {
        "link": link.id,
        "about": link.about,
        "round_trip_ms": link.round_trip_ms,
        "up": _direction(link.up),
        "down": _direction(link.down),
        "mtu": link.mtu if link.is_emulated else None,
        "congestion": link.congestion if link.is_emulated else None,
        "source": link.source,
    }


def _direction(profile: Profile) -> DirectionListing:
    return {
        "delay_ms": profile.delay_ms,
        "jitter_ms": profile.jitter_ms,
        "rate_mbit_s": profile.rate_mbit_s,
        "queue_bytes": profile.queue_bytes,
        "queue_packets": profile.queue_packets,
        "loss": profile.loss,
        "bursts": _bursts(profile.bursts) if profile.bursts else None,
        "loss_share": profile.loss_share,
    }


def _bursts(bursts: Bursts) -> BurstsListing:
    return {
        "begin": bursts.begin,
        "end": bursts.end,
        "within": bursts.within,
        "outside": bursts.outside,
    }
