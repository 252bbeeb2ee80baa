"""Attempts to open a connection, out of segments: to which address, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fetchoff.diagnosis.segments import ACK, by_port, end_of
from fetchoff.model.recording import Recording, Segment, Side


@dataclass(frozen=True)
class Attempt:
    """The SYN of a client, and what followed on its port until the next one.

    `to`: the address. `answered_ns`: when the SYN of the other side came. `established_ns`: when
    the client acknowledged that; `abandoned_ns`: when it reset the connection instead. None of
    what didn't happen.
    """

    port: int
    to: str
    began_ns: int
    answered_ns: int | None = None
    established_ns: int | None = None
    abandoned_ns: int | None = None


def attempts(recording: Recording) -> tuple[Attempt, ...]:
    """All attempts whose SYN was recorded, in their order."""
    found = [each for one in by_port(recording).values() for each in _on_port(one)]
    return tuple(sorted(found, key=lambda attempt: attempt.began_ns))


def _on_port(segments: Sequence[Segment]) -> Iterator[Attempt]:
    """One attempt for each SYN of the client that isn't a repetition."""
    begins = [
        index
        for index, one in enumerate(segments)
        if _is_first(one) and not _is_repeated(one, segments[:index])
    ]
    for begin, end in zip(begins, [*begins, len(segments)][1:], strict=True):
        yield _followed(segments[begin], segments[begin + 1 : end])


def _is_first(one: Segment) -> bool:
    return one.sender is Side.CLIENT and one.is_syn and not one.flags & ACK


def _is_repeated(syn: Segment, before: Sequence[Segment]) -> bool:
    """Whether it is the last attempt's SYN, sent again: RFC 9293, section 3.8.1."""
    last = next((one for one in reversed(before) if _is_first(one)), None)
    return last is not None and last.sequence == syn.sequence


def _followed(syn: Segment, later: Sequence[Segment]) -> Attempt:
    answer = next(
        (
            one
            for one in later
            if one.sender is Side.ORIGIN and one.is_syn and one.acknowledged == end_of(syn)
        ),
        None,
    )
    if answer is None:
        return Attempt(syn.port, syn.to, syn.at_ns)
    reply = next(
        (one for one in later if one.sender is Side.CLIENT and one.at_ns >= answer.at_ns), None
    )
    is_taken = reply is not None and not reply.is_reset
    return Attempt(
        syn.port,
        syn.to,
        syn.at_ns,
        answer.at_ns,
        established_ns=reply.at_ns if reply is not None and is_taken else None,
        abandoned_ns=reply.at_ns if reply is not None and not is_taken else None,
    )
