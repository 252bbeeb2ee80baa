"""How to read the report: a few sentences for each section of docs/analysis.md that it links to.

Single figures are explained in the registry of metrics; a section lists its own.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from fetchoff.report.metrics.metric import Metric, Surface
from fetchoff.report.metrics.registry import metrics_of


@dataclass(frozen=True)
class Explanation:
    """`anchor`: the section of docs/analysis.md that tells the whole story."""

    anchor: str
    title: str
    text: str

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics of the page that the section is about."""
        return tuple(m for m in metrics_of(Surface.PAGE) if m.anchor == self.anchor)


def _explain(anchor: str, title: str, text: str) -> Explanation:
    return Explanation(anchor, title, " ".join(textwrap.dedent(text).split()))


EXPLANATIONS = (
    _explain(
        "wall-and-cpu-time",
        "Wall and CPU time",
        """
        Both are read from outside the client: wall time by a monotonic clock, CPU time by the
        operating system's clock of the client's process. For turns the origin reads the clocks, for
        batches the harness. What a client says of its own time is only a cross-check: if it is
        further off than two clients are apart, no verdict in wall time and no tier rests on them.
        """,
    ),
    _explain(
        "ratios-and-intervals",
        "Ratios and intervals",
        """
        A ratio compares a client with the baseline in turns or batches that follow each other
        closely, so what disturbs the machine disturbs both. The sample is the process: each round
        starts every client afresh. The interval allows for having looked at the data while
        the run was going on.
        """,
    ),
    _explain(
        "verdicts",
        "Verdicts",
        """
        Equivalent: the whole interval lies within the margin. Faster or slower: otherwise, if the
        interval leaves out 1. In the first table, whose intervals hold for all pairs at once, the
        test of all pairs can also show it; a cell whose interval contains 1 then says so.
        Undecided: neither was shown; more rounds could tell, up to the 40 that a run may have. A
        lack of evidence never counts as equality.
        """,
    ),
    _explain(
        "tiers",
        "Tiers",
        """
        Clients in one tier were not shown to differ from each other, with the chance of any false
        difference in the whole ranking held at the stated error rate. Tiers overlap: a client
        marked 2–3 is in tier 2 at best and in tier 3 at worst. Two clients in neighbouring tiers
        need not be shown to differ: the number of tiers is the length of the longest chain of
        proven differences.
        """,
    ),
    _explain(
        "a-part-of-a-ranking",
        "A part of a ranking",
        """
        When you filter, the clients that you see are put into tiers anew, and ratios are relative
        to the best of them or to the client that you choose. Nothing is tested again: two clients
        differ here if the whole ranking showed that they do, with one error rate for all of its
        pairs (Holm). So no choice of yours makes a false difference more likely, and a small part
        is as strict as the whole.
        """,
    ),
    _explain(
        "user-and-system-time",
        "User and system time",
        """
        The split of CPU time is sampled by the kernel, the total is exact. A gap between bar and
        tick is time spent waiting: for the origin, and for the link where there is one.
        """,
    ),
    _explain(
        "throughput",
        "Throughput",
        """
        Shown where an exchange moves 100 kB or more. The bytes are those that the origin counted,
        header fields included.
        """,
    ),
    _explain(
        "json-documents",
        "JSON documents",
        """
        Some clients parse the documents by an interface of their own ("own"), and that is part of
        their cost. For the others, the parser of their kit does, which the column names. So such a
        workload ranks client and parser together.
        """,
    ),
    _explain(
        "links",
        "Links",
        """
        A workload may go over an emulated network: packets are delayed, shaped and lost as asked.
        The link is calibrated before it is used. Rounds do not count if it is not what was asked
        for; if it never is, the ranking is withheld. A batch in which the emulator could not keep
        up does not count.
        """,
    ),
    _explain(
        "at-scale",
        "At so many exchanges a day",
        """
        Microseconds an exchange times exchanges a day, in days. A CPU-day a day is a core that
        does nothing else. A day of waiting is wall time: somebody, or a thread, waits for it.
        What a difference is worth with your own traffic depends on how much of it looks like this
        workload.
        """,
    ),
    _explain(
        "claims",
        "Claims",
        """
        What a published article says, as a ratio between two sides: a client on a workload. The
        ratio is measured round by round from fresh processes. A published ratio holds if the
        whole interval lies between it ÷ 1.25 and it × 1.25. It is weaker or stronger if the whole
        interval lies outside, and does not hold any more if the interval does not reach 1.02.
        An interval that shows the direction and crosses the edge leaves the size undecided.
        All claims of an article share one error rate: with 95 %, all of their intervals hold
        the truth. Absolute times belong to the author's machine and to this one.
        """,
    ),
    _explain(
        "the-steady-state",
        "The way to the steady state",
        """
        What an exchange costs by its number, both axes logarithmic: the first one, connection
        included, then the warm-up in steps. Where a process worked over several links in a round,
        only the first of them began cold, and only such rounds are shown where there are any.
        Clients warm up side by side, so a curve is noisier than the ranking and may end above it:
        compare where it falls, and how far.
        """,
    ),
    _explain(
        "explanations",
        "Why",
        """
        The slowest clients, and those that mostly wait, were recorded after everything was
        measured, and asked for known faults. "Seen" is a pattern with its counts; "predicted" is
        what an exchange would take without that wait; "tried" is what one changed factor did when
        both ways were measured. The recording itself is in no figure.
        """,
    ),
    _explain(
        "regimes",
        "Other regimes",
        """
        The ranking is about the steady state. Two figures beside it are not: what the first
        exchange of a process takes, and what an exchange costs after other programs ran.
        """,
    ),
    _explain(
        "observations",
        "Observations in run order",
        """
        A batch is a dot in its client's lane, in the order in which they were measured; up is
        slower than that client's median. Those beyond the lane are diamonds on its edge.
        A stripe through all lanes comes from the machine, a step in one lane from a process that
        turned out differently, and a slope is drift. None is left out because of what it cost;
        what does not count for another reason is not drawn.
        """,
    ),
    _explain(
        "self-checks",
        "Self-checks",
        """
        Every run tests itself: a second process of the same client must not differ (a/a), injected
        time must come back as that time, and costs must depend neither on when in a round nor on
        where in a cycle they were measured. Where batches are measured, 3 % more requests must come
        back as 3 %. With several exchanges in flight, no time is injected. Over a link there is a/a
        alone. A check that fails withholds the ranking, unless it is about a single client that
        is not steady: that client is named.
        """,
    ),
    _explain(
        "placement",
        "Placement",
        """
        Small exchanges, and downloads that are read whole into memory: client and origin take turns
        on one core, which makes waking up part of neither. Other bulk and concurrent ones: a core
        each. Over a link its emulator has a core, and client and origin share another, or have one
        each where there are three. Free: wherever the scheduler puts them, on all cores but the
        harness's where there are more than two. A verdict can depend on that: of eight clients on
        small-get, go/fasthttp and c/libcurl changed places when placed freely, Go's two took 2 to 3
        times as much CPU time, and with a core each, all took 25 to 65 µs longer. --placement
        measures it on your machine.
        """,
    ),
    _explain(
        "error-rates-and-stopping",
        "Error rate, margin and stopping",
        """
        α is the chance of one false difference, looks during the run included. The margin is the
        relative difference that is taken not to matter. Both were fixed before the first batch.
        The seed reproduces the order of everything.
        """,
    ),
    _explain(
        "on-the-wire",
        "On the wire",
        """
        Connections and TCP segments are counted by the origin, not told by the client.
        """,
    ),
    _explain(
        "memory-and-start-up",
        "Memory and start-up",
        """
        Memory and start-up are of the whole process. Neither is tested for differences.
        """,
    ),
    _explain(
        "adapter-lines",
        "Lines of adapter code",
        """
        The sample programs are on this page. Their length is a rough measure of how much a user
        has to write.
        """,
    ),
    _explain(
        "floors",
        "Floors",
        """
        Bare sockets that send fixed bytes. They do less than any library must, show what
        the language and the machine cost, and are never ranked.
        """,
    ),
)

LIMITS = (
    "Other placements: unless you ask otherwise (--placement), client and origin of small "
    "exchanges share one core, so runtimes that use several have one.",
    "Latency under load: in these closed loops an exchange waits for an earlier one to end.",
    "Real networks: all traffic stays on this machine, unless a server elsewhere was asked for "
    "(--origin). Without a link nothing delays it, limits its rate or loses it; a link does what "
    "it is asked to, and carries nobody else's traffic.",
    "Other settings: a client may do better with options that its documentation does not "
    "show first; what was measured is the sample programs on this page.",
    "Other machines: ratios travel better than microseconds, and neither travels everywhere.",
    "Correctness beyond the checks: answers were verified, standards conformance was not.",
)
