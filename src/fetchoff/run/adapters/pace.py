"""How long an iteration of a client takes: guessed from its warm-up, then told by its turns."""

from __future__ import annotations

from dataclasses import dataclass

from fetchoff.model.observation import Turns

GUESSED_ORIGIN = 1.3  # times the client's own CPU time, and
ORIGIN_US = 12.0  # a request: what an exchange takes with the origin's part in it
WAITING = 6.0  # times what it works: then it waits, and not only for the core


@dataclass(frozen=True)
class Pace:
    """Of a client in turns: microseconds of an iteration.

    `cpu_us`: the client's own CPU time of an exchange.
    """

    iteration_us: float
    cpu_us: float

    @classmethod
    def of(cls, record: Turns) -> Pace | None:
        """As a record tells; None where it has no exchanges."""
        exchanges = sum(record.exchanges)
        if not exchanges:
            return None
        return cls(
            sum(record.wall_ns) / 1e3 / exchanges * record.per_iteration,
            sum(record.cpu_ns) / 1e3 / exchanges,
        )


def worked_us(cpu_us: float, exchanges: int, requests: int) -> float:
    """What client and origin work for an iteration; `cpu_us`: the client, for an exchange."""
    return GUESSED_ORIGIN * exchanges * cpu_us + ORIGIN_US * requests
