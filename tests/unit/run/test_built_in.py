"""The built-in origin behind its control channel: what goes wrong there is told, and when."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import pytest

from fetchoff.model.errors import OriginError
from fetchoff.model.observation import Seen
from fetchoff.model.workload import Settings
from fetchoff.protocol import origin as control
from fetchoff.run.host.placement import Cores, Urgency
from fetchoff.run.origins import built_in
from fetchoff.run.origins.built_in import BuiltInOrigin
from fetchoff.run.os.child import Child

GREETING = json.dumps({"protocol": control.VERSION})
OPENED = {"ledger": 7, "port": 8080}
KEPT = "what was measured is kept; 'fetchoff resume' goes on"
Pretend = Callable[..., BuiltInOrigin]


@pytest.fixture
def origin(tmp_path: Path) -> Iterator[BuiltInOrigin]:
    """A real one."""
    made = BuiltInOrigin(tmp_path)
    yield made
    made.end()


@pytest.fixture
def pretend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Pretend]:
    """Origins that greet, answer with these lines whatever they are asked, and then end."""
    made: list[BuiltInOrigin] = []

    def start(*answers: object, greeting: str = GREETING) -> BuiltInOrigin:
        program = tmp_path / "pretended"
        said = "".join(f"read asked; echo '{json.dumps(one)}'\n" for one in answers)
        program.write_text(f"#!/bin/sh\necho '{greeting}'\n{said}read asked\nexit 3\n")
        program.chmod(0o755)
        monkeypatch.setenv("FETCHOFF_ORIGIN", str(program))
        made.append(BuiltInOrigin(tmp_path))
        return made[-1]

    yield start
    for one in made:
        one.end()


def test_another_version_is_not_spoken_with(pretend: Pretend) -> None:
    with pytest.raises(OriginError, match="speaks version 99 of the control protocol") as error:
        pretend(greeting='{"protocol": 99}')
    assert "FETCHOFF_ORIGIN can name it" in error.value.hint


@pytest.mark.parametrize("greeting", ["hello", "{}"])
def test_nor_is_what_does_not_greet(greeting: str, pretend: Pretend) -> None:
    with pytest.raises(OriginError, match="the origin "):
        pretend(greeting=greeting)


def test_a_silent_one_is_ended(
    pretend: Pretend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(built_in, "CONTROL_TIMEOUT_S", 0.2)
    ended: list[Child] = []

    def end(child: Child) -> None:
        child.kill()
        ended.append(child)

    monkeypatch.setattr(Child, "end", end)
    program = tmp_path / "silent"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("FETCHOFF_ORIGIN", str(program))
    with pytest.raises(OriginError, match=r"no answer within 0\.2 s") as error:
        BuiltInOrigin(tmp_path)
    assert "fetchoff doctor" in error.value.hint
    assert [child.is_alive for child in ended] == [False]


def test_what_it_refuses_is_quoted(pretend: Pretend) -> None:
    with pytest.raises(OriginError, match="the origin refuses: no more ports"):
        pretend({"error": "no more ports"}).open()


def test_one_that_ends_has_a_reason_and_a_way_on(pretend: Pretend) -> None:
    made = pretend(OPENED)
    ledger = made.open()
    with pytest.raises(OriginError, match="the origin ended with exit status 3") as error:
        ledger.read()
    assert error.value.hint == KEPT


@pytest.mark.parametrize(
    ("settings", "answer", "said"),
    [
        (Settings(), {"ledger": 7}, "answers 'open' with garbage: 'port'"),
        (Settings(), {"ledger": -1, "port": 1}, "answers 'open' with garbage: 'ledger'"),
        (Settings(tls=True), OPENED, "'authority' is not a certificate"),
    ],
)
def test_a_listener_that_is_none(
    settings: Settings, answer: object, said: str, pretend: Pretend
) -> None:
    with pytest.raises(OriginError, match=said):
        pretend(answer).open(settings)


def test_counters_turns_and_edges_that_are_none(pretend: Pretend) -> None:
    made = pretend(OPENED, {"requests": "many"}, {"turns": 3}, {"before_ns": 1})
    ledger = made.open()
    with pytest.raises(OriginError, match="ledger is garbled: "):
        ledger.read()
    with pytest.raises(OriginError, match="turns are garbled: 'turns' is not a list"):
        made.give([(7, 1, 1)], 0.1)
    with pytest.raises(OriginError, match="answer to 'release' is garbled: 'after_ns'"):
        made.release(ledger)


def test_an_authority_that_cannot_be_kept(tmp_path: Path, origin: BuiltInOrigin) -> None:
    """The message may be stored elsewhere, with the run of a host: it names no path."""
    (tmp_path / "authority.pem").mkdir()
    with pytest.raises(OriginError, match="authority cannot be written: Is a directory") as error:
        origin.open(Settings(tls=True))
    assert str(tmp_path) not in error.value.message
    assert str(tmp_path / "authority.pem") in error.value.hint


def test_after_an_interrupt_answers_are_still_those_of_their_questions(
    origin: BuiltInOrigin, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C comes while an answer is waited for; then the origin is asked to let go."""
    ledger = origin.open()

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(Child, "receive", interrupted)
        ledger.read()
    other = origin.open()
    assert other.base_url != ledger.base_url
    assert other.close().seen == ledger.close().seen == Seen()


@dataclass(frozen=True)
class Watched:
    """This process as a client. `tells_children`: it starts others, and has no control group."""

    tells_children: bool
    pid: int = os.getpid()
    cpu_group: Path | None = None


@pytest.mark.parametrize("tells_children", [False, True])
def test_a_clock_that_leaves_children_out_is_not_read(
    origin: BuiltInOrigin, *, tells_children: bool
) -> None:
    ledger = origin.open()
    ledger.watch(Watched(tells_children), 100)
    with urlopen(ledger.base_url, timeout=10) as answer:
        answer.read()
    events, _ = ledger.end_watch()
    assert {event.cpu_ns is None for event in events} == {tells_children}


def test_what_is_done_to_one_that_is_gone(origin: BuiltInOrigin) -> None:
    assert origin.involuntary_switches() >= 0
    origin.must_be_there()
    origin.end()
    with pytest.raises(OriginError, match="the origin ended with"):
        origin.must_be_there()
    with pytest.raises(OriginError, match="the origin ended") as error:
        origin.involuntary_switches()
    assert error.value.hint == KEPT
    assert origin.misplaced(Cores({0}), Urgency.ORDINARY) == ""  # that is not why it is gone
