"""A link with the built-in origin behind it, for people: nothing is measured."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fetchoff.model.errors import LinkError, OriginError
from fetchoff.model.link import Emulated, Link
from fetchoff.run.network.emulator import over
from fetchoff.run.network.seam import Network
from fetchoff.run.origins.built_in import binary
from fetchoff.run.os.process import Background, ChildFailed
from fetchoff.run.os.scratch import scratch

READY_S = 10.0
LISTENING = "listening on "  # what the origin says when it can be reached
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")


@dataclass(frozen=True)
class Sandbox:
    """An origin at `url`, and the network that leads to it."""

    url: str
    network: Network

    @property
    def environment(self) -> dict[str, str]:
        """The user's, with ORIGIN; without proxies, which cannot be reached from there."""
        own = {name: value for name, value in os.environ.items() if name.lower() not in PROXIES}
        return {**own, "ORIGIN": self.url}

    def used(self) -> Emulated | None:
        """What the emulator has counted; LinkError if it is gone."""
        try:
            return self.network.used()
        except LinkError as error:
            raise LinkError(error.message, "the command has had no network since then") from error


@contextlib.contextmanager
def open_sandbox(link: Link, port: int, seed: int) -> Iterator[Sandbox]:
    """Both, until they are not needed any more. LinkError or OriginError where they cannot be."""
    with (
        scratch() as folder,
        over(link, folder) as network,
        _origin(folder, network, port) as url,
    ):
        network.shape(link, seed)
        network.used()  # from now on it counts
        yield Sandbox(url, network)


@contextlib.contextmanager
def _origin(folder: Path, network: Network, port: int) -> Iterator[str]:
    """The origin without a harness, from when it can be reached."""
    listen = f"{network.origin_address}:{port}"
    command = (str(binary()), "--listen", listen, "--allow-remote")
    output = folder / "origin.stderr"
    try:
        process = Background(command, {}, folder, output, inside=network.at_origin)
    except ChildFailed as error:
        raise OriginError(f"the origin {error}", "'fetchoff doctor' looks closer") from error
    try:
        _await(process, output)
        yield f"http://{listen}"
    finally:
        process.end()


def _await(process: Background, output: Path) -> None:
    deadline = time.monotonic() + READY_S
    while LISTENING not in (said := output.read_text(errors="replace")):
        if not process.is_alive:
            reason = said.splitlines()[0].removeprefix("error: ") if said else process.exit_reason()
            raise OriginError(f"no origin: {reason}", "choose another port: --port N")
        if time.monotonic() > deadline:
            raise OriginError(f"the origin does not listen within {READY_S:g} s")
        time.sleep(0.01)
