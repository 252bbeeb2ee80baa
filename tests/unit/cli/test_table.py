"""Listings on wide and on narrow terminals."""

from __future__ import annotations

import io

from rich.console import Console

from fetchoff.cli.table import Listing

LISTING = Listing(
    ("link", "up", "what it is"),
    [("far", "6 Mbit/s", "a network that is far away"), ("", "", "[dim]and more of it[/]")],
    whole=2,
)


def shown(width: int, listing: Listing = LISTING) -> list[str]:
    file = io.StringIO()
    Console(file=file, width=width).print(listing, crop=False)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_a_table_where_there_is_room() -> None:
    assert shown(80) == [
        "link  up        what it is",
        "far   6 Mbit/s  a network that is far away",
        "                and more of it",
    ]


def test_the_last_column_folds() -> None:
    assert shown(29)[1:3] == ["far   6 Mbit/s  a network", "                that is far"]


def test_paragraphs_where_there_is_none() -> None:
    assert shown(24) == [
        "far",
        "  up 6 Mbit/s · a",
        "  network that is far",
        "  away",
        "  and more of it",
    ]


def test_a_long_name_is_whole() -> None:
    name = "language/a-library-of-a-long-name"
    assert shown(20, Listing(("client", "about"), [(name, "x")])) == [name, "  x"]
