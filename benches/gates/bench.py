"""Put known changes of libraries before `fetchoff gate`: `make bench-gates`.

Libraries of eight languages are changed where every exchange goes through, built, and given to the
command as a maintainer gives a checkout, beside the same source without the change:

- `comment`: nothing that runs. Neither "slower" nor "faster" is right, and nothing is counted.
- `work`: a loop that looks at a clock, which adds 3 % to the CPU time of base's exchange
  (`--percent`). "Slower" is right, and no system call is counted.
- `call`: one system call more in each exchange, which must be counted, and nothing else.
- `field`: one header field more in each request, whose bytes must be counted, and nothing else.
- `allocation`: memory is asked for once more in each exchange, which must be counted, and nothing
  else; in libraries whose allocations can be counted.

A trial is a comment, whose gate tells what an exchange of base costs, and then the other changes.
Before `work` there is a `calibration`, a loop for 10 %, until enough is known of what looking at
the clock costs: what gates find beyond the length of their loops. The loop of `work` is asked for
so much less. `--add-to FILE` keeps a line a gate, all of one machine, as clocks differ; the totals
are over all of that file, with exact one-sided 95 % bounds.

Exit status 1: a gate came to no end, comments were called slower or faster more often than chance
allows (at an error rate of 1 %, with a confidence of 95 %: 1 of 5 is too many, 1 of 6 is not), a
call, a field or an allocation was not counted, or something was that was not added (though whatever
runs may allocate). Of a loop that isn't called
slower it says nothing. A gate that is withheld or has no interval is no trial of verdicts, and one
in which system calls couldn't be counted none of counts (of a field: bytes, by the origin; of an
allocation: those): if no other is left, that is status 1, too.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benches.gates.gated import COUNTS, WITHHELD, Gated, kept
from benches.gates.libraries import LIBRARIES, Change, Library
from benches.gates.loops import beyond_ns, is_calibrated, percent, with_calibration
from benches.gates.sources import SourceError
from benches.verdicts.trials import bounds, share, write

from fetchoff.app.choose import chosen
from fetchoff.app.setup import set_up
from fetchoff.build.build_dir import state
from fetchoff.catalog.manifests import discover
from fetchoff.cli.gate import BUDGET_S
from fetchoff.model.experiment import Experiment
from fetchoff.model.gate import End
from fetchoff.model.witness import Counter

PROGRAM = Path(sys.executable).parent / "fetchoff"
PERCENT = 3.0
COUNTED = {
    Counter.STRACE: "system calls",
    Counter.LEDGER: "bytes",
    Counter.ALLOCATOR: "allocations",
}
ENDS = (0, 1, 4, 8)  # exit statuses of a gate that came to an end


class GateFailed(Exception):
    """A gate that came to no end."""


def main() -> int:
    arguments = _arguments()
    gates, failed = kept(arguments.add_to), 0
    asked = _asked(arguments.clients.split(","))
    print(f"seed {arguments.seed}; budgets: {_budgets(asked, arguments)}", flush=True)
    for library in asked:
        try:
            for gated in _trials(library, arguments, gates):
                gates.append(gated)
                print(f"{library.client} {gated.change}: {_line(gated)}", file=sys.stderr)
                if arguments.add_to:
                    write(arguments.add_to, gated)
        except (SourceError, GateFailed) as error:
            failed = 1
            print(f"{library.client}: {error}", file=sys.stderr)
    _show(gates)
    wrong = list(_faults(gates))
    for fault in wrong:
        print(fault)
    return 1 if wrong else failed


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
    parser.add_argument("--comment-budget", type=float, help="of a comment's; --budget by default")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--add-to", type=Path, metavar="FILE", help="JSON lines, appended to")
    return parser.parse_args()


def _asked(names: Sequence[str]) -> list[Library]:
    known = {library.client: library for library in LIBRARIES}
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"there is no library of {', '.join(unknown)}: there are {', '.join(known)}")
    return [known[name] for name in names]


def _budgets(asked: Sequence[Library], arguments: argparse.Namespace) -> str:
    """`180 s, as is the default of a gate; but java/apache-httpclient5 600 s`."""
    if arguments.budget:
        return f"{arguments.budget:g} s"
    longer = [f"{one.client} {one.budget_s:g} s" for one in asked if one.budget_s != BUDGET_S]
    usual = f"{BUDGET_S:g} s, as is the default of a gate"
    return f"{usual}; but {', '.join(longer)}" if longer else usual


def _trials(
    library: Library, arguments: argparse.Namespace, before: Sequence[Gated]
) -> Iterator[Gated]:
    """The gates of all trials. `before`: those that were made, with each that is yielded.

    SourceError where the library cannot be had, changed or built.
    """
    set_up(chosen([library.client]))
    ready = state(discover()[library.client])
    version = ready.description.version if ready.description else ""
    changes = list(with_calibration(map(Change, arguments.changes.split(","))))
    budget_s = arguments.budget or library.budget_s
    with tempfile.TemporaryDirectory(prefix="fetchoff-gates-") as name:
        place = Path(name)
        tree = library.get(library.name, version, _made(place / "source"))
        base = library.build(_copy_of(tree, place))
        for trial in range(arguments.trials):
            seed, cpu_us = arguments.seed + trial, 0.0
            for number, change in enumerate([Change.COMMENT, *changes]):
                if change is Change.CALIBRATION and is_calibrated(library.client, before):
                    continue
                if change is Change.ALLOCATION and not library.allocation:
                    continue
                aim_ns = round(cpu_us * 10 * percent(change, arguments.percent))
                ns = aim_ns
                if change is Change.WORK:
                    ns = max(aim_ns - round(beyond_ns(library.client, before)), 0)
                is_comment = change is Change.COMMENT
                seconds = (is_comment and arguments.comment_budget) or budget_s
                into = _made(place / f"{trial}-{number}")
                head = library.changed(tree, change, seed, ns, into)
                gated = _gate(library.client, change, (base, head), seed, seconds, ns)
                gated = replace(gated, aim_ns=aim_ns)
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
    command.append("--wait")
    with tempfile.TemporaryDirectory(prefix="fetchoff-gates-") as folder:
        command += ["--seed", seed, "--budget", budget_s, "--out", Path(folder) / "run"]
        began = time.monotonic()
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, check=False
        )
    if done.returncode not in ENDS:
        raise GateFailed(f"'fetchoff gate' ended with {done.returncode}: {done.stderr[-800:]}")
    try:
        document = json.loads(done.stdout)
    except ValueError as error:  # a client that fails ends with a status of a gate's, too
        raise GateFailed(f"'fetchoff gate' printed no result: {done.stderr[-800:]}") from error
    rows = {row["clock"]: row for row in document["comparisons"]}
    return Gated(
        client,
        change,
        seed,
        document["end"],
        {clock: row["verdict"] or WITHHELD for clock, row in rows.items()},
        {clock: row["ratio"]["point"] or 0.0 for clock, row in rows.items()},
        ns,
        rows["cpu"]["base_us"]["point"] or 0.0,
        {
            witness["counter"]: [one["meaning"] for one in witness["differences"]]
            for witness in document["counted"]
        },
        time.monotonic() - began,
        rounds=max(row["rounds"] for row in rows.values()),
        has_interval=any(_has_interval(row["ratio"]) for row in rows.values()),
        missing={
            witness["counter"]: why
            for witness in document["counted"]
            if (why := _why_uncounted(witness))
        },
    )


def _why_uncounted(witness: Mapping[str, Any]) -> str:
    """Why a counter could count nothing; "" if it could. Calls that vary aren't those of a change;
    allocations that do may hide it."""
    if witness["counter"] == Counter.ALLOCATOR and witness["wavering"]:
        return f"they vary: {', '.join(witness['wavering'])}"
    return str(witness["missing"] or "")


def _has_interval(ratio: Mapping[str, float | None]) -> bool:
    return bool(ratio["low"]) and ratio["high"] is not None


def _line(gated: Gated) -> str:
    ratios = ", ".join(f"{clock} ×{ratio:.3f}" for clock, ratio in gated.ratios.items())
    counted = "; ".join(meaning for found in gated.counted.values() for meaning in found)
    said = f"{gated.end} ({ratios}) in {gated.seconds:.0f} s"
    if gated.aim_ns:
        said += (
            f"; {gated.aim_ns:,} ns were to be added, the loop was asked for {gated.ns:,}, and "
            f"{gated.added_ns:,.0f} were found ({gated.ratios['cpu'] - 1:.1%})"
        )
    return f"{said}; counted: {counted}" if counted else said


def _show(gates: Sequence[Gated]) -> None:
    """Totals by change, and of each change by library. Shares are of the gates that could have been
    wrong."""
    for change in Change:
        of = [gated for gated in gates if gated.change is change]
        if not of:
            continue
        print(f"{change}: {len(of)} gates")
        _totals(of, "  ")
        for client in dict.fromkeys(gated.client for gated in of):
            own = [gated for gated in of if gated.client == client]
            print(f"  {client}: {len(own)} gates{_added(own)}")
            _totals(own, "    ")


def _faults(gates: Sequence[Gated]) -> Iterator[str]:
    """What is wrong, and not by chance."""
    comments = [gated for gated in gates if gated.change is Change.COMMENT and gated.can_tell]
    apart = [gated for gated in comments if gated.is_told_apart]
    if bounds(len(apart), len(comments))[0] > Experiment.alpha:
        yield f"comments called slower or faster: {share(apart, comments)}"
    for gated in gates:
        if gated.is_withheld:
            continue
        if gated.is_miscounted:
            more = " else" if gated.change in COUNTS else ""
            said = f"something{more} is counted for {_a(gated.change)}"
            yield f"{gated.client}, seed {gated.seed}: {said}"
        if gated.can_count and not gated.is_counted and gated.change in COUNTS:
            yield f"{gated.client}, seed {gated.seed}: the {gated.change} is not counted"
    yield from _untested(gates)


def _a(change: Change) -> str:
    return f"an {change}" if change is Change.ALLOCATION else f"a {change}"


def _untested(gates: Sequence[Gated]) -> Iterator[str]:
    """Which changes no gate is left for that could have been wrong of them."""
    for change in (Change.COMMENT, Change.WORK, *COUNTS):
        of = [gated for gated in gates if gated.change is change]
        if change is Change.COMMENT and of and not any(gated.can_tell for gated in of):
            yield f"{change}: none of {len(of)} gates could call it slower or faster"
        if of and not any(gated.can_count for gated in of):
            counter = COUNTS.get(change, Counter.STRACE)
            reasons = {gated.missing[counter] for gated in of if counter in gated.missing}
            why = f": {'; '.join(sorted(reasons))}" if reasons else ""
            what = COUNTED[counter]
            yield f"{change}: in none of {len(of)} gates were {what} counted{why}"


def _totals(of: Sequence[Gated], indent: str) -> None:
    told = [gated for gated in of if gated.can_tell]
    could = [gated for gated in of if gated.can_count]
    print(f"{indent}withheld: {share([g for g in of if g.is_withheld], of)}")
    print(f"{indent}slower: {share([g for g in told if g.end == End.SLOWER], told)}")
    if of[0].change is Change.COMMENT:
        print(f"{indent}slower or faster: {share([g for g in told if g.is_told_apart], told)}")
    counted = [gated for gated in could if gated.is_counted or gated.is_miscounted]
    print(f"{indent}something is counted: {share(counted, could)}")


def _added(of: Sequence[Gated]) -> str:
    """How much a loop was to add, and did; "" where there is none."""
    told = [gated for gated in of if gated.aim_ns and gated.can_tell]
    if not told:
        return ""
    aims = [gated.aim_ns / (10 * gated.cpu_us) for gated in told]
    found = [100 * (gated.ratios["cpu"] - 1) for gated in told]
    return (
        f"; to be added to the CPU time: {sum(aims) / len(told):.1f} %, "
        f"found: {sum(found) / len(told):.1f} % on average"
    )


if __name__ == "__main__":
    sys.exit(main())
