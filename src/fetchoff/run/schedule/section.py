"""One course of a round: admit every client, warm all of them up, then measure them."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Event

from fetchoff.model.course import Course
from fetchoff.model.errors import AdapterError
from fetchoff.model.experiment import Effect, Entrant, Experiment, takes_turns
from fetchoff.model.observation import Batch, LinkUsed, Outcome, SectionDone
from fetchoff.model.workload import Sink
from fetchoff.plan import turns as plan
from fetchoff.plan.rounds import Section, iterations
from fetchoff.protocol.adapter import Spool
from fetchoff.run.adapters.judging import Refused
from fetchoff.run.adapters.lanes import side_by_side
from fetchoff.run.adapters.pace import Pace
from fetchoff.run.adapters.seam import AdapterProcess
from fetchoff.run.adapters.session import ClientSession
from fetchoff.run.host.placement import Layout, Urgency
from fetchoff.run.host.seam import Host
from fetchoff.run.network.crossed import Crossed
from fetchoff.run.network.seam import Network
from fetchoff.run.origins.built_in import Origin, Turnstile
from fetchoff.run.origins.reference import Reference
from fetchoff.run.schedule.events import Journal, Listener
from fetchoff.run.schedule.rehearsing import rehearse
from fetchoff.run.schedule.turning import Length, Place, Turning


def turnstile_for(course: Course, origin: Origin) -> Turnstile | None:
    """The origin's turnstile if a course is measured in turns; None if it is measured in batches.

    Batches are for three cases. Over a link an exchange mostly waits, and so would the clients that
    have no turn. With several exchanges at a time, no request marks the end of the one before. And
    hashed content is checked batch by batch.
    """
    settings = course.workload.settings
    is_plain = not course.link.is_emulated and settings.concurrency == 1
    return origin.turnstile if is_plain and settings.sink is not Sink.HASH else None


@dataclass(frozen=True)
class SectionContext:
    """The machine, origin and network that a section uses, and where its records go."""

    host: Host
    origin: Origin
    network: Network
    layout: Layout
    spool: Spool
    journal: Journal
    listener: Listener


class SectionRun:
    """Runs one section. If it raises, the journal still has what it measured."""

    def __init__(
        self,
        experiment: Experiment,
        section: Section,
        reference: Reference,
        context: SectionContext,
        round_: int,
        attempt: int,
    ) -> None:
        self._experiment = experiment
        self._section = section
        self._course = section.course
        self._reference = reference
        self._context = context
        self._round = round_
        self._attempt = attempt
        self._host = context.host.id
        self._sessions: dict[str, ClientSession] = {}
        self._moved_ns = 0  # when the last of those that rest was moved to its core
        self._crossed = Crossed(self._course, experiment)

    def run(
        self,
        adapters: Mapping[str, AdapterProcess],
        clients: Mapping[str, str],
        calibrated: dict[str, int],
        paces: Mapping[str, Pace],
    ) -> None:
        """Measure the section. All are by process, but `paces`, of earlier rounds, by client.

        `calibrated`: iterations of a batch; sizes found here are added.
        """
        began_ns = self._context.host.now_ns()
        layout = self._context.layout
        self._context.origin.place(layout.origin_cores, layout.urgency)
        turnstile = turnstile_for(self._course, self._context.origin)
        open_ledger = turnstile.open_for_turns if turnstile else self._context.origin.open
        for process, adapter in adapters.items():
            ledger = open_ledger(self._reference.workload.settings)
            client = clients[process]
            session = ClientSession(process, client, adapter, ledger, self._reference, self._course)
            self._sessions[process] = session
        self._context.network.open_wide()
        if turnstile is not None:
            self._make_ready()
            self._each("sizing batches", lambda session: self._size(session, calibrated))
        else:
            self._each("verifying", self._admit)
            self._settle()
            self._ready_for_batches(calibrated)
        self._each("placing", self._check_place)
        switches = self._context.origin.involuntary_switches()
        throttled = self._context.host.throttled()
        if turnstile is not None:
            self._take_turns(turnstile, paces)
        self._run_blocks(self._in_batches(turnstile))
        switches = self._context.origin.involuntary_switches() - switches
        throttled = self._context.host.throttled().since(throttled)
        self._context.network.open_wide()
        self._each("verifying again", self._verify_again)
        for session in self._sessions.values():
            self._context.journal.append(
                session.record(self._round, self._attempt, switches, self._host)
            )
        if self._course.link.is_emulated:
            self._note_use()
        seconds = (self._context.host.now_ns() - began_ns) / 1e9
        done = SectionDone(
            *(self._round, self._attempt, self._course.id, seconds),
            *(throttled.periods, throttled.us),
            host=self._host,
        )
        self._context.journal.append(done)

    def record_wrong(self) -> None:
        """After an interruption, record who has answered wrong all the same: one wrong answer is
        enough, and another attempt might not have it."""
        for session in self._sessions.values():
            if session.answered_wrong:
                record = session.record_interrupted(self._round, self._attempt, self._host)
                self._context.journal.append(record)

    def _each(self, step: str, do: Callable[[ClientSession], None]) -> None:
        self._each_of(step, do, list(self._sessions.values()))

    def _each_of(
        self, step: str, do: Callable[[ClientSession], None], sessions: Sequence[ClientSession]
    ) -> None:
        present = [session for session in sessions if session.outcome is Outcome.OK]
        self._context.listener.step_began(self._course.id, step, len(present))
        for session in present:
            self._try(session, do)
            self._context.listener.step_went_on()

    def _try(self, session: ClientSession, do: Callable[[ClientSession], None]) -> None:
        try:
            do(session)
        except (Refused, AdapterError) as error:
            self._context.network.must_be_there()  # or no client is to blame
            self._context.origin.must_be_there()
            session.refuse(error)
            # Whoever stays might go on in the others' turns: it may have threads that nobody holds.
            if session.outcome is not Outcome.UNSUPPORTED:
                session.adapter.kill()
                self._context.listener.trouble(f"{session.client}: {session.message}")

    def _admit(self, session: ClientSession) -> None:
        layout = self._context.layout
        session.adapter.place(layout.client_cores, layout.urgency)
        session.admit(self._context.spool)

    def _make_ready(self) -> None:
        """Verify and warm up on all lanes at once: nothing is measured yet."""
        # The slow ones first, or the last of them would keep one lane busy alone; then who rests.
        sessions = sorted(
            self._sessions.values(),
            key=lambda g: (-g.adapter.launch.warm_up_exchanges, -g.adapter.launch.rest_ms),
        )
        layout = self._context.layout
        self._context.listener.step_began(
            self._course.id, "verifying and warming up", len(sessions)
        )

        def make_ready(session: ClientSession, core: int, stop: Event) -> None:
            def do(session: ClientSession) -> None:
                session.adapter.place(layout.cores_in(core), Urgency.ORDINARY)
                session.admit(self._context.spool)
                session.settle(stop, self._chance(session))
                if session.adapter.launch.rest_ms:
                    session.adapter.place(layout.client_cores, layout.urgency)
                    self._moved_ns = self._context.host.now_ns()

            self._try(session, do)

        side_by_side(sessions, layout.lanes, make_ready)

    def _settle(self) -> None:
        """Warm up on all lanes at once, the slow ones first."""
        present = [session for session in self._sessions.values() if session.outcome is Outcome.OK]
        present.sort(key=lambda session: -session.adapter.launch.warm_up_exchanges)
        self._context.listener.step_began(self._course.id, "warming up", len(present))

        layout = self._context.layout

        def settle(session: ClientSession, core: int, stop: Event) -> None:
            session.adapter.place(layout.cores_in(core), Urgency.ORDINARY)
            self._try(session, lambda session: session.settle(stop, self._chance(session)))

        side_by_side(present, layout.lanes, settle)

    def _chance(self, session: ClientSession) -> float:
        """Where its warm-up ends, between 0 and 1."""
        return random.Random(f"{self._section.seed} {session.process}").random()

    def _ready_for_batches(self, calibrated: dict[str, int]) -> None:
        if self._course.link.is_emulated:
            # Calibrate the batch size without random loss.
            self._context.network.shape(self._course.link.deterministic, self._section.seed)
            self._each("connecting anew", lambda session: session.prepare(self._context.spool))
        self._each("sizing batches", lambda session: self._warm_up(session, calibrated))

    def _take_turns(self, turnstile: Turnstile, paces: Mapping[str, Pace]) -> None:
        """Measure set by set: some cycles of one group of clients, then of another of the set."""
        for session in self._sessions.values():
            session.pace = paces.get(session.client)
        order = random.Random(self._section.seed)
        here = [e for e in self._section.entrants if takes_turns(e) and self._can_be_held(e)]
        baseline = self._experiment.baseline or ""
        groups = plan.groups(here, self._experiment.group, order, baseline)
        numbers = {e.key: n for n, group in enumerate(groups) for e in group}
        turning = Turning(
            turnstile,
            self._context.journal,
            Place(self._round, self._attempt, self._course.id, self._host),
            order,
            self._try,
            self._origin_misplaced,
            self._context.host.now_ns,
        )
        for one_set in plan.sets(groups, self._compiles):
            members = list(dict.fromkeys(e.process for group in one_set for e in group))
            mixed = order.sample(members, len(members))
            taking_part = [self._sessions[process] for process in mixed]
            rehearse(taking_part, self._each_of)
            self._let_rest()
            self._begin_counting(taking_part)
            paced = [[self._seldom(entrant) for entrant in group] for group in one_set]
            cycles = plan.visits(paced, self._experiment.turns * self._extra, order)
            self._context.listener.step_began(self._course.id, "measuring", sum(map(len, cycles)))
            players = [
                (e, self._sessions[e.process], numbers[e.key]) for group in paced for e in group
            ]
            turning.run(players, cycles, self._context.listener.step_went_on)

    def _begin_counting(self, sessions: Sequence[ClientSession]) -> None:
        """What the system counts is that of the turns: compilers work for longer in a rehearsal.
        Only the baseline, which takes turns in several sets, has further rehearsals among them."""
        for session in sessions:
            if session.outcome is Outcome.OK:
                self._try(session, ClientSession.begin_counting)

    def _compiles(self, entrant: Entrant) -> bool:
        return self._sessions[entrant.process].adapter.launch.compiles

    def _let_rest(self) -> None:
        """Wait until those that were moved to their core last have rested there."""
        present = [s for s in self._sessions.values() if s.outcome is Outcome.OK]
        rest_ms = max((session.adapter.launch.rest_ms for session in present), default=0)
        left_ns = self._moved_ns + rest_ms * 1e6 - self._context.host.now_ns()
        if left_ns > 0:
            self._context.host.rest(left_ns / 1e9)

    def _seldom(self, entrant: Entrant) -> Entrant:
        """The same entrant, with fewer turns if they take long, and only in every so many cycles if
        it has no compiler."""
        session = self._sessions[entrant.process]
        apart = Length.of(entrant, session).cycles_apart(session)
        of_all = 1 if session.adapter.launch.compiles else self._extra
        return replace(entrant, every=entrant.every * apart * of_all)

    @property
    def _extra(self) -> int:
        """Cycles of those with compilers for one of everybody's."""
        return plan.cycles_of_compilers(self._experiment.turns)

    def _origin_misplaced(self) -> str:
        layout = self._context.layout
        return self._context.origin.misplaced(layout.origin_cores, layout.urgency)

    def _can_be_held(self, entrant: Entrant) -> bool:
        session = self._sessions.get(entrant.process)
        return session is not None and session.outcome is Outcome.OK and session.can_be_held

    def _warm_up(self, session: ClientSession, calibrated: dict[str, int]) -> None:
        layout = self._context.layout
        session.adapter.place(layout.client_cores, layout.urgency)
        known = calibrated.get(session.process, 0)
        warm_up = session.size_batches if self._course.link.is_emulated else session.warm_up
        warm_up(self._context.origin.cpu_clock, known)
        calibrated[session.process] = session.iterations

    def _check_place(self, session: ClientSession) -> None:
        layout = self._context.layout
        session.adapter.place(layout.client_cores, layout.urgency)  # threads started meanwhile
        wrong = session.adapter.misplaced(layout.client_cores, layout.urgency)
        if wrong:
            raise Refused(Outcome.INVALID, f"not where it was placed: {wrong}")

    def _verify_again(self, session: ClientSession) -> None:
        """Check where it is, without placing it anew, and what it answers: a wrong answer is told
        first, as it rules out more.

        Threads that began meanwhile have its cores, but not always its priority: GLib's pools give
        them the one that the first had.
        """
        wrong = session.adapter.misplaced(self._context.layout.client_cores, Urgency.ORDINARY)
        session.verify_again()
        if wrong:
            raise Refused(Outcome.INVALID, f"did not stay where it was placed: {wrong}")

    def _size(self, session: ClientSession, calibrated: dict[str, int]) -> None:
        """Size batches for a client that cannot take turns."""
        if not session.can_be_held:
            self._warm_up(session, calibrated)

    def _in_batches(self, turnstile: Turnstile | None) -> frozenset[str]:
        """The processes that have no turns."""
        return frozenset(
            process
            for process, session in self._sessions.items()
            if turnstile is None or not session.can_be_held
        )

    def _run_blocks(self, processes: frozenset[str]) -> None:
        blocks = [[e for e in block if e.process in processes] for block in self._section.blocks]
        batches = sum(len(block) for block in blocks)
        self._context.listener.step_began(self._course.id, "measuring", batches)
        self._begin_counting([s for process, s in self._sessions.items() if process in processes])
        for number, block in enumerate(blocks):
            for position, entrant in enumerate(block):
                session = self._sessions.get(entrant.process)
                if session is not None:
                    self._get_ready(session, number)
                if session is not None and session.outcome is Outcome.OK:
                    self._measure(session, entrant, number, position)
                self._context.listener.step_went_on()

    def _get_ready(self, session: ClientSession, block: int) -> None:
        clock, is_emulated = self._context.origin.cpu_clock, self._course.link.is_emulated
        get_ready = session.wake if is_emulated else session.lead
        if session.outcome is Outcome.OK:
            self._try(session, lambda _: get_ready(clock))
        if self._course.link.is_random:
            self._shape(block)  # everybody in a block gets the same luck

    def _shape(self, block: int) -> None:
        self._context.network.shape(self._course.link, self._section.seed + block)

    def _note_use(self) -> None:
        for trouble in self._crossed.troubles():
            self._context.listener.trouble(trouble)
        emulated = self._crossed.in_all()
        used = LinkUsed(self._round, self._attempt, self._course.id, emulated, host=self._host)
        self._context.journal.append(used)

    def _measure(self, session: ClientSession, entrant: Entrant, block: int, position: int) -> None:
        def do(session: ClientSession) -> None:
            planned = session.iterations * entrant.stretch
            n = iterations(entrant, planned)
            busy_ns = session.busy_ns(entrant.amount) if entrant.effect is Effect.BUSY else 0
            self._context.network.used()  # from now on it counts
            measured = session.batch(n, self._context.origin.cpu_clock, busy_ns)
            emulated = self._context.network.used()
            batch = Batch(
                round=self._round,
                host=self._host,
                attempt=self._attempt,
                workload=self._course.id,
                block=block,
                position=position,
                entrant=entrant.key,
                planned=planned,
                iterations=n,
                exchanges=n * len(self._reference.workload.exchanges),
                done=measured.answer.done,
                failed=measured.answer.failed,
                cost=measured.cost,
                seen=measured.seen,
                emulated=emulated,
            )
            self._crossed.note(batch)
            self._context.journal.append(batch)
            self._context.listener.batch_done(batch)
            session.judge(measured, n)

        self._try(session, do)
