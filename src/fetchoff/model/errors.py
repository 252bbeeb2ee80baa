"""The tree of errors. Every error can carry a hint that says what to try next."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

KEPT = "what was measured is kept; 'fetchoff resume' goes on"
"""The hint where a run can be resumed. Who keeps nothing to resume replaces it."""


class FetchoffError(Exception):
    """An error that a user can cause or fix.

    `hint` is printed under the message; `exit_code` is the exit status of the command.
    """

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InputError(FetchoffError):
    """A name, option or file that is not valid."""


class UnknownName(InputError):
    """A client, workload or suite that does not exist; the hint suggests similar names."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
        if not near:
            near = [known_name for known_name in names if name.lower() in known_name.lower()][:3]
        meant = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names[:8])}"
        super().__init__(f"unknown {kind} '{name}'", meant)


class SetupError(FetchoffError):
    """An adapter could not be built or started."""

    exit_code = 3


class AdapterError(FetchoffError):
    """An adapter broke the protocol: silent, garbled, dead or dishonest."""

    exit_code = 4


class OriginError(FetchoffError):
    """The origin could not be started, or went away."""

    exit_code = 5


class CommandError(FetchoffError):
    """The user's own command cannot be run; the exit status is the one that shells use."""

    exit_code = 127


class LinkError(FetchoffError):
    """A link could not be emulated, or its emulator went away."""

    exit_code = 7


class BusyError(FetchoffError):
    """Another process is measuring on this machine."""

    exit_code = 9


class StoreError(FetchoffError):
    """The run folder cannot be written or read."""

    exit_code = 6


class InUseError(StoreError):
    """Another process appends to the run folder."""


class HostError(FetchoffError):
    """A host of a fleet cannot do what it was asked to."""

    exit_code = 10
