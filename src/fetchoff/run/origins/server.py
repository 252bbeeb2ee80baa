"""Real servers as origins: started with a configuration made for the run, counted by their logs."""

from __future__ import annotations

import contextlib
import http.client
import shutil
import socket
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path

from fetchoff.model.errors import KEPT, OriginError
from fetchoff.model.observation import Seen
from fetchoff.model.origin import AccessLog, Counted, Server
from fetchoff.model.placeholders import filled
from fetchoff.model.workload import Settings, Workload
from fetchoff.protocol.origin import Counters
from fetchoff.run.host.placement import Cores, Urgency, misplaced, place
from fetchoff.run.network.seam import Connection, Network
from fetchoff.run.origins.built_in import DYING_S, PLAIN, binary
from fetchoff.run.origins.counting import Tally, tally_of
from fetchoff.run.origins.site import fill_site
from fetchoff.run.os import procfs
from fetchoff.run.os.clocks import process_cpu_clock
from fetchoff.run.os.process import Background, ChildFailed

TRIES = 3  # somebody else may take a free port before the server does
LATE_S = 1.0  # a line of a log may come so long after the answer
LINE_S = 0.01  # and most come within this
PAUSE_S = 0.002
OUTPUT = "output.log"
LOOK = "look at 'templates' in its origin.toml, and whether the disk is full"


class ServerOrigin:
    """A server of the catalogue in a folder of its own. OriginError when it goes away.

    `logs`: the folder that gets its output when it fails.
    """

    def __init__(
        self,
        server: Server,
        workloads: Iterable[Workload],
        folder: Path,
        cores: Cores,
        network: Network,
        logs: Path,
    ) -> None:
        self._server = server
        self._network = network
        self._logs = logs
        self._folder = folder.absolute() / "server" / server.manifest.id
        site = folder.absolute() / "site"
        self._fill(site, workloads)
        places = {"site": site, "built": server.built, "recipe": server.manifest.folder.absolute()}
        failure = ChildFailed()
        for _ in range(TRIES):
            self._port, self._tls_port = _free_ports()
            try:
                self._folder_anew()
                self._process = self._start(places, cores)
                with contextlib.ExitStack() as undo:
                    undo.callback(self._process.end)  # with what it has started
                    self._await_answer()
                    undo.pop_all()
                break
            except ChildFailed as error:
                failure = error
            except (OSError, UnicodeDecodeError) as error:
                raise self._not_given(error) from error
        else:
            raise OriginError(f"{server.manifest.id} {failure}", self._keep_output())
        self.cpu_clock = process_cpu_clock(self._process.pid)
        self._tally = tally_of(server.manifest.counted_by, self._folder, network, self._port)

    def open(self, settings: Settings = PLAIN) -> ServerLedger:
        """The same for everybody: it is known whose turn it is, and what is new is theirs."""
        if isinstance(self._server.manifest.counted_by, AccessLog):
            self.await_requests(1)  # the one that found it alive is not the first client's
        time.sleep(LINE_S)
        if settings.tls:
            base_url = f"https://{self._network.origin_address}:{self._tls_port}"
            return ServerLedger(self, base_url, self._folder / "authority.pem")
        base_url = f"http://{self._network.origin_address}:{self._port}"
        return ServerLedger(self, base_url, None)

    def read(self) -> Seen:
        """Everything that it has counted; OriginError where it is gone."""
        if not self._process.is_alive:
            raise self._ended()
        return self._tally.read()

    def must_be_there(self) -> None:
        if self._process.ends_within(DYING_S):
            raise self._ended()

    def _ended(self) -> OriginError:
        why = f"{self._server.manifest.id} {self._process.exit_reason()}"
        return OriginError(why, self._keep_output())

    def await_requests(self, at_least: int) -> Seen:
        """The counts once there are so many requests, or none has come for a while; at once where
        requests are not counted."""
        if Counted.REQUESTS not in self._tally.counts:
            return self.read()
        deadline = time.monotonic() + LATE_S
        seen = self.read()
        while seen.requests < at_least and time.monotonic() < deadline:
            time.sleep(PAUSE_S)
            seen = self.read()
        return seen

    @property
    def tally(self) -> Tally:
        return self._tally

    def place(self, cores: Cores, urgency: Urgency) -> None:
        place(self._process.pid, cores, urgency, gives_way=True)

    def misplaced(self, cores: Cores, urgency: Urgency) -> str:
        return misplaced(self._process.pid, cores, urgency, gives_way=True)

    def involuntary_switches(self) -> int:
        try:
            return procfs.read(self._process.pid).involuntary_switches
        except OSError as error:
            raise OriginError(f"{self._server.manifest.id} ended", self._keep_output()) from error

    @property
    def turnstile(self) -> None:
        """A real server answers when it likes."""

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive

    def end(self) -> None:
        self._process.end()

    def _start(self, places: dict[str, Path], cores: Cores) -> Background:
        manifest = self._server.manifest
        known: dict[str, object] = {
            **places,
            "folder": self._folder,
            "address": self._network.origin_address,
            "port": self._port,
            "tls_port": self._tls_port,
        }
        for name in manifest.templates:
            text = (manifest.folder / name).read_text(encoding="utf-8")
            (self._folder / name).write_text(filled(text, known), encoding="utf-8")
        if manifest.serves.tls:
            write_authority(self._folder, self._network.origin_address)
        return Background(
            tuple(filled(part, known) for part in manifest.command),
            {name: filled(value, known) for name, value in manifest.env.items()},
            self._folder,
            self._folder / OUTPUT,
            cores,
            self._network.at_origin,
        )

    def _fill(self, site: Path, workloads: Iterable[Workload]) -> None:
        try:
            fill_site(site, workloads, self._server.manifest.serves)
        except OSError as error:
            raise self._not_given(error) from error

    def _not_given(self, error: Exception) -> OriginError:
        return OriginError(f"{self._server.manifest.id} cannot be given its files: {error}", LOOK)

    def _folder_anew(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir(parents=True)

    def _await_answer(self) -> None:
        """Until it answers, with whatever status; ChildFailed if it ends, or takes too long."""
        manifest = self._server.manifest
        deadline = time.monotonic() + manifest.ready_s
        while not _answers(self._network, self._port, manifest.alive):
            if why := self._given_up(deadline):
                raise ChildFailed(why)
            time.sleep(0.02)

    def _given_up(self, deadline: float) -> str:
        """Why an answer is not waited for any more, or ""."""
        if not self._process.is_alive:
            return self._process.exit_reason()
        if time.monotonic() > deadline:
            ready_s = self._server.manifest.ready_s
            return f"does not answer within {ready_s:g} s{self._process.stderr_tail()}"
        return ""

    def _keep_output(self) -> str:
        """Copy what it has written to where it is not removed; the hint that tells of it."""
        kept = self._logs / f"{self._server.manifest.id}.log"
        try:
            shutil.copyfile(self._folder / OUTPUT, kept)
        except OSError:
            return KEPT
        return f"its output: {kept}; {KEPT}"


class ServerLedger:
    """What a server has counted since this was opened."""

    def __init__(self, origin: ServerOrigin, base_url: str, tls_ca: Path | None) -> None:
        self.base_url = base_url
        self.tls_ca = tls_ca
        self.counts = origin.tally.counts
        self._origin = origin

    def read(self, at_least: int = 0) -> Counters:
        return Counters.only(self._origin.await_requests(at_least))

    def close(self) -> Counters:
        return self.read()


def write_authority(folder: Path, address: str) -> None:
    """authority.pem, certificate.pem and key.pem for that address, made for this run."""
    command = [str(binary()), "--authority", str(folder), "--address", address]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OriginError(f"no certificate can be made: {done.stderr.strip()}")


def _free_ports() -> tuple[int, int]:
    with socket.socket() as first, socket.socket() as second:
        first.bind(("127.0.0.1", 0))
        second.bind(("127.0.0.1", 0))
        return first.getsockname()[1], second.getsockname()[1]


def _answers(network: Network, port: int, target: str) -> bool:
    connection = Connection(network, network.origin_address, port, timeout=1)
    try:
        connection.request("GET", target)
        connection.getresponse().read()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True
