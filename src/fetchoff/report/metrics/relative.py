"""Metrics that compare a client with others: tiers, ratios to the baseline, verdicts."""

from __future__ import annotations

from fetchoff.report.metrics.metric import KEPT, Form, Interval, Metric, Shown, Surface, Topic

TIER = Metric(
    key="tier",
    member="standing.tiers",
    form=Form.TIERS,
    topic=Topic.TIER,
    heading="tier",
    label="tier",
    unit="wall",
    name="tier",
    explanation="The best and the worst tier that the client can be in, by wall time.",
    anchor="tiers",
    shown=Shown.KNOWN,
    priority=KEPT,
    column=1,
)
WALL_RATIO = Metric(
    key="wall_ratio",
    member="standing.wall.ratio",
    form=Form.RATIO,
    topic=Topic.RATIO,
    heading="wall ×",
    label="wall",
    unit="× baseline",
    name="ratio",
    explanation="Wall time divided by the baseline's: below 1 is faster.",
    anchor="ratios-and-intervals",
    priority=KEPT,
    interval=Interval("interval", 190),
    column=2,
)
WALL_VERDICT = Metric(
    key="wall_verdict",
    member="standing.wall.verdict",
    form=Form.TEXT,
    topic=Topic.VERDICT,
    heading="verdict",
    label="verdict",
    unit="wall",
    name="verdict",
    explanation="What the interval of the wall time's ratio supports.",
    anchor="verdicts",
    shown=Shown.TRUSTED,
    priority=130,
    column=3,
)
CPU_RATIO = Metric(
    key="cpu_ratio",
    member="standing.cpu.ratio",
    form=Form.RATIO,
    topic=Topic.RATIO,
    heading="CPU ×",
    label="CPU",
    unit="× baseline",
    name="CPU ratio",
    explanation="CPU time divided by the baseline's: below 1 is cheaper.",
    anchor="ratios-and-intervals",
    priority=110,
    interval=Interval("CPU interval", 90),
    column=4,
)
CPU_VERDICT = Metric(
    key="cpu_verdict",
    member="standing.cpu.verdict",
    form=Form.TEXT,
    topic=Topic.VERDICT,
    heading="CPU verdict",
    label="verdict",
    unit="CPU",
    name="CPU verdict",
    explanation="What the interval of the CPU time's ratio supports.",
    anchor="verdicts",
    shown=Shown.TRUSTED,
    column=5,
    absent={
        Surface.TERMINAL: "tables rank by wall time and have one verdict",
        Surface.PAGE: "tables rank by wall time and have one verdict; the chart of ratios tells it",
    },
)
