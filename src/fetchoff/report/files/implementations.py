"""The CSV files of "A more in-depth analysis of Ruby HTTP client performance".

One for each implementation on each runtime, a row a round; and three that put all of them together,
rows implementations and columns sites. A site is where the origin stands, as seen from the client.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from fetchoff.model.analysis import ClientCard, RoundCost
from fetchoff.report.files.csv_results import literal

FOLDER = "csv"
PER_ROUND = ("site", "round", "wall_s", "user_s", "system_s", "cpu_s", "cpu_per_wall")
Sites = Mapping[str, Sequence[RoundCost]]


def files(sites: Sites, cards: Iterable[ClientCard]) -> dict[str, str]:
    """The text of each file by its name. `sites`: what every round of every client cost there."""
    measured = {cost.client for costs in sites.values() for cost in costs}
    shown = [card for card in cards if card.client in measured]
    aggregates: dict[str, Callable[[Sequence[RoundCost]], float]] = {
        "clock-time": lambda costs: _centre(cost.wall_us / 1e6 for cost in costs),
        "cpu-time": lambda costs: _centre(cost.cpu_us / 1e6 for cost in costs),
        "cpu-percentage": lambda costs: 100 * _centre(cost.cpu_us / cost.wall_us for cost in costs),
    }
    return {
        **{f"{file_name(card)}.csv": _per_round(sites, card) for card in shown},
        **{f"{name}.csv": _aggregate(sites, shown, of) for name, of in aggregates.items()},
    }


def implementation(card: ClientCard) -> str:
    """The client without its language, version and runtime: `net-http+select`."""
    return re.split(r"[@~]", card.client.partition("/")[2] or card.client)[0]


def file_name(card: ClientCard) -> str:
    """`net-http+select--ruby-3.1.2`: the implementation, its version if it was chosen, the runtime.

    Of the runtime, what precedes any description in brackets; and the id of one that was chosen,
    where that says more.
    """
    version = re.search(r"@[^~]+", card.client)
    chosen = card.client.partition("~")[2]
    runtime = _slug(card.runtime.partition("(")[0])
    name = runtime if runtime.startswith(chosen) else f"{runtime}-{chosen}"
    return f"{_slug(implementation(card) + (version[0] if version else ''))}--{name}"


def _slug(text: str) -> str:
    return re.sub(r"[^\w.+@-]+", "-", text.strip()).strip("-").lower() or "unknown"


def _per_round(sites: Sites, card: ClientCard) -> str:
    rows = [
        (
            site,
            str(cost.round),
            *map(_second, (cost.wall_us, cost.user_us, cost.system_us, cost.cpu_us)),
            _figure(cost.cpu_us / cost.wall_us),
        )
        for site, costs in sites.items()
        for cost in costs
        if cost.client == card.client
    ]
    return _text(PER_ROUND, rows)


def _aggregate(
    sites: Sites, cards: Sequence[ClientCard], of: Callable[[Sequence[RoundCost]], float]
) -> str:
    rows = [
        (
            *map(literal, (implementation(card), card.version, card.runtime)),
            *(
                _figure(of([c for c in costs if c.client == card.client]))
                for costs in sites.values()
            ),
        )
        for card in cards
    ]
    return _text(("implementation", "version", "runtime", *sites), rows)


def _centre(values: Iterable[float]) -> float:
    """The geometric mean over rounds, as everywhere in a report; NaN of none."""
    logs = [math.log(value) for value in values if math.isfinite(value) and value > 0]
    return math.exp(fmean(logs)) if logs else math.nan


def _second(microseconds: float) -> str:
    return _figure(microseconds / 1e6)


def _figure(value: float) -> str:
    return repr(value) if math.isfinite(value) else ""


def _text(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return target.getvalue()
