"""The time in a kit's parser: a sum over what was said, an exchange."""

from __future__ import annotations

from fetchoff.analysis.ranking_rows import parser_us
from fetchoff.model.observation import Batch, Cost, Seen


def batch(exchanges: int, parse_ns: int | None) -> Batch:
    n = exchanges
    cost = Cost(9_000_000, 8_000_000, 1, 1, parse_ns=parse_ns)
    return Batch(0, 0, "w", 0, 0, "c", n, n, n, n, 0, cost, Seen())


def test_all_time_by_all_exchanges() -> None:
    assert parser_us([batch(1, 5_000), batch(4, 5_000)]) == 2.0


def test_batches_that_say_nothing_do_not_count() -> None:
    assert parser_us([batch(2, 5_000), batch(8, None)]) == 2.5


def test_a_client_that_parses_itself_has_no_such_figure() -> None:
    assert parser_us([batch(2, None)]) is None
    assert parser_us([]) is None
