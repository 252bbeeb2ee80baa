"""Addresses that a report links to."""

from __future__ import annotations

import re

_OF_THE_WEB = re.compile(r"https?://[^\s\"'<>\\]+")


def must_be_of_the_web(address: str) -> str:
    """Return `address`; ValueError unless it is empty or begins with http:// or https://.

    Reports are published, and an adapter or a run folder may come from somebody untrusted: a link
    with `javascript:` would run in the reader's browser.
    """
    if address and not _OF_THE_WEB.fullmatch(address):
        raise ValueError("must begin with http:// or https://")
    return address
