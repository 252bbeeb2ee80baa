"""Getting clients ready."""

from __future__ import annotations

from pathlib import Path

from fetchoff.app.choose import states
from fetchoff.build import setup
from fetchoff.build.setup import Told
from fetchoff.model.client import Client, Description, Launch, Manifest, Readiness
from fetchoff.run.adapters.adapter import hello


def set_up(
    manifests: list[Manifest],
    on_start: Told = lambda _: None,
    on_end: Told = lambda _: None,
    say: Told = lambda _: None,
) -> list[Client]:
    """Set up; the clients as they then stand, as they ended. One setup at a time builds in a cache.

    `on_start` and `on_end` are told the id of a client, or what else is done; of a client that was
    ready there is no start. `say` is told what the user waits for.
    """

    def say_hello(launch: Launch, folder: Path) -> Description:
        said = folder / "hello.stderr"
        said.unlink(missing_ok=True)  # of an earlier hello
        return hello(folder.name, launch, folder, said)

    done = []
    for client in setup.set_up(manifests, say_hello, on_start, say):
        on_end(client.id)
        done.append(client)
    return done


def never_set_up(manifests: list[Manifest]) -> list[Manifest]:
    """Those of which nobody knows yet whether they can be had."""
    clients = states(manifests)
    return [c.manifest for c in clients if c.readiness is Readiness.NOT_SET_UP]


def with_set_up(manifests: list[Manifest]) -> list[Client]:
    """The clients as they stand, after those that never were are set up."""
    if fresh := never_set_up(manifests):
        set_up(fresh)
    return states(manifests)
