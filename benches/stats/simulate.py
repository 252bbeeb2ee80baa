"""What the statistics do on synthetic runs whose truth is known. Prints Markdown tables.

    python benches/stats/simulate.py [boundary|pairs|rankings|checks]… [--trials N] [--seed N]

The tables of docs/analysis.md are its output with the defaults.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence

import numpy as np
from scipy.special import stdtrit

from fetchoff.model.estimate import StoppingRule, Verdict
from fetchoff.stats.sequential import nominal_level, shares
from fetchoff.stats.trials import Share, check_trials, pair_trials, ranking_trials
from fetchoff.stats.worlds import WORLDS

EFFECTS = (0.0, 0.01, 0.02, 0.03, 0.10)
RANKED_WORLDS = ("typical", "noisy", "unlike clients", "heavy tails", "two layouts", "two camps")
CHECKED_WORLDS = ("quiet", "typical", "noisy", "heavy tails", "spikes")
BATCH = 100_000


def boundary(trials: int, rng: np.random.Generator) -> None:
    """First crossings at each look, counted on normal data, against what was to be spent."""
    paths = max(trials * 1000, BATCH)
    rows = []
    for alpha in (0.05, 0.01, 0.001):
        rule = StoppingRule(alpha=alpha)
        crossed = first_crossings(rule, paths, rng)
        spent = shares(rule, rule.looks)
        for k, look in enumerate(rule.looks):
            level = nominal_level(rule, rule.looks[: k + 1])
            critical = -stdtrit(look - 1, level / 2)
            share = Share(int(crossed[k]), paths)
            rows.append(
                [
                    alpha,
                    look,
                    f"{level:.3g}",
                    f"{critical:.2f}",
                    f"{alpha * spent[k]:.3g}",
                    f"{share.value:.3g} ({share.low:.3g} to {share.high:.3g})",
                ]
            )
    table(["alpha", "look", "nominal level", "critical t", "to spend", "crossed"], rows)


def first_crossings(rule: StoppingRule, paths: int, rng: np.random.Generator) -> np.ndarray:
    looks = np.array(rule.looks)
    levels = [nominal_level(rule, rule.looks[: k + 1]) for k in range(looks.size)]
    critical = -stdtrit(looks - 1, np.array(levels) / 2)
    total = np.zeros(looks.size, dtype=np.int64)
    for start in range(0, paths, BATCH):
        x = rng.standard_normal((min(BATCH, paths - start), rule.horizon))
        mean = x.cumsum(1)[:, looks - 1] / looks
        variance = ((x**2).cumsum(1)[:, looks - 1] - looks * mean**2) / (looks - 1)
        crossed = np.abs(mean) * np.sqrt(looks) > critical * np.sqrt(variance)
        first = crossed.argmax(1)[crossed.any(1)]
        total += np.bincount(first, minlength=looks.size)
    return total


def pairs(trials: int, rng: np.random.Generator) -> None:
    """Two clients, stopped by the default rule."""
    rows = []
    for name, world in WORLDS.items():
        for effect in EFFECTS:
            found = pair_trials(world, effect, trials, rng)
            decided = found.share(Verdict.SLOWER), found.share(Verdict.EQUIVALENT)
            rows.append(
                [
                    name,
                    f"{100 * effect:+.0f} %",
                    percent(found.false),
                    percent(found.covered),
                    *(f"{100 * share.value:.1f} %" for share in decided),
                    f"{found.rounds:.1f}",
                    f"{found.bias:+.2f}",
                ]
            )
    head = ["noise", "truth", "false verdicts", "interval holds the truth"]
    table([*head, "slower", "equivalent", "rounds", "bias, points"], rows)


def rankings(trials: int, rng: np.random.Generator) -> None:
    """Looks at 5, 7 and 10 rounds; time is over at 10."""
    rows = []
    for clients in (3, 6, 12, 30):
        for name in RANKED_WORLDS:
            equal = ranking_trials(WORLDS[name], np.zeros(clients), trials, rng)
            spaced = np.repeat(np.arange(clients / 3), 3) * 0.05
            mixed = ranking_trials(WORLDS[name], spaced, max(trials // 5, 20), rng)
            rows.append(
                [
                    clients,
                    name,
                    percent(equal.false),
                    percent(equal.covered),
                    percent(mixed.false),
                    f"{100 * mixed.differ:.0f} %" if clients > 3 else "–",
                    f"{mixed.tiers:.1f} of {clients // 3}",
                ]
            )
    head = ["clients", "noise", "equal clients: any said to differ", "all intervals hold the truth"]
    table([*head, "groups of three 5 % apart: any error", "pairs found", "tiers found"], rows)


def checks(trials: int, rng: np.random.Generator) -> None:
    """Runs with 42 self-checks, judged after 10 rounds."""
    rows = []
    for name in CHECKED_WORLDS:
        sound = check_trials(WORLDS[name], trials, rng)
        faulty = check_trials(WORLDS[name], max(trials // 5, 20), rng, fault=0.05)
        rows.append(
            [
                name,
                percent(sound.withheld),
                f"{100 * sound.inconclusive:.0f} %",
                percent(faulty.withheld),
            ]
        )
    table(["noise", "sound runs withheld", "inconclusive", "found: one twin 5 % off"], rows)


def percent(share: Share) -> str:
    return f"{100 * share.value:.2f} % ({100 * share.low:.2f} to {100 * share.high:.2f})"


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> None:
    for row in (head, ["---"] * len(head), *rows):
        print("|", " | ".join(map(str, row)), "|", flush=True)
    print()


TABLES = {"boundary": boundary, "pairs": pairs, "rankings": rankings, "checks": checks}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], metavar="|".join(TABLES))
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    for name in chosen.tables or TABLES:
        print(f"{name}: {TABLES[name].__doc__} Trials {chosen.trials}, seed {chosen.seed}.\n")
        TABLES[name](chosen.trials, np.random.default_rng(chosen.seed))


if __name__ == "__main__":
    main()
