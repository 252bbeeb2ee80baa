"""The command from its first import on, which takes a moment: `fetchoff`, `python -m fetchoff`."""

from __future__ import annotations

import sys

INTERRUPTED = 130  # Status.INTERRUPTED, of a module that may not be imported yet


def main() -> None:
    """Run the command line. Ctrl-C ends in a word and a status also while modules are loaded."""
    try:
        from fetchoff.cli import main as command_line

        command_line.main()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
