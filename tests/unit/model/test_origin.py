"""What an origin can serve, and what it lacks."""

from __future__ import annotations

import pytest

from fetchoff.model.behaviour import Behaviour
from fetchoff.model.origin import Serves
from fetchoff.model.workload import Exchange, Expect, FormBody, Protocol, Settings, Workload

FILES = Serves(
    protocols=frozenset({Protocol.HTTP_1_1, Protocol.H2}),
    tls=True,
    files=True,
    methods=frozenset({"GET", "POST"}),
)
GET = Exchange("GET", "/bytes/16")
POST = Exchange("POST", "/form", FormBody((("a", "1"),)))


def workload(*exchanges: Exchange, settings: Settings = Settings()) -> Workload:  # noqa: B008
    return Workload("w", "", exchanges, settings)


@pytest.mark.parametrize("exchanges", [(GET,), (POST,), (GET, POST)])
def test_files_answer(exchanges: tuple[Exchange, ...]) -> None:
    assert FILES.lacks(workload(*exchanges)) == ""
    assert FILES.lacks(workload(GET, settings=Settings(protocol=Protocol.H2, tls=True))) == ""


@pytest.mark.parametrize(
    ("asked", "lack"),
    [
        (workload(Exchange("PUT", "/upload")), "PUT /upload is not answered"),
        (workload(Exchange("GET", "/x", expect=Expect(404))), "GET /x is not answered"),
        (workload(GET, settings=Settings(cookies=True)), "GET /bytes/16 is not answered"),
        (workload(GET, settings=Settings(redirects=3)), "GET /bytes/16 is not answered"),
        (workload(GET, settings=Settings(decompress=True)), "GET /bytes/16 is not answered"),
        (workload(GET, settings=Settings(proxy=True)), "it is no proxy"),
        (workload(GET, settings=Settings(protocol=Protocol.H2C)), "h2c is not spoken"),
        (
            workload(GET, settings=Settings(tls=True, tickets=False)),
            "whether it lets TLS sessions be resumed cannot be chosen",
        ),
        (
            workload(GET, settings=Settings(behaviour=Behaviour(keep_alive=False))),
            "how it behaves where HTTP and TCP leave a choice cannot be chosen",
        ),
        (workload(Exchange("GET", "/delay/100")), "GET /delay/100 is not answered"),
        (workload(Exchange("GET", "/drip/5?ms=1")), "GET /drip/5?ms=1 is not answered"),
        (workload(Exchange("GET", "/need/a/b")), "GET /need/a/b is not answered"),
        (workload(Exchange("POST", "/echo")), "POST /echo is not answered"),
    ],
)
def test_what_files_do_not_answer(asked: Workload, lack: str) -> None:
    assert FILES.lacks(asked) == lack


def test_tls_is_spoken_or_not() -> None:
    assert Serves(files=True).lacks(workload(GET, settings=Settings(tls=True))) == (
        "TLS is not spoken"
    )


def test_own_answers_are_for_every_method_and_setting() -> None:
    store = Serves(own=("/documents/.*",))
    put = Exchange("PUT", "/documents/_doc/1")
    assert store.lacks(workload(put)) == ""
    assert store.lacks(workload(put, GET)) == "GET /bytes/16 is not answered"
    before = Workload("w", "", (put,), before=(GET,))
    assert store.lacks(before) == "GET /bytes/16 is not answered"
