"""What single kits and clients must do besides the cases, which all clients share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from tests.contract.standing import ready

from fetchoff.model.allocations import Allocated, AllocationsBy
from fetchoff.model.client import Launch
from fetchoff.model.workload import Exchange, JsonBody, Settings, TimeoutsMs, Workload
from fetchoff.protocol import adapter as protocol
from fetchoff.protocol.adapter import Prepared, Spool
from fetchoff.run.adapters.adapter import Adapter
from fetchoff.run.adapters.seam import Timed, no_cpu
from fetchoff.run.origins.built_in import BuiltInLedger, BuiltInOrigin
from fetchoff.run.recording.allocator import Tally, allocated, counted, library
from fetchoff.run.recording.warm_client import WarmClient

TIMEOUT_S = 30.0
KEPT = Settings(reuse=None)


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BuiltInOrigin]:
    origin = BuiltInOrigin(tmp_path_factory.mktemp("origin"))
    yield origin
    origin.end()


@dataclass(frozen=True)
class Stage:
    """A client, what it answered to `prepare`, and the ledger that it is to send requests to."""

    client: Adapter
    answer: Prepared
    ledger: BuiltInLedger

    @property
    def connections(self) -> int:
        return self.ledger.read().seen.connections


@contextmanager
def prepared(
    name: str,
    exchange: Exchange,
    origin: BuiltInOrigin,
    folder: Path,
    settings: Settings = KEPT,
    launch: Launch | None = None,
) -> Iterator[Stage]:
    launch = launch or ready(name).launch
    ledger = origin.open(settings)
    client = Adapter(name, launch, folder, folder / "stderr")
    try:
        client.say_hello()
        client.description()
        workload = Workload("beyond", "contract", (exchange,), settings)
        message = protocol.prepare(workload, ledger.base_url, Spool(folder))
        yield Stage(client, client.prepare(message), ledger)
    finally:
        client.end()
        ledger.close()


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("not installed: cc")
    return library(tmp_path_factory.mktemp("counting"))


@pytest.mark.parametrize(
    "name",
    [
        "c/libcurl",
        "command/curl",
        "cpp/cpp-httplib",
        "go/net-http",
        "perl/http-tiny",
        "php/curl",
        "python/urllib3",
        "ruby/net-http",
        "rust/ureq",
    ],
)
def test_allocations_are_the_same_in_every_process(
    name: str, origin: BuiltInOrigin, counting: Path, tmp_path: Path
) -> None:
    """And more of them where more is sent and received."""
    launch = ready(name).launch
    assert launch is not None
    assert launch.allocations is not None
    by_libc = launch.allocations.by is AllocationsBy.LIBC

    def of(exchange: Exchange) -> Allocated:
        tally = Tally.new(tmp_path)
        how = counted(launch, tally, counting if by_libc else None)
        with prepared(name, exchange, origin, tmp_path, launch=how) as stage:
            return allocated(_warmed(stage, how), tally)

    get = Exchange("GET", "/bytes/16")
    few = of(get)
    assert few.calls
    again = of(get)
    assert again.calls == few.calls
    assert abs((again.bytes or 0) - (few.bytes or 0)) <= 16  # digits of a time
    fields = tuple((f"X-Field-{n}", "1") for n in range(9))
    many = of(replace(get, target="/bytes/40000", headers=fields))
    assert (many.bytes or 0, many.calls) > (few.bytes or 0, few.calls)


def _warmed(stage: Stage, launch: Launch) -> WarmClient:
    """The client after 500 exchanges; only what counting allocations asks of it is there."""
    stage.client.run(500, TIMEOUT_S)
    course = SimpleNamespace(workload=SimpleNamespace(settings=KEPT))
    subject = SimpleNamespace(course=course, launch=launch)

    def run(iterations: int, *, allocations: bool = False) -> Timed:
        return stage.client.run_timed(iterations, TIMEOUT_S, no_cpu, allocations=allocations)

    warm = SimpleNamespace(subject=subject, adapter=stage.client, iteration_ms=5.0, run=run)
    return cast(WarmClient, warm)


@pytest.mark.parametrize("name", ["rust/minreq", "cpp/cpp-httplib"])
def test_threads_outlive_a_batch(name: str, origin: BuiltInOrigin, tmp_path: Path) -> None:
    """To start them anew would be a part of each batch's time."""
    four = Settings(reuse=None, concurrency=4)
    with prepared(name, Exchange("GET", "/bytes/16"), origin, tmp_path, four) as stage:
        threads = []
        for _ in range(2):
            assert stage.client.run(8, TIMEOUT_S).done == 8
            threads.append(sorted(os.listdir(f"/proc/{stage.client.pid}/task")))
    assert threads[0] == threads[1]
    assert len(threads[0]) >= 4


@pytest.mark.parametrize(
    "name",
    [
        "go/net-http",
        "go/resty",
        "rust/ureq",
        "c/libcurl+multi",
        "java/httpurlconnection",
        "java/jetty-client",
        "php/curl+multi",
        "php/guzzle",
        "python/niquests+async",
        "ruby/curb+multi",
    ],
)
def test_as_many_connections_are_kept_as_were_in_use(
    name: str, origin: BuiltInOrigin, tmp_path: Path
) -> None:
    """Their pools hold or keep fewer, unless they are told otherwise."""
    many = Settings(reuse=True, concurrency=120)
    with prepared(name, Exchange("GET", "/delay/300"), origin, tmp_path, many) as stage:
        opened = []
        for _ in range(2):
            assert stage.client.run(120, TIMEOUT_S).done == 120
            opened.append(stage.connections)
    assert opened == [120, 120]


@pytest.mark.parametrize("name", ["rust/curl"])
def test_the_memory_of_an_answer_is_that_of_the_next(
    name: str, origin: BuiltInOrigin, tmp_path: Path
) -> None:
    """As in a loop over libcurl; blocks as large as these are the kernel's again once freed."""
    with prepared(name, Exchange("GET", "/bytes/40000000"), origin, tmp_path) as stage:
        stage.client.run(1, TIMEOUT_S)
        used = stage.client.meter()
        assert stage.client.run(3, TIMEOUT_S).done == 3
        found = used()
    assert found is not None and found.usage.page_faults is not None
    assert found.usage.page_faults < 100


@pytest.mark.parametrize("name", ["command/wget", "command/wget2", "rust/ureq"])
def test_a_post_without_a_body_is_sent_as_one(
    name: str, origin: BuiltInOrigin, tmp_path: Path
) -> None:
    """The origin refuses any other method there."""
    with prepared(name, Exchange("POST", "/upload"), origin, tmp_path) as stage:
        answer = stage.client.run(1, TIMEOUT_S)
    assert (answer.done, answer.error) == (1, "")


@pytest.mark.parametrize("name", ["cpp/poco"])
def test_content_that_does_not_go_on_is_an_error(
    name: str, origin: BuiltInOrigin, tmp_path: Path
) -> None:
    """To a reader of Poco's stream, it only ends."""
    impatient = Settings(reuse=None, timeout_ms=TimeoutsMs(read=300))
    drip = Exchange("GET", "/drip/2?ms=2000")
    with prepared(name, drip, origin, tmp_path, impatient) as stage:
        answer = stage.client.run(1, TIMEOUT_S)
    assert (answer.done, answer.failed) == (0, 1)
    assert "imeout" in answer.error


CHANGED_BY_LUAS_PARSER = {
    '{"none":[]}': "cjson cannot write empty lists",
    '[{"pi":3.141592653589793}]': "cjson cannot write numbers of more than 14 digits",
    '{"none":{},"null":[null],"half":0.5,"text":"[]","list":[1,[2]]}': "",
}


@pytest.mark.parametrize("name", ["lua/luasocket"])
def test_what_luas_parser_would_change_is_not_sent(
    name: str, origin: BuiltInOrigin, tmp_path: Path
) -> None:
    for document, said in CHANGED_BY_LUAS_PARSER.items():
        post = Exchange("POST", "/json", JsonBody(document))
        with prepared(name, post, origin, tmp_path) as stage:
            assert stage.answer.error == said
