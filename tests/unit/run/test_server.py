"""Real servers as origins: started, counted by their logs, and told of when they fail."""

from __future__ import annotations

import errno
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from tests.command import FAKES

from fetchoff.catalog import origins
from fetchoff.model.client import Readiness
from fetchoff.model.errors import KEPT, OriginError
from fetchoff.model.origin import Counted, Server
from fetchoff.model.workload import Exchange, Settings, Workload
from fetchoff.run.host.placement import Cores
from fetchoff.run.network.seam import LOOPBACK
from fetchoff.run.origins.server import LATE_S, OUTPUT, ServerOrigin, write_authority

GET = Workload("w", "", (Exchange("GET", "/bytes/16"),))
CORES = Cores({min(os.sched_getaffinity(0))})
PATIENCE_S = 60  # also where other processes have the cores
Start = Callable[..., ServerOrigin]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a file server of the tests by its name, in a folder of its own."""
    started: list[ServerOrigin] = []
    (tmp_path / "logs").mkdir()

    def begin(name: str, ready_s: float = PATIENCE_S) -> ServerOrigin:
        manifest = replace(origins.origin(str(FAKES / "_origins" / name)), ready_s=ready_s)
        server = Server(manifest, Readiness.READY, Path())
        folder = tmp_path / "run"
        started.append(ServerOrigin(server, [GET], folder, CORES, LOOPBACK, tmp_path / "logs"))
        return started[-1]

    yield begin
    for one in started:
        one.end()


def get(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=5) as answer:
        content: bytes = answer.read()
        return content


def wait_for_the_end_of(origin: ServerOrigin) -> None:
    deadline = time.monotonic() + 10
    while origin.is_alive:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_it_answers_and_each_ledger_has_what_came_since_it_was_opened(start: Start) -> None:
    origin = start("honest")
    first = origin.open()
    for _ in range(3):
        assert len(get(first.base_url + "/bytes/16")) == 16
    assert first.read(at_least=3).seen.requests >= 3
    assert first.counts == {Counted.REQUESTS, Counted.CONNECTIONS, Counted.BYTES}
    assert origin.cpu_clock() > 0
    assert origin.involuntary_switches() >= 0
    assert origin.is_alive


def test_requests_that_are_not_in_the_log_are_waited_for_in_vain(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are missing in the end, which is for the run to judge."""
    monkeypatch.setattr("fetchoff.run.origins.server.LATE_S", LATE_S / 20)
    ledger = start("honest").open()
    before = ledger.read().seen.requests
    assert ledger.read(at_least=before + 5).seen.requests == before


def test_one_that_counts_nothing_is_not_waited_for(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each batch would begin after a second of rest, and a round take a minute."""
    ledger = start("unlogged").open()
    assert len(get(ledger.base_url + "/bytes/16")) == 16
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("it waits"))
    assert ledger.read(at_least=5).seen.requests == 0


def test_one_whose_template_is_missing(start: Start) -> None:
    with pytest.raises(OriginError, match=r"cannot be given its files: .*typo\.conf") as error:
        start("misspelt")
    assert "templates" in error.value.hint


def test_tls_is_at_its_own_port_with_an_authority(start: Start) -> None:
    origin = start("honest")
    plain, safe = origin.open(), origin.open(Settings(tls=True))
    assert (plain.tls_ca, plain.base_url.partition(":")[0]) == (None, "http")
    assert safe.base_url.startswith("https://127.0.0.1:")
    assert safe.base_url.rpartition(":")[2] != plain.base_url.rpartition(":")[2]
    assert safe.tls_ca is not None and safe.tls_ca.name == "authority.pem"


def test_another_port_is_tried_where_somebody_took_the_first(start: Start) -> None:
    assert start("unlucky").is_alive


def test_one_that_does_not_start_is_quoted_and_its_output_is_kept(
    start: Start, tmp_path: Path
) -> None:
    before = set(psutil.Process().children())  # of other tests, such as multiprocessing's tracker
    with pytest.raises(OriginError, match="refuses ended with exit status 1") as error:
        start("refuses")
    assert "cannot be configured" in error.value.message
    (kept,) = (tmp_path / "logs").iterdir()
    assert str(kept) in error.value.hint
    assert "cannot be configured" in kept.read_text()
    assert set(psutil.Process().children()) <= before


def test_one_that_does_not_answer_is_ended_after_its_time(start: Start) -> None:
    before = set(psutil.Process().children())
    with pytest.raises(OriginError, match=r"silent does not answer within 0\.3 s"):
        start("silent", ready_s=0.3)
    assert set(psutil.Process().children()) <= before


def test_ctrl_c_while_it_starts_ends_it(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("fetchoff.run.origins.server._answers", interrupted)
    before = set(psutil.Process().children())
    with pytest.raises(KeyboardInterrupt):
        start("silent")
    assert set(psutil.Process().children()) <= before


def test_its_documents_stay_whatever_its_name(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = replace(origins.origin(str(FAKES / "_origins" / "honest")), id="site")
    monkeypatch.setattr(origins, "origin", lambda _: named)
    assert len(get(start("honest").open().base_url + "/bytes/16")) == 16


def test_a_disk_that_is_full_of_its_documents(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("fetchoff.run.origins.server.fill_site", full)
    with pytest.raises(OriginError, match=r"given its files: .*No space left"):
        start("honest")


def test_one_that_ends_meanwhile(start: Start, tmp_path: Path) -> None:
    origin = start("dies")
    ledger = origin.open()
    with pytest.raises((urllib.error.URLError, ConnectionError)):
        for _ in range(100):
            get(ledger.base_url + "/bytes/16")
    wait_for_the_end_of(origin)
    with pytest.raises(OriginError, match=r"dies ended with exit status 7.*out of order") as error:
        ledger.read()
    assert "fetchoff resume" in error.value.hint
    assert "out of order" in (tmp_path / "logs" / "dies.log").read_text()


def test_where_its_output_cannot_be_kept_the_hint_has_the_rest(
    start: Start, tmp_path: Path
) -> None:
    origin = start("honest")
    (tmp_path / "run" / "server" / "honest" / OUTPUT).unlink()
    origin.end()
    with pytest.raises(OriginError, match="honest ended") as error:
        origin.read()
    assert error.value.hint == KEPT
    with pytest.raises(OriginError, match="honest ended") as error:
        origin.involuntary_switches()
    assert error.value.hint == KEPT


def test_an_authority_that_cannot_be_made(tmp_path: Path) -> None:
    with pytest.raises(OriginError, match=r"no certificate can be made: .+"):
        write_authority(tmp_path / "nowhere" / "at-all", "127.0.0.1")
