"""A bare loop in place of an adapter, so that it takes turns like a client."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from pathlib import Path

from fetchoff.model.client import Launch
from fetchoff.model.errors import AdapterError
from fetchoff.protocol.adapter import Done
from fetchoff.run.adapters.adapter import Adapter
from fetchoff.run.adapters.seam import Timed
from fetchoff.run.network.seam import Network
from fetchoff.run.os.clocks import ReadKnownNs, elapsed
from fetchoff.run.os.process import ChildFailed


class BareLoop(Adapter):
    """Reads how many exchanges it is to do, a line each; says what CPU time they took.

    It speaks nothing of the protocol, and has none of the kit.
    """

    def __init__(
        self,
        command: Sequence[str],
        size: int,
        cwd: Path,
        cores: Collection[int],
        network: Network,
    ) -> None:
        launch, at = Launch(tuple(command)), network.at_client
        stderr = cwd / "bare.stderr"
        super().__init__("the bare loop", launch, cwd, stderr, cores, at, network.lifeline)
        self._size = size
        self._asked = 0
        self._began_ns = 0

    def begin(self, n: int, *, busy_ns: int = 0) -> None:
        """Request n exchanges. A bare loop cannot spin."""
        assert not busy_ns
        self._asked, self._began_ns = n, time.perf_counter_ns()
        try:
            self._child.send_line(b"%d\n" % n)
        except ChildFailed as error:
            raise AdapterError(f"{self.name}: {error}") from error

    def finished(self, timeout_s: float) -> Done:
        """The answer, in the words of the protocol: it ends where an exchange fails."""
        try:
            self._child.receive_line(timeout_s)
        except ChildFailed as error:
            raise AdapterError(f"{self.name}: {error}") from error
        wall_ns = time.perf_counter_ns() - self._began_ns
        return Done(self._asked, 0, self._asked * self._size, wall_ns)

    def run_timed(
        self,
        n: int,
        timeout_s: float,
        origin_cpu: ReadKnownNs,
        *,
        busy_ns: int = 0,
        digest: bool = False,
        allocations: bool = False,
    ) -> Timed:
        """n exchanges between two readings of the clocks."""
        assert not (digest or allocations)
        origin_before, before = origin_cpu(), self.cpu_ns()
        self.begin(n, busy_ns=busy_ns)
        answer = self.finished(timeout_s)
        spent_ns = self.cpu_ns() - before
        return Timed(answer, answer.wall_ns, spent_ns, elapsed(origin_before, origin_cpu()))

    def request_exit(self) -> None:
        """The loop ends with its input, which `end` closes."""
