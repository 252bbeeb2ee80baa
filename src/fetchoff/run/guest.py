"""One adapter process on one workload: admitted, verified, warmed up, run batch by batch."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError
from fetchoff.model.observation import Cost, Invocation, Outcome, Seen
from fetchoff.model.origin import Counted
from fetchoff.model.workload import Protocol, Sink, Workload
from fetchoff.protocol.adapter import Done, Spool, prepare
from fetchoff.protocol.fields import Message
from fetchoff.protocol.origin import gained
from fetchoff.run import procfs
from fetchoff.run.adapter import Adapter, Timed
from fetchoff.run.clocks import ReadNs
from fetchoff.run.origin import Ledger
from fetchoff.run.reference import Reference

LEAST_WARM_UPS = 2
MOST_WARM_UPS = 5  # what compiles while it runs has settled before
STEADY = 0.95  # a warm-up batch that is no more than 5 % faster than the one before
LEAST_TIMEOUT_S = 10.0
SLOWEST_BYTES_A_S = 20e6  # of a client that still gets an iteration of large content to its end
MOST_WAITING = 12  # a batch takes at most so many times its length
NEW_CONNECTIONS = 0.1  # a request, in a batch that is to reuse them
MOST_ITERATIONS = 1_000_000


class Refused(Exception):
    """The guest takes no (further) part in this section; `outcome` and the text say why."""

    def __init__(self, outcome: Outcome, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


@dataclass(frozen=True)
class Measured:
    """One batch of a guest: what was asked, answered, paid and seen."""

    answer: Done
    cost: Cost
    seen: Seen


class Guest:
    """Raises Refused where it must not go on; nothing it did before is lost by that."""

    def __init__(
        self,
        process: str,
        client: str,
        adapter: Adapter,
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
        self._ledger = ledger
        self._reference = reference
        self._course = course
        self._warm_ups = 0
        self._cpu_ns_per_exchange = 0.0
        self._before: procfs.Reading | None = None

    @property
    def workload(self) -> Workload:
        return self._reference.workload

    @property
    def _is_hashed(self) -> bool:
        return self.workload.settings.sink is Sink.HASH

    def admit(self, spool: Spool, *, try_nonsense: bool) -> None:
        """Prepare the workload, and check the answers of an iteration against the reference."""
        if try_nonsense and not self.adapter.refuses_nonsense(self._request(spool)):
            raise Refused(
                Outcome.INVALID, "claims a feature with a random name: nothing it says is believed"
            )
        self.prepare(spool)
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

    def _verify(self) -> None:
        before = self._ledger.read()
        answer = self.adapter.run(1, self._timeout_s(1), digest=True)
        self._must_be_complete(answer, 1)
        fault = _digest_fault(answer, self._reference)
        if fault:
            raise Refused(Outcome.FAILED, fault)
        after = self._ledger.read(before.seen.requests + len(self.workload.exchanges))
        seen = gained(before.seen, after.seen)
        self._must_agree(seen, 1)
        through_proxy = after.absolute_form - before.absolute_form
        if self.workload.settings.proxy and through_proxy < seen.requests:
            raise Refused(
                Outcome.INVALID,
                f"asked to go through a proxy, did so with {through_proxy} of {seen.requests}",
            )

    def warm_up(self, origin_cpu: ReadNs, iterations: int = 0) -> None:
        """Run batches until they are steady; `iterations` known from an earlier round, or 0."""
        self.iterations = iterations or self._calibrate(origin_cpu)
        previous = float("inf")
        for warm_ups in range(1, MOST_WARM_UPS + 1):
            timed = self._timed(self.iterations, origin_cpu)
            self._warm_ups = warm_ups
            if warm_ups >= LEAST_WARM_UPS and timed.wall_ns > STEADY * previous:
                break
            previous = timed.wall_ns
        if not iterations:
            self._recalibrate(timed)
        self._cpu_ns_per_exchange = timed.cpu_ns / max(1, timed.answer.done)

    def size_batches(self, origin_cpu: ReadNs, iterations: int = 0) -> None:
        """Find how many iterations make a batch over a link.

        The client is warm: it was verified, and settled, with the link wide open.
        """
        self.iterations = iterations or self._least_if_long() or self._calibrate(origin_cpu)

    def wake(self, origin_cpu: ReadNs) -> None:
        """Use the connections that are to be kept, right before they are measured.

        Others had their turns for seconds: without this some clients, and some systems, would have
        closed what was idle, or begun to send slowly again.
        """
        if self.workload.settings.reuse is not False:
            self._timed(self.iterations, origin_cpu)
            self._warm_ups += 1

    def _least_if_long(self) -> int:
        """The least iterations, where no client could do twice as many in a batch; else 0."""
        workload, least = self.workload, least_iterations(self.workload)
        exchanges = 2 * least * len(workload.exchanges)
        content = max(exchange.expect.bytes or 0 for exchange in workload.exchanges)
        fastest_ms = self._course.link.fastest_ms(exchanges, content, workload.settings.concurrency)
        return least if fastest_ms > workload.batch_ms * MOST_WAITING else 0

    def _calibrate(self, origin_cpu: ReadNs) -> int:
        n = least_iterations(self.workload)
        while n < MOST_ITERATIONS:
            timed = self._timed(n, origin_cpu)
            fitting = self._fitting(n, timed)
            if fitting <= 2 * n:
                return fitting
            n *= 4 if fitting > 8 * n else 2
        return MOST_ITERATIONS

    def _recalibrate(self, steady: Timed) -> None:
        """What was compiled meanwhile made the batches shorter than they should be."""
        self.iterations = self._fitting(self.iterations, steady)

    def _fitting(self, n: int, timed: Timed) -> int:
        """Iterations for a batch of the asked length, told by CPU time, which others disturb less.

        A client that mostly waits gets a batch that is longer, so that what a batch costs by itself
        does not count much; but not without bounds.
        """
        busy_ms = (timed.cpu_ns + timed.origin_cpu_ns) / 1e6
        wall_ms = timed.wall_ns / 1e6
        by_work = n * self.workload.batch_ms / max(busy_ms, 1e-3)
        by_patience = n * self.workload.batch_ms * MOST_WAITING / max(wall_ms, 1e-3)
        least = least_iterations(self.workload)
        if self._is_hashed:
            return least  # a digest is of one iteration
        return max(least, min(MOST_ITERATIONS, round(min(by_work, by_patience))))

    def begin_blocks(self) -> None:
        """Note what the operating system has counted so far."""
        procfs.reset_peak(self.adapter.pid)
        self.adapter.children_peak_kb = 0
        self._before = procfs.read(self.adapter.pid)

    def busy_ns(self, share: float) -> int:
        """The spinning that makes `share` of the client's CPU time an exchange."""
        return max(200, round(share * self._cpu_ns_per_exchange))

    def batch(self, iterations: int, origin_cpu: ReadNs, busy_ns: int = 0) -> Measured:
        """A measured batch. It is for the caller to keep it before `judge` refuses it."""
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
        self._must_be_complete(measured.answer, iterations)
        fault = self._is_hashed and _digest_fault(measured.answer, self._reference)
        if fault:
            raise Refused(Outcome.FAILED, fault)
        self._must_agree(measured.seen, iterations)

    def refuse(self, error: Refused | AdapterError) -> None:
        """Take note that this section goes on without it."""
        self.outcome = error.outcome if isinstance(error, Refused) else Outcome.FAILED
        self.message = str(error)

    def record(self, round_: int, attempt: int, origin_involuntary: int) -> Invocation:
        """The invocation as it is kept."""
        reading = self._before and self._reading()
        usage = (
            reading.since(self._before, self.adapter.children_peak_kb)
            if reading and self._before
            else None
        )
        return Invocation(
            round=round_,
            attempt=attempt,
            workload=self._course.id,
            process=self.process,
            client=self.client,
            outcome=self.outcome,
            message=self.message,
            iterations=self.iterations,
            warm_ups=self._warm_ups,
            start_up_ms=self.adapter.start_up_ms,
            **({"usage": usage} if usage else {}),
            ledger=dict(self._ledger.close().raw),
            origin_involuntary_switches=origin_involuntary,
        )

    def _reading(self) -> procfs.Reading | None:
        try:
            return procfs.read(self.adapter.pid)
        except OSError:
            return None

    def _timed(self, n: int, origin_cpu: ReadNs) -> Timed:
        timed = self._run_timed(n, origin_cpu)
        self._must_be_complete(timed.answer, n)
        return timed

    def _run_timed(self, n: int, origin_cpu: ReadNs, busy_ns: int = 0) -> Timed:
        timeout_s, digest = self._timeout_s(n), self._is_hashed
        return self.adapter.run_timed(n, timeout_s, origin_cpu, busy_ns=busy_ns, digest=digest)

    def _timeout_s(self, n: int) -> float:
        workload, link = self.workload, self._course.link
        length = sum(exchange.expect.bytes or 0 for exchange in workload.exchanges)
        transfer_s = workload.settings.concurrency * length / SLOWEST_BYTES_A_S
        if link.is_emulated:
            transfer_s += n * len(workload.exchanges) * link.slowest_s(length)
        return max(LEAST_TIMEOUT_S, 50 * workload.batch_ms / 1000, transfer_s)

    def _must_be_complete(self, answer: Done, iterations: int) -> None:
        asked = iterations * len(self.workload.exchanges)
        if answer.failed:
            raise Refused(
                Outcome.FAILED,
                f"{answer.failed} of {asked} exchanges failed: {answer.error or 'no reason given'}",
            )
        if answer.done != asked:
            raise Refused(
                Outcome.INVALID, f"was asked for {asked} exchanges, reports {answer.done}"
            )
        if any(exchange.expect.varies for exchange in self.workload.exchanges):
            return
        expected = iterations * sum(x.expect.bytes or 0 for x in self.workload.exchanges)
        if answer.bytes != expected:
            raise Refused(
                Outcome.FAILED, f"delivered {answer.bytes} bytes of content instead of {expected}"
            )

    def _must_agree(self, seen: Seen, iterations: int) -> None:
        if Counted.REQUESTS in self._ledger.counts:
            self._requests_must_agree(seen, iterations)
        if Counted.CONNECTIONS in self._ledger.counts:
            self._connections_must_agree(seen)

    def _requests_must_agree(self, seen: Seen, iterations: int) -> None:
        settings = self.workload.settings
        asked = iterations * len(self.workload.exchanges)
        if seen.requests != asked and not (settings.redirects and seen.requests > asked):
            raise Refused(
                Outcome.INVALID,
                f"reports {asked} exchanges, the origin saw {seen.requests} requests",
            )

    def _connections_must_agree(self, seen: Seen) -> None:
        settings = self.workload.settings
        opened = f"opened {seen.connections} for {seen.requests} requests"
        allowed = float(settings.concurrency)
        if settings.protocol is Protocol.HTTP_1_1:
            allowed += NEW_CONNECTIONS * seen.requests
        if settings.reuse is True and seen.connections > allowed:
            raise Refused(Outcome.INVALID, f"asked to reuse connections, {opened}")
        if settings.reuse is False and seen.connections < seen.requests:
            raise Refused(Outcome.INVALID, f"asked for fresh connections, {opened}")


def least_iterations(workload: Workload) -> int:
    """So many that the asked number of exchanges can be in flight, and what the workload says."""
    in_flight = math.ceil(workload.settings.concurrency / len(workload.exchanges))
    return max(in_flight, workload.batch_iterations)


def _digest_fault(answer: Done, reference: Reference) -> str:
    """What is wrong with the contents of an iteration; "" if nothing."""
    if len(answer.sha256) != len(reference.sha256):
        return f"gave {len(answer.sha256)} digests for {len(reference.sha256)} exchanges"
    pairs = zip(reference.workload.exchanges, answer.sha256, reference.sha256, strict=True)
    for exchange, got, right in pairs:
        if got != right and not exchange.expect.varies:
            return f"the content of {exchange.method} {exchange.target} is not what the origin sent"
    return ""
