"""Addresses that a report links to."""

from __future__ import annotations

import re

_OF_THE_WEB = re.compile(r"https?://[^\s\"'<>\\]+")


def must_be_of_the_web(address: str) -> str:
    """The same; ValueError unless it is empty, or begins with http:// or https://.

    Reports are published, and whoever wrote an adapter or a run folder need not be who publishes
    it: `javascript:` would run in the reader's browser.
    """
    if address and not _OF_THE_WEB.fullmatch(address):
        raise ValueError("must begin with http:// or https://")
    return address
