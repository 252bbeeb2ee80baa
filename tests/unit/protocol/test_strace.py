"""Lines of strace: each call as it was made, in whatever parts it was printed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.recording import Call
from fetchoff.protocol.strace import read_trace

PEER = "127.0.0.1:38673"
SOCKET = f"5<TCP:[127.0.0.1:57752->{PEER}]>"


def one(said: str, thread: int = 7) -> Call:
    """The only call of a line."""
    trace = read_trace([f"{thread} 1795479494.957974875 {said}\n"])
    assert trace.garbled == 0
    (call,) = trace.calls
    return call


def test_a_read_of_a_socket() -> None:
    assert one(f'recvfrom({SOCKET}, ""..., 8192, 0, NULL, NULL) = 165 <0.000005314>') == Call(
        at_ns=1_795_479_494_957_974_875,
        took_ns=5314,
        thread=7,
        name="recvfrom",
        result=165,
        file=5,
        peer=PEER,
        asked=8192,
    )


def test_an_error_has_its_name() -> None:
    said = f"read({SOCKET}, 0x7f1e, 1) = -1 EAGAIN (Resource temporarily unavailable) <0.000005021>"
    call = one(said)
    assert (call.result, call.error, call.asked) == (-1, "EAGAIN", 1)


def test_files_have_paths() -> None:
    opened = 'openat(AT_FDCWD</tmp>, "/etc/ssl/cert.pem", O_RDONLY) = 5</etc/ssl/cert.pem> <0.1>'
    call = one(opened.replace("0.1", "0.000011796"))
    assert (call.path, call.result, call.file) == ("/etc/ssl/cert.pem", 5, None)
    read = one('read(5</etc/ssl/cert.pem>, ""..., 4096) = 4096 <0.000011796>')
    assert (read.path, read.peer) == ("/etc/ssl/cert.pem", "")
    odd = one('read(5</tmp/a, 2) = 3>, ""..., 4096) = 4096 <0.000011796>')
    assert (odd.path, odd.result, odd.asked) == ("/tmp/a, 2) = 3", 4096, 4096)


def test_timeouts_of_waits() -> None:
    def timeout_ms(said: str) -> float | None:
        return one(f"{said} <0.020041299>").timeout_ms

    assert timeout_ms("poll([...], 1, 500) = 1 ([...])") == 500
    assert timeout_ms("poll([...], 1, -1) = 1 ([...])") == -1
    assert timeout_ms("epoll_wait(6<anon_inode:[eventpoll]>, [...], 1023, 1500) = 1") == 1500
    assert timeout_ms("epoll_pwait(6<anon_inode:[eventpoll]>, [], 4, 40, NULL, 8) = 0") == 40
    assert timeout_ms("epoll_wait(6<anon_inode:[eventpoll]>, [], 4, 0) = 0") == 0
    left = "= 0 (Timeout)"
    assert timeout_ms(
        f"pselect6(6, [5], NULL, NULL, {{tv_sec=0, tv_nsec=500000}}, NULL) {left}"
    ) == (0.5)
    assert timeout_ms("select(6, [5], NULL, NULL, NULL) = 1 (in [5])") == -1
    assert timeout_ms("nanosleep({tv_sec=0, tv_nsec=10000000}, NULL) = 0") == 10
    moment = "{tv_sec=1766, tv_nsec=780030677}"
    ran_out = "= -1 ETIMEDOUT (Connection timed out)"
    wait = f"futex(0x7f, FUTEX_WAIT_BITSET_PRIVATE, 0, {moment}, FUTEX_BITSET_MATCH_ANY)"
    assert timeout_ms(f"{wait} {ran_out}") == 20.041299
    assert timeout_ms(f"{wait} = 0") is None
    assert timeout_ms("futex(0x7f, FUTEX_WAIT_PRIVATE, 2, NULL) = 0") == -1
    assert timeout_ms("futex(0x7f, FUTEX_WAKE_PRIVATE, 1) = 1") is None
    assert timeout_ms(f"clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, {moment}, NULL) = 0") == (
        20.041299
    )


def test_a_connect_has_the_address_before_there_is_a_connection() -> None:
    call = one(
        "connect(5<TCP:[73347]>, {sa_family=AF_INET, sin_port=htons(443), "
        'sin_addr=inet_addr("127.0.0.1")}, 16) = -1 EINPROGRESS (Operation now in progress) '
        "<0.002184666>"
    )
    assert (call.peer, call.error) == ("127.0.0.1:443", "EINPROGRESS")
    call = one(
        "connect(5<TCPv6:[73347]>, {sa_family=AF_INET6, sin6_port=htons(443), sin6_flowinfo=htonl(0"
        '), inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28) = 0 <0.002184666>'
    )
    assert call.peer == "::1:443"


def test_a_call_in_two_parts_began_with_the_first() -> None:
    trace = read_trace(
        [
            "8 1.000000100 recvfrom(4<TCP:[1.1.1.1:1->2.2.2.2:2]>,  <unfinished ...>",
            "7 1.000000200 futex(0x7f, FUTEX_WAIT_PRIVATE, 2, NULL <unfinished ...>",
            '8 1.000000300 <... recvfrom resumed>"", 100, 0, NULL, NULL) = 3 <0.000000200>',
            "7 1.000000400 <... futex resumed>) = 0 <0.000000200>",
        ]
    )
    assert trace.garbled == 0
    first, second = trace.calls
    assert (first.at_ns, first.took_ns, first.asked) == (1_000_000_100, 200, 100)
    assert (second.at_ns, second.thread, second.timeout_ms) == (1_000_000_200, 7, -1)


def test_what_did_not_return_has_no_result() -> None:
    trace = read_trace(
        [
            "7 1.000000100 exit_group(0) = ?",
            "8 1.000000200 recvfrom(4<TCP:[1.1.1.1:1->2.2.2.2:2]>,  <unfinished ...>",
            "8 1.000000300 <... recvfrom resumed> <unfinished ...>) = ?",
            "8 1.000000350 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED} ---",
            "8 1.000000400 +++ exited with 0 +++",
            "9 1.000000500 clock_nanosleep(CLOCK_TAI, 0, {tv_sec=6, tv_nsec=0},  <detached ...>",
            "9 1.000000600 restart_syscall(<... resuming interrupted read ...>) = 1 <0.1>",
        ]
    )
    assert trace.garbled == 0
    assert {call.name: (call.result, call.took_ns) for call in trace.calls} == {
        "exit_group": (-1, 0),
        "recvfrom": (-1, 0),
        "clock_nanosleep": (-1, 0),
        "restart_syscall": (1, 0),
    }


def test_an_interrupted_call_says_so() -> None:
    said = (
        "futex(0x7f, FUTEX_WAIT_PRIVATE, 2, NULL) = ? ERESTARTSYS (To be restarted) <0.016582432>"
    )
    assert one(said).error == "ERESTARTSYS"


ports = st.integers(1, 65535)
peers = st.builds(lambda a, b: f"127.0.0.{a}:{b}", st.integers(1, 254), ports)
reads = st.builds(
    Call,
    at_ns=st.integers(0, 2**62),
    took_ns=st.integers(1, 10**12),
    thread=st.integers(1, 4_000_000),
    name=st.sampled_from(["read", "recvfrom"]),
    result=st.integers(0, 2**31),
    file=st.integers(0, 10**6),
    peer=peers,
    asked=st.integers(0, 2**31),
)
waits = st.builds(
    Call,
    at_ns=st.integers(0, 2**62),
    took_ns=st.integers(1, 10**12),
    thread=st.integers(1, 4_000_000),
    name=st.just("poll"),
    result=st.integers(-1, 9),
    error=st.sampled_from(["", "EINTR"]),
    timeout_ms=st.integers(-1, 10**6).map(float),
)
paths = st.text(
    st.characters(codec="ascii", exclude_characters='"\\', exclude_categories=["Cc"]), min_size=1
)
opens = st.builds(
    Call,
    at_ns=st.integers(0, 2**62),
    took_ns=st.integers(1, 10**12),
    thread=st.integers(1, 4_000_000),
    name=st.just("openat"),
    result=st.integers(0, 10**6),
    path=paths,
)


def printed(call: Call, split: int | None) -> list[tuple[int, str]]:
    """The lines of a call with their times: one, or two where it is split among its arguments."""
    took = f"<{call.took_ns // 10**9}.{call.took_ns % 10**9:09}>"
    result = f"{call.result}{f' {call.error} (some words)' if call.error else ''} {took}"
    match call.name:
        case "poll":
            arguments = ["[...], 1", f"{call.timeout_ms:.0f}"]
        case "openat":
            arguments = ["AT_FDCWD</tmp>", f'"{call.path}"', "O_RDONLY|O_CLOEXEC"]
        case _:
            behind = f"{call.file}<TCP:[127.0.0.1:1->{call.peer}]>"
            arguments = [behind, '""...', str(call.asked)]
    if split is None:
        return [(call.at_ns, f"{call.name}({', '.join(arguments)}) = {result}")]
    before, after = ", ".join(arguments[:1]), ", ".join(arguments[1:])
    return [
        (call.at_ns, f"{call.name}({before},  <unfinished ...>"),
        (call.at_ns + call.took_ns, f"<... {call.name} resumed>{after}) = {result}"),
    ]


@given(st.lists(st.tuples(reads | waits | opens, st.none() | st.just(1)), max_size=8))
def test_round_trip(made: list[tuple[Call, int | None]]) -> None:
    by_thread = {call.thread: (call, split) for call, split in made}  # one at a time in each
    lines = sorted(
        (at_ns, call.thread, said)
        for call, split in by_thread.values()
        for at_ns, said in printed(call, split)
    )
    text = [f"{thread} {at // 10**9}.{at % 10**9:09} {said}" for at, thread, said in lines]
    trace = read_trace(text)
    assert trace.garbled == 0
    wanted = [call for call, _ in by_thread.values()]
    assert sorted(trace.calls, key=lambda c: c.thread) == sorted(wanted, key=lambda c: c.thread)


pieces = st.sampled_from(
    [
        "7 1.000000001 ",
        "read(",
        SOCKET,
        ", ",
        '""...',
        ") = ",
        "?",
        "-1 EAGAIN (x)",
        " <0.000000001>",
        "<unfinished ...>",
        "<... read resumed>",
        "{tv_sec=1, tv_nsec=2}",
        "futex(",
        "poll(",
        "connect(",
    ]
)


@given(st.lists(st.lists(pieces | st.text(max_size=5), max_size=12).map("".join), max_size=12))
def test_garbage_is_counted_and_nothing_else(lines: list[str]) -> None:
    trace = read_trace(lines)
    assert len(trace.calls) + trace.garbled <= len(lines)
