"""What a loopback of its own takes from fetchoff-link, and which courses get it."""

from __future__ import annotations

import json
import socket
import time
from pathlib import Path

import pytest
from tests.unit.run.fakes.link_program import GREETING, install, say

from fetchoff.model.course import Course
from fetchoff.model.errors import KEPT, LinkError
from fetchoff.model.loopback import RECEIVE_BUFFER_BYTES, Loopback
from fetchoff.model.workload import Exchange, Workload
from fetchoff.run.network.link_program import ANOTHER, NEEDS, OWN_NAMESPACE
from fetchoff.run.network.own_loopback import OwnLoopback, laying
from fetchoff.run.network.seam import LOOPBACK
from fetchoff.run.os import procfs

COURSE = Course(Workload("w", "", (Exchange("GET", "/"),)))


def opened(namespace: str = OWN_NAMESPACE) -> str:
    answer = {"loopback": 1, "namespace": namespace, "ipv4": "127.0.0.1", "receive_buffer": 9}
    return json.dumps(answer)


def pretend(folder: Path, monkeypatch: pytest.MonkeyPatch, namespace: str = OWN_NAMESPACE) -> None:
    """It keeps what it is asked in `asked`."""
    answer = f"read -r asked; echo \"$asked\" >> asked; echo '{opened(namespace)}'\n"
    install(folder, monkeypatch, f"echo '{GREETING}'\n{answer}read asked\n")


def test_what_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path, monkeypatch)
    with laying(Loopback.OWN)(COURSE, tmp_path) as network:
        assert isinstance(network, OwnLoopback)
        network.must_be_there()
    (asked,) = (tmp_path / "asked").read_text().splitlines()
    assert json.loads(asked) == {"op": "loopback", "receive_buffer": RECEIVE_BUFFER_BYTES}


def test_client_and_origin_are_at_the_same_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(tmp_path, monkeypatch)
    with laying(Loopback.OWN)(COURSE, tmp_path) as network:
        assert network.at_client == network.at_origin
        assert network.at_client[1:] == ("enter", OWN_NAMESPACE, "--")
        assert network.origin_address == "127.0.0.1"
        assert network.lifeline is not None


def test_it_is_neither_shaped_nor_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the machine's is not."""
    pretend(tmp_path, monkeypatch)
    with laying(Loopback.OWN)(COURSE, tmp_path) as network:
        network.open_wide()
        network.shape(COURSE.link, 1)
        assert network.calibrate(COURSE.link, 1, 0) is None
        assert network.used() is None
    assert len((tmp_path / "asked").read_text().splitlines()) == 1


def test_the_harness_has_sockets_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path, monkeypatch)
    with laying(Loopback.OWN)(COURSE, tmp_path) as network, network.socket() as made:
        assert made.type is socket.SOCK_STREAM


def test_the_machines_is_taken_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FETCHOFF_LINK", "/bin/false")
    with laying(Loopback.MACHINE)(COURSE, tmp_path) as network:
        assert network is LOOPBACK


def test_what_runs_beside_this_process_is_nobodys_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emptied: list[tuple[int, int]] = []

    def inside(namespace: tuple[int, int]) -> list[int]:
        emptied.append(namespace)
        return []

    monkeypatch.setattr(procfs, "inside", inside)
    pretend(tmp_path, monkeypatch)
    with laying(Loopback.OWN)(COURSE, tmp_path):
        pass
    assert emptied == []


OLDER = json.dumps({"error": "unknown variant `loopback`, expected one of `open`, `set`"})


@pytest.mark.parametrize(
    ("script", "said", "hint"),
    [
        ("echo 'error: no user namespaces' >&2; exit 1", "last words: no user namespaces", NEEDS),
        (f"echo '{GREETING}'\n{say('{}')}", "answers with garbage: 'loopback'", ANOTHER),
        (f"echo '{GREETING}'\n{say(json.dumps({'error': 'no'}))}", "cannot be made: no", NEEDS),
        (f"echo '{GREETING}'\n{say(OLDER)}", "cannot be made: unknown variant", ANOTHER),
        (f"echo '{GREETING}'\n{say(opened('/proc/nowhere'))}", "reached: .*/proc/nowhere", NEEDS),
        (f"echo '{GREETING}'\nread asked; exit 4\n", "ended with exit status 4", KEPT),
    ],
    ids=["cannot", "opens nothing", "refuses", "is older", "is nowhere", "ends"],
)
def test_one_that_cannot_be_had(
    script: str, said: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, script)
    with pytest.raises(LinkError, match=said) as error, laying(Loopback.OWN)(COURSE, tmp_path):
        pass
    assert error.value.hint == hint


def test_one_that_went_away_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, f"echo '{GREETING}'\n{say(opened())}kill -9 $$\n")
    with (
        laying(Loopback.OWN)(COURSE, tmp_path) as network,
        pytest.raises(LinkError, match="ended with signal SIGKILL") as error,
    ):
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            network.must_be_there()
            time.sleep(0.01)
    assert error.value.hint == KEPT
