"""One workload of a round: everybody admitted, everybody warmed up, then the blocks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fetchoff.model.errors import AdapterError
from fetchoff.model.experiment import Effect, Entrant
from fetchoff.model.observation import Batch, Outcome, SectionDone
from fetchoff.plan.rounds import Section, iterations
from fetchoff.protocol.adapter import Spool
from fetchoff.run.adapter import Adapter
from fetchoff.run.events import Journal, Listener
from fetchoff.run.guest import Guest, Refused
from fetchoff.run.origin import Origin
from fetchoff.run.placement import Layout, misplaced, place
from fetchoff.run.reference import Reference
from fetchoff.run.settling import settle


@dataclass(frozen=True)
class Stage:
    """What a section runs on."""

    origin: Origin
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
            guest = Guest(process, clients[process], adapter, ledger, self._reference)
            self._guests[process] = guest
        self._each("verifying", lambda guest: self._admit(guest, try_nonsense=try_nonsense))
        self._settle()
        self._each("warming up", lambda guest: self._warm_up(guest, calibrated))
        self._each("placing", self._check_place)
        switches = self._stage.origin.involuntary_switches()
        self._run_blocks()
        switches = self._stage.origin.involuntary_switches() - switches
        for guest in self._guests.values():
            self._stage.journal.append(guest.record(self._round, self._attempt, switches))
        seconds = time.monotonic() - began
        workload = self._reference.workload.id
        self._stage.journal.append(SectionDone(self._round, self._attempt, workload, seconds))

    def _each(self, step: str, do: Callable[[Guest], None]) -> None:
        present = [guest for guest in self._guests.values() if guest.outcome is Outcome.OK]
        self._stage.listener.step_began(self._reference.workload.id, step, len(present))
        for guest in present:
            self._try(guest, do)
            self._stage.listener.step_went_on()

    def _try(self, guest: Guest, do: Callable[[Guest], None]) -> None:
        try:
            do(guest)
        except (Refused, AdapterError) as error:
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
            workload = self._reference.workload.id
            self._stage.listener.step_began(workload, "letting compilers settle", len(slow))
            settle(slow, (self._stage.layout.client_core, self._stage.layout.harness_core))

    def _warm_up(self, guest: Guest, calibrated: dict[str, int]) -> None:
        layout = self._stage.layout
        place(guest.adapter.pid, layout.client_core, layout.urgency)
        guest.warm_up(self._stage.origin.cpu_clock, calibrated.get(guest.client, 0))
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
        self._stage.listener.step_began(self._reference.workload.id, "measuring", batches)
        for number, block in enumerate(blocks):
            for position, entrant in enumerate(block):
                guest = self._guests.get(entrant.process)
                if guest is not None and guest.outcome is Outcome.OK:
                    self._measure(guest, entrant, number, position)
                self._stage.listener.step_went_on()

    def _measure(self, guest: Guest, entrant: Entrant, block: int, position: int) -> None:
        def do(guest: Guest) -> None:
            n = iterations(entrant, guest.iterations)
            busy_ns = guest.busy_ns(entrant.amount) if entrant.effect is Effect.BUSY else 0
            measured = guest.batch(n, self._stage.origin.cpu_clock, busy_ns)
            batch = Batch(
                round=self._round,
                attempt=self._attempt,
                workload=self._reference.workload.id,
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
