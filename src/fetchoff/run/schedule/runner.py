"""The runner: it measures round after round until all is decided or the budget is spent."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fetchoff.model.client import Launch
from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError, LinkError, OriginError, StoreError
from fetchoff.model.experiment import Experiment
from fetchoff.model.failures import Failures
from fetchoff.model.observation import (
    NO_CLIENT_LEFT,
    Batch,
    Ended,
    Interrupted,
    Invocation,
    LinkCalibrated,
    Outcome,
    Record,
    RoundDone,
    SectionDone,
    Turns,
    TurnsGiven,
)
from fetchoff.model.spent import Spent
from fetchoff.plan.rounds import Round, Section, plan_round
from fetchoff.protocol.adapter import Spool, fill
from fetchoff.run.adapters.pace import Pace
from fetchoff.run.adapters.seam import AdapterProcess, ProcessSpec, StartAdapter
from fetchoff.run.adapters.starting import start_all
from fetchoff.run.host.placement import Layout, lay_out
from fetchoff.run.host.seam import Host
from fetchoff.run.network.seam import LayNetwork, Network
from fetchoff.run.origins.built_in import Origin, StartOrigin
from fetchoff.run.origins.reference import FetchReference
from fetchoff.run.schedule.budget import Budget
from fetchoff.run.schedule.events import Journal, Listener
from fetchoff.run.schedule.right_answers import RightAnswers
from fetchoff.run.schedule.section import SectionContext, SectionRun

ORIGIN_LIVES = 3
CALIBRATIONS = 3
OF_ATTEMPTS = (Batch, Turns, TurnsGiven, Invocation, SectionDone, Interrupted)

IsDecided = Callable[[Sequence[Record], int], bool]


@dataclass(frozen=True)
class Dependencies:
    """What a run needs from outside.

    `launches`: by client. `spool`: a folder to make and remove. `fetch`: asks the origin for the
    right answers. `is_decided` is asked after planned looks.
    """

    host: Host
    spool: Path
    launches: Mapping[str, Launch]
    lay_network: LayNetwork
    start_origin: StartOrigin
    start_adapter: StartAdapter
    fetch: FetchReference
    journal: Journal
    listener: Listener
    is_decided: IsDecided


@dataclass(frozen=True)
class RoundContext:
    """The network, origin and folder of some sections of a round."""

    network: Network
    origin: Origin
    folder: Path


class Runner:
    """Runs an experiment, or goes on with one: what the journal holds is not measured again.

    Rounds that another host has measured are not this one's.
    """

    def __init__(self, experiment: Experiment, dependencies: Dependencies) -> None:
        self._experiment = experiment
        self._dependencies = dependencies
        self._host = dependencies.host
        self._right_answers = RightAnswers(dependencies.fetch)
        self._calibrated: dict[str, dict[str, int]] = {c.id: {} for c in experiment.courses}
        self._paces: dict[str, dict[str, Pace]] = {c.id: {} for c in experiment.courses}
        self._calibrated_links: set[str] = set()
        self._failures = Failures()
        self._done: set[tuple[int, str]] = set()
        self._attempts: dict[tuple[int, str], int] = {}
        own = [
            record
            for record in dependencies.journal.records()
            if not isinstance(record, Ended) and record.host == self._host.id
        ]
        self._budget = Budget(experiment, Spent(own).by_round)
        for record in own:
            self._recall(record)

    def run(self) -> Ended:
        """Measure until the run ends, and record everything in the journal.

        Raises OriginError, LinkError, StoreError and KeyboardInterrupt; the journal keeps what was
        measured before.
        """
        most = self._experiment.looks[-1]
        had = {number for number in range(most) if self._is_done(number)}
        with self._ready() as folder:
            while (reason := self._reason_to_end(len(had))) is None:
                number = self._budget.next_round(had)
                if number is None:
                    reason = "rounds" if len(had) == most else "budget"
                    break
                self._run_round(number, folder)
                had.add(number)
            ended = Ended(reason, len(had))
            self._dependencies.journal.append(ended)
            return ended

    def _reason_to_end(self, rounds: int) -> str | None:
        """Why nothing more is to be measured after so many rounds, whatever the budget; or None."""
        if not self._is_anybody_left():
            return NO_CLIENT_LEFT
        looked = rounds in self._experiment.looks
        if looked and self._dependencies.is_decided(self._dependencies.journal.records(), rounds):
            return "decided"
        return None

    def run_round(self, number: int) -> None:
        """Measure what the journal does not hold of one round: somebody else says when it ends.

        Raises as `run` does.
        """
        with self._ready() as folder:
            if not self._is_done(number):
                self._run_round(number, folder)

    @contextlib.contextmanager
    def _ready(self) -> Iterator[Path]:
        """The harness in its place, and a folder with what clients send."""
        self._host.sweep()
        with self._host.on_core(self._host.cores[0]), _emptied(self._dependencies.spool) as folder:
            for workload in self._experiment.workloads:
                with _must_be_written(folder):
                    fill(Spool(folder), workload)
            yield folder

    def _recall(self, record: Record) -> None:
        match record:
            case SectionDone():
                self._done.add((record.round, record.workload))
            case Invocation():
                self._note_outcome(record)
            case Turns():
                self._note_pace(record)
        if isinstance(record, OF_ATTEMPTS):
            key = (record.round, record.workload)
            self._attempts[key] = max(self._attempts.get(key, 0), record.attempt + 1)

    def _note(self, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Invocation):
                self._note_outcome(record)
            if isinstance(record, Turns):
                self._note_pace(record)

    def _note_outcome(self, record: Invocation) -> None:
        self._failures.note(record)
        if record.outcome is Outcome.OK:
            self._calibrated[record.workload][record.process] = record.iterations

    def _note_pace(self, record: Turns) -> None:
        """Remember how long an iteration of a client took in turns; controls do not count."""
        pace = Pace.of(record)
        if pace is not None and record.entrant in self._dependencies.launches:
            self._paces[record.workload][record.entrant] = pace

    def _is_done(self, number: int) -> bool:
        """Whether a round was begun, and nothing of it is left to measure."""
        is_begun = any(done == number for done, _ in self._done)
        return is_begun and not any(self._is_left(number, c) for c in self._experiment.courses)

    def _is_left(self, number: int, course: Course) -> bool:
        """Whether a course is still to be measured in a round."""
        return (number, course.id) not in self._done and not self._is_over(course)

    def _is_over(self, course: Course) -> bool:
        """Whether nothing is left to find out on a course of a pair: one of the two is given up.

        Not before it was measured once, or the analysis would have nothing of it.
        """
        was_measured = any(course.id == done for _, done in self._done)
        is_pair = self._experiment.pair_only
        return is_pair and was_measured and not self._leaves_anything(course)

    def _run_round(self, number: int, folder: Path) -> None:
        began_ns = self._host.now_ns()
        self._dependencies.listener.round_began(number, self._experiment.looks[-1])
        planned = plan_round(self._experiment, number)
        left = [s for s in planned.sections if self._is_left(number, s.course)]
        for life in range(ORIGIN_LIVES):
            try:
                self._run_everywhere(planned, left, folder)
                break
            except OriginError as error:
                self._dependencies.listener.trouble(error.message)
                if life == ORIGIN_LIVES - 1:
                    raise
                left = [s for s in left if self._is_left(number, s.course)]
        seconds = (self._host.now_ns() - began_ns) / 1e9
        self._budget.add(number, seconds)
        done = RoundDone(number, self._budget.seconds[number], host=self._host.id)
        self._dependencies.journal.append(done)
        self._dependencies.listener.round_done(number, seconds)

    def _run_everywhere(self, planned: Round, left: Sequence[Section], folder: Path) -> None:
        """Run the sections network by network, with an origin for each of its places.

        A server's own workers stay on the cores where they began, so it isn't moved.
        """
        for sections in self._together(left):
            first = sections[0].course
            cores = self._layout_of(first).origin_cores
            with (
                self._dependencies.lay_network(first, folder) as network,
                self._dependencies.start_origin(folder, cores, network) as origin,
            ):
                key = first.link.network_key
                behind = [s for s in left if s.course.link.network_key == key]
                self._ask_for_answers(behind, origin, network)
                for section in sections:
                    self._calibrate_link(section, network, planned.number)
                self._run_sections(planned, sections, RoundContext(network, origin, folder))

    def _together(self, sections: Sequence[Section]) -> Iterable[list[Section]]:
        """Those that use one network and one origin."""
        alike: dict[object, list[Section]] = {}
        for section in sections:
            key = section.course.link.network_key, self._layout_of(section.course).origin_cores
            alike.setdefault(key, []).append(section)
        return alike.values()

    def _ask_for_answers(self, left: Sequence[Section], origin: Origin, network: Network) -> None:
        """Whose workload is to be mended learns of it now, and not after others were measured."""
        for workload in dict.fromkeys(section.course.workload for section in left):
            if not self._right_answers.knows(workload):
                self._right_answers.of(workload, origin, network)

    def _calibrate_link(self, section: Section, network: Network, number: int) -> None:
        """Measure whether a link is as requested, a few times at most; the last result counts."""
        link = section.course.link
        if not link.is_emulated or link.id in self._calibrated_links:
            return
        self._dependencies.listener.step_began(link.id, "calibrating the link", CALIBRATIONS)
        for attempt in range(CALIBRATIONS):  # each with losses of its own
            found = network.calibrate(link, section.seed + attempt, self._host.cores[-1])
            self._dependencies.listener.step_went_on()
            if found is None or not found.faults:
                break
        if found is not None:
            self._dependencies.journal.append(LinkCalibrated(number, found, host=self._host.id))
            for fault in found.faults:
                self._dependencies.listener.trouble(f"link {link.id}: {fault}")
        self._calibrated_links.add(link.id)

    def _run_sections(self, planned: Round, left: Sequence[Section], context: RoundContext) -> None:
        """Each workload has processes of its own, for all links: what a process did before can
        change what it costs (docs/decisions/0022-processes-of-their-own.md)."""
        for workload in dict.fromkeys(section.course.workload.id for section in left):
            adapters: dict[str, AdapterProcess] = {}
            try:
                for section in left:
                    if section.course.workload.id == workload:
                        self._try_section(section, planned, context, adapters)
            finally:
                _end_all(adapters)

    def _try_section(
        self,
        section: Section,
        planned: Round,
        context: RoundContext,
        adapters: dict[str, AdapterProcess],
    ) -> None:
        """One attempt. If it is cut off, the next one has another number, even if nothing but the
        absence of a client was recorded: that belongs to this one."""
        key = (planned.number, section.course.id)
        attempt, journal = self._attempts.get(key, 0), self._dependencies.journal
        seen_before = len(journal.records())
        try:
            self._start_missing(adapters, planned, section, context)
            self._run_section(section, planned, self._place_of(section, context), adapters)
        except (OriginError, LinkError, KeyboardInterrupt) as error:
            is_told = self._attempts.get(key, 0) > attempt
            if not is_told and len(journal.records()) > seen_before:
                self._cut_off(planned.number, attempt, section.course, error)
            raise

    def _cut_off(self, number: int, attempt: int, course: Course, error: BaseException) -> None:
        reason = str(error) or "interrupted by the user"
        cut = Interrupted(number, attempt, course.id, reason, host=self._host.id)
        self._dependencies.journal.append(cut)
        self._attempts[(number, course.id)] = attempt + 1

    def _place_of(self, section: Section, context: RoundContext) -> SectionContext:
        return SectionContext(
            self._host,
            context.origin,
            context.network,
            self._layout_of(section.course),
            Spool(context.folder),
            self._dependencies.journal,
            self._dependencies.listener,
        )

    def _run_section(
        self,
        section: Section,
        planned: Round,
        context: SectionContext,
        adapters: Mapping[str, AdapterProcess],
    ) -> None:
        course, number, clients = section.course, planned.number, dict(planned.processes)
        sessions = {
            process: adapter
            for process, adapter in adapters.items()
            if not self._failures.is_given_up(clients[process], course.id)
        }
        attempt = self._attempts.get((number, course.id), 0)
        seen_before = len(self._dependencies.journal.records())
        right = self._right_answers.of(course.workload, context.origin, context.network)
        run = SectionRun(self._experiment, section, right, context, number, attempt)
        try:
            run.run(
                sessions,
                clients,
                self._calibrated[course.id],
                self._paces[course.id],
            )
        except (OriginError, LinkError, KeyboardInterrupt) as error:
            run.record_wrong()
            self._cut_off(number, attempt, course, error)
            raise
        else:
            self._done.add((number, course.id))
            self._tell_of_turns(self._dependencies.journal.records()[seen_before:])
        finally:
            self._note(self._dependencies.journal.records()[seen_before:])

    def _tell_of_turns(self, records: Sequence[Record]) -> None:
        for record in records:
            if isinstance(record, Turns):
                self._dependencies.listener.turns_done(record)

    def _start_missing(
        self,
        adapters: dict[str, AdapterProcess],
        planned: Round,
        section: Section,
        context: RoundContext,
    ) -> None:
        """Start the processes that are not running: at first all, later those that were killed."""
        workload = section.course.id
        taking_part = section.processes
        wanted = [
            (process, client)
            for process, client in planned.processes
            if process in taking_part
            and not self._failures.is_given_up(client, workload)
            and (process not in adapters or not adapters[process].is_alive)
        ]
        self._dependencies.listener.step_began(workload, "starting", len(wanted))

        layout = self._layout_of(section.course)

        def start(process: str, client: str, core: int) -> AdapterProcess:
            launch = self._dependencies.launches[client]
            at = (layout.cores_in(core), context.network)
            return self._dependencies.start_adapter(
                ProcessSpec(process, client, launch, context.folder, *at)
            )

        with contextlib.closing(start_all(wanted, start, self._host.cores)) as started:
            for process, client, adapter in started:
                if process in adapters:
                    adapters.pop(process).end()  # it is dead; what it has started may not be
                if isinstance(adapter, AdapterError):
                    self._note_absence(process, client, workload, planned.number, adapter)
                else:
                    adapters[process] = adapter
                self._dependencies.listener.step_went_on()

    def _note_absence(
        self, process: str, client: str, workload: str, number: int, error: AdapterError
    ) -> None:
        attempt = self._attempts.get((number, workload), 0)
        absent = Invocation(
            *(number, attempt, workload, process, client, Outcome.UNAVAILABLE, error.message),
            host=self._host.id,
        )
        self._dependencies.journal.append(absent)
        self._note_outcome(absent)
        self._dependencies.listener.trouble(error.message)

    def _leaves_anything(self, course: Course) -> bool:
        return self._failures.leave_anything(self._experiment, course.id)

    def _is_anybody_left(self) -> bool:
        return any(map(self._leaves_anything, self._experiment.courses))

    def _layout_of(self, course: Course) -> Layout:
        return lay_out(course, self._host.cores, self._host.urgency, self._experiment.placement)


def _end_all(adapters: dict[str, AdapterProcess]) -> None:
    with contextlib.ExitStack() as ending:
        for adapter in reversed(adapters.values()):
            ending.callback(adapter.end)  # all of them, even if the user interrupts one
        for adapter in adapters.values():
            adapter.request_exit()


@contextlib.contextmanager
def _must_be_written(folder: Path) -> Iterator[None]:
    """Turn an OSError into a StoreError: no room for what clients send and store."""
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"{folder} cannot be written: {error.strerror}", "make room, or choose another --out"
        ) from error


@contextlib.contextmanager
def _emptied(folder: Path) -> Iterator[Path]:
    """An empty folder for the run; it is removed at the end."""
    shutil.rmtree(folder, ignore_errors=True)
    with _must_be_written(folder):
        folder.mkdir(parents=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
