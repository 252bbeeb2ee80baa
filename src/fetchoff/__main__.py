"""The command from its first import on, which takes a moment: `fetchoff`, `python -m fetchoff`."""

from __future__ import annotations

import sys

# Those of Status, whose module may not be imported yet.
UNEXPECTED = 70
INTERRUPTED = 130


def main() -> None:
    """Run the command line. Ctrl-C ends in a word and a status also while modules are loaded, and
    what nobody expects in a status that is no verdict."""
    try:
        from fetchoff.cli import main as command_line

        command_line.main()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except Exception as error:
        _tell(error)
        sys.exit(UNEXPECTED)


def _tell(error: Exception) -> None:
    """Say what it is and where to report it, as far as anybody reads."""
    import contextlib
    import traceback

    with contextlib.suppress(OSError):
        traceback.print_exc()
        print(f"error: unexpected: {type(error).__name__}: {error}", file=sys.stderr)
        print(
            "hint: this is a fault of Fetchoff or of its installation. Please report it where you "
            "have Fetchoff from, with the lines above and what 'fetchoff --version' says",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
