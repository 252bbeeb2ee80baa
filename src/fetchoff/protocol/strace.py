"""What strace(1) prints, read as system calls.

The lines are those of `OPTIONS`. A call that another thread interrupts is printed in two parts
(`<unfinished ...>` and `<... NAME resumed>`), which belong together by thread. What is not
understood is counted and left out: a kernel may know calls that nobody here has heard of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from fetchoff.model.recording import Call

TRACED = (
    "%network,%desc,%file,%process,futex,nanosleep,clock_nanosleep,timer_settime,"
    "setitimer,sched_yield,restart_syscall"
)
OPTIONS = (
    "--follow-forks",
    "--absolute-timestamps=format:unix,precision:ns",
    "--syscall-times=ns",
    "--decode-fds=all",
    "--string-limit=0",
    "--columns=1",
    "--signal=none",
    "--quiet=attach,personality",
)

_LINE = re.compile(r"(\d{1,10}) +(\d{1,12})\.(\d{9}) (.*)", re.DOTALL)
_CALL = re.compile(r"([a-z_][a-z0-9_]*)\((.*)", re.DOTALL)
_RESUMED = re.compile(r"<\.\.\. ([a-z_][a-z0-9_]*) resumed>(.*)", re.DOTALL)
_RETURN = re.compile(r"(.*)\)\s+= (-?\d{1,20}|0x[0-9a-f]{1,16}|\?)(.*)", re.DOTALL)
_TOOK = re.compile(r"<(\d{1,9})\.(\d{9})>$")
_ERROR = re.compile(r" (E[A-Z0-9]+)\b")
_UNFINISHED = re.compile(r" ?<(unfinished|detached) \.\.\.>$")
_FILE = re.compile(r"(\d{1,10})<(.*?)>(?:,|$)", re.DOTALL)
_SOCKET = re.compile(r"(?:TCP|UDP)(?:v6)?:\[.*->(.*)\]$", re.DOTALL)
_ADDRESS = re.compile(r'sin6?_port=htons\((\d{1,5})\).*?"([0-9a-fA-F.:]{2,45})"')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"(?!\.\.\.)', re.DOTALL)
_TIME = re.compile(r"\{tv_sec=(\d{1,12}), tv_(n|u)sec=(\d{1,9})\}")

_WITH_PATH = ("open", "openat", "openat2", "creat", "execve", "execveat")
_READS = ("read", "pread64", "recvfrom", "recv")


@dataclass(frozen=True)
class Trace:
    """The calls in the order in which they were entered, and how many lines made no sense."""

    calls: tuple[Call, ...]
    garbled: int


def read_trace(lines: Iterable[str]) -> Trace:
    """Read the output of strace with OPTIONS, whatever it is."""
    calls: list[Call] = []
    begun: dict[int, tuple[int, str, str]] = {}  # by thread: when, name, arguments so far
    garbled = 0
    for line in lines:
        found = _LINE.fullmatch(line.rstrip("\n"))
        if found is None:
            garbled += 1
            continue
        thread = int(found[1])
        at_ns = 1_000_000_000 * int(found[2]) + int(found[3])
        said = found[4]
        if said.startswith(("---", "+++")):  # a signal, or the end of a thread
            continue
        part = _part(said, begun.get(thread))
        if part is None:
            garbled += 1
            continue
        name, rest, is_resumed = part
        if is_resumed:
            at_ns = begun.pop(thread)[0]
        if _UNFINISHED.search(rest):
            begun[thread] = (at_ns, name, _UNFINISHED.sub("", rest))
            continue
        call = _call(at_ns, thread, name, rest)
        if call is None:
            garbled += 1
        else:
            calls.append(call)
    calls += [_endless(thread, *rest) for thread, rest in begun.items()]
    return Trace(tuple(sorted(calls, key=lambda call: call.at_ns)), garbled)


def _part(said: str, begun: tuple[int, str, str] | None) -> tuple[str, str, bool] | None:
    """The name, the arguments and what follows them, and whether it ends an unfinished call."""
    if resumed := _RESUMED.fullmatch(said):
        if begun is None or begun[1] != resumed[1]:
            return None
        return resumed[1], begun[2] + resumed[2], True
    if whole := _CALL.fullmatch(said):
        return whole[1], whole[2], False
    return None


def _call(at_ns: int, thread: int, name: str, rest: str) -> Call | None:
    returned = _RETURN.fullmatch(rest)
    if returned is None:
        return None
    arguments, result, after = returned.groups()
    took = _TOOK.search(after)
    error = _ERROR.match(after)
    number = -1 if result == "?" else int(result, 0) if result.startswith("0x") else int(result)
    call = Call(
        at_ns=at_ns,
        took_ns=1_000_000_000 * int(took[1]) + int(took[2]) if took else 0,
        thread=thread,
        name=name,
        result=number,
        error=error[1] if error else "",
    )
    return _with_arguments(call, arguments)


def _endless(thread: int, at_ns: int, name: str, arguments: str) -> Call:
    """A call that had not returned when the trace ended."""
    return _with_arguments(Call(at_ns, 0, thread, name, -1), arguments)


def _with_arguments(call: Call, arguments: str) -> Call:
    first = _FILE.match(arguments)
    behind = first[2] if first else ""
    peer = _SOCKET.match(behind)
    path = behind if behind.startswith("/") else ""
    if call.name in _WITH_PATH:
        quoted = _QUOTED.search(arguments)
        path = quoted[1] if quoted else path
    return replace(
        call,
        file=int(first[1]) if first else None,
        path=path,
        peer=peer[1] if peer else _address(call.name, arguments),
        timeout_ms=_timeout_ms(call, arguments),
        asked=_room(arguments) if call.name in _READS else None,
    )


def _address(name: str, arguments: str) -> str:
    found = _ADDRESS.search(arguments) if name == "connect" else None
    return f"{found[2]}:{found[1]}" if found else ""


def _room(arguments: str) -> int | None:
    """The third argument. Strings are empty, so that only a path could have a comma before it."""
    pieces = _FILE.sub("", arguments, count=1).split(",")
    return int(pieces[1]) if len(pieces) > 1 and pieces[1].strip().isdigit() else None


def _timeout_ms(call: Call, arguments: str) -> float | None:
    match call.name:
        case "poll":
            return _last_number(arguments)
        case "epoll_wait" | "epoll_pwait":
            return _last_number(re.sub(r"(, NULL|, \[.*\])(, \d+)?$", "", arguments))
        case "select" | "pselect6" | "ppoll" | "epoll_pwait2":
            return _time_ms(arguments, otherwise=-1.0)
        case "nanosleep" | "timerfd_settime" | "timer_settime":
            return _time_ms(arguments, otherwise=None)
        case "clock_nanosleep":
            return _relative_ms(call, arguments, is_absolute="TIMER_ABSTIME" in arguments)
        case "futex":
            if "FUTEX_WAIT" not in arguments and "FUTEX_LOCK_PI" not in arguments:
                return None
            return _relative_ms(call, arguments, is_absolute="_BITSET" in arguments)
        case _:
            return None


def _relative_ms(call: Call, arguments: str, *, is_absolute: bool) -> float | None:
    """A time-out. One that is a moment is told by how long a call took that it ended."""
    time_ms = _time_ms(arguments, otherwise=-1.0)
    if not is_absolute or time_ms is None or time_ms < 0:
        return time_ms
    ran_out = call.error == "ETIMEDOUT" or (call.name == "clock_nanosleep" and call.result == 0)
    return call.took_ns / 1e6 if ran_out else None


def _time_ms(arguments: str, otherwise: float | None) -> float | None:
    """The last time among the arguments (a timer's first is its interval)."""
    found = _TIME.findall(arguments)
    if not found:
        return otherwise
    whole, unit, part = found[-1]
    return 1e3 * int(whole) + int(part) / (1e6 if unit == "n" else 1e3)


def _last_number(arguments: str) -> float | None:
    found = re.search(r"(-?\d{1,12})$", arguments)
    return float(found[1]) if found else None
