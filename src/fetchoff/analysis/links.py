"""The link of a course, from a run's records: docs/analysis.md#links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fetchoff.analysis.series import Series
from fetchoff.model.analysis import BatchesLeftOut, LinkUse, OverLink, RoundLeftOut
from fetchoff.model.course import Course
from fetchoff.model.lateness import spoilt
from fetchoff.model.link import Calibration
from fetchoff.model.observation import LinkTried, LinkUsed, Record

WHAT_TO_DO = "Stop other work, or choose a slower link, and run again"
MOST_REASONS = 2


def over_link(
    course: Course, records: Sequence[Record], series: Series, at_stake: float
) -> OverLink | None:
    """What became of a course's link; None over loopback."""
    link = course.link
    if not link.is_emulated:
        return None
    used = [r for r in records if isinstance(r, LinkUsed) and r.workload == course.id]
    batches = len(series.batches) + len(series.spoilt)
    whys = [spoilt(batch, link, at_stake) for batch in series.spoilt]
    return OverLink(
        link,
        _last_try(link.id, records),
        replace(_use(used), batches=batches),
        (*_rounds_at_fault(used), *_rounds_lost(series, whys)),
        tuple(BatchesLeftOut(many, why) for why, many in Counter(whys).items()),
    )


def _rounds_at_fault(used: Sequence[LinkUsed]) -> Iterator[RoundLeftOut]:
    """Of runs of before each batch was judged by itself."""
    return (RoundLeftOut(one.round, one.fault) for one in used if one.fault)


def _rounds_lost(series: Series, whys: Sequence[str]) -> Iterator[RoundLeftOut]:
    """Those that have too few batches left of everybody; why the last of them does not count."""
    last = {batch.sample: why for batch, why in zip(series.spoilt, whys, strict=True)}
    lost = {sample: why for sample, why in last.items() if sample not in series.samples}
    return (RoundLeftOut(round_, why) for (_, round_), why in sorted(lost.items()))


def _last_try(link: str, records: Sequence[Record]) -> Calibration | None:
    tried = (r.calibration for r in reversed(records) if isinstance(r, LinkTried))
    return next((calibration for calibration in tried if calibration.link == link), None)


def _use(used: Sequence[LinkUsed]) -> LinkUse:
    sums = [one.emulated for one in used]
    cpu_ns = sum(one.cpu_ns for one in sums)
    elapsed_ns = sum(one.elapsed_ns for one in sums)
    return LinkUse(
        rounds=len(sums),
        packets=sum(one.packets for one in sums),
        lost=sum(one.lost for one in sums),
        dropped=sum(one.dropped for one in sums),
        unasked=sum(one.unasked for one in sums),
        late_p99_us=max((one.late_p99_us for one in sums), default=0),
        cpu_s=cpu_ns / 1e9,
        cpu_per_wall=cpu_ns / elapsed_ns if elapsed_ns else 0.0,
    )


def withheld_for(link: OverLink | None) -> str:
    """Why nothing that was measured over a link can be believed, and what to do; or ""."""
    if link is None or link.found is None or not link.found.faults:
        return ""
    faults = "; ".join(link.found.faults)
    return f"the link {link.asked.id} is not what was asked for: {faults}. {WHAT_TO_DO}"


def nothing_counts(link: OverLink) -> str:
    """What is to be said where every round over a link was left out, and what to do."""
    return f"no round over {link.asked.id} counts: {_reasons(link)}. {WHAT_TO_DO}"


def notes_of(link: OverLink | None) -> list[str]:
    """That rounds, or single batches, were left out."""
    if link is None:
        return []
    notes = []
    if link.left_out:
        rounds = f"{len(link.left_out)} of {link.use.rounds} rounds"
        notes.append(f"{rounds} do not count: {_reasons(link)}")
    if link.batches_left_out:
        many = sum(one.batches for one in link.batches_left_out)
        whys = "; ".join(one.why for one in link.batches_left_out)
        notes.append(f"{many} of {link.use.batches} batches do not count: {whys}")
    return notes


def _reasons(link: OverLink) -> str:
    """Each reason once, the latest first, and no more than a few."""
    reasons = list(dict.fromkeys(one.why for one in reversed(link.left_out)))
    more = f"; and {len(reasons) - MOST_REASONS} more" if len(reasons) > MOST_REASONS else ""
    return "; ".join(reasons[:MOST_REASONS]) + more
