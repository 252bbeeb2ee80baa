"""What a site is made from: runs and histories with their origin, and courses of runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from fetchoff.model.check import withholds
from fetchoff.model.results_file import HistoryFile, ResultsFile, StoredCourse, StoredStanding
from fetchoff.report.site import addresses


@dataclass(frozen=True)
class Run:
    """A run. `by`: who made it, as the user of `fetchoff site` names them; "": that user.

    `moment`: when it started, UTC. `files`: those of its folder that are copied to the site.
    """

    file: ResultsFile
    moment: datetime
    by: str = ""
    files: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What no other run of the site is called."""
        return f"{self.by}/{self.file.run_id}" if self.by else self.file.run_id

    @cached_property
    def folder(self) -> str:
        """Its folder in the site, with a slash at the end."""
        return addresses.folder("runs", self.name)

    @property
    def address(self) -> str:
        return f"{self.folder}index.html"

    @property
    def day(self) -> str:
        return f"{self.moment:%Y-%m-%d}"

    @cached_property
    def courses(self) -> tuple[Placed, ...]:
        return tuple(Placed(self, course) for course in self.file.results)

    @cached_property
    def versions(self) -> dict[str, str]:
        """The version of each client."""
        return {card.client: card.version for card in self.file.cards}

    @property
    def is_doubtful(self) -> bool:
        """Whether a self-check failed in one of its courses."""
        return any(placed.withheld for placed in self.courses)

    @cached_property
    def machine(self) -> str:
        """The processor and its cores, as far as the run tells."""
        known = (self.file.environment.get(name, "") for name in ("processor", "cores"))
        return ", ".join(filter(None, known)) or "a machine that is not named"


@dataclass(frozen=True)
class History:
    """A client's history. `name`: when its search began, its seed and its client. `moment`: the
    first of these, UTC."""

    file: HistoryFile
    name: str
    moment: datetime
    by: str = ""
    files: tuple[str, ...] = ()

    @cached_property
    def folder(self) -> str:
        """Its folder in the site, with a slash at the end."""
        return addresses.folder("histories", f"{self.by}/{self.name}" if self.by else self.name)

    @property
    def address(self) -> str:
        return f"{self.folder}index.html"

    @property
    def day(self) -> str:
        return f"{self.moment:%Y-%m-%d}"

    @property
    def title(self) -> str:
        return f"{self.file.client} on {self.file.workload}, release by release"


@dataclass(frozen=True)
class Placed:
    """A course of a run."""

    run: Run
    course: StoredCourse

    @cached_property
    def withheld(self) -> str:
        """Why its figures aren't shown; "" if they are.

        A failed check withholds them even if the file doesn't say so: it may be somebody else's.
        """
        if self.course.withheld:
            return self.course.withheld.replace("`", "")
        failed = (check.text for check in self.course.checks if withholds(check))
        return next((f"a self-check failed: {text}" for text in failed), "")

    @cached_property
    def ranked(self) -> tuple[StoredStanding, ...]:
        """The clients that have a place, the best first; none if they are withheld."""
        if self.withheld:
            return ()
        return tuple(s for s in self.course.standings if s.is_ranked)

    @property
    def address(self) -> str:
        return f"{self.run.address}#{addresses.anchor(self.course.workload)}"


@dataclass(frozen=True)
class Found:
    """A client on a course of a run."""

    placed: Placed
    standing: StoredStanding

    @property
    def is_shown(self) -> bool:
        """Whether there are figures, and nothing withholds them."""
        return self.standing.is_measured and not self.placed.withheld
