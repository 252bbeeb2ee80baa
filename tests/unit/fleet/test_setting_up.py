"""What `fleet setup`, `fleet run --setup` and `fleet doctor` do on a host."""

from __future__ import annotations

from pathlib import Path

import pytest

from fetchoff.app.doctor import Health, MachineCheck
from fetchoff.fleet.host import work
from fetchoff.fleet.seam.cluster import Here
from fetchoff.fleet.seam.told import Wanted
from fetchoff.model.errors import OriginError


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


def test_a_server_that_cannot_serve_is_among_what_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def must_serve(name: str, *_: object, **__: object) -> None:
        if name == "nginx":
            raise OriginError("origin 'nginx' is not ready: not set up yet", "set it up")

    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path))
    monkeypatch.setattr(work, "must_serve", must_serve)
    monkeypatch.setattr(work, "check_machine", list)
    here = Here((0,), lambda _: None, lambda: None)
    bad = MachineCheck(Health.BAD, "origin 'nginx' is not ready: not set up yet", "set it up")
    assert work.examine(Wanted((), origin="nginx"), here).checks == (bad,)
    assert work.examine(Wanted(()), here).checks == ()
