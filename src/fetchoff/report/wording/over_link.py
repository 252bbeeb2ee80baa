"""What became of a course's link, in words: asked beside found, and what the emulator did."""

from __future__ import annotations

from dataclasses import dataclass

from fetchoff.model.analysis import LinkUse, OverLink
from fetchoff.model.lateness import TOO_FEW_LEFT
from fetchoff.model.link import Link, Passage, Profile
from fetchoff.report.wording.figures import MISSING, count, number, part, plain
from fetchoff.report.wording.links import rate, round_trip

OWN_QUEUE = "100 ms of the rate"


@dataclass(frozen=True)
class Row:
    """One property of a link."""

    name: str
    asked: str
    found: str


@dataclass(frozen=True)
class Box:
    """A link as a reader is told of it. `faults`: what is not as it was asked for."""

    id: str
    about: str
    source: str
    rows: tuple[Row, ...]
    faults: tuple[str, ...]
    use: str
    kept_up: str


def box_of(link: OverLink) -> Box:
    """Everything that the page shows of a link."""
    return Box(
        id=link.asked.id,
        about=link.asked.about,
        source=" ".join(link.asked.source.split()),
        rows=_rows(link),
        faults=link.found.faults if link.found else (),
        use=used(link.use),
        kept_up=kept_up(link),
    )


def line(link: OverLink) -> str:
    """`link london: round trip 120 ms, found 120.2 (p99 120.3); 100 Mbit/s up, found 99.8; …`."""
    parts = [_trip_in_a_line(link)]
    for name, asked, passage in _directions(link):
        found = (
            f", found {plain(passage.mbit_s, 4)}" if passage and passage.mbit_s is not None else ""
        )
        if asked.rate_mbit_s is not None:
            parts.append(f"{rate(asked)} {name}{found}")
        if asked.loss_share or (passage and passage.lost):
            parts.append(f"{_share(asked.loss_share)} lost {name}, found {_lost(passage)}")
    return f"link {link.asked.id}: {'; '.join(parts)}"


def _trip_in_a_line(link: OverLink) -> str:
    asked = f"round trip {round_trip(link.asked)}"
    if link.found is None:
        return asked
    p50, p99 = link.found.round_trip_p50_ms, link.found.round_trip_p99_ms
    return f"{asked}, found {number(p50, 1)} (p99 {number(p99, 1)})"


def _rows(link: OverLink) -> tuple[Row, ...]:
    found = link.found
    trip = MISSING
    if found is not None:
        p50, p99 = found.round_trip_p50_ms, found.round_trip_p99_ms
        trip = f"{number(p50, 2)} ms, p99 {number(p99, 2)}"
    directions = _directions(link)
    return (
        Row("round trip", round_trip(link.asked), trip),
        *(Row(f"rate {name}", rate(asked), _rate(passage)) for name, asked, passage in directions),
        *(
            Row(f"lost {name}", _share(asked.loss_share), _lost(passage))
            for name, asked, passage in directions
        ),
        *_queues(link.asked),
        Row("congestion", link.asked.congestion, found.congestion if found else MISSING),
    )


def _directions(link: OverLink) -> tuple[tuple[str, Profile, Passage | None], ...]:
    up, down = (link.found.up, link.found.down) if link.found else (None, None)
    return (("up", link.asked.up, up), ("down", link.asked.down, down))


def _rate(passage: Passage | None) -> str:
    if passage is None or passage.mbit_s is None:
        return MISSING
    return f"{plain(passage.mbit_s, 4)} Mbit/s"


def _share(share: float) -> str:
    return f"{plain(share * 100, 3)} %" if share else "none"


def _lost(passage: Passage | None) -> str:
    if passage is None or not passage.sent:
        return MISSING
    return f"{_share(passage.lost / passage.sent)} of {passage.sent:,}"


def _queues(asked: Link) -> tuple[Row, ...]:
    """What may wait for a rate: one row where it is the same both ways."""
    told = {"up": asked.up, "down": asked.down}
    queues = {name: _queue(way) for name, way in told.items() if way.rate_mbit_s is not None}
    if len(queues) == len(told) and queues["up"] == queues["down"]:
        queues = {"": queues["up"]}
    return tuple(Row(f"queue {name}".strip(), queue, "") for name, queue in queues.items())


def _queue(profile: Profile) -> str:
    if profile.queue_bytes is not None:
        return f"{profile.queue_bytes:,} bytes"
    if profile.queue_packets is not None:
        return f"{profile.queue_packets:,} packets"
    return OWN_QUEUE


def used(use: LinkUse) -> str:
    """What crossed a link while clients were measured, and what that took of the emulator."""
    gone = [
        f"{many:,} {how}"
        for many, how in (
            (use.lost, "were lost as asked"),
            (use.dropped, "were dropped by a full queue"),
            (use.unasked, "were lost though nobody asked for it"),
        )
        if many
    ]
    late = f"In the worst round 1 in 100 left {plain(use.late_p99_us / 1e3, 2)} ms late."
    busy = (
        f"The emulator was busy for {plain(use.cpu_s, 2)} s, {part(use.cpu_per_wall)} of the time."
    )
    crossed = f"{count(use.packets, 'packet')} came to it; {', '.join(gone) or 'none was lost'}."
    return f"{crossed} {late} {busy}"


def kept_up(link: OverLink) -> str:
    """Whether the emulator did what was asked of it in every batch and round.

    Batches that do not count because of others of their round are told apart from those.
    """
    others = sum(one.batches for one in link.batches_left_out if one.why == TOO_FEW_LEFT)
    spoilt = sum(one.batches for one in link.batches_left_out) - others
    parts = [
        f"in {many:,} of {whole}"
        for many, whole in (
            (len(link.left_out), count(link.use.rounds, "round")),
            (spoilt, f"{link.use.batches:,} batches"),
        )
        if many
    ]
    if not parts:
        return "It kept up in every round."
    told = f"It did not keep up {' and '.join(parts)}, which do not count."
    if not others:
        return told
    neither = "Nor does 1 other" if others == 1 else f"Nor do {others:,} others"
    return f"{told} {neither}: {TOO_FEW_LEFT}."
