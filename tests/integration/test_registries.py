"""Versions from the registries themselves: one that is there, and one that is not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.command import Command

from fetchoff.app.choose import chosen
from fetchoff.build import locks
from fetchoff.build.resolving import listed, resolve
from fetchoff.build.steps import Steps
from fetchoff.model.client import Manifest
from fetchoff.model.errors import SetupError

CLIENTS = {
    "pip": "python/urllib3@1.26.18",
    "npm": "javascript/undici@6.21.0",
    "go": "go/fasthttp@1.52.0",
    "cargo": "rust/minreq@2.11.0",
    "maven": "java/apache-httpclient5@5.3.1",
}
IMPOSSIBLE = {
    "pip": r"there is no wheel of urllib3 99\.1\.0 for this Python and machine",
    "npm": r"No matching version found for undici@99\.1\.0",
    "go": r"there is no github\.com/valyala/fasthttp 99\.1\.0",
    "cargo": r"there is no minreq 99\.1\.0, or it was yanked",
    "maven": r"Maven finds no org\.apache\.httpcomponents\.client5:httpclient5:(jar|pom):99\.1\.0",
}
"""What is said of a version that nobody has released."""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))


def reachable(client: str) -> Manifest:
    """The client; the test is skipped where its registry cannot be asked, with the reason."""
    (manifest,) = chosen([client])
    try:
        listed(manifest)
    except SetupError as error:
        pytest.skip(f"the registry of {client} cannot be asked: {error.message}")
    return manifest


@pytest.mark.parametrize("registry", CLIENTS)
def test_a_version_is_resolved_and_locked(registry: str) -> None:
    manifest = reachable(CLIENTS[registry])
    resolve(manifest, Steps())
    lock = locks.known(manifest)
    assert lock is not None
    assert manifest.releases is not None
    (own,) = (one for one in lock.packages if one.name == manifest.releases.package)
    assert own.version == manifest.id.version
    assert own.hash
    assert any(path.stat().st_size for path in lock.files.rglob("*") if path.is_file())


@pytest.mark.parametrize("registry", CLIENTS)
def test_a_version_that_nobody_has_released(registry: str) -> None:
    client = CLIENTS[registry].partition("@")[0]
    manifest = reachable(f"{client}@99.1.0")
    with pytest.raises(SetupError) as caught:
        resolve(manifest, Steps())
    assert re.fullmatch(f"this version cannot be had: {IMPOSSIBLE[registry]}", caught.value.message)
    assert f"'fetchoff versions {client}' lists what can be had" in caught.value.hint
    assert locks.known(manifest) is None


@pytest.mark.parametrize(
    "client",
    ["javascript/undici@6", "javascript/axios@latest", "go/fasthttp@1.52", "rust/minreq@2"],
)
def test_what_is_no_whole_version_is_not_taken_for_another(client: str) -> None:
    """npm and Go would lock what suits today, and the cache would keep it under this name."""
    manifest = reachable(client)
    with pytest.raises(SetupError, match=r"this version cannot be had: there is no \S+ \S+[:,] "):
        resolve(manifest, Steps())
    assert locks.known(manifest) is None


def test_check_takes_a_version(fetchoff: Command) -> None:
    reachable(CLIENTS["pip"])
    done = fetchoff("check", CLIENTS["pip"], "--only", "reuse", timeout_s=280)
    assert done.status == 0, done.err
    assert f" {CLIENTS['pip']} " in done.out
