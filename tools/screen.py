"""Draw a terminal with a real comparison: `make screen` writes docs/images/compare.svg."""

from __future__ import annotations

import io
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "compare.svg"
COMMAND = ("fetchoff", "compare", "python/requests", "python/urllib3", "--seed", "1")
WIDTH = 118


def main() -> int:
    """Run the command, and draw what its terminal shows; not where the ranking is withheld."""
    shown = on_a_terminal((str(Path(sys.executable).parent / COMMAND[0]), *COMMAND[1:]))
    if "withheld" in shown:
        raise SystemExit(f"the machine is not quiet enough for a picture:\n{shown}")
    PICTURE.write_text(picture(shlex.join(COMMAND), shown), encoding="utf-8")
    return 0


def on_a_terminal(command: tuple[str, ...]) -> str:
    """What a command prints to a terminal, with its colours; progress is left out."""
    own, theirs = pty.openpty()
    env = {**os.environ, "COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    env.pop("NO_COLOR", None)
    process = subprocess.Popen(
        command, stdout=theirs, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env=env
    )
    os.close(theirs)
    parts = []
    while True:
        try:
            parts.append(os.read(own, 65_536))
        except OSError:  # how Linux tells that nobody writes to a terminal any more
            break
    os.close(own)
    if process.wait() != 0:
        raise SystemExit(f"{shlex.join(command)} ended with status {process.returncode}")
    return b"".join(parts).decode().replace("\r\n", "\n")


def picture(command: str, shown: str) -> str:
    """The terminal as SVG, which loads no font from anywhere."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
    console.print(Text.from_ansi(shown.rstrip()))
    return console.export_svg(title="fetchoff", code_format=without_fonts(CONSOLE_SVG_FORMAT))


def without_fonts(svg: str) -> str:
    """A template of rich without its `@font-face` rules."""
    return re.sub(r"@font-face \{\{.*?\}\}\s*", "", svg, flags=re.S)


if __name__ == "__main__":
    sys.exit(main())
