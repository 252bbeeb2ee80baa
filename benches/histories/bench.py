"""Search for steps where there are none: `make bench-histories`.

`fetchoff history` gets a client with ten releases that are all the same code: a copy of its folder,
whose registry is a list of ten names. Each comparison is a real one, of processes of two builds. A
step is a false one, and so is any pair of releases that are called different.

`--add-to FILE` keeps a line a history; the total is over all of that file.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.verdicts.copies import copied
from benches.verdicts.trials import share, write

from fetchoff.catalog.manifests import discover

PROGRAM = Path(sys.executable).parent / "fetchoff"
CLIENTS = "python/http-client,perl/http-tiny,ruby/net-http,php/curl"
DIFFERENT = {"faster", "slower"}
RELEASES = tuple(f"1.{number}" for number in range(10))
# What its registry says, and what is kept of a release: nothing that makes two of them differ.
_RELEASES = """
[releases]
package = "same"
list = ["cat", "releases"]
resolve = [["sh", "-c", "echo same $0 sha256:0 >$1", "{version}", "{build}/packages.txt"]]
locks = ["locked"]
"""


class SearchFailed(Exception):
    """A history that came to no end."""


@dataclass(frozen=True)
class Searched:
    """What one history said. `kinds`: how many stretches are of each kind; `verdicts`: of all
    comparisons, by both clocks, whose run is to be believed."""

    client: str
    seed: int
    kinds: dict[str, int]
    comparisons: int
    verdicts: list[str]
    seconds: float

    @property
    def is_wrong(self) -> bool:
        return bool(DIFFERENT & set(self.verdicts))


def main() -> None:
    arguments = _arguments()
    print(f"seed {arguments.seed}", flush=True)
    found = _kept(arguments.add_to)
    with tempfile.TemporaryDirectory(prefix="fetchoff-histories-") as place:
        for client in arguments.clients.split(","):
            try:
                folder = _with_equal_releases(client, Path(place))
                for trial in range(arguments.trials):
                    one = _searched(client, folder, arguments.seed + trial, arguments)
                    found.append(one)
                    print(f"{client}: {one.kinds} in {one.seconds:.0f} s", file=sys.stderr)
                    if arguments.add_to:
                        write(arguments.add_to, one)
            except SearchFailed as error:
                print(f"{client}: {error}", file=sys.stderr)
    comparisons = sum(one.comparisons for one in found)
    wrong = share([one for one in found if one.is_wrong], found)
    print(f"{len(found)} histories of ten equal releases, {comparisons} comparisons")
    print(f"with two that are called different: {wrong}")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", default=CLIENTS, help="ids; those of the standard library")
    parser.add_argument("--trials", type=int, default=5, help="histories of each client")
    parser.add_argument("--workload", default="small-get")
    parser.add_argument("--budget", type=float, default=80.0, help="of a history, seconds")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--add-to", type=Path, metavar="FILE", help="JSON lines, appended to")
    return parser.parse_args()


def _with_equal_releases(client: str, place: Path) -> Path:
    """A copy of the client's folder, of another name, whose registry lists ten equal releases."""
    manifest = discover()[client]
    folder = copied(manifest, f"equal-{manifest.id.library}", place)
    document = folder / "adapter.toml"
    own = document.read_text(encoding="utf-8").partition("[releases]")[0]
    document.write_text(own + _RELEASES)
    (folder / "locked").touch()
    (folder / "releases").write_text(
        "".join(f"{version} 2020-01-{day:02}\n" for day, version in enumerate(RELEASES, 1))
    )
    return folder


def _searched(client: str, folder: Path, seed: int, arguments: argparse.Namespace) -> Searched:
    with tempfile.TemporaryDirectory(prefix="fetchoff-histories-") as place:
        command: Sequence[object] = (
            *(PROGRAM, "history", folder, "--from", RELEASES[0], "--to", RELEASES[-1]),
            *("--workload", arguments.workload, "--budget", arguments.budget, "--seed", seed),
            *("--out", Path(place) / "run", "--json", "--quiet"),
        )
        began = time.monotonic()
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise SearchFailed(f"'fetchoff history' ended with {done.returncode}: {done.stderr[-500:]}")
    document = json.loads(done.stdout)
    kinds = Counter(stretch["kind"] for stretch in document["stretches"])
    compared = document["compared"]
    told = [one for one in compared if not one["withheld"]]
    verdicts = [one[clock]["verdict"] for one in told for clock in ("wall", "cpu")]
    return Searched(client, seed, dict(kinds), len(compared), verdicts, time.monotonic() - began)


def _kept(path: Path | None) -> list[Searched]:
    if path is None or not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    return [Searched(**json.loads(line)) for line in lines]


if __name__ == "__main__":
    main()
