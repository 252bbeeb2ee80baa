"""Starting many adapters: nobody waits for a slow one, and nobody is lost."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.run.fakes.adapter import FakeAdapter

from fetchoff.model.client import Description, Launch
from fetchoff.model.errors import AdapterError
from fetchoff.run.adapters.adapter import Adapter
from fetchoff.run.adapters.seam import HELLO_TIMEOUT_S, AdapterProcess
from fetchoff.run.adapters.starting import start_all
from fetchoff.run.host.machine import usable_cores

HELLO = '{"protocol":1,"client":"c","version":"1","runtime":"r","engine":"","features":[]}'


class Starter:
    """Starts shell scripts, and keeps what it has started."""

    def __init__(self, folder: Path, scripts: dict[str, str]) -> None:
        self.folder = folder
        self.scripts = scripts
        self.adapters: list[Adapter] = []

    def start(self, process: str, client: str, core: int) -> Adapter:
        launch = Launch(("sh", "-c", self.scripts[process]))
        adapter = Adapter(client, launch, self.folder, self.folder / "stderr", {core})
        self.adapters.append(adapter)
        return adapter

    def all(
        self, cores: list[int], timeout_s: float = HELLO_TIMEOUT_S
    ) -> dict[str, AdapterProcess | AdapterError]:
        wanted = [(process, f"client of {process}") for process in self.scripts]
        try:
            started = start_all(wanted, self.start, cores, timeout_s)
            return {process: adapter for process, _, adapter in started}
        finally:
            for adapter in self.adapters:
                adapter.kill()


def answers(after_s: float = 0) -> str:
    return f"sleep {after_s}; echo '{HELLO}'; cat > /dev/null"


def test_the_quick_ones_come_before_a_slow_one_that_began_earlier(tmp_path: Path) -> None:
    scripts = {"slow": answers(after_s=1.5)} | {f"quick {n}": answers() for n in range(6)}
    started = Starter(tmp_path, scripts).all(usable_cores()[:1])
    assert list(started)[-1] == "slow"
    assert all(isinstance(adapter, Adapter) for adapter in started.values())


def test_no_more_than_some_at_a_time(tmp_path: Path) -> None:
    starter = Starter(tmp_path, {f"{n}": answers() for n in range(5)})
    begun = []
    wanted = [(process, process) for process in starter.scripts]
    for _ in start_all(wanted, starter.start, usable_cores()[:1]):
        begun.append(len(starter.adapters))
    for adapter in starter.adapters:
        adapter.kill()
    assert begun == [2, 3, 4, 5, 5]


def test_who_cannot_be_started_dies_or_talks_nonsense_is_told(tmp_path: Path) -> None:
    scripts = {"dead": "exit 3", "garbled": "echo nonsense; cat > /dev/null", "well": answers()}
    started = Starter(tmp_path, scripts).all(usable_cores())
    assert isinstance(started["well"], Adapter)
    assert "ended with exit status 3" in str(started["dead"])
    assert "prints garbage" in str(started["garbled"])


def test_who_is_silent_is_given_up_after_its_time(tmp_path: Path) -> None:
    starter = Starter(tmp_path, {"silent": "exec sleep 60", "well": answers()})
    started = starter.all(usable_cores(), timeout_s=3)
    assert "no answer within 3 s" in str(started["silent"])
    assert isinstance(started["well"], Adapter)
    assert not starter.adapters[0].is_alive


def test_who_is_starting_is_ended_when_the_rest_is_not_asked_for(tmp_path: Path) -> None:
    starter = Starter(tmp_path, {"quick": answers(), "slow": answers(after_s=60)})
    wanted = [(process, process) for process in starter.scripts]
    with closing(start_all(wanted, starter.start, usable_cores())) as started:
        process, _, adapter = next(started)
    assert process == "quick"
    assert isinstance(adapter, Adapter)
    assert [adapter.is_alive for adapter in starter.adapters] == [True, False]
    adapter.kill()


WAS = Description("1", "none", "", frozenset({"tls"}))


@pytest.mark.parametrize(
    ("was", "said"),
    [
        (None, ""),
        (WAS, ""),  # features are asked for again with each workload
        (replace(WAS, engine="libcurl 7"), "says engine none, not libcurl 7;"),
        (replace(WAS, version="2", runtime="some"), "version 1, not 2 and runtime none, not some;"),
    ],
)
def test_who_has_changed_since_it_was_set_up_is_not_measured(
    was: Description | None, said: str
) -> None:
    adapter = FakeAdapter("a/x", launch=Launch(("c",), description=was))
    ((_, _, started),) = start_all([("a/x#twin", "a/x")], lambda *_: adapter, [0])
    assert isinstance(started, AdapterError) == adapter.is_ended == bool(said)
    if said:
        assert str(started).startswith("a/x: has changed since it was set up: ")
        assert said in str(started)
        assert "'fetchoff setup a/x'" in str(started)


def test_who_cannot_even_be_greeted_is_ended() -> None:
    class Interrupted(FakeAdapter):
        def say_hello(self) -> None:
            raise KeyboardInterrupt

    adapter = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        list(start_all([("one", "one")], lambda *_: adapter, [0]))
    assert adapter.is_ended
