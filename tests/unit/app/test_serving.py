"""Which origin a run gets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.command import FAKES

from fetchoff.app import serving
from fetchoff.app.serving import (
    located,
    must_be_set_up,
    must_serve,
    ready_or_built_in,
    record_of,
)
from fetchoff.build import servers
from fetchoff.catalog import origins
from fetchoff.model.client import Readiness
from fetchoff.model.course import Course
from fetchoff.model.errors import InputError, OriginError
from fetchoff.model.experiment import Experiment
from fetchoff.model.link import Link, Profile
from fetchoff.model.origin import BUILT_IN, OriginManifest, Server
from fetchoff.model.workload import Exchange, Settings, Workload
from fetchoff.run.host.placement import Cores
from fetchoff.run.network.seam import LOOPBACK, Loopback

HONEST = str(FAKES / "_origins" / "honest")
GET = Workload("w", "", (Exchange("GET", "/bytes/16"),))


@pytest.mark.parametrize("name", [BUILT_IN, HONEST, "http://127.0.0.1:1"])
def test_what_is_ready_is_taken(name: str) -> None:
    assert ready_or_built_in(name, set_up=False) == (name, "")


@pytest.mark.parametrize(("set_up", "tried"), [(False, []), (True, ["honest"])])
def test_the_built_in_origin_stands_in(absent: list[str], set_up: bool, tried: list[str]) -> None:
    name, note = ready_or_built_in(HONEST, set_up=set_up)
    assert name == BUILT_IN
    assert "honest" in note or HONEST in note
    assert note.endswith("is not ready: not here (install it)")
    assert absent == tried


def test_why_a_server_could_not_be_set_up_is_told(
    absent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """That it is "not set up yet" says nothing to who has just tried."""

    def set_up(manifest: OriginManifest, _: object) -> Server:
        return Server(manifest, Readiness.UNAVAILABLE, Path(), reason="go failed", hint="see log")

    monkeypatch.setattr(servers, "set_up", set_up)
    with pytest.raises(OriginError, match="is not ready: go failed") as refused:
        must_be_set_up(HONEST)
    assert refused.value.hint == "see log"
    must_be_set_up(BUILT_IN)
    must_be_set_up("http://127.0.0.1:1")


def test_whoever_asks_for_a_server_gets_it_or_an_error(absent: list[str]) -> None:
    with pytest.raises(OriginError, match="is not ready: not here") as refused:
        must_serve(HONEST, [Course(GET)])
    assert refused.value.hint == "install it"
    assert absent == []


def test_a_server_must_answer_every_workload() -> None:
    must_serve(HONEST, [Course(GET)])
    put = Workload("put", "", (Exchange("PUT", "/upload"),))
    with pytest.raises(InputError, match="cannot serve workload 'put': PUT /upload"):
        must_serve(HONEST, [Course(GET), Course(put)])


def test_what_a_run_keeps() -> None:
    assert record_of(BUILT_IN).counts == ("requests", "connections", "bytes", "segments")
    assert record_of("http://127.0.0.1:1").counts == ()
    record = record_of(HONEST)
    assert record.about == "a file server for tests"
    assert record.version
    assert record.counts == ("bytes", "connections", "requests")


class Counted:
    """A server that knows how often it was started and ended."""

    started = ended = 0

    def __init__(self, *_: object) -> None:
        Counted.started += 1
        self.is_alive = True

    def end(self) -> None:
        Counted.ended += 1


class FarAway(Loopback):
    """A network with another end for origins."""

    at_origin: tuple[str, ...] = ("enter", "far", "--")


CORE = Cores({0})


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Experiment:
    """An experiment against a server that is kept from round to round, and counted."""
    Counted.started = Counted.ended = 0
    monkeypatch.setattr(serving, "ServerOrigin", Counted)
    server = servers.state(origins.read_origin(Path(HONEST)))
    object.__setattr__(server.manifest, "kept", True)
    monkeypatch.setattr(serving, "ready", lambda _: server)
    return Experiment((), (Course(GET),), "", 1, origin=HONEST)


def test_a_kept_server_serves_all_rounds(kept: Experiment, tmp_path: Path) -> None:
    with serving.serving(kept, tmp_path) as start:
        for _ in range(3):
            with start(tmp_path, CORE, LOOPBACK):
                pass
        assert (Counted.started, Counted.ended) == (1, 0)
    assert (Counted.started, Counted.ended) == (1, 1)


def test_a_kept_server_begins_anew_on_other_cores(kept: Experiment, tmp_path: Path) -> None:
    with serving.serving(kept, tmp_path) as start:
        with start(tmp_path, CORE, LOOPBACK) as one:
            pass
        with start(tmp_path, Cores({0, 1}), LOOPBACK) as other:
            assert other is not one
            assert (Counted.started, Counted.ended) == (2, 1)
        with start(tmp_path, Cores({0, 1}), LOOPBACK) as again:
            assert again is other
    assert (Counted.started, Counted.ended) == (2, 2)


def test_behind_a_link_even_a_kept_server_ends_with_it(kept: Experiment, tmp_path: Path) -> None:
    """And the one on loopback stays."""
    with serving.serving(kept, tmp_path) as start:
        with start(tmp_path, CORE, LOOPBACK) as near:
            pass
        for already in range(2):
            with start(tmp_path, CORE, FarAway()) as far:
                assert far is not near
                assert (Counted.started, Counted.ended) == (2 + already, already)
        with start(tmp_path, CORE, LOOPBACK) as again:
            assert again is near
        assert (Counted.started, Counted.ended) == (3, 2)
    assert (Counted.started, Counted.ended) == (3, 3)


def test_a_url_with_a_password_is_never_the_name_of_an_origin() -> None:
    assert located("http://127.0.0.1:1/a@b") == "http://127.0.0.1:1/a@b"
    with pytest.raises(InputError, match="cannot have a user or a password"):
        located("http://ada:secret@127.0.0.1:1")


@pytest.mark.parametrize(
    ("url", "settings", "lack"),
    [
        ("http://127.0.0.1:1", Settings(tls=True), "'w' has TLS, and origin .* is http"),
        ("https://127.0.0.1:1", Settings(), "'w' has no TLS, and origin .* is https"),
        ("http://127.0.0.1:1", Settings(proxy=True), "it is no proxy"),
        ("https://127.0.0.1:1", Settings(tls=True, tickets=False), "sessions be resumed"),
    ],
)
def test_a_url_must_be_what_the_workload_says(url: str, settings: Settings, lack: str) -> None:
    """Nothing counts its requests, so nothing would notice that they had no TLS."""
    with pytest.raises(InputError, match=lack):
        must_serve(url, [Course(replace(GET, settings=settings))])


def test_a_url_with_tls_serves_workloads_with_tls() -> None:
    must_serve("https://127.0.0.1:1", [Course(replace(GET, settings=Settings(tls=True)))])


def test_a_url_has_no_link_to_it() -> None:
    far = Course(GET, Link("far", "", Profile(45), Profile(45)))
    must_serve("http://127.0.0.1:1", [Course(GET)])
    with pytest.raises(InputError, match="cannot be reached over an emulated link"):
        must_serve("http://127.0.0.1:1", [Course(GET), far])
    must_serve(HONEST, [far])
