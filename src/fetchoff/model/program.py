"""The programs that come with Fetchoff, as a run keeps them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProgramRecord:
    """A program that took part in a run. `protocol`: the version that it was spoken to in."""

    name: str
    version: str
    protocol: int
    sha256: str
