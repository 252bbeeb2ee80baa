"""Apply the statistics to synthetic runs with known truth, and print Markdown tables.

    python -m benches.stats.simulate [boundary|pairs|budgets|rankings|tiers]… [--trials N]

The tables of docs/analysis.md are its output with the defaults, in about ten minutes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np
from benches.stats.scenarios import WORLDS, Scenario
from benches.stats.tables import brief, percent, table
from benches.stats.trials import Share, pair_trials, ranking_trials
from scipy.special import stdtrit

from fetchoff.model.estimate import StoppingRule, Verdict
from fetchoff.stats import rank, unproven_neighbours
from fetchoff.stats.sequential import exact_level, shares

EFFECTS = (0.0, 0.02, 0.03)
BUDGETS = (3, 5, 7, 10, 12, 20, 40)
RANKED = (5, 7, 10)
CLIENTS = (3, 10, 30)
BATCH = 100_000
OF_TWO = {name: scenario for name, scenario in WORLDS.items() if scenario.clients_hit >= 1}


def boundary(trials: int, rng: np.random.Generator) -> None:
    """First crossings at some looks, counted on normal data, against the planned spending."""
    paths = max(trials * 500, BATCH)
    rows = []
    for alpha in (0.05, 0.01):
        rule = StoppingRule(alpha=alpha)
        crossed = first_crossings(rule, paths, rng)
        spent = shares(rule, rule.looks)
        for k, look in enumerate(rule.looks):
            if look not in (7, 10, 14, 20, 28, 40):
                continue
            level = exact_level(rule, rule.looks[: k + 1])
            share = Share(int(crossed[k]), paths)
            rows.append(
                [
                    alpha,
                    look,
                    f"{level:.3g}",
                    f"{-stdtrit(look - 1, level / 2):.2f}",
                    f"{alpha * spent[k]:.3g}",
                    f"{share.value:.3g} ({share.low:.3g} to {share.high:.3g})",
                ]
            )
    table(["alpha", "look", "nominal level", "critical t", "to spend", "crossed"], rows)


def first_crossings(rule: StoppingRule, paths: int, rng: np.random.Generator) -> np.ndarray:
    looks = np.array(rule.looks)
    levels = [exact_level(rule, rule.looks[: k + 1]) for k in range(looks.size)]
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
    """Two clients, stopped by the default rule at a verdict or after 40 rounds."""
    table(
        [
            *("noise", "truth", "false verdicts", "interval holds the truth"),
            *("slower", "equivalent", "rounds", "bias, points"),
        ],
        _pairs(trials, rng),
    )


def _pairs(trials: int, rng: np.random.Generator) -> Iterator[list[str]]:
    for name, scenario in OF_TWO.items():
        for effect in EFFECTS:
            found = pair_trials(scenario, effect, trials, rng)
            decided = found.of(Verdict.SLOWER), found.of(Verdict.EQUIVALENT)
            yield [
                name,
                f"{100 * effect:+.0f} %",
                percent(found.false),
                percent(found.covered),
                *(f"{100 * share.value:.1f} %" for share in decided),
                f"{found.mean_rounds:.1f}",
                f"{found.bias:+.2f}",
            ]


def budgets(trials: int, rng: np.random.Generator) -> None:
    """Two equal clients whose budget allows so many rounds: false differences / intervals that
    leave out the truth, in %."""
    rows = (
        [name, *(_of_budget(scenario, budget, trials, rng) for budget in BUDGETS)]
        for name, scenario in OF_TWO.items()
    )
    table(["noise", *(f"{budget} rounds" for budget in BUDGETS)], rows)


def _of_budget(scenario: Scenario, budget: int, trials: int, rng: np.random.Generator) -> str:
    found = pair_trials(scenario, 0.0, trials, rng, budget=budget)
    missed = Share(found.covered.trials - found.covered.hits, found.covered.trials)
    return f"{brief(found.false)} / {brief(missed)}"


def rankings(trials: int, rng: np.random.Generator) -> None:
    """Rankings of equal clients that their budget ends after so many rounds: any two said to
    differ / any interval against the first client that leaves out the truth, in %; then the share
    of the pairs found where they are 3 % apart, after the same rounds."""
    rows = (
        [clients, name, *_of_ranking(scenario, clients, trials, rng)]
        for clients in CLIENTS
        for name, scenario in WORLDS.items()
    )
    false = [f"equal, {rounds} rounds" for rounds in RANKED]
    found = [f"found, {rounds} rounds" for rounds in RANKED]
    table(["clients", "noise", *false, *found], rows)


def _of_ranking(
    scenario: Scenario, clients: int, trials: int, rng: np.random.Generator
) -> Iterator[str]:
    for rounds in RANKED:
        equal = ranking_trials(scenario, np.zeros(clients), trials, rng, rounds=rounds)
        missed = Share(trials - equal.covered.hits, trials)
        yield f"{brief(equal.false)} / {brief(missed)}"
    few = max(trials // 20, 10)
    for rounds in RANKED:
        apart = ranking_trials(
            scenario, 0.03 * np.arange(clients, dtype=np.float64), few, rng, rounds=rounds
        )
        yield f"{100 * apart.found:.0f} %"


def tiers(trials: int, rng: np.random.Generator) -> None:
    """Thirty clients 1 % apart, 6 rounds: how many tiers, and which of the pairs in neighbouring
    tiers were never shown to differ."""
    rows = []
    for name in ("quiet", "typical", "unlike clients"):
        effects = 0.01 * np.arange(30, dtype=np.float64)
        found = [
            rank(WORLDS[name].costs(effects, 6, rng), final=True)
            for _ in range(max(trials // 20, 10))
        ]
        neighbours = [unproven_neighbours(one) for one in found]
        rows.append(
            [
                name,
                f"{np.mean([one.tiers for one in found]):.1f}",
                f"{100 * np.mean([unproven / all_ for unproven, all_ in neighbours]):.0f} %",
            ]
        )
    table(["noise", "tiers", "pairs in neighbouring tiers not shown to differ"], rows)


TABLES = {
    "boundary": boundary,
    "pairs": pairs,
    "budgets": budgets,
    "rankings": rankings,
    "tiers": tiers,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], metavar="|".join(TABLES))
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    for name in chosen.tables or TABLES:
        about = " ".join((TABLES[name].__doc__ or "").split())
        print(f"{name}: {about} Trials {chosen.trials}, seed {chosen.seed}.\n")
        TABLES[name](chosen.trials, np.random.default_rng(chosen.seed))


if __name__ == "__main__":
    main()
