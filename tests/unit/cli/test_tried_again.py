"""A client whose setup failed: no run tries it again, so each place that tells why says how to."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from tests.command import FAKES

from fetchoff.app.choose import chosen, told_apart, tries_again
from fetchoff.build.build_dir import BuildDir, remember_failure, state
from fetchoff.catalog.manifests import read_manifest
from fetchoff.catalog.paths import shipped
from fetchoff.cli import clients, run, setup
from fetchoff.model.client import Client, Manifest, Readiness
from fetchoff.model.errors import InputError


@pytest.fixture
def failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Manifest:
    """A client whose setup failed, say as a registry didn't answer."""
    monkeypatch.setenv("FETCHOFF_CACHE", str(tmp_path / "cache"))
    shutil.copytree(FAKES / "_kit", tmp_path / "adapters" / "_kit")
    folder = shutil.copytree(FAKES / "missing-command", tmp_path / "adapters" / "missing-command")
    manifest = read_manifest(folder)
    remember_failure(BuildDir.of(manifest), "no answer of the registry", "")
    return manifest


def hint(manifest: Manifest) -> str:
    return f"'fetchoff setup {manifest.folder}' tries again"


def test_a_client_is_named_as_it_is_found_again(failed: Manifest, tmp_path: Path) -> None:
    toml = failed.folder / "adapter.toml"
    toml.write_text(f'{toml.read_text()}[variants.h2]\nabout = ""\n')
    name = f"{failed.folder}+h2"
    mine, shipped = (
        Client(one, Readiness.UNAVAILABLE) for one in chosen([name, "python/http-client"])
    )
    assert tries_again([mine]) == f"'fetchoff setup {name}' tries again"
    assert tries_again([shipped]) == "'fetchoff setup python/http-client' tries again"
    assert tries_again([mine, shipped]) == "'fetchoff setup ID' tries again"


def asked_in(hint: str) -> str:
    """The client that a hint names, as a shell has it."""
    return shlex.split(hint)[-1]


@pytest.mark.parametrize("marks", ["", "@2.30.0", "~cpython-3.8", "@2.30.0~cpython-3.8"])
def test_what_is_not_set_up_is_named_as_it_is_found(
    marks: str, tmp_path: Path, own_cache: Path
) -> None:
    """Two checkouts are told apart by versions that nobody finds again."""
    requests = shipped("adapters") / "python/requests"
    places = [shutil.copytree(requests, tmp_path / "my own" / name) for name in ("main", "head")]
    manifests = [chosen([f"{place}{marks}"])[0] for place in (requests, *places)]
    for manifest in (*manifests, *told_apart(manifests[1], manifests[2])):
        (found,) = chosen([asked_in(state(manifest).hint)])
        assert (found.folder, found.built_as) == (manifest.folder, manifest.built_as)
    assert state(manifests[0]).hint == f"fetchoff setup python/requests{marks}"


def test_the_list_of_clients_says_how_to_set_up_what_is_not(
    own_cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--all` has only those that are listed."""
    mine = str(shutil.copytree(shipped("adapters") / "python/requests", tmp_path / "mine"))
    for asked, told in (
        ([mine], mine),
        (["python/httpx"], "python/httpx"),
        (["python/httpx", "python/requests"], "--all"),
        (["python/httpx", "python/requests@2.30.0"], "ID"),
        (["python/httpx", mine], "ID"),
    ):
        clients.command(asked)
        said = capsys.readouterr().err.splitlines()
        assert said[-1] == f"hint: 'fetchoff setup {told}' sets up what is not set up yet"


def test_setup_says_how_to_try_again(failed: Manifest, capsys: pytest.CaptureFixture[str]) -> None:
    setup.command([str(failed.folder)])
    assert capsys.readouterr().err.splitlines()[-1] == f"hint: {hint(failed)}"


def test_the_list_of_clients_says_so(failed: Manifest, capsys: pytest.CaptureFixture[str]) -> None:
    clients.command([str(failed.folder)])
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == f"hint: {hint(failed)} to set up what is unavailable"
    clients.command(["python/http-client"])
    assert "tries again" not in capsys.readouterr().err


def test_a_run_says_who_is_not_set_up_again(
    failed: Manifest, capsys: pytest.CaptureFixture[str]
) -> None:
    (client,) = setup.clients_of([failed], set_up=True, quiet=False)
    assert client == state(failed)
    assert capsys.readouterr().err.splitlines() == [
        f"not set up again, because an earlier setup failed: {client.id}",
        f"hint: {hint(failed)}",
    ]
    for set_up, quiet in ((True, True), (False, False)):
        setup.clients_of([failed], set_up=set_up, quiet=quiet)
        assert capsys.readouterr().err == ""


def test_a_baseline_that_failed_says_so(failed: Manifest) -> None:
    with pytest.raises(InputError, match="no answer of the registry") as refused:
        run.asked_for(str(failed.folder), [state(failed)])
    assert refused.value.hint == hint(failed)
