"""What a comparison has to have: a failure of before is no reason not to try again."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command import FAKES

from fetchoff.build.build_dir import BuildDir, remember_failure, remember_ready, state
from fetchoff.build.setup import lock
from fetchoff.catalog.manifests import read_manifest
from fetchoff.cli import setup
from fetchoff.cli.compare import made_ready
from fetchoff.model.client import Client, Manifest, Readiness
from fetchoff.model.errors import SetupError


@pytest.fixture
def failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Manifest:
    """A client whose setup failed, say as a registry didn't answer."""
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))
    shutil.copytree(FAKES / "_kit", tmp_path / "adapters" / "_kit")
    folder = shutil.copytree(FAKES / "honest", tmp_path / "adapters" / "honest")
    manifest = read_manifest(folder)
    remember_failure(BuildDir.of(manifest), "no answer of the registry", "try again")
    assert state(manifest).readiness is Readiness.UNAVAILABLE
    return manifest


def test_a_client_whose_setup_failed_is_set_up_again(failed: Manifest) -> None:
    client = made_ready(failed)
    assert client.readiness is Readiness.READY
    assert state(failed) == client


def test_a_client_that_has_changed_says_anew_what_it_is(failed: Manifest) -> None:
    """As after an upgrade of its library: it would be refused in every round, as base@HEAD too, for
    which no command notes what it is now."""
    client = made_ready(failed)
    assert client.description is not None
    remember_ready(BuildDir.of(failed), replace(client.description, engine="libcurl 7"))
    assert state(failed) != client
    assert made_ready(failed) == client


def test_a_client_that_is_ready_waits_for_no_other_setup(failed: Manifest) -> None:
    """Which may take half an hour, and says nothing here."""
    client = made_ready(failed)
    with ThreadPoolExecutor() as pool, lock():
        assert pool.submit(made_ready, failed).result(timeout=20) == client


def test_it_is_tried_once_and_then_told(failed: Manifest, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[Manifest] = []

    def set_up_all(manifests: list[Manifest], *, quiet: bool) -> list[Client]:
        tried.extend(manifests)
        return [state(manifest) for manifest in manifests]

    monkeypatch.setattr(setup, "set_up_all", set_up_all)
    with pytest.raises(SetupError, match="is not ready: no answer of the registry"):
        made_ready(failed)
    assert tried == [failed]
