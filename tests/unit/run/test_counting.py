"""What servers tell of requests, read from their logs and statistics."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.errors import OriginError
from fetchoff.model.observation import Seen
from fetchoff.model.origin import AccessLog, Counted, Statistics
from fetchoff.run.network.seam import LOOPBACK
from fetchoff.run.origins.counting import LogTally, StatisticsTally, counts_of, tally_of

LOG = AccessLog("access.log", first=1, bytes=True)


def test_a_log_that_is_not_there_yet(tmp_path: Path) -> None:
    assert LogTally(tmp_path / "access.log", LOG).read() == Seen()


def test_only_whole_lines_are_read_and_each_once(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    tally = LogTally(path, LOG)
    path.write_text("1 100 200\n2 10 20\n1 1")
    assert tally.read() == Seen(requests=2, connections=1, bytes_in=110, bytes_out=220)
    with path.open("a") as log:
        log.write(" 2\n")
    assert tally.read() == Seen(requests=3, connections=2, bytes_in=111, bytes_out=222)
    assert tally.read() == Seen(requests=3, connections=2, bytes_in=111, bytes_out=222)


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 10**6), st.integers(0, 10**9))))
def test_sums_of_a_log(
    tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[int, ...]]
) -> None:
    path = tmp_path_factory.mktemp("log") / "access.log"
    path.write_text("".join(f"{' '.join(map(str, line))}\n" for line in lines))
    assert LogTally(path, LOG).read() == Seen(
        requests=len(lines),
        connections=sum(first == 1 for first, _, _ in lines),
        bytes_in=sum(received for _, received, _ in lines),
        bytes_out=sum(sent for _, _, sent in lines),
    )


def test_lines_of_any_form_are_requests(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    path.write_text('{"status": 200}\n{"status": 200}\n')
    assert LogTally(path, AccessLog("access.log")).read() == Seen(requests=2)


@pytest.mark.parametrize(
    ("counted_by", "counts"),
    [
        (LOG, {Counted.REQUESTS, Counted.CONNECTIONS, Counted.BYTES}),
        (None, set()),
        (AccessLog("log"), {Counted.REQUESTS}),
        (Statistics("/", ("a",)), {Counted.REQUESTS}),
        (Statistics("/", ("a",), ("b",)), {Counted.REQUESTS, Counted.CONNECTIONS}),
    ],
)
def test_what_can_be_told(counted_by: AccessLog | Statistics | None, counts: set[Counted]) -> None:
    assert counts_of(counted_by) == counts


@pytest.mark.parametrize("line", ["GET / 200", "1 100", "1 - 200", ""])
def test_a_line_that_is_not_as_the_origin_says(line: str, tmp_path: Path) -> None:
    (tmp_path / "access.log").write_text(f"1 10 20\n{line}\n")
    with pytest.raises(OriginError, match=rf"access\.log cannot be counted: '{line}'") as error:
        LogTally(tmp_path / "access.log", LOG).read()
    assert "origin.toml" in error.value.hint


def test_each_server_is_counted_in_its_own_way(port: int, tmp_path: Path) -> None:
    (tmp_path / "access.log").write_text("1 10 20\n")
    logged = tally_of(LOG, tmp_path, LOOPBACK, port)
    asked = tally_of(Statistics("/stats", ("open",)), tmp_path, LOOPBACK, port)
    uncounted = tally_of(None, tmp_path, LOOPBACK, port)
    assert [tally.read().requests for tally in (logged, asked, uncounted)] == [1, 2, 0]
    assert logged.counts == counts_of(LOG)
    assert uncounted.counts == frozenset()


@pytest.fixture
def port() -> Iterator[int]:
    """A server whose statistics are its path."""

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            text = {
                "/stats": json.dumps({"nodes": {"x": {"get": 3}, "y": {"get": 4}}, "open": 2}),
                "/garbage": "none",
            }[self.path]
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = HTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()


def test_a_connection_that_the_server_closed_is_opened_anew() -> None:
    """Servers close what was idle for some seconds, and clients may warm up for longer."""
    asked: list[int] = []

    class Impatient(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 0.05

        def do_GET(self) -> None:
            asked.append(self.client_address[1])
            text = json.dumps({"open": len(asked)})
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Impatient) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        tally = StatisticsTally(LOOPBACK, server.server_port, Statistics("/", ("open",)))
        assert tally.read().requests == 1
        time.sleep(0.3)
        assert tally.read().requests == 2
        server.shutdown()
    assert len(set(asked)) == 2


def test_statistics_are_summed_over_what_a_star_stands_for(port: int) -> None:
    statistics = Statistics("/stats", ("nodes.*.get", "nodes.*.not-yet"), ("open",))
    assert StatisticsTally(LOOPBACK, port, statistics).read() == Seen(requests=7, connections=2)


def test_statistics_that_are_none(port: int) -> None:
    with pytest.raises(OriginError, match="does not tell its statistics"):
        StatisticsTally(LOOPBACK, port, Statistics("/garbage", ("a",))).read()
