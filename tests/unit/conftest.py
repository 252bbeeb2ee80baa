"""What tests of several rooms pretend."""

from __future__ import annotations

from pathlib import Path

import pytest

from fetchoff.build import servers
from fetchoff.model.client import Readiness
from fetchoff.model.origin import OriginManifest, Server


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """No server is ready, and none can be set up; the ids of those that were tried."""
    tried: list[str] = []

    def state(manifest: OriginManifest) -> Server:
        return Server(manifest, Readiness.UNAVAILABLE, Path(), reason="not here", hint="install it")

    def set_up(manifest: OriginManifest, _: object) -> Server:
        tried.append(manifest.id)
        return state(manifest)

    monkeypatch.setattr(servers, "state", state)
    monkeypatch.setattr(servers, "set_up", set_up)
    return tried


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache of this test alone, which isn't made yet."""
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A source tree."""
    folder = tmp_path / "library-1.0"
    (folder / "src").mkdir(parents=True)
    (folder / "library").write_text("one")
    (folder / "src" / "program").write_text("#!/bin/sh\n")
    return folder
