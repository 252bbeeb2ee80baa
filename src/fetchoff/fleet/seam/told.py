"""What hosts are asked, and what they tell: plain data that can be pickled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fetchoff.app.doctor import MachineCheck
from fetchoff.model.client import Client, Readiness
from fetchoff.model.course import Course
from fetchoff.model.host import HostRecord
from fetchoff.model.loopback import Loopback
from fetchoff.model.origin import OriginRecord
from fetchoff.model.program import ProgramRecord
from fetchoff.store.run_folder import ClientRecord, Header


@dataclass(frozen=True)
class Wanted:
    """The clients, courses and origin that a fleet is to measure.

    `clients`: ids, globs or paths on the host. `if_ready`: those that take part where they are
    ready.
    """

    clients: tuple[str, ...]
    without: tuple[str, ...] = ()
    if_ready: tuple[str, ...] = ()
    courses: tuple[Course, ...] = ()
    origin: str = "built-in"
    allow_remote: bool = False


@dataclass(frozen=True)
class Look:
    """What a host has. `machine`: the same for hosts on one machine, and `lock` for those that take
    turns there; they are not stored. `architecture`: of its programs, as the kernel names it.

    `code`: a digest of Fetchoff's own code. `sources`: of what each client that is ready was built
    from (kit, adapter, lock file, source trees). Both are the same on all machines that have the
    same.
    """

    fetchoff: str
    machine: str
    clients: tuple[Client, ...]
    records: tuple[ClientRecord, ...]
    origin: OriginRecord
    code: str
    sources: Mapping[str, str]
    lock: str = ""
    architecture: str = ""

    @property
    def ready(self) -> tuple[Client, ...]:
        return tuple(c for c in self.clients if c.readiness is Readiness.READY)


@dataclass(frozen=True)
class Examined:
    """What `fetchoff fleet doctor` asks of a host. `clock_s`: seconds since 1970, by its clock.

    `python`, `dask`: their versions there. `programs`: Fetchoff's own, as far as they are there.
    """

    fetchoff: str
    machine: str
    facts: dict[str, str]
    checks: tuple[MachineCheck, ...]
    ready: int
    clients: int
    free_gb: float
    clock_s: float
    python: str = ""
    dask: str = ""
    programs: tuple[ProgramRecord, ...] = ()


@dataclass(frozen=True)
class SetUp:
    """A client after it was set up. `reason`: why it can't be had, or ""."""

    client: str
    reason: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Preparing:
    """Make the run folder of a host. `header`: of the whole run; `loopback`: as asked."""

    host: HostRecord
    header: Header
    loopback: Loopback | None = None


@dataclass(frozen=True)
class Prepared:
    """The host as its run folder has it: with its environment, and what must be known of it."""

    host: HostRecord
    loopback: Loopback


@dataclass(frozen=True)
class Block:
    """A round of a host; measuring it again gives what was measured.

    `known`: how many records of the host the driver has. `alpha`: the host's share of the error
    rate, at which it says whether all is decided. `code`: a digest of the driver's Fetchoff.
    """

    run: str
    host: str
    round: int
    known: int
    alpha: float
    code: str


@dataclass(frozen=True)
class Explaining:
    """Explain some clients of what a host has measured in a run. `code`: a digest of the driver's
    Fetchoff."""

    run: str
    host: str
    code: str


@dataclass(frozen=True)
class Told:
    """The lines that a host's journal has beyond those that the driver knows.

    `is_decided`: whether nothing is left to find out on the host after that round. Each host says
    so of itself, because a thousand would keep a driver from its work.
    """

    lines: tuple[bytes, ...] = field(repr=False)
    is_decided: bool
