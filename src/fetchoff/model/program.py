"""What a run stores about Fetchoff's own programs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ProgramRecord:
    """A program that a run used. `protocol`: the version of the protocol that it was used with."""

    name: str
    version: str
    protocol: int
    sha256: str
