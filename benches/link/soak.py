"""Send six TCP connections and a numbered UDP stream each way for a given time.

Up, the connections fill a queue that drops what does not fit, also packets of the stream. Down
there are their acknowledgements, and nothing may be missing. In neither direction may a packet
overtake another, or be missing for any other reason, and the emulator's memory may not grow.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from benches.link.emulator import PORT, Emulator, Lines, Mode, address
from benches.link.lines import Cores, Line, lateness, unasked

PROFILE: dict[str, Any] = {"delay_ms": 10, "rate_mbit_s": 100}
CONGESTION = "cubic"  # it fills queues until they drop
CONNECTIONS = 6
STREAM_A_SECOND = 500
WARM_S = 3.0  # or a quarter of a shorter soak
LEAST_SOAK_S = 2
RATE_WITHIN = 0.04
GROWTH_KB = 1024
DRAINED_S = 1.0


def soaked(emulator: Emulator, mode: Mode, cores: Cores, seconds: int) -> Iterator[Line]:
    """The result of the soak."""
    with emulator.link(PROFILE, PROFILE, congestion=CONGESTION) as link, ExitStack() as stack:
        near, far = link["near"], link["far"]

        def begin(end: dict[str, Any], *command: str) -> Lines:
            core = cores.near if end is near else cores.far
            return stack.enter_context(emulator.traffic(end, core, *command))

        ports = range(PORT + 1, PORT + 1 + CONNECTIONS)
        drains = [begin(far, "drain", address(far, port)) for port in ports]
        follows = {
            "up": begin(far, "follow", address(far)),
            "down": begin(near, "follow", address(near)),
        }
        how = (str(seconds), str(STREAM_A_SECOND))
        streams = {
            "up": begin(near, "stream", address(far), *how),
            "down": begin(far, "stream", address(near), *how),
        }
        floods = [begin(near, "flood", address(far, port), str(seconds)) for port in ports]

        warm_s = min(WARM_S, seconds / 4)
        time.sleep(warm_s)
        warm, memory_kb = emulator.read(link), [emulator.memory_kb("VmRSS")]
        time.sleep(seconds / 2 - warm_s)
        memory_kb.append(emulator.memory_kb("VmRSS"))
        time.sleep(seconds / 2 - warm_s)
        steady = emulator.read(link)
        memory_kb.append(emulator.memory_kb("VmRSS"))

        for flood in floods:
            flood.next()
        content = [int(drain.next().split()[0]) for drain in drains]
        sent = {way: int(stream.next()) for way, stream in streams.items()}
        followed = {way: follow.next().split() for way, follow in follows.items()}
        time.sleep(DRAINED_S)
        counted = emulator.read(link)
        most_kb = emulator.memory_kb("VmHWM")
    yield _rate(mode, warm, steady, content)
    for way in ("up", "down"):
        came, misplaced = map(int, followed[way])
        yield from _stream(mode, way, sent[way] - came, misplaced, counted)
        yield _conserved(mode, way, counted)
    yield _memory(mode, memory_kb, most_kb)


def _rate(mode: Mode, warm: dict[str, Any], steady: dict[str, Any], content: list[int]) -> Line:
    """What crossed the link up, between two readings."""
    gained = {
        key: steady["up"][key] - warm["up"][key] for key in ("delivered_bytes", "queue_dropped")
    }
    seconds = (steady["elapsed_ns"] - warm["elapsed_ns"]) / 1e9
    measured, asked = gained["delivered_bytes"] * 8e-6 / seconds, PROFILE["rate_mbit_s"]
    met = abs(measured / asked - 1) <= RATE_WITHIN
    shares = f"connections {min(content) / 1e6:.0f} to {max(content) / 1e6:.0f} MB"
    remark = f"{seconds:.0f} s, {shares}, {gained['queue_dropped']} dropped by the queue"
    return Line(str(mode), "packets up", asked, measured, "Mbit/s", met, remark)


def _stream(
    mode: Mode, way: str, missing: int, misplaced: int, counted: dict[str, Any]
) -> Iterator[Line]:
    """The numbered packets: their order, and whether those that are missing were to be dropped."""
    in_order = misplaced == 0
    yield Line(str(mode), f"stream {way}: out of order", 0, misplaced, "packets", in_order, "")
    dropped = counted[way]["queue_dropped"]
    met = 0 <= missing <= dropped
    remark = f"{dropped} of all packets dropped by the queue"
    yield Line(str(mode), f"stream {way}: missing", None, missing, "packets", met, remark)


def _conserved(mode: Mode, way: str, counted: dict[str, Any]) -> Line:
    """Sent = arrived + dropped + lost; with what nobody asked for, so that it shows."""
    counts = counted[way]
    known = counts["delivered_packets"] + counts["queue_dropped"] + counts["lost"]
    astray = counts["packets"] - known + unasked(counted, way)
    remark = f"{counts['packets']} packets; {lateness(counted, way)}"
    return Line(str(mode), f"all packets {way}: astray", 0, astray, "packets", astray == 0, remark)


def _memory(mode: Mode, memory_kb: list[int], most_kb: int) -> Line:
    start, middle, end = memory_kb
    remark = f"VmRSS {start}, {middle}, {end} kB; VmHWM {most_kb} kB"
    return Line(str(mode), "memory: growth", 0, end - start, "kB", end - start <= GROWTH_KB, remark)
