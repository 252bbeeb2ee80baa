"""A `fetchoff` that only listens, for what starts the command in CI systems."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fetchoff.catalog.paths import shipped

ROOT = shipped("docs").parent
EXAMPLES = ROOT / "examples" / "gate"

PROGRAM = """#!/bin/sh
echo >>"$HEARD.calls"
try=$(wc -l <"$HEARD.calls")
for word in "$@"; do echo "$word"; done >"$HEARD"
while [ $# -gt 0 ]; do
    [ "$1" != --markdown ] || [ "${SUMMARY:-yes}" = no ] || echo "### summary of try $try" >"$2"
    shift
done
exit "$(echo "$STATUS" | cut -d " " -f "$try")"
"""
"""Notes its last arguments in $HEARD, and ends with the next of the statuses in $STATUS."""


@dataclass(frozen=True)
class Started:
    """What a script ended with and said, and the arguments that it last gave to `fetchoff`."""

    status: int
    said: str
    arguments: list[str]
    calls: int

    def all_of(self, option: str) -> list[str]:
        """The values of an option."""
        words = self.arguments
        return [words[i + 1] for i, word in enumerate(words) if word == option]


def started(
    argv: Sequence[str], folder: Path, *statuses: int, given: str = "", **env: str
) -> Started:
    """Run a script in `folder`, whose `fetchoff` ends with these statuses, one after the other.

    `given`: its standard input.
    """
    heard = folder / "heard"
    ended = subprocess.run(
        argv,
        cwd=folder,
        input=given,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={
            "PATH": os.environ["PATH"],
            "FETCHOFF": str(program_in(folder)),
            "HEARD": str(heard),
            "STATUS": " ".join(map(str, statuses or (0,))),
            **env,
        },
        check=False,
    )
    calls = Path(f"{heard}.calls")
    return Started(
        ended.returncode,
        ended.stdout,
        heard.read_text().splitlines() if heard.exists() else [],
        len(calls.read_text().splitlines()) if calls.exists() else 0,
    )


def program_in(folder: Path) -> Path:
    """The command, written into a folder."""
    program = folder / "fetchoff"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    return program
