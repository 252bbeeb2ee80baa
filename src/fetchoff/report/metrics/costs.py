"""Metrics of what an exchange costs: time, memory, code."""

from __future__ import annotations

from fetchoff.report.metrics.metric import DETAIL, KEPT, Form, Metric, Shown, Surface, Topic

NARROW = "the terminal has no room for it; report.html shows it"

WALL = Metric(
    key="wall_us_per_exchange",
    member="standing.costs.wall_us",
    form=Form.ESTIMATE,
    topic=Topic.COST,
    heading="wall µs",
    label="wall",
    unit="µs",
    name="wall µs",
    explanation="Wall time of an exchange. It contains the work of the origin and of the kernel.",
    anchor="wall-and-cpu-time",
    decimals=1,
    priority=KEPT,
    column=6,
)
CPU = Metric(
    key="cpu_us_per_exchange",
    member="standing.costs.cpu_us",
    form=Form.ESTIMATE,
    topic=Topic.COST,
    heading="CPU µs",
    label="CPU",
    unit="µs",
    name="CPU µs",
    explanation="CPU time of an exchange, of all threads of the client: what the client costs you.",
    anchor="wall-and-cpu-time",
    decimals=1,
    priority=170,
    column=7,
)
USER = Metric(
    key="user_us_per_exchange",
    member="standing.costs.user_us",
    topic=Topic.COST,
    heading="user",
    label="user",
    unit="µs",
    name="user + system µs",
    explanation="CPU time of an exchange in the client's own code and its libraries.",
    anchor="user-and-system-time",
    decimals=1,
    priority=80,
    column=8,
)
SYSTEM = Metric(
    key="system_us_per_exchange",
    member="standing.costs.system_us",
    topic=Topic.COST,
    heading="sys",
    label="system",
    unit="µs",
    name="user + system µs",
    explanation="CPU time of an exchange in the kernel on the client's behalf: reading, writing, "
    "waking up.",
    anchor="user-and-system-time",
    decimals=1,
    priority=80,
    column=9,
)
ORIGIN_CPU = Metric(
    key="origin_cpu_us_per_exchange",
    member="standing.costs.origin_cpu_us",
    topic=Topic.COST,
    heading="origin µs",
    label="origin",
    unit="µs",
    name="origin's CPU µs",
    explanation="CPU time of an exchange in the origin.",
    anchor="wall-and-cpu-time",
    decimals=1,
    column=10,
    absent={Surface.TERMINAL: DETAIL, Surface.PAGE: DETAIL},
)
CPU_PER_WALL = Metric(
    key="cpu_per_wall",
    member="standing.costs.cpu_per_wall",
    topic=Topic.COST,
    heading="CPU÷wall",
    label="CPU",
    unit="÷ wall",
    name="CPU ÷ wall",
    explanation="CPU time divided by wall time. Near 1, the client hardly ever waited.",
    anchor="wall-and-cpu-time",
    decimals=2,
    priority=40,
    column=12,
)
RATE = Metric(
    key="exchanges_per_second",
    member="standing.costs.per_second",
    topic=Topic.COST,
    heading="req/s",
    label="rate",
    unit="per s",
    name="req/s",
    explanation="Exchanges in a second of wall time.",
    anchor="wall-and-cpu-time",
    first="descending",
    priority=100,
    column=13,
)
PARSER_TIME = Metric(
    key="parser_us_per_exchange",
    member="standing.costs.parser_us",
    topic=Topic.PARSER,
    heading="parser µs",
    label="parser",
    unit="µs",
    name="parser µs",
    explanation="Wall time of an exchange in the parser of the client's kit, by the adapter's own "
    "clock. The times beside it contain it.",
    anchor="json-documents",
    shown=Shown.KNOWN,
    decimals=1,
    priority=140,
    column=18,
)
PARSER = Metric(
    key="json_parser",
    member="card.json_parser",
    form=Form.TEXT,
    topic=Topic.PARSER,
    heading="parser",
    label="parser",
    unit="name",
    name="parser",
    explanation='What parses the documents: the parser of the client\'s kit, or "own" for an '
    "interface that the client has.",
    anchor="json-documents",
    shown=Shown.PARSED,
    priority=70,
    column=31,
    absent={Surface.PAGE: "it stands beside the parser's time"},
)
PEAK = Metric(
    key="peak_mb",
    member="standing.costs.peak_mb",
    topic=Topic.MEMORY,
    heading="peak MB",
    label="peak",
    unit="MB",
    name="peak MB",
    explanation="Peak resident memory of the process, its runtime and the adapter included. MB are "
    "10⁶ bytes.",
    anchor="memory-and-start-up",
    decimals=1,
    priority=60,
    column=14,
)
READ_SIZE = Metric(
    key="read_size_bytes",
    member="result.read_size",
    topic=Topic.MEMORY,
    heading="read",
    label="read",
    unit="at a time",
    name="read size",
    explanation='How much is asked for in one read: what the workload sets, or "own" where every '
    "client reads as it likes.",
    anchor="memory-and-start-up",
    shown=Shown.READ_IN_PIECES,
    priority=50,
    column=19,
)
START_UP = Metric(
    key="start_up_ms",
    member="standing.costs.start_up_ms",
    topic=Topic.MEMORY,
    heading="start ms",
    label="start",
    unit="ms",
    name="start-up ms",
    explanation="The time from the start of the process to its first answer, while others start "
    "beside it.",
    anchor="memory-and-start-up",
    column=15,
    absent={Surface.TERMINAL: NARROW},
)
FIRST = Metric(
    key="first_exchange_us",
    member="standing.costs.first_us",
    topic=Topic.MEMORY,
    heading="first ms",
    label="first",
    unit="ms",
    name="first exchange ms",
    explanation="Wall time of a process's first exchange on the workload, connection included, "
    "while others warm up. For a program that makes one request and ends, add the start-up time.",
    anchor="regimes",
    shown=Shown.KNOWN,
    decimals=1,
    per=1e3,
    column=16,
    absent={Surface.TERMINAL: NARROW},
)
CPU_COLD = Metric(
    key="cpu_us_among_others",
    member="standing.costs.among_others_us",
    topic=Topic.MEMORY,
    heading="CPU cold µs",
    label="CPU cold",
    unit="µs",
    name="CPU cold µs",
    explanation="CPU time of an exchange right after other programs had the core and its caches, "
    "as for a client that a busy process calls now and then.",
    anchor="regimes",
    shown=Shown.KNOWN,
    decimals=1,
    column=17,
    absent={Surface.TERMINAL: NARROW},
)
ADAPTER_LINES = Metric(
    key="adapter_lines",
    member="card.adapter_lines",
    topic=Topic.PROGRAM,
    heading="lines",
    label="code",
    unit="lines",
    name="adapter lines",
    explanation="Lines of the client's sample program, without the kit that all clients of a "
    "language share.",
    anchor="adapter-lines",
    priority=10,
    column=32,
)
