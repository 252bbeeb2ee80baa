"""Is an exchange dearer after a pause in which nothing else ran? `make bench-pauses`

    python -m benches.pauses.bench [--rounds N]

A program in C without Fetchoff makes exchanges on one core and looks at a clock between them
(pause.c). What comes on top of an exchange without pauses should be the pause; what is beyond it
is what the pause itself costs, in caches that others have emptied meanwhile. A self-check that
injects time cannot tell that from a clock that runs fast (docs/decisions/0031).
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

PROGRAM = Path(__file__).with_name("pause.c")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10, help="of 1.8 s each")
    rounds = str(parser.parse_args().rounds)
    with tempfile.TemporaryDirectory(prefix="fetchoff-pauses-") as name:
        built = Path(name) / "pause"
        subprocess.run(["cc", "-O2", "-o", built, PROGRAM], check=True)
        said = subprocess.run([built, rounds], check=True, capture_output=True, text=True).stdout
    (_, wall_0, cpu_0, _), *paused = ([*map(float, line.split())] for line in said.splitlines())
    print(f"an exchange without a pause: {wall_0 / 1e3:.1f} µs, CPU {cpu_0 / 1e3:.1f} µs")
    for asked, wall, cpu, pause in paused:
        more, more_cpu = wall - wall_0, cpu - cpu_0
        print(
            f"after {asked / 1e3:g} µs: added ÷ paused {more / pause:.3f}, CPU "
            f"{more_cpu / pause:.3f}; beyond the pause {(more - pause) / 1e3:+.2f} µs"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
