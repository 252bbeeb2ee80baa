"""Compare links as requested with links as measured.

Round-trip times are those of UDP packets that wait for each other on an idle link. Rates are those
of one TCP connection after its first second, against the most content that the rate can carry: 1448
of the 1500 bytes of a packet. Losses are counted by the receiver and compared with the binomial
interval; the same seed must lose the same packets, another seed others. With --soak, the bench only
generates heavy traffic for this long (soak.py). The emulator runs on the last core, as root with
real-time priority; the traffic runs on the others. Exit status 1 if a goal is missed, 2 if nothing
could be measured.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benches.link.emulator import NOBODY, BenchError, Emulator, Mode, address, build, install
from benches.link.lines import Cores, Line, lateness
from benches.link.soak import LEAST_SOAK_S, soaked

MODES = (
    Mode(0, "tun"),
    Mode(0, "packet_socket"),
    Mode(NOBODY, "tun"),
    Mode(NOBODY, "packet_socket"),
)

ROUND_TRIPS = {1.0: 2000, 20.0: 300, 90.0: 100, 300.0: 50}
RATES = (10.0, 100.0, 500.0)
CONTENT_SHARE = 1448 / 1500
LEAST_TRANSFER_S = 2  # the first second is the start
LOSS = 0.01
LOSS_PACKETS = 30_000
SEEDS_LOSS = 0.05
SEEDS_PACKETS = 5000
SEED = 20261120

P50_WITHIN_MS = 0.3
P99_WITHIN_MS = 1.0
RATE_WITHIN = 0.04
UNLIMITED_MBIT = 2500.0
# Two-sided, one false alarm in 1000.
STANDARD_DEVIATIONS = 3.29


def main() -> int:
    """Measure, print, and say by the exit status whether all goals were met."""
    arguments = _parse()
    cores = _cores()
    lines: list[Line] = []
    try:
        build()
        with tempfile.TemporaryDirectory(prefix="fetchoff-link-") as name:
            folder = Path(name)
            install(folder)
            for mode in _modes(arguments.mode):
                for line in _of_mode(folder, mode, cores, arguments):
                    lines.append(line)
                    print(line, file=sys.stderr if arguments.json else sys.stdout, flush=True)
    except BenchError as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    if arguments.json:
        print(json.dumps([asdict(line) for line in lines], indent=2))
    if not lines:
        print("error: nothing was measured", file=sys.stderr)
        return 2
    return 1 if any(line.met is False for line in lines) else 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--json", action="store_true", help="print JSON, and the table to stderr")
    parser.add_argument("--seconds", type=int, default=5, help="of each TCP transfer; 2 or more")
    parser.add_argument("--rates", type=_rates, default=RATES, help="in Mbit/s; and none at all")
    parser.add_argument("--share", type=float, default=1, help="of the packets of each part")
    parser.add_argument("--mode", type=int, action="append", help="0 to 3: only this one")
    parser.add_argument("--soak", type=int, metavar="SECONDS", help="only much traffic, so long")
    parser.add_argument("--emulator-option", action="append", default=[], metavar="OPTION")
    arguments = parser.parse_args()
    if arguments.seconds < LEAST_TRANSFER_S:
        parser.error(f"a transfer takes {LEAST_TRANSFER_S} s or more: its start is not measured")
    if arguments.soak is not None and arguments.soak < LEAST_SOAK_S:
        parser.error(f"a soak takes {LEAST_SOAK_S} s or more")
    return arguments


def _rates(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split(",")))


def _modes(chosen: list[int] | None) -> Iterator[Mode]:
    for mode in [MODES[number] for number in chosen] if chosen else MODES:
        if why_not := mode.why_not():
            print(f"{mode}: not measured: {why_not}", file=sys.stderr)
        else:
            yield mode


def _cores() -> Cores:
    cores = sorted(os.sched_getaffinity(0))
    return Cores(cores[-1], cores[0], cores[1 % max(1, len(cores) - 1)])


def _of_mode(
    folder: Path, mode: Mode, cores: Cores, arguments: argparse.Namespace
) -> Iterator[Line]:
    options = ["--core", str(cores.emulator), *arguments.emulator_option]
    emulator = Emulator(folder, mode, options + (["--real-time"] if mode.user == 0 else []))
    try:
        if arguments.soak is not None:
            yield from soaked(emulator, mode, cores, arguments.soak)
        else:
            yield from _measured(emulator, mode, cores, arguments)
    finally:
        emulator.close()


def _measured(
    emulator: Emulator, mode: Mode, cores: Cores, arguments: argparse.Namespace
) -> Iterator[Line]:
    share = arguments.share
    for asked_ms, packets in ROUND_TRIPS.items():
        yield from _round_trips(emulator, mode, cores, asked_ms, math.ceil(share * packets))
    for rate in (None, *arguments.rates):
        for way in ("up", "down"):
            yield from _rate(emulator, mode, cores, rate, way, arguments.seconds)
    yield _loss(emulator, mode, cores, math.ceil(share * LOSS_PACKETS))
    yield from _seeds(emulator, mode, cores, math.ceil(share * SEEDS_PACKETS))


def _round_trips(
    emulator: Emulator, mode: Mode, cores: Cores, asked_ms: float, packets: int
) -> Iterator[Line]:
    profile = {"delay_ms": asked_ms / 2}
    with emulator.link(profile, profile) as link:
        far = address(link["far"])
        with (
            emulator.traffic(link["far"], cores.far, "echo", far),
            emulator.traffic(link["near"], cores.near, "ping", far, str(packets)) as ping,
        ):
            times = ping.next().split()
        remark = lateness(emulator.read(link), "up")
    yield from round_trips(str(mode), times, asked_ms, remark)


def round_trips(mode: str, times: Sequence[str], asked_ms: float, remark: str) -> Iterator[Line]:
    """Of packets over a link that loses none: their times in µs, "-" if one never came back."""
    came_ms = sorted(int(time) / 1000 for time in times if time != "-")
    for name, share, within in (("p50", 0.5, P50_WITHIN_MS), ("p99", 0.99, P99_WITHIN_MS)):
        measured = came_ms[math.ceil(share * len(came_ms)) - 1] if came_ms else math.nan
        met = 0 <= measured - asked_ms <= within
        yield Line(mode, f"round trip, {name}", asked_ms, measured, "ms", met, remark)
    lost = len(times) - len(came_ms)
    remark = f"of {len(times)} round trips of {asked_ms:g} ms"
    yield Line(mode, "lost without being asked", 0, lost, "packets", 0 == lost < len(times), remark)


def _rate(
    emulator: Emulator, mode: Mode, cores: Cores, rate: float | None, way: str, seconds: int
) -> Iterator[Line]:
    profile = {"rate_mbit_s": rate} if rate else {}
    sender, receiver = ("near", "far") if way == "up" else ("far", "near")
    with emulator.link(profile, profile) as link:
        to = address(link[receiver])
        with (
            emulator.traffic(link[receiver], getattr(cores, receiver), "drain", to) as drain,
            emulator.traffic(
                link[sender], getattr(cores, sender), "flood", to, str(seconds)
            ) as flood,
        ):
            flood.next()
            flood_ended = drain.next().split()
        counted = emulator.read(link)
    measured = int(flood_ended[0]) * 8e3 / int(flood_ended[1])
    asked = rate * CONTENT_SHARE if rate else None
    met = abs(measured / asked - 1) <= RATE_WITHIN if asked else measured >= UNLIMITED_MBIT
    what = f"TCP {way}, {f'{rate:g} Mbit/s' if rate else 'no rate'}"
    yield Line(str(mode), what, asked, measured, "Mbit/s", met, lateness(counted, way))
    gigabits = sum(counted[each]["delivered_bytes"] for each in ("up", "down")) * 8 / 1e9
    cpu = counted["cpu_ns"] / 1e9 / gigabits
    yield Line(str(mode), f"{what}: emulator", None, cpu, "CPU s/Gbit", None, "")


def _loss(emulator: Emulator, mode: Mode, cores: Cores, packets: int) -> Line:
    came, counted = _came(emulator, cores, LOSS, SEED, packets)
    lost = packets - len(came)
    half = STANDARD_DEVIATIONS * math.sqrt(LOSS * (1 - LOSS) / packets)
    measured = lost / packets
    met = abs(measured - LOSS) <= half and lost == counted["up"]["lost"]
    remark = f"{lost} of {packets}, interval ± {half * 100:.3f}, seed {SEED}"
    return Line(str(mode), "loss", LOSS * 100, measured * 100, "%", met, remark)


def _seeds(emulator: Emulator, mode: Mode, cores: Cores, packets: int) -> Iterator[Line]:
    """The number of packets that one run lost and another did not."""
    first, again, other = (
        _came(emulator, cores, SEEDS_LOSS, seed, packets)[0] for seed in (SEED, SEED, SEED + 1)
    )
    # Of packets that two seeds lose independently of each other.
    expected = 2 * SEEDS_LOSS * (1 - SEEDS_LOSS) * packets
    same, others = len(first ^ again), len(first ^ other)
    yield Line(str(mode), "the same seed again: differ", 0, same, "packets", same == 0, "")
    met = 0.5 * expected < others < 1.5 * expected
    yield Line(str(mode), "another seed: differ", expected, others, "packets", met, "")


def _came(
    emulator: Emulator, cores: Cores, loss: float, seed: int, packets: int
) -> tuple[set[int], dict[str, Any]]:
    """The numbers of the packets that came over a link that loses some; its counters."""
    up = {"loss": {"independent": loss}, "seed": seed}
    with emulator.link(up, {}) as link:
        to = address(link["far"])
        with (
            emulator.traffic(link["far"], cores.far, "collect", to) as collect,
            emulator.traffic(link["near"], cores.near, "number", to, str(packets)) as number,
        ):
            number.next()
            return set(map(int, collect.next().split())), emulator.read(link)


if __name__ == "__main__":
    sys.exit(main())
