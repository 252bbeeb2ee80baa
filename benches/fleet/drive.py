"""Drive a run of pretended measuring on a Dask cluster: the driver that benches and tests kill.

python -m benches.fleet.drive RUN ADDRESS [--away S]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benches.fleet import pretended

from fetchoff.fleet.dask.clusters import there_is
from fetchoff.fleet.dask.joined import JoinedCluster
from fetchoff.fleet.dask.required import configure
from fetchoff.fleet.driver import Driver, Limits
from fetchoff.model.errors import FetchoffError
from fetchoff.store.run_folder import RunFolder


class Printed:
    """Says on standard output what happens to hosts."""

    def wave_began(self, rounds: dict[str, int]) -> None:
        print(f"wave {max(rounds.values()) + 1}", flush=True)

    def round_done(self, host: str, rounds: int, seconds: float) -> None: ...

    def lost(self, host: str, reason: str) -> None:
        print(f"lost {host}: {reason}", flush=True)

    def back(self, host: str) -> None:
        print(f"back {host}", flush=True)


def main() -> int:
    """Drive it to its end; the exit status of an error is that of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("run", type=Path)
    parser.add_argument("address")
    parser.add_argument("--away", type=float, default=60.0)
    arguments = parser.parse_args()
    configure()
    folder = RunFolder.open(arguments.run, to_append=True)
    try:
        with there_is(arguments.address, None) as client:
            limits = Limits(arguments.away, 120.0)
            cluster = JoinedCluster(client)
            ended = Driver(folder, cluster, pretended.measure, Printed(), limits).run()
    except FetchoffError as error:
        print(f"error: {error.message}", file=sys.stderr)
        return error.exit_code
    finally:
        folder.close()
    print(f"ended: {ended.reason} after {ended.rounds} rounds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
