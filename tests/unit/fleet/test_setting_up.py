"""What `fleet setup` and `fleet run --setup` do on a host."""

from __future__ import annotations

import pytest

from fetchoff.fleet.host import work
from fetchoff.fleet.seam.cluster import Here
from fetchoff.fleet.seam.told import Wanted


def test_the_server_that_is_wanted_is_set_up_too(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[tuple[str, bool]] = []

    def ready_or_built_in(name: str, *, set_up: bool) -> tuple[str, str]:
        tried.append((name, set_up))
        return name, ""

    monkeypatch.setattr(work, "ready_or_built_in", ready_or_built_in)
    monkeypatch.setattr(work, "set_up", lambda *_: [])
    wanted = Wanted(("python/requests",), origin="nginx")
    assert work.set_up_clients(wanted, Here((0,), lambda _: None, lambda: None)) == ()
    assert tried == [("nginx", True)]
