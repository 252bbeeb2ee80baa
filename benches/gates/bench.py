"""Put known changes of libraries before `fetchoff gate`: `make bench-gates`.

Libraries of eight languages are changed where every exchange goes through, built, and given to the
command as a maintainer gives a checkout, beside the same source without the change:

- `comment`: nothing that runs. Neither "slower" nor "faster" is right, and nothing is counted.
- `work`: a loop that looks at a clock, for 3 % of the CPU time of base's exchange (`--percent`).
  "Slower" is right, and no system call is counted.
- `call`: one system call more in each exchange, which must be counted.

A trial is a comment, whose gate tells what an exchange of base costs, and then the other changes.
`--add-to FILE` keeps a line a gate; the totals are over all of that file.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benches.gates.libraries import LIBRARIES, Change, Library
from benches.gates.sources import SourceError
from benches.verdicts.trials import share, write

from fetchoff.app.choose import chosen
from fetchoff.app.setup import set_up
from fetchoff.build.build_dir import state
from fetchoff.catalog.manifests import discover
from fetchoff.model.gate import Answer, End

PROGRAM = Path(sys.executable).parent / "fetchoff"
PERCENT = 3.0
ENDS = (0, 1, 4, 8)  # exit statuses of a gate that came to an end
WITHHELD = "withheld"


class GateFailed(Exception):
    """A gate that came to no end."""


@dataclass(frozen=True)
class Gated:
    """What one gate said. `ratios`: by clock; `ns`: spun in each exchange of head; `cpu_us`: of
    base's exchange; `counted`: quantities of an exchange that differ, by counter."""

    client: str
    change: Change
    seed: int
    end: str
    answers: dict[str, str]
    ratios: dict[str, float]
    ns: int
    cpu_us: float
    counted: dict[str, list[str]]
    seconds: float

    @property
    def is_told_apart(self) -> bool:
        """Whether it calls head slower or faster, and is to be believed."""
        told = {Answer.SLOWER, Answer.FASTER} & set(self.answers.values())
        return self.end != WITHHELD and bool(told)

    @property
    def is_counted(self) -> bool:
        return any(self.counted.values())


def main() -> int:
    arguments = _arguments()
    gates, failed = _kept(arguments.add_to), 0
    print(f"seed {arguments.seed}", flush=True)
    for library in _asked(arguments.clients.split(",")):
        try:
            for gated in _trials(library, arguments):
                gates.append(gated)
                print(f"{library.client} {gated.change}: {_line(gated)}", file=sys.stderr)
                if arguments.add_to:
                    write(arguments.add_to, gated)
        except (SourceError, GateFailed) as error:
            failed = 1
            print(f"{library.client}: {error}", file=sys.stderr)
    _show(gates)
    return failed


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    every = ",".join(library.client for library in LIBRARIES)
    parser.add_argument("--clients", default=every, help="of those by default")
    parser.add_argument("--changes", default=",".join(Change), help="after the comment's")
    parser.add_argument("--trials", type=int, default=1, help="of each client")
    parser.add_argument("--percent", type=float, default=PERCENT, help="of work")
    parser.add_argument("--budget", type=float, help="of a gate, seconds; 180 to 600 by default")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--add-to", type=Path, metavar="FILE", help="JSON lines, appended to")
    return parser.parse_args()


def _asked(names: Sequence[str]) -> list[Library]:
    known = {library.client: library for library in LIBRARIES}
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"there is no library of {', '.join(unknown)}: there are {', '.join(known)}")
    return [known[name] for name in names]


def _trials(library: Library, arguments: argparse.Namespace) -> Iterator[Gated]:
    """The gates of all trials. SourceError where the library cannot be had, changed or built."""
    set_up(chosen([library.client]))
    ready = state(discover()[library.client])
    version = ready.description.version if ready.description else ""
    changes = [Change(c) for c in arguments.changes.split(",") if c != Change.COMMENT]
    budget_s = arguments.budget or library.budget_s
    with tempfile.TemporaryDirectory(prefix="fetchoff-gates-") as name:
        place = Path(name)
        tree = library.get(library.name, version, _made(place / "source"))
        base = library.build(_copy_of(tree, place))
        for trial in range(arguments.trials):
            seed, cpu_us = arguments.seed + trial, 0.0
            for number, change in enumerate([Change.COMMENT, *changes]):
                ns = round(cpu_us * 10 * arguments.percent) if change is Change.WORK else 0
                into = _made(place / f"{trial}-{number}")
                head = library.changed(tree, change, arguments.seed + trial, ns, into)
                gated = _gate(library.client, change, (base, head), seed, budget_s, ns)
                cpu_us = cpu_us or gated.cpu_us
                yield gated


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _copy_of(tree: Path, place: Path) -> Path:
    """A copy to be built, so that the source stays as it came."""
    return Path(shutil.copytree(tree, _made(place / "base") / tree.name))


def _gate(
    client: str, change: Change, trees: tuple[Path, Path], seed: int, budget_s: float, ns: int
) -> Gated:
    base, head = trees
    command = [PROGRAM, "gate", client, "--base-with", base, "--with", head, "--json", "--quiet"]
    with tempfile.TemporaryDirectory(prefix="fetchoff-gates-") as folder:
        command += ["--seed", seed, "--budget", budget_s, "--out", Path(folder) / "run"]
        began = time.monotonic()
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, check=False
        )
    if done.returncode not in ENDS:
        raise GateFailed(f"'fetchoff gate' ended with {done.returncode}: {done.stderr[-800:]}")
    document = json.loads(done.stdout)
    rows = {row["clock"]: row for row in document["comparisons"]}
    return Gated(
        client,
        change,
        seed,
        document["end"],
        {clock: row["verdict"] or WITHHELD for clock, row in rows.items()},
        {clock: row["ratio"]["point"] or 0.0 for clock, row in rows.items()},
        ns,
        rows["cpu"]["base_us"]["point"],
        {
            witness["counter"]: [one["meaning"] for one in witness["differences"]]
            for witness in document["counted"]
        },
        time.monotonic() - began,
    )


def _kept(path: Path | None) -> list[Gated]:
    if path is None or not path.exists():
        return []
    documents = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [Gated(**{**one, "change": Change(one["change"])}) for one in documents]


def _line(gated: Gated) -> str:
    ratios = ", ".join(f"{clock} ×{ratio:.3f}" for clock, ratio in gated.ratios.items())
    counted = "; ".join(meaning for found in gated.counted.values() for meaning in found)
    said = f"{gated.end} ({ratios}) in {gated.seconds:.0f} s"
    return f"{said}; counted: {counted}" if counted else said


def _show(gates: Sequence[Gated]) -> None:
    """Totals by change; those that are withheld are told apart."""
    for change in Change:
        of = [gated for gated in gates if gated.change is change]
        told = [gated for gated in of if gated.end != WITHHELD]
        if not of:
            continue
        slower = [gated for gated in told if gated.end == End.SLOWER]
        print(f"{change}: {len(of)} gates, {len(of) - len(told)} withheld")
        print(f"  slower: {share(slower, told)}")
        if change is Change.COMMENT:
            print(f"  slower or faster: {share([g for g in told if g.is_told_apart], told)}")
        print(f"  something is counted: {share([g for g in of if g.is_counted], of)}")


if __name__ == "__main__":
    sys.exit(main())
