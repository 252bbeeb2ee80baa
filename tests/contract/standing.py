"""Whether a client can be tested here, or why not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from fetchoff.app.setup import set_up
from fetchoff.build.build_dir import state
from fetchoff.build.prerequisites import check
from fetchoff.catalog.manifests import discover
from fetchoff.model.client import Client, Description, Launch, Manifest, Readiness
from fetchoff.model.errors import SetupError

ASKS_WHILE_BUILT = ("undici",)
"""Libraries that a step of the build refuses where the runtime is too old for them."""


@dataclass(frozen=True)
class Standing:
    """A client that is ready."""

    client: Client
    launch: Launch
    description: Description

    @property
    def manifest(self) -> Manifest:
        return self.client.manifest


def ready(name: str) -> Standing:
    """The client of this id; where it isn't ready, its test ends here.

    The test is skipped where the client wasn't set up or the machine lacks what it needs. It fails
    where nothing is missing and the client still could not be built or didn't say hello: a skip
    would hide that from CI. Versions that aren't an adapter's own are skipped even then: some can
    only be built with another runtime than this machine's.
    """
    client = state(discover()[name])
    if client.readiness is Readiness.UNAVAILABLE:
        _skip_if_excused(client)
        (client,) = set_up([client.manifest])  # a registry may have been away for a moment
    if client.launch is not None and client.description is not None:
        return Standing(client, client.launch, client.description)
    if client.readiness is Readiness.UNAVAILABLE:
        pytest.fail(_said(client), pytrace=False)
    pytest.skip(f"{client.readiness}: {client.reason} ({client.hint})")


def _skip_if_excused(client: Client) -> None:
    """Skip the test if it is no wonder that the client could not be set up here."""
    try:
        check(client.manifest)
    except SetupError as error:
        pytest.skip(f"{_said(client)}; missing: {error.message}")
    if client.manifest.id.version or client.manifest.id.library in ASKS_WHILE_BUILT:
        pytest.skip(_said(client))


def _said(client: Client) -> str:
    return f"{client.id} could not be set up: {client.reason} ({client.hint})"
