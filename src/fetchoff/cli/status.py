"""The exit statuses of the command. docs/commands.md explains each; a test compares both.

Errors carry theirs themselves (fetchoff.model.errors), because they are known where no command is.
"""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """What a command ends with; `fetchoff link` ends with the status of its own command."""

    DONE = 0
    NO = 1  # slower than allowed, a case that failed, a machine that can't measure
    INPUT = 2
    SETUP = 3
    NOT_BELIEVED = 4  # an adapter broke the protocol, or a self-check or the link failed
    ORIGIN = 5
    STORE = 6
    LINK = 7
    CANNOT_TELL = 8
    BUSY = 9
    HOSTS = 10  # of a fleet: none is there, or left
    UNEXPECTED = 70  # EX_SOFTWARE of sysexits.h: Python's own would be 1, which is a verdict here
    NO_SUCH_COMMAND = 127
    INTERRUPTED = 130
    READER_WENT_AWAY = 141
