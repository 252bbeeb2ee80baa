"""Source trees of the user that a client's library is built from. Plain data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tree:
    """A source tree in the cache. `path`: where the user had it; `name`: its folder's name."""

    path: str
    name: str
    digest: str
