"""The built-in origin as a process of ours, and the seam that other origins fit in."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from fetchoff.model.errors import KEPT, OriginError
from fetchoff.model.origin import EVERYTHING, Counted
from fetchoff.model.recording import Event
from fetchoff.model.workload import Settings
from fetchoff.protocol import origin as control
from fetchoff.protocol import watching
from fetchoff.protocol.fields import Garbled, Message, whole
from fetchoff.protocol.origin import Counters, Edges, Turns
from fetchoff.run.host.placement import Cores, Urgency, misplaced, place
from fetchoff.run.network.seam import LOOPBACK, Network
from fetchoff.run.os import procfs
from fetchoff.run.os.child import Child
from fetchoff.run.os.clocks import ReadKnownNs, process_cpu_clock
from fetchoff.run.os.process import ChildFailed
from fetchoff.run.os.programs import program

BINARY = "fetchoff-origin"
ANOTHER = "the fetchoff-origin of this version is needed; FETCHOFF_ORIGIN can name it"
CONTROL_TIMEOUT_S = 10.0
DYING_S = 0.1  # an origin that dies closes its connections so long before it has ended, at most
LEAST_PATIENCE_S = 1.0
PATIENCE = 4  # times what a turn should take
PLAIN = Settings()


class Ledger(Protocol):
    """One listener of an origin and what it saw.

    `counts`: what it can tell. `read` waits a moment where it has not seen `at_least` so many
    requests: a log is written after the answer.
    """

    base_url: str
    tls_ca: Path | None
    counts: frozenset[Counted]

    def read(self, at_least: int = 0) -> Counters: ...
    def close(self) -> Counters: ...


class CountedProcess(Protocol):
    """A process whose CPU clock the origin reads; with children, that of its control group.

    `tells_children`: it has no such group, so nobody can read what its children use meanwhile.
    """

    @property
    def pid(self) -> int: ...
    @property
    def cpu_group(self) -> Path | None: ...
    @property
    def tells_children(self) -> bool: ...


class Turnstile(Protocol):
    """An origin that gives turns: it holds the requests of all clients but one.

    `open_for_turns`: a ledger whose connections have equal send buffers, which the kernel would
    choose by chance.
    """

    def open_for_turns(self, settings: Settings) -> Ledger: ...
    def hold(
        self, ledger: Ledger, process: CountedProcess, requests: int, per_iteration: int
    ) -> int: ...
    def give(self, order: Sequence[tuple[int, int, int]], longest_s: float) -> Turns: ...
    def release(self, ledger: Ledger) -> Edges: ...


class Origin(Protocol):
    """A server that clients are measured against: few methods, so that others fit in.

    `turnstile`: None where it cannot give turns. `must_be_there`: OriginError if it has ended, as
    when a client's exchange has failed: then the client is not to blame.
    """

    @property
    def cpu_clock(self) -> ReadKnownNs: ...
    @property
    def turnstile(self) -> Turnstile | None: ...

    def open(self, settings: Settings = PLAIN) -> Ledger: ...
    def place(self, cores: Cores, urgency: Urgency) -> None: ...
    def misplaced(self, cores: Cores, urgency: Urgency) -> str: ...
    def involuntary_switches(self) -> int: ...
    def must_be_there(self) -> None: ...
    def end(self) -> None: ...


# A folder, cores, and the network that the origin is to be reached by.
StartOrigin = Callable[[Path, Cores, Network], AbstractContextManager[Origin]]


def for_a_round(start: Callable[[Path, Cores, Network], Origin]) -> StartOrigin:
    """Origins that are started when they are needed, and ended after that."""

    @contextlib.contextmanager
    def started(folder: Path, cores: Cores, network: Network) -> Iterator[Origin]:
        origin = start(folder, cores, network)
        try:
            yield origin
        finally:
            origin.end()

    return started


def binary() -> Path:
    """The origin's program."""
    return program(BINARY)


class BuiltInOrigin:
    """fetchoff-origin behind its control channel. Raises OriginError when it has gone away."""

    def __init__(
        self, folder: Path, cores: Cores | None = None, network: Network = LOOPBACK
    ) -> None:
        self.address = network.origin_address
        # Who is allowed to reach it is for the network to say.
        listen = ("--listen", f"{network.listens_at}:0", "--allow-remote")
        with contextlib.ExitStack() as undo:
            try:
                self._child = Child(
                    (str(binary()), "--control", *listen),
                    {},
                    folder,
                    folder / "origin.stderr",
                    cores,
                    network.at_origin,
                )
                undo.callback(self._child.end)
                control.must_greet(self._child.receive(CONTROL_TIMEOUT_S))
            except ChildFailed as error:
                raise OriginError(f"the origin {error}", "run 'fetchoff doctor'") from error
            except Garbled as error:
                raise OriginError(f"the origin {error}", ANOTHER) from error
            undo.pop_all()
        self.cpu_clock = process_cpu_clock(self._child.pid)
        self._folder = folder.absolute()  # adapters have working directories of their own
        self._one_at_a_time = threading.Lock()  # clients warm up side by side
        self._owed_s = 0.0  # how long the answer may take that nobody has read yet

    @property
    def turnstile(self) -> BuiltInOrigin:
        return self

    def ask(self, message: Message) -> Message:
        """One request on the control channel."""
        return self._ask(message, CONTROL_TIMEOUT_S)

    def _ask(self, message: Message, timeout_s: float) -> Message:
        try:
            with self._one_at_a_time:
                self._take_owed()
                self._child.send(message)
                self._owed_s = timeout_s
                answer = self._child.receive(timeout_s)
                self._owed_s = 0.0
        except ChildFailed as error:
            raise OriginError(f"the origin {error}", KEPT) from error
        if "error" in answer:
            raise OriginError(f"the origin refuses: {answer['error']}")
        return answer

    def _take_owed(self) -> None:
        """Skip the answer to a request that an interruption did not wait for."""
        if self._owed_s:
            owed_s, self._owed_s = self._owed_s, 0.0
            self._child.receive(owed_s)

    def open(self, settings: Settings = PLAIN) -> BuiltInLedger:
        return BuiltInLedger(self, settings)

    def open_for_turns(self, settings: Settings = PLAIN) -> BuiltInLedger:
        """As `Turnstile` has it."""
        return BuiltInLedger(self, settings, in_turns=True)

    def keep_authority(self, pem: str) -> Path:
        """Write the certificate of the authority that signed those of the listeners to a file."""
        path = self._folder / "authority.pem"
        try:
            path.write_text(pem, encoding="ascii")
        except OSError as error:
            raise OriginError(
                f"the certificate of the origin's authority cannot be written: {error.strerror}",
                f"make room for {path}",  # no path in the message: a host's is stored elsewhere
            ) from error
        return path

    def place(self, cores: Cores, urgency: Urgency) -> None:
        place(self._child.pid, cores, urgency, gives_way=True)

    def misplaced(self, cores: Cores, urgency: Urgency) -> str:
        return misplaced(self._child.pid, cores, urgency, gives_way=True)

    def hold(
        self, ledger: Ledger, process: CountedProcess, requests: int, per_iteration: int
    ) -> int:
        """Hold a client's requests at its ledger. Returns the number by which it is given turns."""
        assert isinstance(ledger, BuiltInLedger)
        group = process.cpu_group
        self.ask(control.hold(ledger.id, process.pid, group, requests, per_iteration))
        return ledger.id

    def give(self, order: Sequence[tuple[int, int, int]], longest_s: float) -> Turns:
        """Give turns in that order: (number, iterations of the lead, counted iterations).

        `longest_s`: what the longest of them should take.
        """
        patience_s = LEAST_PATIENCE_S + PATIENCE * longest_s
        timeout_s = CONTROL_TIMEOUT_S + 2 * patience_s * len({ledger for ledger, *_ in order})
        timeout_s += PATIENCE * longest_s * len(order)
        try:
            return control.read_turns(
                self._ask(control.give_turns(order, round(1e3 * patience_s)), timeout_s)
            )
        except Garbled as error:
            raise OriginError(f"the origin's turns are garbled: {error}") from error

    def release(self, ledger: Ledger) -> Edges:
        """Release a ledger's client. Returns the CPU time that it used outside of its turns."""
        assert isinstance(ledger, BuiltInLedger)
        try:
            return control.read_edges(self.ask(control.release(ledger.id)))
        except Garbled as error:
            raise OriginError(f"the origin's answer to 'release' is garbled: {error}") from error

    def involuntary_switches(self) -> int:
        try:
            return procfs.read(self._child.pid).involuntary_switches
        except OSError as error:
            raise OriginError("the origin ended", KEPT) from error

    def must_be_there(self) -> None:
        if self._child.ends_within(DYING_S):
            raise OriginError(f"the origin {self._child.exit_reason()}", KEPT)

    def end(self) -> None:
        self._child.end()


class BuiltInLedger:
    """A listener on a port of its own, so that no client can be mistaken for another."""

    counts = EVERYTHING

    def __init__(
        self, origin: BuiltInOrigin, settings: Settings, *, in_turns: bool = False
    ) -> None:
        self._origin = origin
        answer = origin.ask(control.open_ledger(settings, in_turns=in_turns))
        scheme = "https" if settings.tls else "http"
        try:
            self.id = whole(answer, "ledger")
            self.base_url = f"{scheme}://{origin.address}:{whole(answer, 'port')}"
            authority = control.read_authority(answer) if settings.tls else ""
        except Garbled as error:
            raise OriginError(f"the origin answers 'open' with garbage: {error}") from error
        self.tls_ca = origin.keep_authority(authority) if authority else None

    def read(self, at_least: int = 0) -> Counters:  # noqa: ARG002 - it has counted before it answers
        """The counters as they stand."""
        return self._counters(control.read_ledger(self.id))

    def watch(self, process: CountedProcess, most: int) -> None:
        """Keep events from now on, `most` at the most, with the CPU clock of a client, if it has
        one: its own, without its children's, would stand still while they work."""
        pid = None if process.tells_children else process.pid
        self._origin.ask(watching.watch(self.id, pid, process.cpu_group, most))

    def end_watch(self) -> tuple[tuple[Event, ...], int]:
        """The events since `watch`, and how many did not fit in."""
        try:
            return watching.read_events(self._origin.ask(watching.end_watch(self.id)))
        except Garbled as error:
            raise OriginError(f"the origin's events are garbled: {error}") from error

    def close(self) -> Counters:
        """End the listener; the last counters."""
        return self._counters(control.close_ledger(self.id))

    def _counters(self, message: Message) -> Counters:
        try:
            return control.read_counters(self._origin.ask(message))
        except Garbled as error:
            raise OriginError(f"the origin's ledger is garbled: {error}") from error
