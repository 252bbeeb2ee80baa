"""Search for steps where there are none: `make bench-histories`.

`fetchoff history` gets a client with ten releases that are all the same code: a copy of its folder,
whose registry is a list of ten names. Each comparison is a real one, of processes of two builds. A
step is a false one, and so is any pair of releases that are called different.

Equal ends are never divided, so most of these histories are one comparison. With `--step`, each
client is searched a second time with its last five releases slower than the first five, by a loop
in each exchange. The search then goes down to neighbours, and most of its comparisons are of
equals. Exactly one step is right.

`--add-to FILE` keeps a line a history; the totals are over all of that file. A history counts if
one of its comparisons is to be believed, and has an interval. The exit status is 1 if equals were
called different, a history came to no end, or none is left that counts; 2 if there is no such
client.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benches.histories.slower import slowed
from benches.verdicts.copies import copied
from benches.verdicts.trials import share, write

from fetchoff.catalog.manifests import discover

PROGRAM = Path(sys.executable).parent / "fetchoff"
CLIENTS = "python/http-client,perl/http-tiny,ruby/net-http,php/curl"
DIFFERENT = {"faster", "slower"}
RELEASES = tuple(f"1.{number}" for number in range(10))
NOTHING_COMPARED = 4  # an exit status
STEP = 5  # the first slower release, where there is one
# What its registry says. What is kept of a release is its source.
_RELEASES = """
[releases]
package = "pretended"
list = ["cat", "releases"]
resolve = [
  ["cp", "sources/{{version}}", "{source}"],
  ["sh", "-c", "echo pretended $0 sha256:0 >$1", "{{version}}", "{{build}}/packages.txt"],
]
locks = ["{source}"]
"""


class SearchFailed(Exception):
    """A history that came to no end."""


@dataclass(frozen=True)
class Searched:
    """What one history said. `kinds`: how many stretches are of each kind; `verdicts`: of
    comparisons of equals, by both clocks, whose run is to be believed; `withheld`: comparisons
    whose run is not; `steps`: each as its two releases; `has_step`: whether there is one to find.
    `told`: comparisons that are to be believed and have an interval, by one clock at least;
    `told_of_equals`: those of equals. None in lines of before they were kept.
    """

    client: str
    seed: int
    kinds: dict[str, int]
    comparisons: int
    verdicts: list[str]
    seconds: float
    withheld: int = 0
    steps: tuple[tuple[str, str], ...] = ()
    has_step: bool = False
    told: int | None = None
    told_of_equals: int | None = None

    @property
    def can_tell(self) -> bool:
        """Whether it could have told anything, as far as that is known."""
        told = self.comparisons - self.withheld if self.told is None else self.told
        return told > 0

    @property
    def can_be_wrong(self) -> bool:
        """Whether it could have called equals different, as far as that is known; a step where
        there is none is wrong as well."""
        known = len(self.verdicts) // 2 if self.told_of_equals is None else self.told_of_equals
        return known > 0 or self.is_wrong

    @property
    def is_wrong(self) -> bool:
        return bool(DIFFERENT & set(self.verdicts)) or any(
            _are_equal(*step, has_step=self.has_step) for step in self.steps
        )

    @property
    def is_found(self) -> bool:
        """Whether the step is found, between its own two releases."""
        return self.has_step and (RELEASES[STEP - 1], RELEASES[STEP]) in self.steps


def main() -> int:
    arguments = _arguments()
    clients = arguments.clients.split(",")
    if unknown := [client for client in clients if client not in discover()]:
        print(f"error: no such client: {', '.join(unknown)}", file=sys.stderr)
        return 2
    print(f"seed {arguments.seed}", flush=True)
    found, failed = _kept(arguments.add_to), 0
    with tempfile.TemporaryDirectory(prefix="fetchoff-histories-") as place:
        for client in clients:
            try:
                for one in _trials(client, Path(place), arguments):
                    found.append(one)
                    print(f"{client}: {_line(one)}", file=sys.stderr)
                    if arguments.add_to:
                        write(arguments.add_to, one)
            except (SearchFailed, ValueError) as error:
                failed += 1
                print(f"{client}: {error}", file=sys.stderr)
    equal = [one for one in found if not one.has_step]
    stepped = [one for one in found if one.has_step]
    _show(equal, "of ten equal releases")
    _show(stepped, "with one step")
    if failed:
        print(f"clients with a history that came to no end: {failed}")
    shown = [kind for kind in (equal, stepped) if kind]
    if not shown:
        print("no history was searched")
    nothing_left = not shown or any(not any(one.can_tell for one in kind) for kind in shown)
    return int(bool(failed) or nothing_left or any(one.is_wrong for one in found))


def _trials(client: str, place: Path, arguments: argparse.Namespace) -> Iterator[Searched]:
    """The histories of a client."""
    for has_step in (False, True) if arguments.step else (False,):
        folder = _with_releases(client, place, has_step=has_step)
        for trial in range(arguments.trials):
            yield _searched(client, folder, arguments.seed + trial, arguments, has_step=has_step)


def _line(one: Searched) -> str:
    steps = ", ".join(" → ".join(step) for step in one.steps) or "none"
    return f"{one.kinds}, steps: {steps}, {one.withheld} withheld, in {one.seconds:.0f} s"


def _show(found: Sequence[Searched], which: str) -> None:
    """Totals of histories of one kind, with exact one-sided 95 % bounds."""
    if not found:
        return
    comparisons = sum(one.comparisons for one in found)
    withheld = sum(one.withheld for one in found)
    equals = sum(len(one.verdicts) for one in found) // 2
    could_be = [one for one in found if one.can_be_wrong]
    wrong = [one for one in could_be if one.is_wrong]
    print(
        f"{len(found)} histories {which}: {comparisons} comparisons, {withheld} of them withheld, "
        f"{equals} of equals that count"
    )
    print(f"  with equals that are called different: {share(wrong, could_be)}")
    if any(one.has_step for one in found):
        could = [one for one in found if one.can_tell]
        print(f"  the step is found: {share([one for one in could if one.is_found], could)}")
    if left := len(found) - len(could_be):
        print(f"  left out, as no comparison of equals has an interval and counts: {left}")


def _are_equal(older: str, newer: str, *, has_step: bool) -> bool:
    """Whether two releases are the same code."""
    return not has_step or (RELEASES.index(older) < STEP) == (RELEASES.index(newer) < STEP)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", default=CLIENTS, help="ids; those of the standard library")
    parser.add_argument("--trials", type=int, default=5, help="histories of each kind and client")
    parser.add_argument("--step", action="store_true", help="also with one step")
    parser.add_argument("--workload", default="small-get")
    parser.add_argument("--budget", type=float, default=80.0, help="of a history, seconds")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--add-to", type=Path, metavar="FILE", help="JSON lines, appended to")
    return parser.parse_args()


def _with_releases(client: str, place: Path, *, has_step: bool) -> Path:
    """A copy of the client's folder, of another name, whose registry lists ten releases."""
    manifest = discover()[client]
    name = f"{'stepped' if has_step else 'equal'}-{manifest.id.library}"
    folder = copied(manifest, name, place)
    document = folder / "adapter.toml"
    own = document.read_text(encoding="utf-8").partition("[releases]")[0]
    document.write_text(own + _RELEASES.format(source=manifest.source))
    source = (folder / manifest.source).read_text(encoding="utf-8")
    slower = slowed(client, source) if has_step else source
    (folder / "sources").mkdir()
    for number, version in enumerate(RELEASES):
        text = source if number < STEP else slower
        (folder / "sources" / version).write_text(text, encoding="utf-8")
    (folder / "releases").write_text(
        "".join(f"{version} 2020-01-{day:02}\n" for day, version in enumerate(RELEASES, 1))
    )
    return folder


def _searched(
    client: str, folder: Path, seed: int, arguments: argparse.Namespace, *, has_step: bool
) -> Searched:
    with tempfile.TemporaryDirectory(prefix="fetchoff-histories-") as place:
        command: Sequence[object] = (
            *(PROGRAM, "history", folder, "--from", RELEASES[0], "--to", RELEASES[-1]),
            *("--workload", arguments.workload, "--budget", arguments.budget, "--seed", seed),
            *("--out", Path(place) / "run", "--json", "--quiet", "--wait"),
        )
        began = time.monotonic()
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, check=False
        )
    document = _document(done)
    kinds = Counter(stretch["kind"] for stretch in document["stretches"])
    compared = document["compared"]
    told = [one for one in compared if not one["withheld"]]
    equals = [
        one
        for one in told
        if _are_equal(one["older"]["version"], one["newer"]["version"], has_step=has_step)
    ]
    return Searched(
        client,
        seed,
        dict(kinds),
        len(compared),
        [one[clock]["verdict"] for one in equals for clock in ("wall", "cpu")],
        time.monotonic() - began,
        len(compared) - len(told),
        tuple((s["from"], s["to"]) for s in document["stretches"] if s["kind"] == "step"),
        has_step,
        sum(map(_has_interval, told)),
        sum(map(_has_interval, equals)),
    )


def _document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """What the command printed; SearchFailed if it came to no end. With NOTHING_COMPARED it came to
    one if there is no comparison; else an adapter broke between two of them."""
    if done.returncode in (0, NOTHING_COMPARED):
        with contextlib.suppress(ValueError):
            document: dict[str, Any] = json.loads(done.stdout)
            if not (done.returncode and document["compared"]):
                return document
    raise SearchFailed(f"'fetchoff history' ended with {done.returncode}: {done.stderr[-500:]}")


def _has_interval(compared: Mapping[str, Any]) -> bool:
    """Whether a comparison has one, by one clock at least."""
    ratios = (compared[clock]["ratio"] for clock in ("wall", "cpu"))
    return any((one["low"] or 0) > 0 and one["high"] is not None for one in ratios)


def _kept(path: Path | None) -> list[Searched]:
    if path is None or not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").splitlines()
    documents = [json.loads(line) for line in lines]
    return [
        Searched(**{**one, "steps": tuple(map(tuple, one.get("steps", ())))}) for one in documents
    ]


if __name__ == "__main__":
    sys.exit(main())
