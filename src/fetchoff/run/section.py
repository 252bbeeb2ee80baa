"""One course of a round: everybody admitted, everybody warmed up, then turns or blocks."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
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
from fetchoff.run.adapter import Adapter
from fetchoff.run.crossed import Crossed
from fetchoff.run.events import Journal, Listener
from fetchoff.run.guest import Guest, Pace
from fetchoff.run.judging import Refused
from fetchoff.run.lanes import side_by_side
from fetchoff.run.network import Network
from fetchoff.run.origin import Origin, Turnstile
from fetchoff.run.placement import Layout, Urgency, misplaced, place
from fetchoff.run.reference import Reference
from fetchoff.run.turning import Length, Place, Turning


def turnstile_for(course: Course, origin: Origin) -> Turnstile | None:
    """Who gives turns on a course; None where batches are measured.

    Over a link an exchange is mostly waiting, and others wait meanwhile; of several exchanges at a
    time no request marks the end of the one before; hashed content is checked batch by batch.
    """
    settings = course.workload.settings
    is_plain = not course.link.is_emulated and settings.concurrency == 1
    return origin.turnstile if is_plain and settings.sink is not Sink.HASH else None


@dataclass(frozen=True)
class Stage:
    """What a section runs on."""

    origin: Origin
    network: Network
    layout: Layout
    spool: Spool
    journal: Journal
    listener: Listener


class SectionRun:
    """Runs one section. What it measured is in the journal even when it raises."""

    def __init__(
        self,
        experiment: Experiment,
        section: Section,
        reference: Reference,
        stage: Stage,
        round_: int,
        attempt: int,
    ) -> None:
        self._experiment = experiment
        self._section = section
        self._course = section.course
        self._reference = reference
        self._stage = stage
        self._round = round_
        self._attempt = attempt
        self._guests: dict[str, Guest] = {}
        self._crossed = Crossed(self._course, experiment.at_stake)

    def run(
        self,
        adapters: Mapping[str, Adapter],
        clients: Mapping[str, str],
        calibrated: dict[str, int],
        paces: Mapping[str, Pace],
        *,
        try_nonsense: bool,
    ) -> None:
        """Both mappings are by process. `calibrated`: iterations by client, read and added to.

        `paces`: by client, as far as earlier rounds have told.
        """
        began = time.monotonic()
        layout = self._stage.layout
        self._stage.origin.place(layout.origin_cores, layout.urgency)
        turnstile = turnstile_for(self._course, self._stage.origin)
        open_ledger = turnstile.open_for_turns if turnstile else self._stage.origin.open
        for process, adapter in adapters.items():
            ledger = open_ledger(self._reference.workload.settings)
            client = clients[process]
            guest = Guest(process, client, adapter, ledger, self._reference, self._course)
            self._guests[process] = guest
        self._stage.network.open_wide()
        if turnstile is not None:
            self._make_ready(try_nonsense=try_nonsense)
            self._each("sizing batches", lambda guest: self._size(guest, calibrated))
        else:
            self._each("verifying", lambda guest: self._admit(guest, try_nonsense=try_nonsense))
            self._settle()
            self._ready_for_batches(calibrated)
        self._each("placing", self._check_place)
        switches = self._stage.origin.involuntary_switches()
        if turnstile is not None:
            self._take_turns(turnstile, paces)
        self._run_blocks(self._in_batches(turnstile))
        switches = self._stage.origin.involuntary_switches() - switches
        self._stage.network.open_wide()
        self._each("verifying again", lambda guest: guest.verify_again())
        for guest in self._guests.values():
            self._stage.journal.append(guest.record(self._round, self._attempt, switches))
        if self._course.link.is_emulated:
            self._note_use()
        seconds = time.monotonic() - began
        done = SectionDone(self._round, self._attempt, self._course.id, seconds)
        self._stage.journal.append(done)

    def _each(self, step: str, do: Callable[[Guest], None]) -> None:
        present = [guest for guest in self._guests.values() if guest.outcome is Outcome.OK]
        self._stage.listener.step_began(self._course.id, step, len(present))
        for guest in present:
            self._try(guest, do)
            self._stage.listener.step_went_on()

    def _try(self, guest: Guest, do: Callable[[Guest], None]) -> None:
        try:
            do(guest)
        except (Refused, AdapterError) as error:
            self._stage.network.must_be_there()  # or no client is to blame
            guest.refuse(error)
            if isinstance(error, AdapterError):
                guest.adapter.kill()
            if guest.outcome is not Outcome.UNSUPPORTED:
                self._stage.listener.trouble(f"{guest.client}: {guest.message}")

    def _admit(self, guest: Guest, *, try_nonsense: bool) -> None:
        layout = self._stage.layout
        place(guest.adapter.pid, layout.client_cores, layout.urgency)
        guest.admit(self._stage.spool, try_nonsense=try_nonsense)

    def _make_ready(self, *, try_nonsense: bool) -> None:
        """Verify and warm up side by side: nothing is measured yet, and the origin serves all."""
        # The slow ones first, or one of them would be all that is left for one lane.
        guests = sorted(self._guests.values(), key=lambda g: -g.adapter.warm_up_exchanges)
        layout = self._stage.layout
        self._stage.listener.step_began(self._course.id, "verifying and warming up", len(guests))

        def make_ready(guest: Guest, core: int, stop: Event) -> None:
            def do(guest: Guest) -> None:
                place(guest.adapter.pid, layout.cores_in(core), Urgency.ORDINARY)
                guest.admit(self._stage.spool, try_nonsense=try_nonsense)
                chance = random.Random(f"{self._section.seed} {guest.process}")
                guest.settle(stop, chance.random())

            self._try(guest, do)

        side_by_side(guests, layout.lanes, make_ready)

    def _settle(self) -> None:
        """Over links and with real servers: only who has a compiler; batches warm up the others."""
        slow = [
            guest
            for guest in self._guests.values()
            if guest.outcome is Outcome.OK and guest.adapter.compiles
        ]
        self._stage.listener.step_began(self._course.id, "letting compilers settle", len(slow))

        layout = self._stage.layout

        def settle(guest: Guest, core: int, stop: Event) -> None:
            place(guest.adapter.pid, layout.cores_in(core), Urgency.ORDINARY)
            self._try(guest, lambda guest: guest.settle(stop))

        side_by_side(slow, layout.lanes, settle)

    def _ready_for_batches(self, calibrated: dict[str, int]) -> None:
        if self._course.link.is_emulated:
            # How many iterations make a batch is nothing that bad luck should decide.
            self._stage.network.shape(self._course.link.calm, self._section.seed)
            self._each("connecting anew", lambda guest: guest.prepare(self._stage.spool))
        self._each("warming up", lambda guest: self._warm_up(guest, calibrated))

    def _take_turns(self, turnstile: Turnstile, paces: Mapping[str, Pace]) -> None:
        """Groups in visits; within a group, everybody has turns in every cycle."""
        for guest in self._guests.values():
            guest.pace = paces.get(guest.client)
        self._each("rehearsing", lambda guest: guest.rehearse())
        order = random.Random(self._section.seed)
        here = [
            self._seldom(entrant)
            for entrant in self._section.entrants
            if takes_turns(entrant) and self._can_be_held(entrant)
        ]
        baseline = self._experiment.baseline or ""
        groups = plan.groups(here, self._experiment.group, order, baseline)
        cycles = plan.visits(groups, self._experiment.turns, order)
        self._stage.listener.step_began(self._course.id, "measuring", sum(map(len, cycles)))
        turning = Turning(
            turnstile,
            self._stage.journal,
            Place(self._round, self._attempt, self._course.id),
            order,
            self._try,
            self._origin_misplaced,
        )
        players = [(e, self._guests[e.process], n) for n, g in enumerate(groups) for e in g]
        turning.run(players, cycles, self._stage.listener.step_went_on)

    def _seldom(self, entrant: Entrant) -> Entrant:
        """Whose turns take long has fewer of them."""
        guest = self._guests[entrant.process]
        apart = Length.of(entrant, guest).cycles_apart(guest)
        return replace(entrant, every=entrant.every * apart)

    def _origin_misplaced(self) -> str:
        layout = self._stage.layout
        return self._stage.origin.misplaced(layout.origin_cores, layout.urgency)

    def _can_be_held(self, entrant: Entrant) -> bool:
        guest = self._guests.get(entrant.process)
        return guest is not None and guest.outcome is Outcome.OK and guest.can_be_held

    def _warm_up(self, guest: Guest, calibrated: dict[str, int]) -> None:
        layout = self._stage.layout
        place(guest.adapter.pid, layout.client_cores, layout.urgency)
        known = calibrated.get(guest.client, 0)
        warm_up = guest.size_batches if self._course.link.is_emulated else guest.warm_up
        warm_up(self._stage.origin.cpu_clock, known)
        calibrated.setdefault(guest.client, guest.iterations)
        guest.iterations = calibrated[guest.client]

    def _check_place(self, guest: Guest) -> None:
        layout = self._stage.layout
        place(guest.adapter.pid, layout.client_cores, layout.urgency)  # threads started meanwhile
        wrong = misplaced(guest.adapter.pid, layout.client_cores, layout.urgency)
        if wrong:
            raise Refused(Outcome.INVALID, f"not where it was placed: {wrong}")
        guest.begin_blocks()

    def _size(self, guest: Guest, calibrated: dict[str, int]) -> None:
        """Of the few that cannot be held: programs started by an adapter that alone can tell."""
        if not guest.can_be_held:
            self._warm_up(guest, calibrated)

    def _in_batches(self, turnstile: Turnstile | None) -> frozenset[str]:
        """The processes that have no turns."""
        return frozenset(
            process
            for process, guest in self._guests.items()
            if turnstile is None or not guest.can_be_held
        )

    def _run_blocks(self, processes: frozenset[str]) -> None:
        blocks = [[e for e in block if e.process in processes] for block in self._section.blocks]
        batches = sum(len(block) for block in blocks)
        self._stage.listener.step_began(self._course.id, "measuring", batches)
        for number, block in enumerate(blocks):
            for position, entrant in enumerate(block):
                guest = self._guests.get(entrant.process)
                if guest is not None and self._course.link.is_emulated:
                    self._wake(guest, number)
                if guest is not None and guest.outcome is Outcome.OK:
                    self._measure(guest, entrant, number, position)
                self._stage.listener.step_went_on()

    def _wake(self, guest: Guest, block: int) -> None:
        if guest.outcome is Outcome.OK:
            self._try(guest, lambda guest: guest.wake(self._stage.origin.cpu_clock))
        if self._course.link.is_random:
            self._shape(block)  # everybody in a block gets the same luck

    def _shape(self, block: int) -> None:
        self._stage.network.shape(self._course.link, self._section.seed + block)

    def _note_use(self) -> None:
        for trouble in self._crossed.troubles():
            self._stage.listener.trouble(trouble)
        emulated = self._crossed.in_all()
        used = LinkUsed(self._round, self._attempt, self._course.id, emulated)
        self._stage.journal.append(used)

    def _measure(self, guest: Guest, entrant: Entrant, block: int, position: int) -> None:
        def do(guest: Guest) -> None:
            n = iterations(entrant, guest.iterations)
            busy_ns = guest.busy_ns(entrant.amount) if entrant.effect is Effect.BUSY else 0
            self._stage.network.used()  # from now on it counts
            measured = guest.batch(n, self._stage.origin.cpu_clock, busy_ns)
            emulated = self._stage.network.used()
            batch = Batch(
                round=self._round,
                attempt=self._attempt,
                workload=self._course.id,
                block=block,
                position=position,
                entrant=entrant.key,
                planned=guest.iterations,
                iterations=n,
                exchanges=n * len(self._reference.workload.exchanges),
                done=measured.answer.done,
                failed=measured.answer.failed,
                cost=measured.cost,
                seen=measured.seen,
                emulated=emulated,
            )
            self._crossed.note(batch)
            self._stage.journal.append(batch)
            self._stage.listener.batch_done(batch)
            guest.judge(measured, n)

        self._try(guest, do)
