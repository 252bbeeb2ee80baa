"""Markdown tables on standard output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benches.stats.trials import Share


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> None:
    for row in (head, ["---"] * len(head)):
        print("|", " | ".join(map(str, row)), "|")
    for row in rows:
        print("|", " | ".join(map(str, row)), "|", flush=True)
    print()


def percent(share: Share) -> str:
    """With the 95 % interval of the probability."""
    return f"{100 * share.value:.2f} % ({100 * share.low:.2f} to {100 * share.high:.2f})"


def brief(share: Share) -> str:
    return f"{100 * share.value:.1f}"
