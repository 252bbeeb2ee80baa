"""Short explanations of every kind of figure, each with its section of docs/analysis.md."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """`anchor`: the section of docs/analysis.md that tells the whole story."""

    anchor: str
    title: str
    text: str


def _explain(anchor: str, title: str, text: str) -> Explanation:
    return Explanation(anchor, title, " ".join(textwrap.dedent(text).split()))


EXPLANATIONS = (
    _explain(
        "wall-and-cpu-time",
        "Wall and CPU time",
        """
        Both are read from outside the client, around batches of exchanges: wall time by the
        harness's clock, CPU time by the operating system's clock of the client's process, all its
        threads included. What the client says of itself is only a cross-check. CPU ÷ wall near 1
        means that the client hardly ever waited.
        """,
    ),
    _explain(
        "ratios-and-intervals",
        "Ratios and intervals",
        """
        A ratio compares a client with the baseline in batches that follow each other closely, so
        what disturbs the machine disturbs both. Below 1 is faster. The sample is the process, not
        the batch: each round starts every client afresh. The interval allows for having looked at
        the data while the run was going on.
        """,
    ),
    _explain(
        "verdicts",
        "Verdicts",
        """
        Faster or slower: the interval excludes no difference. Equivalent: it lies within the
        margin. Undecided: neither was shown; more rounds could tell, up to the 40 that a run may
        have. Equal is never concluded from a lack of evidence.
        """,
    ),
    _explain(
        "tiers",
        "Tiers",
        """
        Clients in one tier were not shown to differ from each other, with the chance of any false
        difference in the whole ranking held at the stated error rate. Tiers overlap: a client
        marked 2–3 is in tier 2 at best and in tier 3 at worst; clients with the same best tier
        were not shown to differ. Nor is every client of a tier shown to differ from every client of
        the next: tiers are as long as the longest chain of proven differences.
        """,
    ),
    _explain(
        "user-and-system-time",
        "User and system time",
        """
        User time is spent in the client's own code and its libraries, system time in the kernel
        on its behalf: reading, writing, waking up. The split is sampled by the kernel, the total
        is exact. A gap between bar and tick is time spent waiting: for the origin, and for the link
        where there is one.
        """,
    ),
    _explain(
        "throughput",
        "Throughput",
        """
        Shown where an exchange moves 100 kB or more. MB/s: bytes both ways, of all transfers at
        once, by wall time; MB are 10⁶ bytes. CPU seconds per GB: what moving 10⁹ bytes costs the
        client. The origin's share is its CPU time by wall time: near 1 the origin sets the pace,
        and faster clients cannot be told apart.
        """,
    ),
    _explain(
        "json-documents",
        "JSON documents",
        """
        A client that has an interface of its own for JSON parses the documents itself ("own"), and
        that is part of it. For the others their kit does, with the parser that is named: the column
        tells how long by the adapter's own clock, and the times beside it contain it. What such a
        workload ranks is client and parser together.
        """,
    ),
    _explain(
        "links",
        "Links",
        """
        A workload may go over an emulated network: packets are delayed, shaped and lost as asked.
        The link is calibrated before it is used; if it is not what was asked for, the ranking is
        withheld, and a round in which the emulator could not keep up does not count. In flight: how
        much is under way on average, as goods are on a road, estimated as what goes through in the
        time of a round trip. A client whose window or pool is small has little under way, however
        fast the link.
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
        included, then the warm-up in steps. Where a process worked on several workloads in a round,
        only the first of them began cold, and only such rounds are shown where there are any.
        Clients warm up side by side, so a curve is noisier than the ranking and may end above it:
        compare where it falls, and how far.
        """,
    ),
    _explain(
        "observations",
        "Observations in run order",
        """
        Every batch is a dot in its client's lane, in the order in which they were measured; up is
        slower than that client's median. Those beyond the lane are diamonds on its edge.
        A stripe through all lanes is the machine, a step in one lane a process that
        turned out differently, a slope drift. None of them was removed.
        """,
    ),
    _explain(
        "self-checks",
        "Self-checks",
        """
        Every run tests itself: a second process of the same client must not differ (a/a), 3 %
        more requests must come back as 3 %, injected time as that time. Over a link there is a/a
        alone. A check that fails withholds the ranking.
        """,
    ),
    _explain(
        "placement",
        "Placement",
        """
        Small exchanges: client and origin take turns on one core, which makes waking up part of
        neither. Bulk and concurrent ones: a core each. Over a link its emulator has a core, and
        client and origin share another, or have one each where there are three. Free: wherever the
        scheduler puts them, on all cores but the harness's where there are more than two.
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
        Connections and TCP segments are counted by the origin, not told by the client. Connections
        are those that were opened inside measured batches of a round: with 0, all were kept. More
        than one segment for a small request means that it was written in pieces.
        """,
    ),
    _explain(
        "memory-and-start-up",
        "Memory and start-up",
        """
        Peak resident memory of the process in MB of 10⁶ bytes, its runtime and the adapter
        included; start-up is the time from the start of the process to its first answer.
        """,
    ),
    _explain(
        "adapter-lines",
        "Lines of adapter code",
        """
        The lines of the sample program on this page, without the kit that all clients of a
        language share: a rough measure of how much a user has to write.
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
    "Latency under load: in these closed loops an exchange waits for an earlier one to end.",
    "Real networks: all traffic stays on this machine. Without a link nothing delays it, limits "
    "its rate or loses it; a link does what it is asked to, and carries nobody else's traffic.",
    "Other settings: a client may do better with options that its documentation does not "
    "show first; what was measured is the sample programs on this page.",
    "Other machines: ratios travel better than microseconds, and neither travels everywhere.",
    "Correctness beyond the checks: answers were verified, standards conformance was not.",
)
