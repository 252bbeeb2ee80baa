"""Checks an answer to `run`: it must be complete, and agree with the origin's ledger."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from fetchoff.model.content import iteration_each_way
from fetchoff.model.observation import Outcome, Seen
from fetchoff.model.origin import Counted
from fetchoff.model.workload import Protocol, Settings, TimeoutsMs, Workload
from fetchoff.protocol.adapter import Done
from fetchoff.run.origins.reference import Reference

NEW_CONNECTIONS = 0.1  # a request, in a batch that is to reuse them


class Refused(Exception):
    """A client takes no further part in this section; `outcome` and the text say why."""

    def __init__(self, outcome: Outcome, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


class AnsweredWrong(Refused):
    """An answer is wrong, or what the client reports of its answers."""


def must_be_complete(workload: Workload, answer: Done, iterations: int) -> None:
    """Raise AnsweredWrong if there are too few or too many exchanges or bytes."""
    asked = iterations * len(workload.exchanges)
    if answer.failed:
        raise AnsweredWrong(
            Outcome.FAILED,
            f"{answer.failed} of {asked} exchanges failed: {answer.error or 'no reason given'}",
        )
    if answer.done != asked:
        raise AnsweredWrong(
            Outcome.INVALID, f"was asked for {asked} exchanges, reports {answer.done}"
        )
    if any(exchange.expect.varies for exchange in workload.exchanges):
        return
    expected = iterations * sum(x.expect.bytes or 0 for x in workload.exchanges)
    if answer.bytes != expected:
        raise AnsweredWrong(
            Outcome.FAILED, f"delivered {answer.bytes} bytes of content instead of {expected}"
        )


def must_agree(
    workload: Workload, counts: AbstractSet[Counted], seen: Seen, iterations: int
) -> None:
    """Raise AnsweredWrong if the ledger saw other requests or connections, or less content, as far
    as it counts them.
    """
    if Counted.REQUESTS in counts:
        _requests_must_agree(workload, seen, iterations)
    if Counted.CONNECTIONS in counts:
        _connections_must_agree(workload.settings, seen)
    if Counted.BYTES in counts and not workload.settings.decompress:
        _content_must_have_been_sent(workload, seen, iterations)


def _requests_must_agree(workload: Workload, seen: Seen, iterations: int) -> None:
    settings = workload.settings
    asked = iterations * len(workload.exchanges)
    if seen.requests != asked and not (settings.redirects and seen.requests > asked):
        raise AnsweredWrong(
            Outcome.INVALID,
            f"reports {asked} exchanges, the origin saw {seen.requests} requests",
        )


def _connections_must_agree(settings: Settings, seen: Seen) -> None:
    opened = f"opened {seen.connections} for {seen.requests} requests"
    allowed = float(settings.concurrency)
    if settings.protocol is Protocol.HTTP_1_1:
        allowed += NEW_CONNECTIONS * seen.requests
    if settings.reuse is True and seen.connections > allowed:
        raise AnsweredWrong(Outcome.INVALID, f"asked to reuse connections, {opened}")
    if settings.reuse is False and seen.connections < seen.requests:
        raise AnsweredWrong(Outcome.INVALID, f"asked for fresh connections, {opened}")


def _content_must_have_been_sent(workload: Workload, seen: Seen, iterations: int) -> None:
    """An origin counts what it writes before anybody can read it, and heads are on top.

    What is written and never read is counted too: as much as the buffers of the sockets hold.
    """
    _, received = iteration_each_way(workload)
    if seen.bytes_out < iterations * received:
        raise AnsweredWrong(
            Outcome.INVALID,
            f"reports {iterations * received} bytes of content, the origin sent {seen.bytes_out}",
        )


def must_keep_in_flight(workload: Workload, most: int) -> None:
    """Raise AnsweredWrong if more exchanges were under way at once than were asked for. `most`: as
    the ledger saw it; 0 where that isn't counted.

    Not where an exchange may be given up: its client can begin the next one before the origin
    learns of that.
    """
    settings = workload.settings
    gives_up = settings.timeout_ms != TimeoutsMs() or any(x.expect.cut for x in workload.exchanges)
    if most > settings.concurrency and not gives_up:
        raise AnsweredWrong(
            Outcome.INVALID,
            f"asked for {settings.concurrency} exchanges at once, the origin saw {most} under way",
        )


def digest_fault(answer: Done, reference: Reference) -> str:
    """What is wrong with the contents of an iteration; "" if nothing."""
    if len(answer.sha256) != len(reference.sha256):
        return f"gave {len(answer.sha256)} digests for {len(reference.sha256)} exchanges"
    pairs = zip(reference.workload.exchanges, answer.sha256, reference.sha256, strict=True)
    for exchange, got, right in pairs:
        if got != right and not exchange.expect.varies:
            return f"the content of {exchange.method} {exchange.target} is not what the origin sent"
    return ""
