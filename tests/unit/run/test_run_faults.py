"""Whole runs in virtual time in which something goes wrong: clients, the origin, the user."""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.run.fakes.adapter import FakeAdapter, FakeLedger
from tests.unit.run.fakes.origin import FakeOrigin
from tests.unit.run.fakes.runs import GET, FakeRun, Make, experiment_of, plain, well

from fetchoff.model.errors import InputError, OriginError
from fetchoff.model.experiment import Role, with_controls
from fetchoff.model.failures import MOST_FAILURES
from fetchoff.model.observation import (
    Ended,
    Interrupted,
    Invocation,
    Outcome,
    SectionDone,
    Turns,
    TurnsGiven,
)
from fetchoff.model.workload import Placement, Settings
from fetchoff.run.origins.built_in import PLAIN
from fetchoff.run.schedule.runner import ORIGIN_LIVES
from fetchoff.run.schedule.turning import LOST

A, B, C = "a/x", "b/y", "c/z"
POST = replace(GET, id="post")
SOON, LATER = 150, 600
"""Exchanges of a process's life: it is warming up then, or has turns."""

OK, FAILED, INVALID, UNSUPPORTED, UNAVAILABLE = (
    Outcome.OK,
    Outcome.FAILED,
    Outcome.INVALID,
    Outcome.UNSUPPORTED,
    Outcome.UNAVAILABLE,
)


@pytest.fixture
def run(tmp_path: Path) -> FakeRun:
    return FakeRun(tmp_path, well(A, B, C))


def ill(run: FakeRun, make: Make) -> None:
    """Give the run a client A that has faults, and a well one."""
    run.clients = {A: make} | well(B)


def dying(name: str, _process: str, _number: int) -> FakeAdapter:
    return FakeAdapter(name, dies_at=SOON)


def turns_of(run: FakeRun, client: str) -> list[tuple[int, str]]:
    return [(t.round, t.workload) for t in run.journal.of(Turns) if t.entrant == client]


def last_of(run: FakeRun, client: str) -> Invocation:
    return [i for i in run.journal.of(Invocation) if i.client == client][-1]


@pytest.mark.parametrize(
    ("at", "keeps_turns", "said"),
    [(SOON, False, "ended with exit status 1"), (LATER, True, "ended with exit status 1")],
)
def test_who_crashes_twice_is_not_tried_any_more(
    at: int, keeps_turns: bool, said: str, run: FakeRun
) -> None:
    ill(run, lambda *_: FakeAdapter(A, dies_at=at))
    ended = run(experiment_of(plain(A, B), rounds=4))
    assert run.outcomes(A) == [FAILED] * MOST_FAILURES
    assert run.started.count(A) == MOST_FAILURES
    assert run.outcomes(B) == [OK] * 4
    assert said in last_of(run, A).message
    assert not last_of(run, A).answered_wrong
    assert bool(turns_of(run, A)) is keeps_turns
    assert ended.reason == "rounds"
    assert run.listener.told == [f"{A}: {A}: {said}"] * MOST_FAILURES


def test_who_crashed_once_has_its_other_rounds(run: FakeRun) -> None:
    ill(run, lambda _, number: FakeAdapter(A, dies_at=LATER if number == 1 else None))
    run(experiment_of(plain(A, B), rounds=4))
    assert run.outcomes(A) == [OK, FAILED, OK, OK]
    assert [n for n, _ in turns_of(run, B)] == [0, 1, 2, 3]


def test_who_was_killed_on_one_workload_is_there_for_the_next(run: FakeRun) -> None:
    ill(run, lambda _, number: FakeAdapter(A, dies_at=SOON if number == 0 else None))
    run(experiment_of(plain(A, B), GET, POST, rounds=1))
    assert run.outcomes(A) == [FAILED, OK]
    assert Counter(run.started) == {A: 2, B: 2}
    assert all(adapter.is_ended for adapter in run.adapters)


def test_who_is_silent_is_killed_and_told(run: FakeRun) -> None:
    ill(run, lambda *_: FakeAdapter(A, silent_from=SOON))
    run(experiment_of(plain(A, B), GET, POST, rounds=1))
    assert run.outcomes(A) == [FAILED] * 2
    assert "no answer within" in last_of(run, A).message
    assert run.outcomes(B) == [OK] * 2
    assert run.started.count(A) == 2, "what is silent is not asked again"


class Counting(FakeAdapter):
    """How often it was killed; at last each is ended."""

    killed = 0

    def kill(self) -> None:
        self.killed += 1
        super().kill()


@pytest.mark.parametrize(
    "faulty", [Counting(A, doubles=1), Counting(A, spoils_from=0), Counting(A, hangs_at=200)]
)
def test_who_is_refused_does_not_live_on_in_the_turns_of_others(
    faulty: Counting, run: FakeRun
) -> None:
    """Its threads might send more than it was asked for: on the same core, and held by nobody."""
    run.clients = {A: lambda *_: replace(faulty), B: lambda *_: Counting(B)}
    run(experiment_of(plain(A, B), rounds=1))
    assert run.outcomes(A) != [OK]
    killed = {a.name: a.killed for a in run.adapters if isinstance(a, Counting)}
    assert killed == {A: 1, B: 0}


@pytest.mark.parametrize("end", [KeyboardInterrupt(), OriginError("the origin ended")])
def test_a_wrong_answer_counts_although_its_section_was_interrupted(
    end: BaseException, run: FakeRun
) -> None:
    """Another attempt might not have it."""
    ill(run, lambda _, number: FakeAdapter(A, spoils_from=0 if number == 0 else None))
    run.origins = [FakeOrigin(raises={0: end})]
    experiment = experiment_of(plain(A, B), rounds=2)
    with contextlib.suppress(KeyboardInterrupt):
        run(experiment)
    run(experiment)
    wrong = [i for i in run.journal.of(Invocation) if i.client == A]
    assert [(i.round, i.attempt, i.answered_wrong) for i in wrong] == [(0, 0, True)]
    assert run.outcomes(B) == [OK] * 2
    assert run.started.count(A) == 1


def test_who_lets_its_turn_pass_is_out_of_the_round_and_others_are_not(run: FakeRun) -> None:
    ill(run, lambda *_: FakeAdapter(A, hangs_at=200))
    experiment = experiment_of(plain(A, B), rounds=1)
    run(experiment)
    assert run.outcomes(A) == [INVALID]
    assert last_of(run, A).message == LOST
    (turns,) = (t for t in run.journal.of(Turns) if t.entrant == B)
    assert len(turns.exchanges) == experiment.turns
    (given,) = run.journal.of(TurnsGiven)
    assert given.lost_ns > 0
    assert given.elapsed_ns == given.given_ns + given.lost_ns


class Dying(FakeOrigin):
    """Closes its connections, and has ended when somebody looks."""

    def must_be_there(self) -> None:
        if any(ledger.requests > SOON for ledger in self.listeners.values()):
            raise OriginError("the origin ended with signal SIGKILL")


def test_who_fails_because_the_origin_has_ended_is_not_to_blame(run: FakeRun) -> None:
    """The next life of the origin has no faults, so the client has none either."""
    errs = range(SOON, SOON + 1)
    ill(run, lambda _, number: FakeAdapter(A, errs=range(0) if number else errs))
    run.origins = [Dying()]
    run(experiment_of(plain(A, B), rounds=3))
    assert not any(i.answered_wrong for i in run.journal.of(Invocation))
    assert run.outcomes(A)[-1] is OK


def test_who_cannot_be_started_is_unavailable_and_given_up(run: FakeRun) -> None:
    ill(run, lambda *_: FakeAdapter(A, will_not_start="ended with exit status 127"))
    run(experiment_of(plain(A, B), rounds=4))
    assert run.outcomes(A) == [UNAVAILABLE] * MOST_FAILURES
    assert "exit status 127" in last_of(run, A).message
    assert run.outcomes(B) == [OK] * 4


@pytest.mark.parametrize(
    ("fault", "outcome", "said", "has_turns"),
    [
        (FakeAdapter(A, miscounts=-1), INVALID, "reports", True),
        (FakeAdapter(A, doubles=1), INVALID, "the origin saw", True),
        (FakeAdapter(A, is_boastful=True), INVALID, "a feature with a random name", False),
        (FakeAdapter(A, spoils_from=0), FAILED, "is not what the origin sent", False),
        (FakeAdapter(A, spoils_from=500), FAILED, "is not what the origin sent", True),
        (FakeAdapter(A, content_bytes=15), FAILED, "delivered 15 bytes", False),
        (FakeAdapter(A, skims_from=500), INVALID, "bytes of content, the origin sent", True),
        (FakeAdapter(A, at_once=2), INVALID, "the origin saw 2 under way", True),
    ],
)
def test_who_lies_or_delivers_something_else_is_not_asked_again(
    fault: FakeAdapter, outcome: Outcome, said: str, has_turns: bool, run: FakeRun
) -> None:
    ill(run, lambda *_: replace(fault))
    run(experiment_of(plain(A, B), GET, POST, rounds=3))
    wrong = [i for i in run.journal.of(Invocation) if i.client == A]
    assert [(i.round, i.outcome, i.answered_wrong) for i in wrong] == [(0, outcome, True)] * 2
    assert {i.workload for i in wrong} == {"get", "post"}
    assert all(said in i.message for i in wrong)
    assert bool(turns_of(run, A)) is has_turns
    assert run.outcomes(B) == [OK] * 6
    assert run.started.count(A) == 2  # once for each workload


@pytest.mark.parametrize(
    ("errs", "said"),
    [
        (range(1), "1 of 1 exchanges failed"),  # its first, and none after it
        (range(20, 21), "exchanges failed: reset by peer"),  # one of its warm-up
    ],
)
@pytest.mark.parametrize("settings", [GET.settings, Settings(concurrency=4)])
def test_who_fails_before_anything_is_measured_is_not_ranked(
    errs: range, said: str, settings: Settings, run: FakeRun
) -> None:
    """Whether turns are to follow or batches."""
    ill(run, lambda *_: FakeAdapter(A, errs=errs))
    run(experiment_of(plain(A, B), replace(GET, settings=settings), rounds=3))
    assert run.outcomes(A) == [FAILED]
    assert said in last_of(run, A).message
    assert last_of(run, A).answered_wrong
    assert run.outcomes(B) == [OK] * 3


def test_what_a_client_lacks_is_asked_once_of_the_workloads_that_need_it(run: FakeRun) -> None:
    ill(run, lambda *_: FakeAdapter(A, lacks=frozenset({"method.PATCH", "sink.discard"})))
    discarding = replace(
        GET, id="discarding", settings=replace(GET.settings, sink=type(GET.settings.sink).DISCARD)
    )
    run(experiment_of(plain(A, B), GET, discarding, rounds=3))
    found = Counter((i.workload, i.outcome) for i in run.journal.of(Invocation) if i.client == A)
    assert found == {("get", OK): 3, ("discarding", UNSUPPORTED): 1}
    assert run.listener.told == []


def test_a_control_that_crashes_counts_against_its_client(run: FakeRun) -> None:
    """It is a process of that client, doing the same."""
    twin = f"{A}#twin"
    ill(run, lambda process, _: FakeAdapter(A, dies_at=SOON if process == twin else None))
    entrants = with_controls(((A, "a", Role.RANKED), (B, "b", Role.FLOOR)))
    ended = run(experiment_of(entrants, rounds=4))
    found = Counter((i.process, i.outcome) for i in run.journal.of(Invocation))
    assert found[twin, FAILED] == found[A, OK] == MOST_FAILURES
    assert found[B, OK] == ended.rounds == 4


def test_who_is_not_where_it_was_placed_is_not_measured(run: FakeRun) -> None:
    ill(run, lambda *_: FakeAdapter(A, strays="a thread may run on cores [0]"))
    run(experiment_of(plain(A, B), rounds=1))
    assert run.outcomes(A) == [INVALID]
    assert last_of(run, A).message == "not where it was placed: a thread may run on cores [0]"
    assert turns_of(run, A) == []


def test_who_does_not_stay_where_it_was_placed_loses_the_round(run: FakeRun) -> None:
    """It moves while it has turns, and stays in its other rounds."""
    moved = "a thread may run on cores [0]"
    ill(
        run,
        lambda _, number: FakeAdapter(A, strays="" if number else moved, strays_from=LATER),
    )
    run(experiment_of(plain(A, B), rounds=2))
    (first, second) = (i for i in run.journal.of(Invocation) if i.client == A)
    assert (first.outcome, second.outcome) == (INVALID, OK)
    assert first.message == f"did not stay where it was placed: {moved}"
    assert not first.answered_wrong
    assert [number for number, _ in turns_of(run, A)] == [0, 1]


def test_who_strays_and_answers_wrong_has_answered_wrong(run: FakeRun) -> None:
    ill(run, lambda *_: FakeAdapter(A, strays="elsewhere", strays_from=LATER, spoils_from=LATER))
    run(experiment_of(plain(A, B), rounds=2))
    assert run.outcomes(A) == [FAILED]
    assert last_of(run, A).answered_wrong


def test_an_origin_that_is_not_where_it_was_placed_is_told(run: FakeRun) -> None:
    run.origins = [FakeOrigin(strays="a thread runs at nice 0, not -20")]
    run(experiment_of(plain(A, B), rounds=2))
    told = [given.misplaced for given in run.journal.of(TurnsGiven)]
    assert told == ["a thread runs at nice 0, not -20", ""]


def test_when_nobody_is_left_a_run_ends(run: FakeRun) -> None:
    run.clients = {name: functools.partial(dying, name) for name in (A, B)}
    assert run(experiment_of(plain(A, B), rounds=9)) == Ended("no client left", MOST_FAILURES)


@pytest.mark.parametrize(("pair_only", "rounds"), [(True, MOST_FAILURES), (False, 5)])
def test_a_pair_needs_both(pair_only: bool, rounds: int, run: FakeRun) -> None:
    ill(run, lambda *_: FakeAdapter(A, dies_at=SOON))
    ended = run(experiment_of(plain(B, A), rounds=5, pair_only=pair_only))
    assert ended.rounds == rounds


def test_an_origin_that_dies_is_started_anew_and_only_what_is_left_is_measured(
    run: FakeRun,
) -> None:
    """Its second section is cut: the first is not measured again."""
    run.origins = [FakeOrigin(dies_at=1)]
    run(experiment_of(plain(A, B), GET, POST, rounds=2))
    (cut,) = run.journal.of(Interrupted)
    assert cut.round == 0
    assert "the origin ended" in cut.reason
    done = [(d.round, d.workload, d.attempt) for d in run.journal.of(SectionDone)]
    assert len(done) == len({(n, w) for n, w, _ in done}) == 4
    assert [attempt for _, workload, attempt in done if workload == cut.workload] == [1, 0]
    assert {attempt for _, workload, attempt in done if workload != cut.workload} == {0}
    assert run.lives == 3
    assert run.listener.told == ["the origin ended with signal SIGKILL"]
    assert all(adapter.is_ended for adapter in run.adapters)


def test_no_client_is_to_blame_for_an_origin_that_died(run: FakeRun) -> None:
    run.origins = [FakeOrigin(dies_at=0), FakeOrigin(dies_at=0)]
    run(experiment_of(plain(A, B), rounds=1))
    assert run.outcomes(A) == run.outcomes(B) == [OK]
    assert len(run.journal.of(Interrupted)) == 2


class Gone(FakeOrigin):
    """It ends while clients are started, after it was asked for the right answers."""

    def open(self, settings: Settings = PLAIN) -> FakeLedger:
        if self.listeners:
            raise OriginError("the origin ended with signal SIGKILL")
        return super().open(settings)


def starting_late(starts: int) -> Make:
    """A client that cannot be started at first."""
    no = "ended with exit status 127"
    return lambda _, number: FakeAdapter(A, will_not_start=no if number < starts else "")


def test_what_was_recorded_before_an_origin_died_is_of_an_attempt_of_its_own(run: FakeRun) -> None:
    """A client that did not start in the first attempt was there in the second: it has lost no
    round."""
    ill(run, starting_late(1))
    run.origins = [Gone()]
    run(experiment_of(plain(A, B), rounds=2))
    found = [(i.round, i.attempt, i.outcome) for i in run.journal.of(Invocation) if i.client == A]
    assert found == [(0, 0, UNAVAILABLE), (0, 1, OK), (1, 0, OK)]
    (cut,) = run.journal.of(Interrupted)
    assert (cut.round, cut.attempt, cut.workload) == (0, 0, "get")
    assert [(done.round, done.attempt) for done in run.journal.of(SectionDone)] == [(0, 1), (1, 0)]


def test_where_nothing_was_recorded_before_an_origin_died_nothing_is_of_that_attempt(
    run: FakeRun,
) -> None:
    run.origins = [Gone()]
    run(experiment_of(plain(A, B), rounds=1))
    assert run.journal.of(Interrupted) == []
    assert [done.attempt for done in run.journal.of(SectionDone)] == [0]
    assert run.outcomes(A) == run.outcomes(B) == [OK]


def test_an_origin_that_dies_again_and_again_ends_the_run(run: FakeRun) -> None:
    run.origins = [FakeOrigin(), *(FakeOrigin(dies_at=0) for _ in range(ORIGIN_LIVES))]
    with pytest.raises(OriginError, match="SIGKILL"):
        run(experiment_of(plain(A, B), rounds=3))
    assert [done.round for done in run.journal.of(SectionDone)] == [0]
    assert [cut.attempt for cut in run.journal.of(Interrupted)] == list(range(ORIGIN_LIVES))
    assert run.journal.of(Ended) == []
    assert all(adapter.is_ended for adapter in run.adapters)


def test_an_interruption_by_the_user_is_kept_and_the_run_goes_on_where_it_was(
    run: FakeRun,
) -> None:
    experiment = experiment_of(plain(A, B), GET, POST, rounds=3)
    run.origins = [FakeOrigin(), FakeOrigin(raises={1: KeyboardInterrupt()})]
    with pytest.raises(KeyboardInterrupt):
        run(experiment)
    (cut,) = run.journal.of(Interrupted)
    assert (cut.round, cut.reason) == (1, "interrupted by the user")
    assert run.journal.of(Ended) == []
    assert all(adapter.is_ended for adapter in run.adapters)
    assert Counter(run.origin.released) == {A: 2, B: 2}
    assert not (run.folder / "spool").exists()
    assert run(experiment) == Ended("rounds", 3)
    done = Counter((d.round, d.workload) for d in run.journal.of(SectionDone))
    assert done == Counter((n, w) for n in range(3) for w in ("get", "post"))
    again = [d.attempt for d in run.journal.of(SectionDone) if d.round == 1]
    assert again == [0, 1]


def test_an_interruption_while_clients_warm_up(run: FakeRun) -> None:
    def interrupts(number: int) -> float:
        if number == SOON:
            raise KeyboardInterrupt
        return 100.0

    ill(run, lambda _, number: FakeAdapter(A, us=interrupts if number == 0 else lambda _: 100.0))
    experiment = experiment_of(plain(A, B), rounds=1)
    with pytest.raises(KeyboardInterrupt):
        run(experiment)
    assert run.journal.of(Turns) == []
    assert all(adapter.is_ended for adapter in run.adapters)
    run(experiment)
    (done,) = run.journal.of(SectionDone)
    assert done.attempt == 1


class Hesitating(FakeAdapter):
    """The user interrupts the run while it is being ended."""

    def end(self) -> None:
        super().end()
        raise KeyboardInterrupt


def _hesitating(name: str, _process: str, _number: int) -> FakeAdapter:
    return Hesitating(name)


def test_an_interruption_while_clients_are_ended(run: FakeRun) -> None:
    """The others are ended as well."""
    run.clients = {name: functools.partial(_hesitating, name) for name in (A, B)}
    with pytest.raises(KeyboardInterrupt):
        run(experiment_of(plain(A, B), rounds=1))
    assert len(run.adapters) == 2
    assert all(adapter.is_ended for adapter in run.adapters)


def test_a_run_that_goes_on_knows_who_was_given_up(run: FakeRun) -> None:
    ill(run, lambda *_: FakeAdapter(A, spoils_from=0))
    run(experiment_of(plain(A, B), rounds=1))
    run(experiment_of(plain(A, B), rounds=3))
    assert run.outcomes(A) == [FAILED]
    assert [n for n, _ in turns_of(run, B)] == [0, 1, 2]


def test_a_run_that_goes_on_has_spent_what_it_had_spent(run: FakeRun) -> None:
    run(experiment_of(plain(A, B), rounds=4))
    spent_s = sum(done.seconds for done in run.journal.of(SectionDone))
    ended = run(experiment_of(plain(A, B), rounds=9, budget_s=1.01 * spent_s))
    assert ended == Ended("budget", 4)
    assert len(run.journal.of(SectionDone)) == 4


def test_nobody_is_measured_on_answers_that_are_cut_off(run: FakeRun) -> None:
    (exchange,) = GET.exchanges
    cut = replace(exchange, expect=replace(exchange.expect, cut=True))
    workload = replace(GET, exchanges=(cut,))
    with pytest.raises(InputError, match="has answers that are cut off: no client can do it right"):
        run(experiment_of(plain(A, B), workload))


@pytest.mark.parametrize("placement", [Placement.SHARED_CORE, Placement.SEPARATE_CORES])
def test_a_workload_to_be_mended_is_told_before_anything_is_measured(
    run: FakeRun, placement: Placement
) -> None:
    """What was measured before could not be resumed: a run's workloads are fixed."""
    (exchange,) = GET.exchanges
    cut = replace(exchange, expect=replace(exchange.expect, cut=True))
    wrong = replace(GET, id="wrong", exchanges=(cut,), placement=placement)
    for seed in range(5):
        asked = replace(experiment_of(plain(A, B), GET, wrong), seed=seed)
        with pytest.raises(InputError, match="'wrong' has answers that are cut off"):
            run(asked)
        assert not run.journal.records()
