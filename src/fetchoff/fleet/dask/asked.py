"""What a scheduler and its workers say when they are asked, each question with a deadline.

A scheduler that is stopped keeps its connections, and most of Dask's own calls wait for ever then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future as Answer
from dataclasses import dataclass
from typing import Any

from distributed import Client

ANSWER_S = 10.0
"""For a scheduler to say who is there."""

READY_S = 30.0
"""For a worker to do what it is asked to once."""

GONE = (OSError, TimeoutError, RuntimeError, ValueError)
"""What Dask raises where the scheduler is gone: by its comms, its pools, and its loop."""


@dataclass(frozen=True)
class Listing:
    """The workers of a scheduler: their addresses by name. `scheduler`: another one has another."""

    scheduler: str
    addresses: dict[str, str]


def listing(client: Client, longest_s: float = ANSWER_S) -> Listing:
    """Who is there; raises one of GONE if the scheduler doesn't say so in time."""
    found = client.sync(_identity, client, callback_timeout=longest_s)
    addresses = {str(worker["name"]): address for address, worker in found["workers"].items()}
    return Listing(found["id"], addresses)


def on_worker(client: Client, address: str, function: Callable[..., Any]) -> Answer[None]:
    """Call a function of `fleet.dask.on_worker` in the process of a worker.

    The answer is an error if the worker can't, or doesn't say so in time; nobody waits for it here.
    """
    call = asyncio.wait_for(_call(client, address, function), READY_S)
    return asyncio.run_coroutine_threadsafe(call, client.loop.asyncio_loop)


async def _identity(client: Client) -> Any:
    scheduler = client.scheduler
    if scheduler is None:  # the client is connecting again
        raise OSError("there is no connection")
    return await scheduler.identity(n_workers=-1)


async def _call(client: Client, address: str, function: Callable[..., Any]) -> None:
    told = await client.run(function, workers=[address], on_error="return")
    error = told.get(address)
    if isinstance(error, Exception):
        raise error
