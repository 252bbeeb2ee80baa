"""Measure the error rates and the speed of verdicts: `make bench-verdicts`.

Real comparisons and rankings on this machine, as users get them, of which the truth is known:

- `aa`: a client and a copy of it in another folder, under another name. No difference is right.
- `plus3`, `plus10`, `plusN`: a client with itself spinning 3 % (10 %, N %) of its CPU time after
  every exchange.
- `ranking`: rankings of all clients with two copies of each. No equals may be told apart.
- `identical`: pairs of different clients, each comparison again and again, with one seed.
- `peers`: the questions of `aa` and `plus3` to whole processes, in so many seconds: by hyperfine
  one after the other, and alternated, pinned and as urgent as our own. A t-test judges each at 1 %.
  The same runs are judged by criterion's rule and defaults, which aim at 5 %
  (`criterion-sequential`, `criterion-alternated`).

`--add-to FILE` keeps a line a trial; the totals are over all of that file. Measure on a quiet
machine, or with `--disturbed` on one that is disturbed on purpose.

Exit status 1: more verdicts of a part are wrong than chance allows (at an error rate of 1 %, with a
confidence of 95 %: 1 of 5 are, 1 of 6 are not), repetitions have opposite verdicts, no trial of a
part could have been wrong (it is withheld, or has no interval), or none came to its end. Trials of
the file count, too; those of rivals don't.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

from benches.disturber.disturbing import disturbed_if
from benches.verdicts import totals, trials
from benches.verdicts.comparing import Conditions, burdened, identical, ranked
from benches.verdicts.copies import clients, families
from benches.verdicts.faults import RIVALS, faults
from benches.verdicts.peers import peers
from benches.verdicts.trials import IDENTICAL, RankingTrial, Trial

from fetchoff.model.client import Client
from fetchoff.model.errors import FetchoffError

CLIENTS = (
    "c/libcurl",
    "go/net-http",
    "java/jdk-httpclient",
    "javascript/fetch",
    "javascript/node-http",
    "perl/http-tiny",
    "php/curl",
    "python/http-client",
    "python/requests",
    "ruby/net-http",
)
PAIRS: tuple[tuple[str, str], ...] = (
    ("javascript/fetch", "javascript/undici"),
    ("javascript/ky", "javascript/got"),
    ("javascript/axios", "javascript/node-fetch"),
    ("javascript/superagent", "javascript/needle"),
    ("javascript/node-http", "javascript/axios"),
    ("javascript/fetch", "javascript/ky"),
    ("python/requests", "python/httpx"),
    ("python/urllib3", "python/http-client"),
    ("ruby/net-http", "ruby/http-rb"),
    ("go/net-http", "go/resty"),
    ("java/okhttp", "java/apache-httpclient5"),
    ("perl/lwp", "perl/http-tiny"),
)
PLUS = re.compile(r"plus(\d+)")
PARTS = ("aa", "plus3", "plus10", "ranking", IDENTICAL, "peers")
MOST_OFF = 4.0
ONCE = "aa,plus3,plus10"
WORKLOAD = "small-get"
BUDGET_S, RANKING_BUDGET_S, PEERS_S = 60.0, 150.0, 5.0

Ask = Callable[[], list[Trial | RankingTrial]]


@dataclass(frozen=True)
class Asked:
    """The options of the command line."""

    parts: tuple[str, ...]
    names: tuple[str, ...]
    pairs: tuple[tuple[str, str], ...]
    trials: int
    conditions: Conditions
    ranking_budget_s: float
    peers_s: float
    seed: int


def main() -> int:
    arguments = _arguments()
    asked = _asked(arguments)
    print(f"seed {asked.seed}", flush=True)
    kept = trials.read(arguments.add_to) if arguments.add_to else []
    before = len(kept)
    with (
        tempfile.TemporaryDirectory(prefix="fetchoff-copies-") as place,
        disturbed_if(arguments.disturbed, asked.seed),
    ):
        for label, ask in _questions(asked, Path(place), kept):
            try:
                found = ask()
            except FetchoffError as error:
                print(f"{label}: {error}", file=sys.stderr)
                continue
            for trial in found:
                kept.append(trial)
                if arguments.add_to:
                    trials.write(arguments.add_to, trial)
                print(f"{label}: {_ended(trial)}", file=sys.stderr)
    totals.show(kept)
    if arguments.json:
        document = {"summary": totals.summary(kept), "trials": [asdict(t) for t in kept]}
        arguments.json.write_text(json.dumps(document, indent=1) + "\n")
    wrong = list(faults(kept))
    if len(kept) == before:
        wrong.append("no trial came to its end")
    for fault in wrong:
        print(fault)
    return 1 if wrong else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--parts", default=ONCE, help=f"of {', '.join(PARTS)}; {ONCE} by default")
    parser.add_argument("--clients", default=",".join(CLIENTS), help="ids or adapter folders")
    parser.add_argument("--pairs", help="for `identical`: a:b,c:d; twelve by default")
    parser.add_argument("--trials", type=int, default=5, help="of each client, pair, or ranking")
    parser.add_argument("--workload", default=WORKLOAD)
    parser.add_argument("--budget", type=float, default=BUDGET_S, help="of a comparison, seconds")
    parser.add_argument("--ranking-budget", type=float, default=RANKING_BUDGET_S)
    parser.add_argument("--peers-seconds", type=float, default=PEERS_S)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--disturbed", action="store_true", help="with benches/disturber beside it")
    parser.add_argument("--add-to", type=Path, metavar="FILE", help="JSON lines, appended to")
    parser.add_argument("--json", type=Path, metavar="FILE", help="totals and trials")
    return parser.parse_args()


def _asked(arguments: argparse.Namespace) -> Asked:
    parts = tuple(arguments.parts.split(","))
    unknown = {part for part in parts if part not in PARTS and not PLUS.fullmatch(part)}
    if unknown:
        sys.exit(f"there is no part {', '.join(sorted(unknown))}: there are {', '.join(PARTS)}")
    pairs = PAIRS
    if arguments.pairs:
        named = (pair.partition(":") for pair in arguments.pairs.split(","))
        pairs = tuple((a, b) for a, _, b in named)
    return Asked(
        parts,
        tuple(arguments.clients.split(",")),
        pairs,
        arguments.trials,
        Conditions(arguments.workload, arguments.budget, arguments.disturbed),
        arguments.ranking_budget,
        arguments.peers_seconds,
        arguments.seed,
    )


def _questions(
    asked: Asked, place: Path, kept: Sequence[Trial | RankingTrial]
) -> Iterator[tuple[str, Ask]]:
    """Do all trials, alternating between clients so that a drift of the machine affects all alike.

    `kept`: trials so far, which grow meanwhile.
    """
    draw = random.Random(asked.seed)
    alone = set(asked.parts) - {IDENTICAL}
    originals = clients(asked.names) if alone else {}
    copies = 2 if "ranking" in asked.parts else 1 if "aa" in asked.parts else 0
    made = families(originals, copies, place) if copies else [[c] for c in originals.values()]
    if alone and not made:
        sys.exit("no client is ready")
    ready = clients(list(dict.fromkeys(chain(*asked.pairs)))) if IDENTICAL in asked.parts else {}
    pairs = [[ready[a], ready[b]] for a, b in asked.pairs if a in ready and b in ready]
    conditions = asked.conditions
    wide = replace(conditions, budget_s=asked.ranking_budget_s)
    for number in range(asked.trials):
        for part in asked.parts:
            if part == "ranking":
                yield f"{part} {number}", _one(partial(ranked, made, wide, _drawn(draw)))
                continue
            for index, group in enumerate(pairs if part == IDENTICAL else made):
                drawn = _drawn(draw)
                # A repetition has the seed of the one before: it is the same command.
                seed = asked.seed + index if part == IDENTICAL else drawn
                named = group[: 2 if part in ("aa", IDENTICAL) else 1]
                label = f"{part} {number} {' '.join(client.id for client in named)}"
                yield label, _ask(asked, part, group, seed, kept)


def _ask(
    asked: Asked,
    part: str,
    group: Sequence[Client],
    seed: int,
    kept: Sequence[Trial | RankingTrial],
) -> Ask:
    """`group`: a client and its copies, or two clients."""
    conditions = asked.conditions
    match part:
        case trials.IDENTICAL:
            return _one(partial(identical, part, group[0], group[1], conditions, seed))
        case "aa":
            a, b = random.Random(seed).sample(group[:2], 2)
            return _one(partial(identical, part, a, b, conditions, seed))
        case "peers":
            return lambda: list(peers(group[0], conditions, asked.peers_s, seed))
    plus = PLUS.fullmatch(part)
    assert plus is not None
    aim = int(plus[1]) / 100
    ask = _to_ask(aim, group[0], conditions.workload, kept)
    return _one(partial(burdened, part, group[0], aim, ask, conditions, seed))


def _to_ask(
    aim: float, client: Client, workload: str, kept: Sequence[Trial | RankingTrial]
) -> float:
    """The busy time to request for a given effect, learned from the client's earlier trials on
    this workload, or on one that wasn't kept.

    An exchange is dearer while clients warm up side by side than it is in turns.
    """
    own = [t for t in kept if isinstance(t, Trial) and t.asked and t.client == client.id]
    before = [t for t in own if t.workload in (None, workload)]
    asked = sum(trial.asked for trial in before)
    spun = sum(trial.cpu_truth - 1 for trial in before)
    return min(max(aim * asked / spun, aim / MOST_OFF), aim * MOST_OFF) if spun > 0 else aim


def _one(ask: Callable[[], Trial | RankingTrial]) -> Ask:
    return lambda: [ask()]


def _drawn(draw: random.Random) -> int:
    return draw.randrange(2**31)


def _ended(trial: Trial | RankingTrial) -> str:
    withheld = f"; withheld: {trial.withheld}" if trial.withheld else ""
    if isinstance(trial, RankingTrial):
        wrong = len(trial.wrong_wall) + len(trial.wrong_cpu)
        return f"{wrong} pairs of equals told apart, {trial.rounds} rounds{withheld}"
    truth = f"{trial.cpu_truth:.4f}" if trial.cpu_truth else "unknown"
    rival = f"{trial.part}: " if trial.part.startswith(RIVALS) else ""
    return (
        f"{rival}CPU {trial.cpu.verdict} {trial.cpu.ratio:.4f}, wall {trial.wall.verdict} "
        f"{trial.wall.ratio:.4f}, truth {truth}, {trial.rounds} rounds, "
        f"{trial.measured_s:.1f} s of turns in {trial.whole_s:.1f} s{withheld}"
    )


if __name__ == "__main__":
    sys.exit(main())
