"""What to measure: entrants, courses, error rates, budget, seed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from enum import StrEnum

from fetchoff.model.course import Course
from fetchoff.model.estimate import EVERY_ROUND
from fetchoff.model.link import Link
from fetchoff.model.loopback import Loopback
from fetchoff.model.workload import Placement, Sink, Workload

MORE_REQUESTS = 0.03
BUSY_SHARE = 1.0
CONTROLS_SHARE = 0.2  # of the processes of a round, in addition to those that are ranked
PUBLISHED_BAND = 0.25  # a ratio within this of a published one agrees with it
SELDOM = 3  # `seldom` entrants take part in one of this many rounds, beginning with the first
TWIN, KNOWN = "#twin", "#known"


class Effect(StrEnum):
    """A known effect that is injected into an entrant's batches."""

    NONE = "none"
    MORE = "more"  # a known share of iterations on top
    BUSY = "busy"  # known nanoseconds of spinning after every exchange


class Role(StrEnum):
    """Why an entrant is in the run."""

    RANKED = "ranked"
    FLOOR = "floor"
    CONTROL = "control"


@dataclass(frozen=True)
class Entrant:
    """A participant in blocks or cycles of turns. Entrants of one `process` share an invocation.

    `amount`: for MORE, the additional share of requests (0.03); for BUSY, the share of the client's
    CPU time. `every`: it has a turn in every so many cycles, or a batch in every so many blocks.
    `stretch`: its turns or batches are this many times as long. `seldom`: it takes part in every
    third round.
    """

    key: str
    client: str
    process: str
    role: Role = Role.RANKED
    effect: Effect = Effect.NONE
    amount: float = 0.0
    every: int = 1
    stretch: int = 1
    seldom: bool = False

    def takes_part(self, number: int) -> bool:
        """Whether it takes part in round `number`, from 0."""
        return not self.seldom or number % SELDOM == 0


@dataclass(frozen=True)
class Experiment:
    """Everything that is declared before measuring and never changed by results.

    `alpha`: two-sided error rate of the verdicts, over all looks. `margin`: relative difference
    that counts as equivalent. `budget_s`: seconds of measuring. `blocks`: per round and course;
    over links, where batches are long, `blocks_over_links`. `turns`: of each entrant in a round,
    if the origin gives turns, to at most `group` processes at a time.
    `pair_only`: two entrants are compared, until `decide_on` is decided; otherwise all are ranked.
    `least_rounds`: the rounds to measure even if they take longer than the budget.
    `limit`: how much more the second of a pair may cost, as a share; the run then decides this.
    `jointly`: a gate. The limit is its margin, and `alpha` the error rate of what it says of all
    courses by both clocks together, not of each.
    `origin`: an id of the catalogue, or a URL. `placement`: the user's choice; None: as each
    workload says. `loopback`: of courses without a link; older runs used the machine's.
    """

    entrants: tuple[Entrant, ...]
    courses: tuple[Course, ...]
    baseline: str
    seed: int
    alpha: float = 0.01
    margin: float = 0.02
    budget_s: float = 150.0
    blocks: int = 6
    blocks_over_links: int = 2
    turns: int = 3
    group: int = 6
    looks: tuple[int, ...] = EVERY_ROUND
    suite: str = ""
    pair_only: bool = False
    origin: str = "built-in"
    decide_on: tuple[str, ...] = ("wall", "cpu")
    limit: float | None = None
    jointly: bool = False
    placement: Placement | None = None
    least_rounds: int = 1
    loopback: Loopback = Loopback.MACHINE

    def course(self, name: str) -> Course:
        """The course with this id."""
        return next(course for course in self.courses if course.id == name)

    @property
    def at_stake(self) -> float:
        """The relative difference that the conclusions depend on.

        Of a reproduction, which decides no verdicts, it is the band of a published ratio.
        """
        return self.margin if self.decide_on else PUBLISHED_BAND

    def placement_of(self, course: Course) -> Placement:
        """Which cores client and origin run on."""
        return self.placement or course.workload.placement

    def is_free(self, course: Course) -> bool:
        """Whether client and origin may have several cores.

        A workload's own placement is for loopback: over a link only what the user asked for counts.
        """
        if course.link.is_emulated:
            return self.placement is Placement.FREE
        return self.placement_of(course) is Placement.FREE

    def blocks_of(self, course: Course) -> int:
        """How many blocks a round has on a course."""
        return self.blocks_over_links if course.link.is_emulated else self.blocks

    @property
    def workloads(self) -> tuple[Workload, ...]:
        """Every workload once."""
        return tuple(dict.fromkeys(course.workload for course in self.courses))

    @property
    def links(self) -> tuple[Link, ...]:
        """Every emulated link once."""
        links = (course.link for course in self.courses)
        return tuple(dict.fromkeys(link for link in links if link.is_emulated))


def has_short_batches(course: Course) -> bool:
    """Whether a batch has few exchanges, as over links, or one, as of hashed content."""
    return course.link.is_emulated or course.workload.settings.sink is Sink.HASH


def is_measured(entrant: Entrant, course: Course) -> bool:
    """Whether an entrant is measured on a course.

    Known effects are injected only where a batch has many exchanges. With several exchanges in
    flight, nobody knows what spinning comes to: kits spin by the clock, so a thread that another
    preempts meanwhile counts time that it did not use, and the origin works on other exchanges.
    """
    if entrant.effect is Effect.BUSY and course.workload.settings.concurrency > 1:
        return False
    return not (has_short_batches(course) and entrant.process.endswith(KNOWN))


def in_batches(entrant: Entrant, course: Course) -> Entrant:
    """The same entrant in the blocks of a course: short batches are alike for all."""
    return replace(entrant, every=1, stretch=1) if has_short_batches(course) else entrant


def with_controls(
    clients: tuple[tuple[str, str, Role], ...], preferred: Collection[str] = ()
) -> tuple[Entrant, ...]:
    """The entrants for (client, kit, role) triples: each client, and controls for each kit.

    The controls are further processes of one client of the kit: a second one must not differ from
    the first (A/A), and in a third one injected busy time, and where batches are measured also more
    requests, must come back as such. In each round some of them take part (`entrants_of_round`).
    They are of one of the `preferred` clients, if there is one in the kit.
    """
    entrants = [
        Entrant(key=name, client=name, process=name, role=role) for name, _, role in clients
    ]
    controlled: dict[str, str] = {}
    for name, kit, role in sorted(clients, key=lambda client: (client[0] not in preferred, client)):
        if role is Role.RANKED:
            controlled.setdefault(kit, name)
    for name in controlled.values():
        entrants += controls_of(name)
    return tuple(entrants)


def controls_of(name: str, *, rare: int = 1) -> list[Entrant]:
    """The controls of a client: a twin, and the known effects in a third process.

    Known effects are not injected into the twin, because a process with more exchanges has an older
    heap and so differs. The twin's turns and batches are twice as long, to test that the cost of an
    exchange does not depend on their length. `rare`: controls have this many times fewer turns than
    in a ranking.
    """
    twin, known = f"{name}{TWIN}", f"{name}{KNOWN}"
    return [
        Entrant(twin, name, twin, Role.CONTROL, every=2 * rare, stretch=2),
        Entrant(known, name, known, Role.CONTROL),
        Entrant(f"{name}#more", name, known, Role.CONTROL, Effect.MORE, MORE_REQUESTS),
        Entrant(f"{name}#busy", name, known, Role.CONTROL, Effect.BUSY, BUSY_SHARE, rare),
    ]


def takes_turns(entrant: Entrant) -> bool:
    """Whether an entrant takes turns. In a process with known effects only the busy time does,
    because an origin itself counts the exchanges of turns."""
    return not entrant.process.endswith(KNOWN) or entrant.effect is Effect.BUSY
