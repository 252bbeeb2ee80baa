"""A run doesn't end before it has what it can have, and waits for nobody whom it has given up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.analysis.crossing import BLOCKS, CALM, ROUNDS, Crossed, Does
from tests.unit.analysis.raced import COURSE, Raced, ill

from fetchoff.analysis.stopping import is_decided
from fetchoff.model.course import Course
from fetchoff.model.experiment import Experiment, Role
from fetchoff.model.observation import Batch, Invocation, Outcome, Record, SectionDone

OTHER = Course(replace(COURSE.workload, id="other"))
WIGGLE = 0.0005 * np.array([1, -1, 0, 1, -1])
CROSSED = Crossed({f"a/{place}": Does(0.1 + 0.05 * place) for place in range(4)})
TWIN = "a/0#twin"


def ranking() -> Raced:
    """Five rounds of three clients that are told apart."""
    steps = (np.zeros(5), 0.3 + WIGGLE, 0.6 - WIGGLE)
    return Raced({f"a/{place}": list(step) for place, step in enumerate(steps)})


def pair(apart: float) -> Raced:
    return Raced({"a/x": [0.0] * 5, "a/y": list(apart + WIGGLE)}, pair_only=True)


def on_other(records: Sequence[Record]) -> list[Record]:
    return [
        replace(one, workload=OTHER.id)
        for one in records
        if isinstance(one, Batch | Invocation | SectionDone)
    ]


def on_two(raced: Raced) -> Experiment:
    return replace(raced.experiment, courses=(COURSE, OTHER))


@pytest.mark.parametrize("spoilt", [list(CROSSED.clients), ["a/0"], ["a/3"]])
def test_whose_batches_a_link_has_spoilt_is_still_to_come(spoilt: list[str]) -> None:
    assert is_decided(CROSSED.experiment, CROSSED.records(), ROUNDS)
    lost = replace(CALM, unasked=1)
    slots = ((n, block, who) for n in range(ROUNDS) for block in range(BLOCKS) for who in spoilt)
    crossed = replace(CROSSED, late=dict.fromkeys(slots, lost))
    assert not is_decided(crossed.experiment, crossed.records(), ROUNDS)


def test_a_ranking_does_not_wait_for_whose_control_answered_wrong() -> None:
    """The client's own processes all ended well, and none of their rounds counts."""
    raced = ranking()
    raced = replace(raced, costs={**raced.costs, TWIN: raced.costs["a/0"]})
    entrants = [
        replace(e, client="a/0", role=Role.CONTROL) if e.key == TWIN else e
        for e in raced.experiment.entrants
    ]
    experiment = replace(raced.experiment, entrants=tuple(entrants))
    wrong = ill(1, TWIN, Outcome.FAILED, "wrong content", answered_wrong=True)
    of_client = {key: replace(one, client="a/0") for key, one in wrong.items()}
    assert is_decided(experiment, replace(raced, ended=of_client).records(), 5)


def test_a_ranking_waits_for_who_failed_once_and_takes_part_seldom() -> None:
    """It goes on, and its third round is the tenth of the run."""
    short = ranking()
    costs = {client: [*own, *own] for client, own in short.costs.items()}
    new = [1.5, 0, 0, 1.501, 0, 0, 1.502, 0, 0, 1.501]
    raced = Raced({**costs, "a/new": new}, seldom=frozenset({"a/new"}))
    crashed = replace(raced, ended=ill(0, "a/new", Outcome.FAILED, "it crashed"))
    seven = [record for number in range(7) for record in crashed.round(number)]
    assert not is_decided(raced.experiment, seven, 7)
    assert is_decided(raced.experiment, crashed.records(), 10)


@pytest.mark.parametrize("wrong", [False, True])
def test_a_course_with_nobody_left_is_not_waited_for(wrong: bool) -> None:
    raced = ranking()
    outcome = Outcome.FAILED if wrong else Outcome.UNSUPPORTED
    everybody = {
        key: one
        for client in raced.costs
        for key, one in ill(0, client, outcome, "no", answered_wrong=wrong).items()
    }
    nobody = on_other(replace(raced, ended=everybody).round(0))
    assert is_decided(on_two(raced), [*raced.records(), *nobody], 5)
    assert not is_decided(on_two(raced), [*raced.records(), *on_other(raced.round(0))], 5)


LACKS = ill(0, "a/y", Outcome.UNSUPPORTED, "sink.discard")
CRASHES = ill(0, "a/y", Outcome.FAILED, "it ended") | ill(1, "a/y", Outcome.FAILED, "it ended")


@pytest.mark.parametrize(("ended", "rounds"), [(LACKS, 1), (CRASHES, 2)])
def test_a_pair_does_not_wait_for_a_course_on_which_one_is_given_up(
    ended: dict[tuple[int, str], Invocation], rounds: int
) -> None:
    raced = pair(0.3)
    broken = replace(raced, ended=ended)
    other = [one for number in range(rounds) for one in on_other(broken.round(number))]
    assert is_decided(on_two(raced), [*raced.records(), *other], 5)
    well = [one for number in range(rounds) for one in on_other(raced.round(number))]
    assert not is_decided(on_two(raced), [*raced.records(), *well], 5)


@pytest.mark.parametrize(("apart", "decided"), [(0.0, True), (0.018, False), (0.3, True)])
def test_a_gate_goes_on_where_both_sides_are_left(apart: float, decided: bool) -> None:
    """Just below its margin it can't tell, and that is waited for."""
    raced = pair(apart)
    experiment = replace(on_two(raced), limit=0.02, jointly=True)
    other = on_other(replace(raced, ended=LACKS).round(0))
    assert is_decided(experiment, [*raced.records(), *other], 5) is decided
