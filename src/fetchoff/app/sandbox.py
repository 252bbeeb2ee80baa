"""An emulated link to the built-in origin, for the user's own commands; nothing is measured."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fetchoff.model.errors import OriginError
from fetchoff.model.link import Emulated, Link
from fetchoff.run.network.emulator import over
from fetchoff.run.network.seam import Network
from fetchoff.run.origins.built_in import binary
from fetchoff.run.os.process import Background, ChildFailed
from fetchoff.run.os.scratch import scratch
from fetchoff.run.recording.unkept import nothing_is_kept

READY_S = 10.0
LISTENING = "listening on "  # what the origin prints once it accepts connections
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@dataclass(frozen=True)
class Sandbox:
    """An origin at `url`, and the network that leads to it."""

    url: str
    network: Network

    @property
    def environment(self) -> dict[str, str]:
        """The user's environment with ORIGIN, and without proxies, which the link can't reach."""
        own = {name: value for name, value in os.environ.items() if name.lower() not in PROXIES}
        return {**own, "ORIGIN": self.url}

    def used(self) -> Emulated | None:
        """What the emulator counted; LinkError if it has ended."""
        return self.network.used()


@contextlib.contextmanager
def open_sandbox(link: Link, port: int, seed: int) -> Iterator[Sandbox]:
    """A sandbox until the context ends; LinkError or OriginError if it can't be started."""
    with (
        nothing_is_kept(),
        scratch() as folder,
        over(link, folder) as network,
        _origin(folder, network, port) as url,
    ):
        network.shape(link, seed)
        network.used()  # counts start from here
        yield Sandbox(url, network)


@contextlib.contextmanager
def _origin(folder: Path, network: Network, port: int) -> Iterator[str]:
    """Start the origin without a harness and wait until it accepts connections; yield its URL."""
    listen = f"{network.listens_at}:{port}"
    command = (str(binary()), "--listen", listen, "--allow-remote")
    output = folder / "origin.stderr"
    try:
        process = Background(command, {}, folder, output, inside=network.at_origin)
    except ChildFailed as error:
        raise OriginError(f"the origin {error}", "run 'fetchoff doctor'") from error
    try:
        _await(process, output)
        yield f"http://{network.origin_name}:{port}"
    finally:
        process.end()


def _await(process: Background, output: Path) -> None:
    deadline = time.monotonic() + READY_S
    while LISTENING not in (said := output.read_text(errors="replace")):
        if not process.is_alive:
            reason = said.splitlines()[0].removeprefix("error: ") if said else process.exit_reason()
            raise OriginError(f"the origin failed: {reason}", "choose another port: --port N")
        if time.monotonic() > deadline:
            raise OriginError(f"the origin did not start within {READY_S:g} s")
        time.sleep(0.01)
