"""What is to be measured: entrants, courses, error rates, budget, seed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from fetchoff.model.course import Course
from fetchoff.model.estimate import EVERY_ROUND
from fetchoff.model.link import Link
from fetchoff.model.workload import Placement, Sink, Workload

MORE_REQUESTS = 0.03
BUSY_SHARE = 1.0
CONTROLS_SHARE = 0.2  # of the processes of a round, beside those that are ranked
PUBLISHED_BAND = 0.25  # a ratio that is no further from a published one is much like it
SELDOM = 2  # rounds, of which the first has those whose warm-up is dear
TWIN, KNOWN = "#twin", "#known"


class Effect(StrEnum):
    """A known effect that is put into an entrant's batches on purpose."""

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
    """One line of every block, or of a cycle of turns. With the same `process`: one invocation.

    `amount`: the share on top for MORE (0.03), the share of the client's CPU for BUSY. `every`: it
    has a turn in each so many cycles. `stretch`: how many times as long its turns are.
    `seldom`: it takes part in every second round.
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
        """Whether it does in round `number`, from 0."""
        return not self.seldom or number % SELDOM == 0


@dataclass(frozen=True)
class Experiment:
    """Declared before anything is measured, and never changed by what is seen.

    `alpha`: two-sided error rate of the verdicts, looks included. `margin`: relative difference
    that does not matter. `budget_s`: seconds of measuring. `blocks`: in a round, per course; over
    links, where batches are long, there are fewer. `turns`: of each entrant in a round, where the
    origin gives them, to `group` processes at most at a time.
    `pair_only`: two entrants are compared, until `decide_on` is decided; otherwise all are ranked.
    `least_rounds`: so many are made even if they take longer than the budget.
    `limit`: how much more the second of a pair may take, as a share: then that is what is decided.
    `origin`: an id of the catalogue, or a URL. `placement`: what the user asked for; None: what
    each workload says.
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
    turns: int = 4
    group: int = 6
    looks: tuple[int, ...] = EVERY_ROUND
    suite: str = ""
    pair_only: bool = False
    origin: str = "built-in"
    decide_on: tuple[str, ...] = ("wall", "cpu")
    limit: float | None = None
    placement: Placement | None = None
    least_rounds: int = 1

    def course(self, name: str) -> Course:
        """The course of an id."""
        return next(course for course in self.courses if course.id == name)

    @property
    def at_stake(self) -> float:
        """The relative difference that what is concluded rests on.

        A reproduction, which decides on nothing, judges ratios that others have published.
        """
        return self.margin if self.decide_on else PUBLISHED_BAND

    def placement_of(self, course: Course) -> Placement:
        """Where client and origin are to run."""
        return self.placement or course.workload.placement

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


def is_measured(entrant: Entrant, course: Course) -> bool:
    """Known effects are put in where a batch is of many exchanges.

    Over links they are few, and mostly wait; of hashed content there is one.
    """
    is_short = course.link.is_emulated or course.workload.settings.sink is Sink.HASH
    return not (is_short and entrant.process.endswith(KNOWN))


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
    """A twin of a client, and the known effects in a third process.

    Not in the twin's: whoever does more exchanges has an older heap, which is a difference. The
    twin's turns are twice as long: what a turn costs must not depend on its length. `rare`: how
    many times fewer turns they have than in a ranking.
    """
    twin, known = f"{name}{TWIN}", f"{name}{KNOWN}"
    return [
        Entrant(twin, name, twin, Role.CONTROL, every=2 * rare, stretch=2),
        Entrant(known, name, known, Role.CONTROL),
        Entrant(f"{name}#more", name, known, Role.CONTROL, Effect.MORE, MORE_REQUESTS),
        Entrant(f"{name}#busy", name, known, Role.CONTROL, Effect.BUSY, BUSY_SHARE, rare),
    ]


def takes_turns(entrant: Entrant) -> bool:
    """Of a process with known effects, the busy time alone: an origin counts turns by itself."""
    return not entrant.process.endswith(KNOWN) or entrant.effect is Effect.BUSY
