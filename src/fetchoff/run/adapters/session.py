"""One adapter process on one workload: admitted, verified, warmed up, run batch by batch."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from threading import Event

from fetchoff.model.content import iteration_each_way
from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError
from fetchoff.model.observation import Cost, Invocation, Outcome, Seen, Usage
from fetchoff.model.workload import Sink, Workload
from fetchoff.protocol.adapter import Done, Spool, prepare, with_nonsense
from fetchoff.protocol.fields import Message
from fetchoff.protocol.origin import Edges, gained
from fetchoff.run.adapters import sizing
from fetchoff.run.adapters.judging import (
    AnsweredWrong,
    Refused,
    digest_fault,
    must_agree,
    must_be_complete,
    must_keep_in_flight,
)
from fetchoff.run.adapters.pace import WAITING, Pace, worked_us
from fetchoff.run.adapters.rehearsal import Rehearsal
from fetchoff.run.adapters.seam import AdapterProcess, Meter, Timed, Used, no_cpu
from fetchoff.run.adapters.warming import (
    BATCHES_MOST_S,
    MOST_EXCHANGES,
    MOST_S,
    Curve,
    Work,
    let_compile,
    warm_up,
)
from fetchoff.run.origins.built_in import Ledger, Turnstile
from fetchoff.run.origins.reference import Reference
from fetchoff.run.os.clocks import ReadKnownNs

LEAST_WARM_UPS = 2
MOST_WARM_UPS = 5  # what compiles while it runs has settled before
STEADY = 0.95  # a warm-up batch that is no more than 5 % faster than the one before
HEAP_BYTES = 40e6  # of content until heaps are as large as they get (Ruby's first collections)
MUCH_BYTES = 100_000  # in an iteration
MOST_BEYOND = 0.5  # of a warm-up: where it ends is left to chance
MOST_BEYOND_COMPILED = 0.2  # of one of thousands of exchanges
COMPILED_BYTES = 0.7e9  # of content until a compiler has seen enough, however few exchanges
SETTLED_WAITING = 8
"""Iterations after a pause until a client that mostly waits waits as long as usual: after an idle
time TCP delays no acknowledgement for a while (Linux: `TCP_MAX_QUICKACKS`, 16)."""
LEAD_MS = 10.0  # before a batch, as before a turn: docs/decisions/0011
LOOP_PATIENCE = 10.0  # times what a loop should take


@dataclass(frozen=True)
class Measured:
    """One batch of a session: what was asked, answered, paid and seen."""

    answer: Done
    cost: Cost
    seen: Seen


class ClientSession:
    """One process on one workload. Refused means that it takes no further part in this section."""

    def __init__(
        self,
        process: str,
        client: str,
        adapter: AdapterProcess,
        ledger: Ledger,
        reference: Reference,
        course: Course,
    ) -> None:
        self.process = process
        self.client = client
        self.adapter = adapter
        self.iterations = 0
        self.outcome = Outcome.OK
        self.message = ""
        self.answered_wrong = False
        self._ledger = ledger
        self._reference = reference
        self._course = course
        self._warm_ups = 0
        self._cpu_ns_per_exchange = 0.0
        self._meter: Meter | None = None
        self._used: Used | None = None
        self.per_iteration = len(course.workload.exchanges)  # requests
        self.pace: Pace | None = None  # as it was in turns of an earlier process
        self._least = 0  # exchanges of a warm-up
        self._rehearsal = Rehearsal()
        self.seen_before_loop = Seen()
        self._curve = Curve((), is_steady=True)
        self._first = (0.0, 0.0)

    @property
    def workload(self) -> Workload:
        return self._reference.workload

    @property
    def _is_hashed(self) -> bool:
        return self.workload.settings.sink is Sink.HASH

    def admit(self, spool: Spool) -> None:
        """Prepare the workload, and check the answers of an iteration against the reference.

        First it must refuse a feature with a random name: on every workload, as each is ranked by
        itself.
        """
        if not self.adapter.prepare(with_nonsense(self._request(spool))).unsupported:
            raise AnsweredWrong(
                Outcome.INVALID, "claims a feature with a random name: nothing it says is believed"
            )
        self.prepare(spool)
        self._try_first()
        self._verify()

    def _request(self, spool: Spool) -> Message:
        return prepare(self.workload, self._ledger.base_url, spool, tls_ca=self._ledger.tls_ca)

    def prepare(self, spool: Spool) -> None:
        """Prepare the workload, with new connections."""
        answer = self.adapter.prepare(self._request(spool))
        if answer.unsupported:
            raise Refused(Outcome.UNSUPPORTED, answer.unsupported)
        if answer.error:
            raise Refused(Outcome.FAILED, f"cannot prepare: {answer.error}")

    def _try_first(self) -> None:
        """Time the very first iteration: what a program pays that makes one request.

        By its CPU time only where there is a link: it is wide open, so nobody waits as over it.
        """
        timed, exchanges = self._uncounted(1, no_cpu), len(self.workload.exchanges)
        wall_ns = 0 if self._course.link.is_emulated else timed.wall_ns
        self._first = (wall_ns / 1e3 / exchanges, timed.cpu_ns / 1e3 / exchanges)

    def _verify(self) -> None:
        before = self._ledger.read()
        answer = self.adapter.run_timed(1, self._timeout_s(1), no_cpu, digest=True).answer
        must_be_complete(self.workload, answer, 1)
        fault = digest_fault(answer, self._reference)
        if fault:
            raise AnsweredWrong(Outcome.FAILED, fault)
        after = self._ledger.read(before.seen.requests + len(self.workload.exchanges))
        seen = gained(before.seen, after.seen)
        must_agree(self.workload, self._ledger.counts, seen, 1)
        self.per_iteration = max(1, seen.requests)
        through_proxy = after.absolute_form - before.absolute_form
        if self.workload.settings.proxy and through_proxy < seen.requests:
            raise AnsweredWrong(
                Outcome.INVALID,
                f"asked to go through a proxy, did so with {through_proxy} of {seen.requests}",
            )

    def verify_again(self) -> None:
        """Check the contents once more after everything was measured.

        Batches and turns check lengths only, and a client can go wrong with time.
        """
        self._used = self._meter() if self._meter else None
        if not self._is_hashed:  # each batch of those had its digests checked
            self._verify()
        must_keep_in_flight(self.workload, self._ledger.read().max_in_flight)

    def warm_up(self, origin_cpu: ReadKnownNs, iterations: int = 0) -> None:
        """Run batches until they are steady; `iterations` known from an earlier round, or 0."""
        self.iterations = iterations or self._calibrate(origin_cpu)
        previous = float("inf")
        for warm_ups in range(1, MOST_WARM_UPS + 1):
            timed = self._timed(self.iterations, origin_cpu)
            self._warm_ups = warm_ups
            if warm_ups >= LEAST_WARM_UPS and timed.wall_ns > STEADY * previous:
                break
            previous = timed.wall_ns
        if not iterations:  # what was compiled meanwhile made batches shorter than they should be
            self.iterations = sizing.fitting(
                self.workload, sizing.batch_ms(self._course), self.iterations, timed
            )
        self._cpu_ns_per_exchange = timed.cpu_ns / max(1, timed.answer.done)

    def settle(self, stop: Event, chance: float = 0.0) -> None:
        """Warm up until steady, then go on for a random while: `chance` (0 to 1) of the longest."""
        launch, exchanges = self.adapter.launch, self.workload.exchanges
        # Each workload has code of its own, so a compiler begins anew: docs/decisions/0011.
        least = launch.warm_up_exchanges
        if compiled := self.iterations_moving(COMPILED_BYTES):
            least = min(least, compiled * len(exchanges))
            if not launch.children:
                least = max(least, self.iterations_moving(HEAP_BYTES) * len(exchanges))
        beyond = MOST_BEYOND_COMPILED if launch.compiles else MOST_BEYOND
        self._least = least
        fewest = sizing.least_iterations(self.workload)
        most = fewest if self._is_hashed else MOST_EXCHANGES
        is_in_batches = launch.compiles and not self.can_be_held
        most_s = BATCHES_MOST_S if is_in_batches else MOST_S
        work = Work(self._warm, len(exchanges), fewest, most, most_s)
        self._curve = warm_up(self.adapter, work, least, stop, chance * beyond)
        self._warm_ups = len(self._curve.points)
        if self._curve.points:
            self._cpu_ns_per_exchange = 1e3 * self._curve.settled_us

    def iterations_receiving(self, content_bytes: float) -> int:
        """Iterations that receive so much content; 0 where that of one is small, or not known."""
        _, received = iteration_each_way(self.workload)
        return _iterations(received, content_bytes)

    def iterations_moving(self, content_bytes: float) -> int:
        """Iterations that send and receive so much content together; 0 as above."""
        return _iterations(sum(iteration_each_way(self.workload)), content_bytes)

    @property
    def warmed_up(self) -> int:
        """Exchanges of its warm-up, the random extra ones included."""
        return self._curve.points[-1][0] if self._curve.points else 0

    @property
    def settled_us(self) -> float:
        """CPU time of an exchange when its warm-up ended."""
        return self._curve.settled_us if self._curve.points else 0.0

    @property
    def can_be_held(self) -> bool:
        """Whether it can take turns: its cost can be read from outside when a request arrives, and
        then the exchange before is over. The origin counts the requests of a turn, so each must be
        an exchange: who follows a redirect makes more."""
        is_exchange = self.per_iteration == len(self.workload.exchanges)
        return is_exchange and not (self.adapter.tells_children or self.adapter.launch.in_batches)

    @property
    def iteration_us(self) -> float:
        """Microseconds of an iteration, client and origin; a guess until turns have shown it."""
        guessed = self._worked_us(self.settled_us)
        waited = len(self.workload.exchanges) * self._curve.wall_us
        guessed = waited if waited > WAITING * guessed else guessed
        if self.pace:
            return self.pace.iteration_us
        return self._rehearsal.iteration_us or max(1.0, guessed)

    @property
    def mostly_waits(self) -> bool:
        """Whether an iteration takes much longer than client and origin work for it."""
        cpu_us = self.pace.cpu_us if self.pace else self.settled_us
        return self.iteration_us > WAITING * self._worked_us(cpu_us)

    def _worked_us(self, cpu_us: float) -> float:
        return worked_us(cpu_us, len(self.workload.exchanges), self.per_iteration)

    def rehearse(self) -> None:
        """Time some iterations if no earlier round has shown its pace, placed as in its turns."""
        if self.pace is None:
            least = SETTLED_WAITING if self.mostly_waits else 1
            self._rehearsal.find_pace(self._alone, self.iteration_us, least)

    def compile_again(self) -> float:
        """Some thousand exchanges, then whatever its compilers have begun; CPU nanoseconds of one
        of the former."""
        us = max(1.0, self.iteration_us)
        cost_ns = self._rehearsal.compile_on(self._alone, us, self.per_iteration, self.lacks)
        let_compile(self.adapter)
        return cost_ns

    def _alone(self, iterations: int) -> Timed:
        return self._timed(iterations, no_cpu)

    @property
    def lacks(self) -> int:
        """Exchanges that its warm-up was cut off before, and that it hasn't made since."""
        return max(0, self._least - self.warmed_up - self._rehearsal.exchanges)

    @property
    def _was_made_up_for(self) -> bool:
        """Whether its warm-up was cut off, and has been finished alone on the core."""
        return not self._curve.was_tested and self._rehearsal.exchanges > 0 and not self.lacks

    def hold(self, turnstile: Turnstile, requests: int) -> int:
        """Close the gate of its ledger. Returns the number by which it is given turns."""
        self.seen_before_loop = self._ledger.read().seen
        return turnstile.hold(self._ledger, self.adapter, requests, self.per_iteration)

    def release(self, turnstile: Turnstile) -> Edges:
        """Open the gate of its ledger."""
        return turnstile.release(self._ledger)

    def begin_loop(self, iterations: int, busy_ns: int = 0) -> None:
        """Start a loop of so many iterations; `finish_loop` waits for its end. `busy_ns`: spun
        after each exchange."""
        self.iterations = iterations
        self.adapter.begin(iterations, busy_ns=busy_ns)

    def answered_in_loop(self) -> int:
        """Requests that were answered since its loop began."""
        return self._ledger.read().seen.requests - self.seen_before_loop.requests

    def finish_loop(self, iterations: int, most_s: float = math.inf) -> tuple[Done, Seen]:
        """Wait for the end of its loop, for `most_s` at most; the answer, and what its ledger has
        seen by then."""
        left_s = iterations * self.iteration_us / 1e6
        patience_s = self._timeout_s(1) + LOOP_PATIENCE * left_s
        answer = self.adapter.finished(min(patience_s, most_s))
        return answer, self._ledger.read().seen

    def judge_loop(self, answer: Done, seen: Seen, iterations: int) -> None:
        """Check a whole loop against the ledger."""
        must_be_complete(self.workload, answer, iterations)
        must_agree(self.workload, self._ledger.counts, seen, iterations)

    def size_batches(self, origin_cpu: ReadKnownNs, iterations: int = 0) -> None:
        """Find how many iterations make a batch over a link.

        The client is warm: it was verified, and settled, with the link wide open.
        """
        known = iterations or sizing.least_if_long(self._course, self.workload)
        self.iterations = known or self._calibrate(origin_cpu)

    def wake(self, origin_cpu: ReadKnownNs) -> None:
        """Use the connections that are to be kept, right before they are measured.

        They were idle for seconds: some clients and systems would have closed them, or would begin
        with slow start again.
        """
        if self.workload.settings.reuse is not False:
            self._uncounted(self.iterations, origin_cpu)
            self._warm_ups += 1

    def lead(self, origin_cpu: ReadKnownNs) -> None:
        """Refill the caches, which others have emptied, right before a batch: about 10 ms."""
        share = LEAD_MS / sizing.batch_ms(self._course)
        least = sizing.least_iterations(self.workload)
        self._uncounted(max(least, math.ceil(share * self.iterations)), origin_cpu)

    def _uncounted(self, n: int, origin_cpu: ReadKnownNs) -> Timed:
        before = self._ledger.read().seen.requests
        timed = self._timed(n, origin_cpu)
        # A late line of a log is not the next iteration's.
        self._ledger.read(before + n * len(self.workload.exchanges))
        return timed

    def _calibrate(self, origin_cpu: ReadKnownNs) -> int:
        length_ms = sizing.batch_ms(self._course)
        return sizing.calibrate(self.workload, length_ms, lambda n: self._timed(n, origin_cpu))

    def begin_counting(self) -> None:
        """Start counting what it uses, unless that has begun."""
        if self._meter is None:
            self._meter = self.adapter.meter()

    def busy_ns(self, share: float) -> int:
        """Nanoseconds of spinning that are `share` of the client's CPU time of an exchange."""
        cpu_ns = 1e3 * self.pace.cpu_us if self.pace else self._cpu_ns_per_exchange
        return max(200, round(share * cpu_ns))

    def batch(self, iterations: int, origin_cpu: ReadKnownNs, busy_ns: int = 0) -> Measured:
        """Measure a batch. Record it before `judge` may refuse it."""
        before = self._ledger.read().seen
        timed = self._run_timed(iterations, origin_cpu, busy_ns)
        asked = iterations * len(self.workload.exchanges)
        seen = gained(before, self._ledger.read(before.requests + asked).seen)
        cost = Cost(
            wall_ns=timed.wall_ns,
            cpu_ns=timed.cpu_ns,
            origin_cpu_ns=timed.origin_cpu_ns,
            own_wall_ns=timed.answer.wall_ns,
            spun_ns=timed.answer.spun_ns,
            parse_ns=timed.answer.parse_ns,
        )
        return Measured(timed.answer, cost, seen)

    def judge(self, measured: Measured, iterations: int) -> None:
        """Check a batch against the ledger, and the digests of one that has them."""
        self._must_be_right(measured.answer, iterations)
        must_agree(self.workload, self._ledger.counts, measured.seen, iterations)

    def refuse(self, error: Refused | AdapterError) -> None:
        """Note why this section goes on without it."""
        self.outcome = error.outcome if isinstance(error, Refused) else Outcome.FAILED
        self.message = str(error)
        self.answered_wrong = isinstance(error, AnsweredWrong)

    def record(
        self, round_: int, attempt: int, origin_involuntary: int, host: str = ""
    ) -> Invocation:
        """The record of this process on this workload; closes its ledger."""
        ledger = dict(self._ledger.close().raw)
        return replace(
            self.record_interrupted(round_, attempt, host),
            ledger=ledger,
            origin_involuntary_switches=origin_involuntary,
        )

    def record_interrupted(self, round_: int, attempt: int, host: str = "") -> Invocation:
        """The same without what the origin knows, which may be gone."""
        used = self._used or (self._meter() if self._meter else None)
        return Invocation(
            round=round_,
            host=host,
            attempt=attempt,
            workload=self._course.id,
            process=self.process,
            client=self.client,
            outcome=self.outcome,
            message=self.message,
            iterations=self.iterations,
            warm_ups=self._warm_ups,
            start_up_ms=self.adapter.start_up_ms,
            usage=used.usage if used else Usage(),
            first_wall_us=self._first[0],
            first_cpu_us=self._first[1],
            curve=self._curve.points,
            is_steady=self._curve.is_steady or self._was_made_up_for,
            was_tested=self._curve.was_tested or self._was_made_up_for,
            answered_wrong=self.answered_wrong,
            further_threads=self._used.further_threads if self._used else 0.0,
        )

    def _timed(self, n: int, origin_cpu: ReadKnownNs) -> Timed:
        timed = self._run_timed(n, origin_cpu)
        self._must_be_right(timed.answer, n)
        return timed

    def _warm(self, n: int) -> Timed:
        """Iterations of a warm-up: a link is wide open then, so they take as long as without."""
        timeout_s = sizing.timeout_s(Course(self.workload), self.workload, n)
        timed = self.adapter.run_timed(n, timeout_s, no_cpu, digest=self._is_hashed)
        self._must_be_right(timed.answer, n)
        return timed

    def _must_be_right(self, answer: Done, iterations: int) -> None:
        must_be_complete(self.workload, answer, iterations)
        fault = self._is_hashed and digest_fault(answer, self._reference)
        if fault:
            raise AnsweredWrong(Outcome.FAILED, fault)

    def _run_timed(self, n: int, origin_cpu: ReadKnownNs, busy_ns: int = 0) -> Timed:
        timeout_s, digest = self._timeout_s(n), self._is_hashed
        return self.adapter.run_timed(n, timeout_s, origin_cpu, busy_ns=busy_ns, digest=digest)

    def _timeout_s(self, n: int) -> float:
        return sizing.timeout_s(self._course, self.workload, n)


def _iterations(each_bytes: int, content_bytes: float) -> int:
    return math.ceil(content_bytes / each_bytes) if each_bytes > MUCH_BYTES else 0
