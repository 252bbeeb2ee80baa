"""What becomes of a recording where the tap refuses, is garbled, or goes away."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.unit.run.fakes.network import FakeNetwork

from fetchoff.model.recording import Source
from fetchoff.run.network.tap import ANOTHER, NotTapped, Tap

GREETING = '{"tap":"fetchoff-tap","version":"0","pid":1,"protocol":1}'
REFUSED = json.dumps({"error": "not without CAP_NET_RAW", "hint": "run as root"})
STARTED = '{"interface":"lo"}'
STOPPED = '{"segments":[],"lost":2}'


def pretend(folder: Path, monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """A program that says one line, and then one for each that it is asked, which it keeps."""
    said = "".join(
        f"read -r asked; echo \"$asked\" >> asked; echo '{line}'\n" for line in lines[1:]
    )
    program = folder / "tap"
    program.write_text(f"#!/bin/sh\necho \"$@\" > arguments\necho '{lines[0]}'\n{said}")
    program.chmod(0o755)
    monkeypatch.setenv("FETCHOFF_TAP", str(program))


def refused(folder: Path) -> NotTapped:
    with pytest.raises(NotTapped) as caught:
        Tap(FakeNetwork(), folder, 8000).end()
    assert caught.value.missing.source is Source.SEGMENTS
    return caught.value


def test_a_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path, monkeypatch, GREETING, STARTED, STOPPED)
    monkeypatch.chdir(tmp_path)
    tap = Tap(FakeNetwork(client_device="fetchoff-near"), tmp_path, 8000, Path("k.pcapng"))
    assert tap.end().lost == 2
    assert (tmp_path / "arguments").read_text() == "--interface fetchoff-near\n"
    start, stop = map(json.loads, (tmp_path / "asked").read_text().splitlines())
    assert (start["ports"], start["keep"]) == ([8000], str(tmp_path / "k.pcapng"))
    assert stop == {"op": "stop"}


@pytest.mark.parametrize(
    ("options", "given"), [("--user /u", "--user /u --packets"), ("--names", "--names")]
)
def test_in_a_user_namespace_it_is_let_see_packets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: str, given: str
) -> None:
    pretend(tmp_path, monkeypatch, GREETING, STARTED, STOPPED)
    enter = tmp_path / "enter"
    enter.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/entered\n'
        'while [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n'
    )
    enter.chmod(0o755)
    inside = (str(enter), "enter", "/ns", *options.split(), "--")
    Tap(FakeNetwork(at_client=inside), tmp_path, 8000).end()
    assert (tmp_path / "entered").read_text().startswith(f"enter /ns {given} -- ")


def test_without_permission_the_hint_is_the_taps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(tmp_path, monkeypatch, GREETING, REFUSED)
    missing = refused(tmp_path).missing
    assert (missing.reason, missing.hint) == ("not without CAP_NET_RAW", "run as root")


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        (('{"protocol":9}',), ANOTHER),
        (("garbage",), ""),
        ((GREETING,), ""),
        ((GREETING, STARTED), ""),
        ((GREETING, STARTED, '{"segments":[{}],"lost":0}'), ANOTHER),
        ((GREETING, '{"error":5}'), ANOTHER),
    ],
)
def test_another_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: tuple[str, ...], hint: str
) -> None:
    pretend(tmp_path, monkeypatch, *lines)
    assert refused(tmp_path).missing.hint == hint


def test_without_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FETCHOFF_TAP", raising=False)
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setattr("sysconfig.get_path", lambda _name: str(tmp_path))
    missing = refused(tmp_path).missing
    assert "'fetchoff-tap' is not installed" in missing.reason
    assert "FETCHOFF_TAP" in missing.hint
