"""Segments in a few words, for time lines."""

from __future__ import annotations

from fetchoff.model.recording import Segment
from fetchoff.report.wording.figures import number

ACK = 16


def words(segment: Segment) -> str:
    """`SYN`, `149 bytes`, `149 bytes, FIN`, `ACK`, `ACK, window closed`."""
    said = [f"{number(segment.size)} bytes"] if segment.size else []
    flags = (("SYN", segment.is_syn), ("FIN", segment.is_fin), ("RST", segment.is_reset))
    said += [name for name, is_set in flags if is_set]
    if not said:
        said.append("ACK")
    if segment.window == 0 and segment.flags & ACK and not segment.is_reset:
        said.append("window closed")
    return ", ".join(said)
