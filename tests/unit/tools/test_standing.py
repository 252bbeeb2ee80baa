"""A client that no longer builds fails its contract; one that the machine can't have is skipped."""

from __future__ import annotations

import pytest
from tests.contract import standing

from fetchoff.catalog.manifests import discover
from fetchoff.model.client import Client, Description, Launch, Manifest, Readiness
from fetchoff.model.errors import SetupError

BROKEN = Readiness.UNAVAILABLE


def stands(monkeypatch: pytest.MonkeyPatch, readiness: Readiness, missing: str = "") -> None:
    """Every client stands like that, and the machine lacks `missing`."""

    def state(manifest: Manifest) -> Client:
        return Client(manifest, readiness, reason="'cc' failed while building: no")

    def check(_: Manifest) -> None:
        if missing:
            raise SetupError(missing)

    monkeypatch.setattr(standing, "state", state)
    monkeypatch.setattr(standing, "check", check)
    monkeypatch.setattr(standing, "set_up", lambda manifests: [*map(state, manifests)])


def test_a_client_that_cannot_be_built_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    stands(monkeypatch, BROKEN)
    with pytest.raises(pytest.fail.Exception, match="c/libcurl could not be set up: 'cc' failed"):
        standing.ready("c/libcurl")


@pytest.mark.parametrize(
    ("client", "readiness", "missing", "said"),
    [
        ("c/libcurl", BROKEN, "there is no command 'cc'", "missing: there is no command 'cc'"),
        ("c/libcurl", Readiness.NOT_SET_UP, "", "not set up: "),
        ("javascript/undici", BROKEN, "", "javascript/undici could not be set up"),
        ("javascript/undici@8.12.4", BROKEN, "", "could not be set up"),
    ],
)
def test_what_this_machine_cannot_have_is_skipped(
    client: str, readiness: Readiness, missing: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client in discover()
    stands(monkeypatch, readiness, missing)
    with pytest.raises(pytest.skip.Exception, match=said):
        standing.ready(client)


def test_a_client_is_set_up_once_more_before_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry may have been away for a moment."""
    launch, told = Launch(("adapter",)), Description("1.0", "C", "c", frozenset())

    def set_up(manifests: list[Manifest]) -> list[Client]:
        return [Client(one, Readiness.READY, told, launch) for one in manifests]

    stands(monkeypatch, BROKEN)
    monkeypatch.setattr(standing, "set_up", set_up)
    assert standing.ready("c/libcurl").launch == launch
