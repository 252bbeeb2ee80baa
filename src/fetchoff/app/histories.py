"""The last releases of many clients: a history of each, one after the other, within one budget."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from fetchoff.app.choose import chosen
from fetchoff.app.history import LEAST_S, REPEATS
from fetchoff.app.measure import adapter_of
from fetchoff.app.releases import releases_of
from fetchoff.model.client import Manifest
from fetchoff.model.errors import BusyError, FetchoffError, InputError, StoreError
from fetchoff.model.history import HistoriesPlan, History, HistoryPlan, OfClient
from fetchoff.model.release import Release
from fetchoff.store.history import HISTORY

Searcher = Callable[[HistoryPlan, Path], History]
"""Measures what is left of a history, in its folder; CutShort where an error ended that."""


class CutShort(Exception):
    """An error ended a search. `so_far`: what it had compared, perhaps nothing. `seconds`: how long
    it had measured, also in the comparison that the error ended."""

    def __init__(self, so_far: History, reason: str, seconds: float) -> None:
        super().__init__(reason)
        self.so_far = so_far
        self.reason = reason
        self.seconds = seconds


def with_releases() -> tuple[str, ...]:
    """The clients that ship and whose releases can be had: each library once."""
    return tuple(
        str(one.id) for one in chosen(["*"]) if one.releases is not None and _is_plain(one)
    )


def _is_plain(manifest: Manifest) -> bool:
    """Whether it is neither a variant, nor a version, nor on another runtime."""
    client = manifest.id
    return not (client.variant or client.version or client.runtime)


def last_of(releases: Iterable[Release], count: int, *, pre: bool = False) -> tuple[Release, ...]:
    """The newest releases, oldest first, pre-releases only with `pre`; InputError for fewer than
    two."""
    offered = (one for one in releases if pre or not one.is_pre)
    found = sorted(offered, key=lambda one: one.order)[-count:]
    if len(found) < 2:
        raise InputError("the registry lists fewer than two releases")
    return tuple(found)


def search_all(
    plan: HistoriesPlan, folder: Path, search: Searcher, tell: Callable[[OfClient], None]
) -> tuple[OfClient, ...]:
    """Search each client's releases, with an equal share of the budget that is left.

    What one leaves unused is the others'. A client that fails stops no other; BusyError and
    StoreError do, which would be the same for all. A history that is in the folder already goes on
    where it was.
    """
    done: list[OfClient] = []
    spent_s = 0.0
    for number, client in enumerate(plan.clients):
        share_s = (plan.budget_s - spent_s) / (len(plan.clients) - number)
        one = _of_client(plan, client, folder, max(share_s, LEAST_S), search)
        spent_s += one.seconds
        done.append(one)
        tell(one)
    return tuple(done)


def folder_of(client: str) -> str:
    """Where its history is: `python--httpx`."""
    return client.replace("/", "--")


def _of_client(
    plan: HistoriesPlan, client: str, folder: Path, budget_s: float, search: Searcher
) -> OfClient:
    place = folder_of(client)
    try:
        if HISTORY.is_in(folder / place):
            own = HISTORY.read(folder / place)
        else:
            own = _plan_of(plan, client, budget_s)
            HISTORY.create(folder / place, own)
        found = search(own, folder / place)
    except CutShort as cut:
        history = cut.so_far if cut.so_far.compared else None
        return OfClient(client, place, history, cut.reason, cut.seconds)
    except (BusyError, StoreError):
        raise
    except FetchoffError as error:
        return OfClient(client, place, None, error.message)
    return OfClient(client, place, found, seconds=found.seconds)


def _plan_of(plan: HistoriesPlan, client: str, budget_s: float) -> HistoryPlan:
    manifest = chosen([client])[0]
    return HistoryPlan(
        client=client,
        adapter=adapter_of(manifest),
        course=plan.course,
        releases=last_of(releases_of(manifest), plan.last),
        seed=plan.seed,
        budget_s=budget_s,
        started=plan.started,
        fetchoff=plan.fetchoff,
        repeats=REPEATS,
    )
