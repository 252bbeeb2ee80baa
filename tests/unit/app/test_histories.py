"""The histories of many clients: shares of the budget, failures, and going on."""

from __future__ import annotations

from pathlib import Path

import pytest
from benches.stats.histories import history as pretended_history
from benches.stats.histories import plan_of, with_steps
from numpy.random import default_rng

from fetchoff.app import histories
from fetchoff.model.errors import (
    AdapterError,
    BusyError,
    FetchoffError,
    InputError,
    LinkError,
    OriginError,
    SetupError,
    StoreError,
)
from fetchoff.model.history import HistoriesPlan, History, HistoryPlan, OfClient
from fetchoff.model.release import Release
from fetchoff.store.history import HISTORY

CLIENTS = ("python/httpx", "python/requests", "python/urllib3")
RELEASES = tuple(Release(f"1.{number}") for number in range(4))
PLAN = HistoriesPlan(CLIENTS, 3, plan_of(2).course, 7, 90.0, "", "")


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(histories, "releases_of", lambda manifest: RELEASES)


def ignored(_: OfClient) -> None: ...


class Searches:
    """Pretends to search; takes so many seconds of each client."""

    def __init__(self, **seconds: float) -> None:
        self.seconds = seconds
        self.plans: list[HistoryPlan] = []

    def __call__(self, plan: HistoryPlan, folder: Path) -> History:
        self.plans.append(plan)
        assert HISTORY.read(folder) == plan
        found, _ = pretended_history(with_steps(3, {}), default_rng(1))
        spent = self.seconds.get(plan.client.split("/")[1], 10.0)
        return History(plan, found.compared, found.stretches, (), (), spent)


def test_what_one_leaves_of_the_budget_is_the_others(tmp_path: Path) -> None:
    search = Searches(httpx=10.0, requests=60.0)
    done = histories.search_all(PLAN, tmp_path, search, ignored)
    assert [plan.budget_s for plan in search.plans] == [30.0, 40.0, 20.0]
    assert [one.client for one in done] == list(CLIENTS)
    assert all(one.history for one in done)
    assert [release.version for release in search.plans[0].releases] == ["1.1", "1.2", "1.3"]


@pytest.mark.parametrize("error", [AdapterError, OriginError, LinkError, SetupError])
def test_a_client_that_fails_stops_no_other(tmp_path: Path, error: type[FetchoffError]) -> None:
    def search(plan: HistoryPlan, folder: Path) -> History:
        if plan.client == CLIENTS[1]:
            raise error("it hangs")
        return Searches()(plan, folder)

    told: list[OfClient] = []
    done = histories.search_all(PLAN, tmp_path, search, told.append)
    assert [one.reason for one in done] == ["", "it hangs", ""]
    assert told == list(done)


def test_what_was_found_before_an_error_is_kept(tmp_path: Path) -> None:
    def search(plan: HistoryPlan, folder: Path) -> History:
        found = Searches()(plan, folder)
        if plan.client == CLIENTS[1]:
            raise histories.CutShort(found, "the origin went away", found.seconds + 4.0)
        return found

    done = histories.search_all(PLAN, tmp_path, search, ignored)
    assert [one.reason for one in done] == ["", "the origin went away", ""]
    assert [one.seconds for one in done] == [10.0, 14.0, 10.0]
    assert all(one.history for one in done)


def test_the_time_of_a_client_that_fails_is_spent(tmp_path: Path) -> None:
    """Also of one that failed before anything was compared."""
    others = Searches()

    def search(plan: HistoryPlan, folder: Path) -> History:
        if plan.client == CLIENTS[0]:
            nothing = History(plan, (), (), (), (), 0.0)
            raise histories.CutShort(nothing, "it hangs", 60.0)
        return others(plan, folder)

    first, *_ = histories.search_all(PLAN, tmp_path, search, ignored)
    assert (first.history, first.reason, first.seconds) == (None, "it hangs", 60.0)
    assert others.plans[0].budget_s == 15.0


@pytest.mark.parametrize("error", [BusyError, StoreError])
def test_what_stops_every_client_ends_the_search(
    tmp_path: Path, error: type[FetchoffError]
) -> None:
    def search(plan: HistoryPlan, folder: Path) -> History:
        raise error("another one measures")

    with pytest.raises(error):
        histories.search_all(PLAN, tmp_path, search, ignored)


def test_going_on_takes_the_releases_and_budgets_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Searches()
    histories.search_all(PLAN, tmp_path, first, ignored)
    monkeypatch.setattr(histories, "releases_of", lambda manifest: (*RELEASES, Release("2.0")))
    again = Searches()
    histories.search_all(PLAN, tmp_path, again, ignored)
    assert again.plans == first.plans


def test_the_last_releases_are_without_those_before_a_release() -> None:
    known = (Release("1.0"), Release("1.2rc1"), Release("1.1"), Release("0.9"))
    assert [one.version for one in histories.last_of(known, 2)] == ["1.0", "1.1"]
    assert [one.version for one in histories.last_of(known, 2, pre=True)] == ["1.1", "1.2rc1"]
    with pytest.raises(InputError, match="fewer than two"):
        histories.last_of(known[:1], 5)


def test_each_library_is_searched_once() -> None:
    clients = histories.with_releases()
    assert "python/httpx" in clients
    assert not [one for one in clients if set("+@~") & set(one)]
