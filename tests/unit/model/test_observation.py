"""What turns come to: the total of what was paid over the total of exchanges."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.observation import Batch, Seen, Turns

BY_TURN = [
    "cycle",
    "position",
    "exchanges",
    "wall_ns",
    "cpu_ns",
    "origin_ns",
    "others_ns",
    "lead_exchanges",
    "lead_cpu_ns",
    "held_cpu_ns",
    "probe_ps",
    "first_cpu_ns",
]
times = st.integers(0, 10**12)


def turns_of(
    *rows: tuple[int, int, int, int, int, int, int],
    per_iteration: int = 1,
    asked: int = 100,
    spun_ns: int = 0,
) -> Turns:
    """Rows: exchanges, wall, cpu, origin, others, lead exchanges, held."""
    columns = list(zip(*rows, strict=True)) or [()] * 7
    exchanges, wall, cpu, origin, others, leads, held = columns
    return Turns(
        round=3,
        attempt=1,
        workload="get",
        entrant="a/x",
        group=2,
        counted=8,
        per_iteration=per_iteration,
        asked=asked,
        cycle=tuple(range(len(rows))),
        position=tuple(10 + i for i in range(len(rows))),
        exchanges=exchanges,
        wall_ns=wall,
        cpu_ns=cpu,
        origin_ns=origin,
        others_ns=others,
        lead_exchanges=leads,
        lead_cpu_ns=tuple(lead * 10 for lead in leads),
        held_cpu_ns=held,
        process_cpu_ns=0,
        spun_ns=spun_ns,
        seen=Seen(requests=asked * per_iteration, connections=1),
        done=asked * per_iteration,
    )


@st.composite
def some_turns(draw: st.DrawFn, least: int = 0) -> Turns:
    row = st.tuples(
        st.integers(0, 10_000), times, times, times, times, st.integers(0, 10_000), times
    )
    rows = draw(st.lists(row, min_size=least, max_size=50))
    return turns_of(*rows, asked=draw(st.integers(0, 10**6)), spun_ns=draw(times))


def test_all_turns_as_one_batch() -> None:
    turns = turns_of(
        (10, 1000, 700, 200, 50, 5, 90),
        (30, 3000, 2100, 600, 150, 5, 10),
        per_iteration=4,
        asked=20,
        spun_ns=4000,
    )
    batch = turns.total()
    background = 80  # of 100 ns, for 40 of 50 exchanges
    assert (batch.round, batch.attempt, batch.workload, batch.entrant) == (3, 1, "get", "a/x")
    assert (batch.exchanges, batch.iterations, batch.planned) == (40, 10, 10)
    assert batch.cost.cpu_ns == 2800 + background
    assert batch.cost.wall_ns == 4000 - 200 + background
    assert batch.cost.origin_cpu_ns == 800
    assert batch.cost.spun_ns == 2000  # of 4000, for 40 of 80
    assert (batch.done, batch.failed, batch.seen) == (80, 0, Seen(requests=80, connections=1))


@given(
    st.lists(st.tuples(st.integers(1, 500), st.integers(0, 500)), min_size=1, max_size=40),
    st.integers(1, 10**6),
    st.integers(0, 10**6),
)
def test_an_exchange_costs_what_it_costs_whatever_turns_it_was_in(
    rows: list[tuple[int, int]], each_ns: int, behind_ns: int
) -> None:
    """`each_ns` in a turn, and `behind_ns` in the background after it, for each of both kinds."""
    turns = turns_of(
        *(
            (count, count * each_ns, count * each_ns, 0, 0, lead, (count + lead) * behind_ns)
            for count, lead in rows
        )
    )
    batch = turns.total()
    assert batch.cost.cpu_ns / batch.exchanges == pytest.approx(each_ns + behind_ns, abs=1)
    assert batch.cost.wall_ns == batch.cost.cpu_ns


def test_what_no_exchange_was_counted_for_costs_nothing() -> None:
    assert turns_of().background_ns == 0
    assert turns_of((0, 5, 5, 5, 0, 7, 100)).background_ns == 0
    assert turns_of().total().exchanges == 0


def test_the_time_of_others_is_none_of_its_own() -> None:
    alone, disturbed = (
        turns_of((10, 1000, 900, 0, 0, 0, 0)),
        turns_of((10, 1250, 900, 0, 250, 0, 0)),
    )
    assert alone.total().cost == disturbed.total().cost


def test_side_by_side_the_origins_clock_alone_tells_wall_time() -> None:
    turns = replace(turns_of((10, 1250, 900, 0, 250, 0, 70)), side_by_side=True)
    cost = turns.total().cost
    assert (cost.wall_ns, cost.cpu_ns) == (1250, 900 + 70)


@given(some_turns())
def test_the_background_is_never_more_than_was_used(turns: Turns) -> None:
    assert 0 <= turns.background_ns <= sum(turns.held_cpu_ns) * (1 + 1e-9)


@given(some_turns(), st.integers(1, 20))
def test_pieces_are_all_of_it(turns: Turns, count: int) -> None:
    pieces = turns.pieces(count)
    assert len(pieces) <= count
    assert sum(piece.exchanges for piece in pieces) == sum(turns.exchanges)
    assert sum(piece.cost.origin_cpu_ns or 0 for piece in pieces) <= sum(turns.origin_ns)
    assert [piece.block for piece in pieces] == sorted({piece.block for piece in pieces})
    assert all(piece.exchanges for piece in pieces)
    assert all(isinstance(piece, Batch) and piece.entrant == turns.entrant for piece in pieces)


@given(some_turns(least=1))
def test_one_piece_is_the_total(turns: Turns) -> None:
    if sum(turns.exchanges):
        assert turns.pieces(1) == (turns.total(),)


def test_pieces_are_of_successive_turns() -> None:
    turns = turns_of(*((1, i, i, 0, 0, 0, 0) for i in range(10)))
    assert [piece.cost.cpu_ns for piece in turns.pieces(4)] == [0 + 1 + 2, 3 + 4 + 5, 6 + 7 + 8, 9]
    assert [piece.exchanges for piece in turns.pieces(100)] == [1] * 10


def test_pieces_without_an_exchange_are_left_out() -> None:
    turns = turns_of((1, 5, 5, 0, 0, 0, 0), (0, 0, 0, 0, 0, 3, 0), (2, 8, 8, 0, 0, 0, 0))
    assert [(piece.block, piece.exchanges) for piece in turns.pieces(3)] == [(0, 1), (2, 2)]


def test_every_list_of_a_turn_each_is_cut_with_the_others() -> None:
    """A field that is added to the record must not be forgotten by `pieces`."""
    lists = [f.name for f in fields(Turns) if str(f.type) == "tuple[int, ...]"]
    assert lists == BY_TURN
    turns = turns_of(*((1, i, i, 0, 0, 0, 0) for i in range(4)))
    uneven = replace(turns, held_cpu_ns=(0, 0, 100, 0))
    assert [piece.cost.cpu_ns for piece in uneven.pieces(2)] == [1, 105]


def test_each_pause_belongs_to_the_turn_before_it() -> None:
    turns = turns_of(*((1, i, i, 0, 0, 0, 0) for i in range(4)))
    paused = replace(turns, held_cpu_ns=(7, 100, 10, 0), after_ns=50)
    assert paused.pauses_ns == (100, 10, 0, 50)
    assert [piece.cost.cpu_ns for piece in paused.pieces(2)] == [0 + 1 + 110, 2 + 3 + 50]
    assert paused.total().cost.cpu_ns == 6 + 160


def test_what_was_used_before_the_first_turn_is_the_warm_ups() -> None:
    once = replace(turns_of((1, 5, 5, 0, 0, 0, 900)), after_ns=0)
    assert once.total().cost.cpu_ns == 5


@given(some_turns(least=1), times, st.integers(1, 20))
def test_pieces_have_all_pauses(turns: Turns, after_ns: int, count: int) -> None:
    many = len(turns.exchanges)
    whole = replace(turns, exchanges=(1,) * many, lead_exchanges=(0,) * many, after_ns=after_ns)
    pieces = whole.pieces(count)
    assert sum(piece.cost.cpu_ns for piece in pieces) == whole.total().cost.cpu_ns
