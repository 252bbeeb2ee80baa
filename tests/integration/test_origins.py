"""Clients measured against servers other than the built-in one."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command import FAKES, Command, Ran, fake
from tests.integration.processes import wait_for_none
from tests.integration.runs import results

from fetchoff.app.courses import courses
from fetchoff.build import servers
from fetchoff.catalog import files, origins, workloads
from fetchoff.model.client import Readiness
from fetchoff.store.run_folder import RunFolder

SERVERS = str(FAKES / "_origins")
ANSWERED = {
    "files": ("tiny.toml",),
    "files and posts": ("tiny.toml", "post.toml"),
    "hi": ("hi-get", "hi-post"),
    "documents": ("store-read", "store-write@100", "store-mix", "store-search"),
}
SERVED_BY = {
    "apache": "files and posts",
    "caddy": "files",
    "nginx": "files and posts",
    "opensearch": "documents",
    "sinatra": "hi",
}
POST = """\
schema = 1
about = "POST of a small form, answered with a file"
batch_ms = 2

[[exchange]]
method = "POST"
target = "/form"
body = { kind = "form", fields = [["user", "ada"]] }
"""


@pytest.fixture
def folder(fetchoff: Command) -> Path:
    (fetchoff.folder / "post.toml").write_text(POST)
    return fetchoff.folder


def run(fetchoff: Command, origin: str, *arguments: str, client: str = "") -> Ran:
    client = client or fake("honest")
    fetchoff("setup", client)
    given = ("run", "--origin", origin, "-c", client, "--budget", "1", "--out", "run", *arguments)
    return fetchoff(*given, timeout_s=180)


def test_every_server_has_a_test() -> None:
    assert set(origins.names()) == set(SERVED_BY)


@pytest.mark.parametrize("name", origins.names())
def test_real_servers(name: str, fetchoff: Command, folder: Path) -> None:
    """Every answer is verified, and the server's own log or statistics count every request."""
    server = servers.state(origins.origin(name))
    if server.readiness is not Readiness.READY:
        pytest.skip(f"{server.reason} ({server.hint})")
    cache = str(server.built.parent.parent)
    chosen = [argument for name in ANSWERED[SERVED_BY[name]] for argument in ("-w", name)]
    ran = run(Command(folder, Path(cache)), name, *chosen, client="python/urllib3")
    assert ran.status == 0, ran.err
    found = results(folder / "run")
    assert {result["workload"] for result in found["results"]} == {
        Path(name).stem for name in ANSWERED[SERVED_BY[server.manifest.id]]
    }
    for result in found["results"]:
        outcomes = {standing["client"]: standing["outcome"] for standing in result["standings"]}
        assert outcomes == {"python/urllib3": "ok"}, result
    header = RunFolder.open(folder / "run").header
    assert (header.origin.id, header.origin.version) == (name, server.version)
    assert "requests" in header.origin.counts


def test_what_is_counted_is_checked(fetchoff: Command) -> None:
    ran = run(fetchoff, f"{SERVERS}/honest", "-w", "tiny.toml")
    assert ran.status == 0, ran.err
    dishonest = run(
        fetchoff, f"{SERVERS}/honest", "-w", "tiny.toml", "-o", "caching", client=fake("caching")
    )
    assert dishonest.status == 4
    assert "the origin saw" in dishonest.out + dishonest.err


def test_a_log_with_gaps_makes_results_invalid(fetchoff: Command) -> None:
    ran = run(fetchoff, f"{SERVERS}/uncounted", "-w", "tiny.toml")
    assert ran.status == 4
    assert "the origin saw 0 requests" in ran.out + ran.err


def test_a_server_that_dies(fetchoff: Command, folder: Path) -> None:
    """It is restarted for the rest of a round; then the run ends and keeps its measurements."""
    ran = run(fetchoff, f"{SERVERS}/dies", "-w", "tiny.toml")
    assert ran.status == 5
    assert "dies ended with exit status 7; its last words: out of order" in ran.err
    assert "batches are kept" in ran.err
    assert "out of order" in (folder / "run" / "dies.log").read_text()
    assert wait_for_none(folder) == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("refuses", "refuses ended with exit status 1; its last words: cannot be configured"),
        ("silent", "silent does not answer within 2 s; its last words: thinking"),
    ],
)
def test_a_server_that_does_not_start(
    fault: str, said: str, fetchoff: Command, folder: Path
) -> None:
    ran = run(fetchoff, f"{SERVERS}/{fault}", "-w", "tiny.toml")
    assert ran.status == 5
    assert said in ran.err
    assert f"run/{fault}.log" in ran.err
    assert "Traceback" not in ran.err
    assert wait_for_none(folder) == []


def test_a_port_that_somebody_took_meanwhile(fetchoff: Command) -> None:
    """The next attempt uses other ports."""
    ran = run(fetchoff, f"{SERVERS}/unlucky", "-w", "tiny.toml")
    assert ran.status == 0, ran.err


def test_an_interrupted_run_goes_on_with_its_server(fetchoff: Command, folder: Path) -> None:
    run(fetchoff, f"{SERVERS}/dies", "-w", "tiny.toml")
    resumed = fetchoff("resume", "run")
    assert resumed.status == 5
    assert "dies ended with exit status 7" in resumed.err
    header = folder / "run" / "run.json"
    text = header.read_text()
    version = RunFolder.open(folder / "run").header.origin.version
    header.write_text(text.replace(f'"version": "{version}"', '"version": "2.7.18"'))
    other = fetchoff("resume", "run")
    assert other.status == 5
    assert "has changed since this run began: it was 2.7.18" in other.err


def test_what_a_server_cannot_answer_is_refused_before(fetchoff: Command, folder: Path) -> None:
    ran = run(fetchoff, f"{SERVERS}/honest", "-w", "post.toml")
    assert ran.status == 2
    assert "cannot serve workload 'post': POST /form is not answered" in ran.err
    assert not (folder / "run").exists()


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    """The user's own server, which serves files of 16 bytes."""
    (tmp_path / "bytes").mkdir()
    (tmp_path / "bytes" / "16").write_bytes(b"sixteen bytes ok")

    class Quiet(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def __init__(self, *arguments: object) -> None:
            super().__init__(*arguments, directory=str(tmp_path))  # type: ignore[arg-type]

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_a_url(url: str, fetchoff: Command, folder: Path) -> None:
    ran = run(fetchoff, url, "-w", "tiny.toml")
    assert ran.status == 0, ran.err
    header = RunFolder.open(folder / "run").header
    assert (header.origin.id, header.origin.counts) == (url, ())
    careless = run(fetchoff, url, "-w", "tiny.toml", "-o", "other", client=fake("careless"))
    assert "is not what the origin sent" in careless.out + careless.err


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        ("http://192.0.2.1:80", "192.0.2.1 is neither this machine nor in a private network"),
        ("ftp://127.0.0.1", "'ftp://127.0.0.1' cannot be an origin"),
        ("ngnix", "unknown origin 'ngnix'"),
    ],
)
def test_an_origin_that_cannot_be(origin: str, said: str, fetchoff: Command) -> None:
    ran = run(fetchoff, origin, "-w", "tiny.toml")
    assert ran.status == 2
    assert said in ran.err
    assert "hint:" in ran.err


def test_every_suite_can_be_served_by_its_origin() -> None:
    for name in files.names("suites"):
        suite = workloads.suite(name)
        if suite.origin == "built-in":
            continue
        serves = origins.origin(suite.origin).serves
        for full in (False, True):
            chosen = courses(workloads.suite(name, full=full).workloads)
            assert [serves.lacks(course.workload) for course in chosen] == [""] * len(chosen)
