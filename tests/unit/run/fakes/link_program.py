"""A fetchoff-link that only pretends: a shell script."""

from __future__ import annotations

from pathlib import Path

import pytest

GREETING = '{"protocol":2,"user_namespace":null}'


def say(*lines: str) -> str:
    """One of these after the other, each when something was asked."""
    return "".join(f"read asked; echo '{line}'\n" for line in lines)


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A shell script as the emulator; entering a namespace is not moving at all."""
    program = folder / "emulator"
    program.write_text(f"""#!/bin/sh\n[ "$1" = enter ] && {{ shift 3; exec "$@"; }}\n{script}""")
    program.chmod(0o755)
    monkeypatch.setenv("FETCHOFF_LINK", str(program))
