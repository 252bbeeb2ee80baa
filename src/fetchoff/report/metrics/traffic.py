"""Metrics of what goes to and fro: throughput, what is in flight, what the origin counted."""

from __future__ import annotations

from fetchoff.report.metrics.metric import DETAIL, Form, Metric, Shown, Surface, Topic

IN_HEADING = "it is the same for all clients, so it stands in the heading of what is in flight"
IN_CELL = "it stands beside what is in flight"

THROUGHPUT = Metric(
    key="mb_per_second",
    member="standing.costs.throughput.mb_per_second",
    form=Form.ESTIMATE,
    topic=Topic.THROUGHPUT,
    heading="MB/s",
    label="moved",
    unit="MB per s",
    name="MB/s",
    explanation="Bytes in both directions, of all transfers at once, in a second of wall time. MB "
    "are 10⁶ bytes.",
    anchor="throughput",
    shown=Shown.KNOWN,
    decimals=1,
    first="descending",
    priority=180,
    column=20,
)
CPU_PER_GB = Metric(
    key="cpu_s_per_gb",
    member="standing.costs.throughput.cpu_s_per_gb",
    form=Form.ESTIMATE,
    topic=Topic.THROUGHPUT,
    heading="CPU s/GB",
    label="CPU",
    unit="s per GB",
    name="CPU s/GB",
    explanation="CPU seconds that the client takes to move 10⁹ bytes.",
    anchor="throughput",
    shown=Shown.KNOWN,
    decimals=2,
    priority=150,
    column=21,
)
ORIGIN_SHARE = Metric(
    key="origin_cpu_per_wall",
    member="standing.costs.origin_cpu_per_wall",
    topic=Topic.THROUGHPUT,
    heading="origin",
    label="origin",
    unit="CPU ÷ wall",
    name="origin's share",
    explanation="CPU time of the origin divided by wall time. Near 1 the origin sets the pace, and "
    "faster clients cannot be told apart.",
    anchor="throughput",
    shown=Shown.BULK,
    priority=120,
    column=11,
)
BYTES_IN_FLIGHT = Metric(
    key="bytes_in_flight",
    member="standing.in_flight.bytes",
    topic=Topic.IN_FLIGHT,
    heading="in flight kB",
    label="in flight",
    unit="kB",
    name="in flight",
    explanation="Content in flight on average, estimated as what goes through in the time of a "
    "round trip. A client with a small window has little in flight, however fast the link.",
    anchor="links",
    shown=Shown.KNOWN,
    per=1e3,
    first="descending",
    priority=160,
    column=22,
)
LINK_HOLDS = Metric(
    key="link_holds_bytes",
    member="standing.in_flight.of_bytes",
    topic=Topic.IN_FLIGHT,
    heading="link holds kB",
    label="link holds",
    unit="kB",
    name="what the link holds",
    explanation="Content that the link can hold: its rate times the round trip, without the "
    "headers of packets.",
    anchor="links",
    shown=Shown.KNOWN,
    per=1e3,
    column=23,
    absent={Surface.TERMINAL: DETAIL, Surface.PAGE: IN_HEADING},
)
EXCHANGES_IN_FLIGHT = Metric(
    key="exchanges_in_flight",
    member="standing.in_flight.exchanges",
    topic=Topic.IN_FLIGHT,
    heading="in flight",
    label="in flight",
    unit="asked",
    name="in flight",
    explanation="Exchanges in flight on average, estimated as those that end in the time of a "
    "round trip. A client with a small pool has few in flight, however fast the link.",
    anchor="links",
    shown=Shown.KNOWN,
    decimals=1,
    first="descending",
    priority=160,
    column=24,
)
CONCURRENCY = Metric(
    key="concurrency",
    member="standing.in_flight.of_exchanges",
    topic=Topic.IN_FLIGHT,
    heading="asked for",
    label="asked for",
    unit="at a time",
    name="exchanges asked for",
    explanation="Exchanges that the workload asks for at a time.",
    anchor="links",
    shown=Shown.KNOWN,
    column=25,
    absent={Surface.TERMINAL: IN_CELL, Surface.PAGE: IN_HEADING},
)
CONNECTIONS = Metric(
    key="connections_per_round",
    member="standing.wire.connections",
    topic=Topic.WIRE,
    heading="conn",
    label="conn.",
    unit="new",
    name="connections",
    explanation="Connections that were opened while a round was measured. With 0, all were kept.",
    anchor="on-the-wire",
    priority=20,
    column=26,
)
PER_CONNECTION = Metric(
    key="exchanges_per_connection",
    member="standing.wire.exchanges_per_connection",
    topic=Topic.WIRE,
    heading="per conn",
    label="exchanges",
    unit="per conn.",
    name="exchanges per connection",
    explanation="Exchanges for each connection that was opened while a round was measured.",
    anchor="on-the-wire",
    column=27,
    absent={Surface.TERMINAL: DETAIL, Surface.PAGE: DETAIL},
)
SEGMENTS = Metric(
    key="segments_per_exchange",
    member="standing.wire.segments_per_exchange",
    topic=Topic.WIRE,
    heading="seg",
    label="segm.",
    unit="an exch.",
    name="segments",
    explanation="TCP segments with data that arrive at the origin for an exchange. More than one "
    "for a small request means that it was written in pieces.",
    anchor="on-the-wire",
    decimals=1,
    priority=30,
    column=28,
)
BYTES_IN = Metric(
    key="origin_bytes_in_per_exchange",
    member="standing.wire.bytes_in_per_exchange",
    topic=Topic.WIRE,
    heading="B in",
    label="read",
    unit="B by the origin",
    name="bytes that the origin reads",
    explanation="Bytes of an exchange that the origin reads, header fields included.",
    anchor="on-the-wire",
    column=29,
    absent={Surface.TERMINAL: DETAIL, Surface.PAGE: DETAIL},
)
BYTES_OUT = Metric(
    key="origin_bytes_out_per_exchange",
    member="standing.wire.bytes_out_per_exchange",
    topic=Topic.WIRE,
    heading="B out",
    label="written",
    unit="B by the origin",
    name="bytes that the origin writes",
    explanation="Bytes of an exchange that the origin writes, header fields included.",
    anchor="on-the-wire",
    column=30,
    absent={Surface.TERMINAL: DETAIL, Surface.PAGE: DETAIL},
)
