"""One course of a round: everybody admitted, everybody warmed up, then the blocks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fetchoff.model.errors import AdapterError
from fetchoff.model.experiment import Effect, Entrant
from fetchoff.model.link import Emulated, Link
from fetchoff.model.observation import Batch, LinkUsed, Outcome, SectionDone
from fetchoff.plan.rounds import Section, iterations
from fetchoff.protocol.adapter import Spool
from fetchoff.run.adapter import Adapter
from fetchoff.run.events import Journal, Listener
from fetchoff.run.guest import Guest, Refused
from fetchoff.run.network import Network
from fetchoff.run.origin import Origin
from fetchoff.run.placement import Layout, misplaced, place
from fetchoff.run.reference import Reference
from fetchoff.run.settling import settle

LATE_MS = 1.0
LATE_SHARE = 0.03  # of the round trip


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
        self, section: Section, reference: Reference, stage: Stage, round_: int, attempt: int
    ) -> None:
        self._section = section
        self._course = section.course
        self._reference = reference
        self._stage = stage
        self._round = round_
        self._attempt = attempt
        self._guests: dict[str, Guest] = {}

    def run(
        self,
        adapters: Mapping[str, Adapter],
        clients: Mapping[str, str],
        calibrated: dict[str, int],
        *,
        try_nonsense: bool,
    ) -> None:
        """Both mappings are by process. `calibrated`: iterations by client, read and added to."""
        began = time.monotonic()
        layout = self._stage.layout
        self._stage.origin.place(layout.origin_core, layout.urgency)
        for process, adapter in adapters.items():
            ledger = self._stage.origin.open(self._reference.workload.settings)
            client = clients[process]
            guest = Guest(process, client, adapter, ledger, self._reference, self._course)
            self._guests[process] = guest
        self._stage.network.open_wide()
        self._each("verifying", lambda guest: self._admit(guest, try_nonsense=try_nonsense))
        self._settle()
        if self._course.link.is_emulated:
            # How many iterations make a batch is nothing that bad luck should decide.
            self._stage.network.shape(self._course.link.calm, self._section.seed)
            self._each("connecting anew", lambda guest: guest.prepare(self._stage.spool))
        self._each("warming up", lambda guest: self._warm_up(guest, calibrated))
        self._each("placing", self._check_place)
        switches = self._stage.origin.involuntary_switches()
        self._stage.network.used()
        self._run_blocks()
        emulated = self._stage.network.used()
        switches = self._stage.origin.involuntary_switches() - switches
        self._stage.network.open_wide()
        self._each("verifying again", lambda guest: guest.verify_again())
        for guest in self._guests.values():
            self._stage.journal.append(guest.record(self._round, self._attempt, switches))
        if emulated is not None:
            self._note_use(emulated)
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
        place(guest.adapter.pid, layout.client_core, layout.urgency)
        guest.admit(self._stage.spool, try_nonsense=try_nonsense)

    def _settle(self) -> None:
        slow = [
            guest.adapter
            for guest in self._guests.values()
            if guest.outcome is Outcome.OK and guest.adapter.warm_up_ms
        ]
        if slow:
            self._stage.listener.step_began(self._course.id, "letting compilers settle", len(slow))
            settle(slow, (self._stage.layout.client_core, self._stage.layout.harness_core))

    def _warm_up(self, guest: Guest, calibrated: dict[str, int]) -> None:
        layout = self._stage.layout
        place(guest.adapter.pid, layout.client_core, layout.urgency)
        known = calibrated.get(guest.client, 0)
        warm_up = guest.size_batches if self._course.link.is_emulated else guest.warm_up
        warm_up(self._stage.origin.cpu_clock, known)
        calibrated.setdefault(guest.client, guest.iterations)
        guest.iterations = calibrated[guest.client]

    def _check_place(self, guest: Guest) -> None:
        layout = self._stage.layout
        place(guest.adapter.pid, layout.client_core, layout.urgency)  # threads started meanwhile
        wrong = misplaced(guest.adapter.pid, layout.client_core, layout.urgency)
        if wrong:
            raise Refused(Outcome.INVALID, f"not where it was placed: {wrong}")
        guest.begin_blocks()

    def _run_blocks(self) -> None:
        blocks = self._section.blocks
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

    def _note_use(self, emulated: Emulated) -> None:
        fault = fault_of(emulated, self._course.link)
        if fault:
            self._stage.listener.trouble(f"{self._course.id}: {fault}; this round does not count")
        used = LinkUsed(self._round, self._attempt, self._course.id, emulated, fault)
        self._stage.journal.append(used)

    def _measure(self, guest: Guest, entrant: Entrant, block: int, position: int) -> None:
        def do(guest: Guest) -> None:
            n = iterations(entrant, guest.iterations)
            busy_ns = guest.busy_ns(entrant.amount) if entrant.effect is Effect.BUSY else 0
            measured = guest.batch(n, self._stage.origin.cpu_clock, busy_ns)
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
            )
            self._stage.journal.append(batch)
            self._stage.listener.batch_done(batch)
            guest.judge(measured, n)

        self._try(guest, do)


def fault_of(emulated: Emulated, link: Link) -> str:
    """Why what was measured over a link must not count, or "": the emulator could not keep up."""
    if emulated.unasked:
        return f"the link lost {emulated.unasked} packets that nobody asked it to lose"
    tolerated_ms = max(LATE_MS, LATE_SHARE * link.round_trip_ms)
    if emulated.late_p99_us > tolerated_ms * 1e3:
        return f"1 in 100 packets left the link {emulated.late_p99_us / 1e3:.1f} ms late"
    return ""
