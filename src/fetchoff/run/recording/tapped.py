"""Record a warm client with the segments that pass at its end of the network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from fetchoff.model.recording import Recording
from fetchoff.run.network.tap import NotTapped, Tap
from fetchoff.run.recording.recorder import record_wire, without
from fetchoff.run.recording.warm_client import WarmClient


def record_tapped(warm: WarmClient, iterations: int, keep: Path | None = None) -> Recording:
    """A loop of so many iterations with the origin's events, and with segments where a tap can be
    had; else they are `missing`.

    `keep`: a file for whole packets. Raises what `record_wire` raises.
    """
    port = urlsplit(warm.ledger.base_url).port
    assert port is not None  # every ledger has one of its own
    try:
        tap = Tap(warm.network, warm.folder, port, keep)
    except NotTapped as error:
        return without(record_wire(warm, iterations), (error.missing,))
    try:
        recording = record_wire(warm, iterations)
    except BaseException:
        tap.abandon()
        raise
    try:
        tapped = tap.end()
    except NotTapped as error:
        return without(recording, (error.missing,))
    found = replace(recording, segments=tapped.segments, lost_segments=tapped.lost)
    if tapped.fault:
        fault = NotTapped(f"the tap ended early: {tapped.fault}")
        return without(found, (fault.missing,))
    return found
