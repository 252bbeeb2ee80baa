"""Links in words."""

from __future__ import annotations

from fetchoff.model.link import Link, Profile
from fetchoff.report.wording.figures import plain

NO_LIMIT = "no limit"


def round_trip(link: Link) -> str:
    """`90 ms`; `14 ms ± 3` where there is jitter; nothing of what is not emulated."""
    if not link.is_emulated:
        return ""
    jitter_ms = link.up.jitter_ms + link.down.jitter_ms
    return f"{link.round_trip_ms:g} ms" + (f" ± {jitter_ms:g}" if jitter_ms else "")


def rate(profile: Profile) -> str:
    """`100 Mbit/s`."""
    return NO_LIMIT if profile.rate_mbit_s is None else f"{profile.rate_mbit_s:g} Mbit/s"


def loss(link: Link) -> str:
    """`1 %`, each way; `1 % up, 2 % down`; nothing where nothing is lost."""
    up, down = (f"{plain(profile.loss_share * 100, 3)} %" for profile in (link.up, link.down))
    if link.up.loss_share == link.down.loss_share:
        return up if link.up.loss_share else ""
    return f"{up} up, {down} down"


def summary(link: Link) -> str:
    """`120 ms there and back, 26 Mbit/s up, 55 Mbit/s down, 1 % of the packets lost`."""
    if not link.is_emulated:
        return link.about
    up, down = rate(link.up), rate(link.down)
    parts = [f"{round_trip(link)} there and back"]
    if up == down:
        parts.append("no limit to the rate" if up == NO_LIMIT else up)
    else:
        parts.append(f"{up} up, {down} down")
    if lost := loss(link):
        parts.append(f"{lost} of the packets lost")
    return ", ".join(parts)
