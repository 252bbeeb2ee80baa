"""The cases: what an adapter that declares a feature must do with it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from fetchoff.contract.case import Case, Judge
from fetchoff.contract.judges import (
    arrived,
    connections,
    content,
    content_bytes,
    done,
    everything,
    failed,
    flat_memory,
    in_flight,
    negotiated,
    parsed,
    pointing_to,
    requests,
    sent_out,
    spun,
    streams,
    through_proxy,
    within_s,
)
from fetchoff.model.workload import (
    Body,
    Exchange,
    Expect,
    FilePart,
    FormBody,
    JsonBody,
    MultipartBody,
    Protocol,
    RawBody,
    Settings,
    Sink,
    TimeoutsMs,
    Workload,
)

FIELDS = (("comment", "two words & a = sign, 100 % Grüße"), ("user", "ada"))
OCTETS = "application/octet-stream"
KEPT = Settings(reuse=None)
MEGABYTE = 1_000_000
AT_ONCE_S = 0.25  # whoever gives up before that has not waited for 300 ms


def _workload(name: str, settings: Settings, *exchanges: Exchange) -> Workload:
    return Workload(name, "contract", exchanges, settings)


def _get(target: str, **expect: object) -> Exchange:
    return Exchange("GET", target, expect=replace(Expect(), **expect))  # type: ignore[arg-type]


def _right(name: str, settings: Settings, *exchanges: Exchange, and_: Judge | None = None) -> Case:
    """One iteration whose contents must be right, with as many requests as exchanges."""
    count = len(exchanges)
    judges = [done(count), content()] + ([and_] if and_ else [requests(count)])
    return Case(name, _workload(name, settings, *exchanges), everything(*judges), digest=True)


def _thrice(name: str, settings: Settings, exchange: Exchange) -> Case:
    """An iteration without digests, one with them, and one without, in one `prepare`.

    An adapter that tells its library only what has changed may miss that the sink has.
    """
    judges = (done(3), content(), requests(3))
    workload = _workload(name, settings, exchange)
    return Case(name, workload, everything(*judges), digest=True, thrice=True)


def _repeated(name: str, settings: Settings, n: int, target: str, *judges: Judge) -> Case:
    workload = _workload(name, settings, _get(target))
    return Case(name, workload, everything(done(n), requests(n), *judges), iterations=n)


def _must_fail(name: str, exchange: Exchange, settings: Settings = KEPT, *judges: Judge) -> Case:
    workload = _workload(name, settings, exchange)
    return Case(name, workload, everything(failed(1), *judges), fails=True)


def _streamed_too(case: Case) -> tuple[Case, Case]:
    """The case, and the same with content that is streamed, where libraries fail in other ways."""
    name = f"{case.name}-streamed"
    settings = replace(case.workload.settings, sink=Sink.DISCARD)
    workload = replace(case.workload, id=name, settings=settings)
    return case, replace(case, name=name, workload=workload)


def _send(name: str, method: str, target: str, body: Body) -> Case:
    return _right(name, KEPT, Exchange(method, target, body))


def methods_and_bodies() -> list[Case]:
    """Every method and kind of body arrives unchanged, as the origin's answer shows."""
    parts = (FilePart("file", "numbers.bin", OCTETS, 70_000),)
    return [
        _right("get", KEPT, _get("/bytes/16")),
        _right(
            "head",
            KEPT,
            Exchange("HEAD", f"/bytes/{MEGABYTE}", expect=Expect(bytes=0)),
            and_=everything(requests(1), sent_out(most=10_000)),
        ),
        _send("post-form", "POST", "/form", FormBody(FIELDS)),
        _thrice(
            "post-json",
            KEPT,
            Exchange("POST", "/json", JsonBody('{"list":[1,2,{"ü":null}],"yes":true}')),
        ),
        _send("post-multipart", "POST", "/multipart", MultipartBody(FIELDS)),
        _send("post-multipart-file", "POST", "/multipart", MultipartBody(FIELDS, parts)),
        _send("post-raw", "POST", "/upload", RawBody(OCTETS, 70_000)),
        _send("post-raw-large", "POST", "/upload", RawBody(OCTETS, 5 * MEGABYTE)),
        _send("put", "PUT", "/upload", RawBody(OCTETS, 70_000)),
        _thrice(
            "headers",
            KEPT,
            Exchange("GET", "/need/x-fetchoff/yes", headers=(("X-Fetchoff", "yes"),)),
        ),
        _right("two-exchanges", KEPT, _get("/bytes/10"), _get("/json/17")),
    ]


def answers() -> list[Case]:
    """Clients deliver answers of every framing and size completely."""
    return [
        _right("empty", KEPT, _get("/bytes/0")),
        _right("no-content", KEPT, _get("/status/204", status=204)),
        _right("chunked", KEPT, _get("/chunked/100000")),
        _right("ten-megabytes", KEPT, _get("/bytes/10000000")),
        _right("not-found", KEPT, _get("/nowhere", status=404)),
        Case(
            "bytes-counted",
            _workload("bytes-counted", KEPT, _get("/bytes/1234")),
            everything(done(5), content_bytes(5 * 1234), sent_out(least=5 * 1234)),
            iterations=5,
        ),
    ]


def sinks() -> list[Case]:
    """Clients receive the same content whether they buffer, parse, discard or store it."""
    document = _get("/json/335114", json=("end", "335114"))
    stream = _get("/bytes/3000000")
    return [
        _right(
            "sink-json",
            Settings(reuse=None, sink=Sink.JSON),
            document,
            and_=everything(requests(1), parsed()),
        ),
        _right(
            "sink-json-17",
            Settings(reuse=None, sink=Sink.JSON),
            _get("/json/17", json=("foo", "bar")),
        ),
        _thrice("sink-discard", Settings(reuse=None, sink=Sink.DISCARD), stream),
        _thrice("sink-file", Settings(reuse=None, sink=Sink.FILE), stream),
        _right("read-size", Settings(reuse=None, sink=Sink.DISCARD, read_size=16_384), stream),
        replace(
            # Garbage-collected runtimes keep tens of megabytes before they collect.
            _streamed(300, most_mb=120),
            # PyPy's keeps as much as half of the processor's cache holds: 240 MB were seen.
            otherwise=_streamed(1500, most_mb=750),
        ),
    ]


def _streamed(content_mb: int, most_mb: int) -> Case:
    size = content_mb * MEGABYTE
    settings = Settings(reuse=None, sink=Sink.DISCARD, read_size=65_536)
    return Case(
        "flat-memory",
        _workload("flat-memory", settings, _get(f"/bytes/{size}")),
        everything(done(1), content_bytes(size), sent_out(least=size), flat_memory(1000 * most_mb)),
    )


def connection_use() -> list[Case]:
    """Clients keep, renew and close connections as requested."""
    head = Exchange("HEAD", "/bytes/16", expect=Expect(bytes=0))
    return [
        # Two, for pools that open a second connection before the first is returned to them.
        _repeated("reuse", Settings(reuse=True), 20, "/bytes/16", connections(1, 2)),
        # RFC 9110, section 9.3.2: the response to HEAD announces a length but has no content.
        replace(
            _repeated(
                *("head-reuse", Settings(reuse=True), 10, "/bytes/16"),
                pointing_to("docs/protocol.md", connections(1, 2)),
            ),
            workload=_workload("head-reuse", Settings(reuse=True), head),
        ),
        _repeated("fresh", Settings(reuse=False), 10, "/bytes/16", connections(10, 10)),
        _repeated(
            "origin-closes", Settings(reuse=True), 5, "/bytes/16?keep-alive=off", connections(5, 5)
        ),
        _repeated(
            "concurrency",
            Settings(reuse=None, concurrency=4),
            16,
            "/delay/60",
            in_flight(4),
            within_s(3),
        ),
    ]


def settings() -> list[Case]:
    """Cookies, codings and redirects work as docs/protocol.md describes."""
    login = FormBody((("password", "secret"), ("user", "ada")))
    gzip = _get("/gzip/200000")
    follow = Settings(reuse=None, redirects=5)
    return [
        _right(
            "cookies",
            Settings(reuse=None, cookies=True),
            Exchange("POST", "/login", login),
            _get("/private"),
        ),
        _right(
            "no-cookies",
            KEPT,
            Exchange("POST", "/login", login),
            # HEAD, because this case doesn't test how a client treats the content of a 401.
            Exchange("HEAD", "/private", expect=Expect(401, bytes=0)),
        ),
        _right(
            "decompression",
            Settings(reuse=None, decompress=True),
            gzip,
            and_=sent_out(most=100_000),
        ),
        _right("no-decompression", KEPT, gzip, and_=sent_out(least=200_000)),
        _right("redirects", follow, _get("/redirect/3"), and_=requests(5)),
        _right("no-redirects", KEPT, _get("/redirect/3", status=302)),
    ]


def timeouts() -> list[Case]:
    """Timeouts end an exchange, whether its content is buffered or streamed."""
    slow = _get("/delay/5000")
    total = Settings(reuse=None, timeout_ms=TimeoutsMs(total=300))
    read = Settings(reuse=None, timeout_ms=TimeoutsMs(read=300))
    connect = Settings(reuse=None, timeout_ms=TimeoutsMs(connect=300))
    waited = within_s(3, AT_ONCE_S)
    cases = (
        _must_fail("timeout-total", slow, total, waited),
        # Bytes keep arriving, but the whole answer takes two seconds.
        _must_fail("timeout-total-drip", _get("/drip/100?ms=20"), total, waited),
        _must_fail("timeout-read", slow, read, arrived(), waited),
        replace(
            _must_fail("timeout-connect", _get("/bytes/16"), connect, within_s(4, AT_ONCE_S)),
            elsewhere="black hole",
        ),
    )
    return [one for case in cases for one in _streamed_too(case)]


def transports() -> list[Case]:
    """Clients really use TLS, HTTP/2 and proxies when requested."""
    tls = Settings(reuse=None, tls=True)
    h2 = Settings(reuse=None, tls=True, protocol=Protocol.H2)
    h2c = Settings(reuse=None, protocol=Protocol.H2C)
    proxy = Settings(reuse=None, proxy=True)
    contents = (_get("/bytes/16"), _get("/bytes/3000000"))  # more than the window of most clients
    return [
        _right("tls", tls, *contents),
        replace(_must_fail("tls-untrusted", _get("/bytes/16"), tls, requests(0)), trusts=False),
        _repeated("tls-reuse", replace(tls, reuse=True), 20, "/bytes/16", connections(1, 2)),
        _right("h2", h2, *contents, and_=everything(requests(2), negotiated("h2"), streams(2))),
        _right("h2c", h2c, *contents, and_=everything(requests(2), streams(2))),
        _right("h2-upload", h2, Exchange("POST", "/upload", RawBody(OCTETS, 5 * MEGABYTE))),
        _multiplexed("h2-multiplexed", h2),
        _multiplexed("h2c-multiplexed", h2c),
        _right("proxy", proxy, *contents, and_=everything(requests(2), through_proxy(2))),
    ]


def _multiplexed(name: str, settings: Settings) -> Case:
    """Concurrent exchanges share the connection that the first exchange opened."""
    settings = replace(settings, reuse=True, concurrency=4)
    judges = (in_flight(4), connections(0, 0), streams(16 + 1))
    return replace(_repeated(name, settings, 16, "/delay/60", *judges), first=True)


def codings() -> list[Case]:
    """Clients request and decode codings besides gzip."""
    return [
        replace(
            _right(
                f"coding-{coding}",
                Settings(reuse=None, decompress=True),
                _get(f"/{coding}/200000"),
                and_=sent_out(most=100_000),
            ),
            features=(f"coding.{coding}",),
        )
        for coding in ("deflate", "br", "zstd")
    ]


def failures() -> list[Case]:
    """Clients count wrong answers as failed, never as done."""
    return [
        _must_fail("truncated", _get("/truncate/100000", bytes=100_000)),
        # All bytes arrive, and the last chunk is missing (RFC 9112, section 8).
        _must_fail("truncated-chunked", _get("/truncate/100000?chunk=4096", bytes=100_000)),
        _must_fail("wrong-status", _get("/status/500")),
        _must_fail("wrong-length", _get("/bytes/16", bytes=17)),
        _must_fail(
            "wrong-json",
            _get("/json/17", json=("foo", "baz")),
            Settings(reuse=None, sink=Sink.JSON),
        ),
        *_streamed_too(replace(_must_fail("refused", _get("/bytes/16")), elsewhere="closed")),
    ]


def harness() -> list[Case]:
    """Abilities that the harness itself relies on."""
    return [
        Case(
            "busy",
            _workload("busy", KEPT, _get("/bytes/16")),
            everything(done(20), requests(20), spun(20, 2_000_000)),
            iterations=20,
            busy_ns=2_000_000,
            features=("inject.busy",),
        ),
        _repeated("fifty", KEPT, 50, "/bytes/16"),
        # What has not changed is not sent again to those who ask whether it has.
        Case(
            "unconditional",
            _workload("unconditional", KEPT, _get("/bytes/16")),
            done(3),
            iterations=3,
            elsewhere="dated",
        ),
    ]


def all_cases() -> list[Case]:
    """The whole contract, in the order in which it is tested."""
    groups = (
        methods_and_bodies,
        answers,
        sinks,
        connection_use,
        settings,
        timeouts,
        codings,
        transports,
        failures,
        harness,
    )
    return [case for group in groups for case in group()]


def plain_get(features: Collection[str]) -> Workload:
    """One small GET, over h2c for clients that don't speak HTTP/1.1."""
    settings = KEPT if Protocol.HTTP_1_1 in features else replace(KEPT, protocol=Protocol.H2C)
    return _workload("plain-get", settings, _get("/bytes/16"))
