"""Children that speak lines: what they do wrong is told, and nothing of them stays."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from fetchoff.protocol.fields import Message
from fetchoff.run.os.child import Child
from fetchoff.run.os.process import ChildFailed, telling_line

QUICKLY_S = 0.3


def started(script: str, folder: Path, **env: str) -> Child:
    return Child(("sh", "-c", script), env, folder, folder / "stderr")


def fault(child: Child, timeout_s: float = 10) -> str:
    return fault_of_asking(child, {"op": "hello"}, timeout_s)


def fault_of_asking(child: Child, message: Message, timeout_s: float) -> str:
    with pytest.raises(ChildFailed) as caught:
        child.ask(message, timeout_s)
    child.kill()
    return str(caught.value)


def is_gone(pid: int) -> bool:
    """Whether a process ends within a generous while. Zombies of others count as gone."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exec sleep 60", "no answer within 0.3 s"),
        ("echo why >&2; exec sleep 60", "no answer within 0.3 s; its last words: why"),
        ("read x; echo one >&2; echo two >&2; exit 3", "exit status 3; its last words: two"),
        ("read x; kill -SEGV $$", "ended with signal SIGSEGV"),
        ("read x; echo nonsense", "prints garbage: not a JSON line: 'nonsense'"),
        ("read x; echo [1]", "prints garbage: not a JSON object: '[1]'"),
        ("read x; printf unfinished; exec sleep 60", "no answer within 0.3 s"),
        ("read x; printf '\\033[31mred\\n' >&2; exit 1", r"its last words: \x1b[31mred"),
        ("read x; exec >&-; exec sleep 60", "closed its output and lives on"),
        ("exec 3<&0 tr '\\0' x </dev/zero", "prints a line without an end"),
    ],
)
def test_faults(script: str, said: str, tmp_path: Path) -> None:
    timeout_s = QUICKLY_S if "no answer" in said else 10
    assert said in fault(started(script, tmp_path), timeout_s)


def test_input_that_nobody_reads(tmp_path: Path) -> None:
    child = started("exec <&-; exec sleep 60", tmp_path)
    time.sleep(0.1)
    with pytest.raises(ChildFailed):
        child.ask({"fill": "x" * 1_000_000}, 1)
    child.kill()


def test_input_that_is_read_too_late(tmp_path: Path) -> None:
    """More than a pipe holds: who writes it does not wait for ever."""
    began = time.monotonic()
    said = fault_of_asking(started("exec sleep 60", tmp_path), {"fill": "x" * 100_000}, QUICKLY_S)
    assert "does not read its input: " in said
    assert "of 100,012 bytes were not read within 0.3 s" in said
    assert time.monotonic() - began < 30


def test_input_that_is_read_slowly_arrives_whole(tmp_path: Path) -> None:
    child = started('sleep 0.2; read x; echo "{\\"length\\":${#x}}"', tmp_path)
    assert child.ask({"fill": "x" * 200_000}, 30) == {"length": 200_011}
    child.end()


def test_what_it_depends_on_is_gone(tmp_path: Path) -> None:
    """Nothing is waited for; what has been said already is heard."""
    reading, writing = os.pipe()
    script = "read x; echo '{\"a\":1}'; read x; exec sleep 60"
    child = Child(("sh", "-c", script), {}, tmp_path, tmp_path / "stderr", lifeline=reading)
    assert child.ask({}, 10) == {"a": 1}
    child.send({})
    with pytest.raises(ChildFailed, match="no answer within"):
        child.receive(QUICKLY_S)
    os.close(writing)
    assert not child.has_unread
    with pytest.raises(ChildFailed, match="what it depends on is gone"):
        child.receive(10)
    child.kill()
    os.close(reading)


def test_an_answer_in_pieces(tmp_path: Path) -> None:
    child = started("read x; printf '{\"a\"'; sleep 0.1; printf ':1}\\n'", tmp_path)
    assert child.ask({}, 10) == {"a": 1}
    assert not child.has_unread
    child.end()


def test_more_than_it_was_asked_for(tmp_path: Path) -> None:
    child = started("read x; printf '{}\\n{}\\n'; exec sleep 60", tmp_path)
    child.ask({}, 10)
    assert child.has_unread
    child.kill()


@pytest.mark.parametrize("command", ["/no/such/program", "no-such-program-at-all"])
def test_missing(command: str, tmp_path: Path) -> None:
    with pytest.raises(ChildFailed, match="does not exist"):
        Child((command,), {}, tmp_path, tmp_path / "stderr")


def test_not_executable(tmp_path: Path) -> None:
    (tmp_path / "program").write_text("#!/bin/sh\n")
    with pytest.raises(ChildFailed, match="is not executable"):
        Child((str(tmp_path / "program"),), {}, tmp_path, tmp_path / "stderr")


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    """The folder, or the file for its output: the program is there."""
    folder = tmp_path / "nowhere"
    with pytest.raises(ChildFailed, match=f"No such file or directory: {folder}$"):
        Child(("true",), {}, folder, tmp_path / "stderr")
    with pytest.raises(ChildFailed, match=f"No such file or directory: {folder}/stderr$"):
        Child(("true",), {}, tmp_path, folder / "stderr")


def test_no_proxy_reaches_a_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    child = started(
        'read x; echo "{\\"proxy\\":\\"$http_proxy\\",\\"own\\":\\"$OWN\\"}"', tmp_path, OWN="1"
    )
    assert child.ask({}, 10) == {"proxy": "", "own": "1"}
    child.end()


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("one\ntwo\n", "two"),
        ("", ""),
        (
            "Traceback (most recent call last):\n  File x\n    raise Error\nValueError: why\n",
            "ValueError: why",
        ),
        (
            "x.rb:1:in `require': cannot load such file -- curb (LoadError)\n\tfrom x.rb:1\n",
            "x.rb:1:in `require': cannot load such file -- curb (LoadError)",
        ),
        (
            "Can't locate Furl.pm in @INC\nBEGIN failed--compilation aborted at x line 3.\n",
            "Can't locate Furl.pm in @INC",
        ),
        (
            "node:internal:1\n  throw err;\n  ^\n\nError: Cannot find module 'got'\n    at f\n",
            "Error: Cannot find module 'got'",
        ),
        ("panic: out of cheese\n\ngoroutine 1 [running]:\nmain.main()\n", "panic: out of cheese"),
        ("2 errors were counted\nbye\n", "bye"),
    ],
)
def test_the_reason_is_quoted_wherever_it_stands(said: str, reason: str) -> None:
    assert telling_line(said) == reason


def test_libraries_of_the_users_own_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by the checks of `setup`: who has modules in his home says so by such a variable."""
    monkeypatch.setenv("PERL5LIB", "/home/me/perl5")
    child = started('read x; echo "{\\"lib\\":\\"$PERL5LIB\\"}"', tmp_path)
    assert child.ask({}, 10) == {"lib": "/home/me/perl5"}
    child.end()


def test_ends_by_itself(tmp_path: Path) -> None:
    child = started("while read x; do :; done; exit 7", tmp_path)
    assert child.end() == 7


def test_what_does_not_end_is_ended_with_all_it_started(tmp_path: Path) -> None:
    child = started('trap \'\' TERM; sleep 600 & echo "{\\"pid\\":$!}"; wait', tmp_path)
    grandchild = child.receive(10)["pid"]
    assert isinstance(grandchild, int)
    child.end(patience_s=0.1)
    assert not child.is_alive
    assert is_gone(grandchild)


def test_what_it_leaves_when_it_ends_is_ended_too(tmp_path: Path) -> None:
    child = started('sleep 600 & echo "{\\"pid\\":$!}"; read x', tmp_path)
    grandchild = child.receive(10)["pid"]
    assert isinstance(grandchild, int)
    assert child.ends_with_its_input(10)
    child.end()
    assert is_gone(grandchild)


def test_the_id_of_who_has_ended_is_nobody_elses_until_it_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process group may be a stranger's by then: it is signalled once, and not later."""
    child = started("exit 7", tmp_path)
    assert child.ends_with_its_input(10)
    assert not child.is_alive
    assert Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    killed = []
    monkeypatch.setattr(os, "killpg", lambda group, number: killed.append(group))
    child.kill()
    assert not Path(f"/proc/{child.pid}").exists()
    child.kill()
    assert child.end() == 7
    assert killed == [child.pid]


def test_others_of_its_group_are_found(tmp_path: Path) -> None:
    child = started("sleep 600 & read x", tmp_path)
    assert child.ends_with_its_input(10)
    assert child.has_left_others(0.1)
    child.kill()
    assert not child.has_left_others(10)


def test_a_core_of_its_own(tmp_path: Path) -> None:
    before = os.sched_getaffinity(0)
    core = max(before)
    command = (
        sys.executable,
        "-c",
        "import os, json; print(json.dumps(dict(c=list(os.sched_getaffinity(0)))))",
    )
    child = Child(command, {}, tmp_path, tmp_path / "stderr", {core})
    assert child.receive(10) == {"c": [core]}
    assert os.sched_getaffinity(0) == before
    child.end()


def test_the_end_is_noticed_also_where_it_is_not_told(tmp_path: Path) -> None:
    """Whoever starts Fetchoff may have set SIGCHLD to be ignored, which is handed down."""
    before = signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    try:
        child = started("read x; exit 3", tmp_path)
        assert child.is_alive
        with pytest.raises(ChildFailed):
            child.ask({}, 10)
        deadline = time.monotonic() + 10
        while child.is_alive:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        child.kill()
    finally:
        signal.signal(signal.SIGCHLD, before)
