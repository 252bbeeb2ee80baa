"""The link of a course, from a run's records: docs/analysis.md#links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from fetchoff.analysis import calibrations
from fetchoff.analysis.series import Series
from fetchoff.model.analysis import BatchesLeftOut, LinkUse, OverLink, RoundLeftOut
from fetchoff.model.course import Course
from fetchoff.model.finding import (
    Advice,
    BatchesExcluded,
    Finding,
    LinkAtFault,
    NothingCounts,
    RoundsExcluded,
)
from fetchoff.model.link import Calibration
from fetchoff.model.observation import LinkUsed, Record, Sample


def over_link(course: Course, records: Sequence[Record], series: Series) -> OverLink | None:
    """What became of a course's link; None over loopback."""
    link = course.link
    if not link.is_emulated:
        return None
    used = [r for r in records if isinstance(r, LinkUsed) and r.workload == course.id]
    batches = len(series.batches) + len(series.left_out)
    whys = Counter(one.why for one in series.left_out)
    calibrated = calibrations.of_rounds(course, records)
    out = calibrations.at_fault(calibrated)
    counting = [one for sample, one in calibrated.items() if sample not in out]
    return OverLink(
        link,
        counting[-1] if counting else None,
        replace(_use(used), batches=batches),
        (*_rounds_at_fault(used), *_rounds_miscalibrated(out), *_rounds_lost(series)),
        tuple(BatchesLeftOut(many, why) for why, many in whys.items()),
    )


def _rounds_at_fault(used: Sequence[LinkUsed]) -> Iterator[RoundLeftOut]:
    """Of runs of before each batch was judged by itself."""
    return (RoundLeftOut(one.round, one.fault) for one in used if one.fault)


def _rounds_miscalibrated(out: Mapping[Sample, Calibration]) -> Iterator[RoundLeftOut]:
    """Those whose link wasn't as asked when it was calibrated."""
    return (RoundLeftOut(round_, "; ".join(one.faults)) for (_, round_), one in out.items())


def _rounds_lost(series: Series) -> Iterator[RoundLeftOut]:
    """Those that have too few batches left of everybody; why the last of them does not count."""
    last = {one.batch.sample: one.why for one in series.left_out if one.is_spoilt}
    lost = {sample: why for sample, why in last.items() if sample not in series.samples}
    return (RoundLeftOut(round_, why) for (_, round_), why in sorted(lost.items()))


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


def at_fault(link: OverLink | None) -> Finding | None:
    """Why nothing that was measured over a link can be believed; None: it can."""
    if link is None or link.found is None or not link.found.faults:
        return None
    return Finding(LinkAtFault(link.asked.id, link.found.faults), advice=Advice.SLOWER_LINK)


def nothing_counts(link: OverLink) -> NothingCounts:
    """That every round over a link was left out."""
    return NothingCounts(link.asked.id, _reasons(link))


def left_out(link: OverLink | None) -> Iterator[Finding]:
    """That rounds, or single batches, do not count."""
    if link is None:
        return
    if link.left_out:
        yield Finding(RoundsExcluded(len(link.left_out), link.use.rounds, _reasons(link)))
    if link.batches_left_out:
        many = sum(one.batches for one in link.batches_left_out)
        whys = tuple(one.why for one in link.batches_left_out)
        yield Finding(BatchesExcluded(many, link.use.batches, whys))


def _reasons(link: OverLink) -> tuple[str, ...]:
    """Each reason once, the latest first."""
    return tuple(dict.fromkeys(one.why for one in reversed(link.left_out)))
