"""What is fetched before anything is measured, and what is refused then."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fetchoff.model.errors import InputError
from fetchoff.model.workload import (
    Exchange,
    Expect,
    FilePart,
    FormBody,
    JsonBody,
    MultipartBody,
    RawBody,
    Settings,
    Workload,
)
from fetchoff.protocol.content import content
from fetchoff.run.origins.built_in import BuiltInOrigin
from fetchoff.run.origins.reference import do_before, fetch, save


@pytest.fixture
def base_url(tmp_path: Path) -> Iterator[str]:
    origin = BuiltInOrigin(tmp_path)
    yield origin.open().base_url
    origin.end()


def workload(target: str, expect: Expect) -> Workload:
    return Workload("mine", "", (Exchange("GET", target, expect=expect),))


def test_digest_and_length(base_url: str) -> None:
    found = fetch(workload("/bytes/3000000", Expect()), base_url)
    assert found.workload.exchanges[0].expect.bytes == 3_000_000
    assert found.sha256 == (hashlib.sha256(content(3_000_000)).hexdigest(),)


def test_what_varies_has_no_length(base_url: str) -> None:
    found = fetch(workload("/bytes/5", Expect(varies=True)), base_url)
    assert found.workload.exchanges[0].expect.bytes is None


def test_a_member_that_is_right(base_url: str) -> None:
    fetch(workload("/json/17", Expect(json=("foo", "bar"))), base_url)


@pytest.mark.parametrize(
    ("target", "expect", "said"),
    [
        ("/bytes/5", Expect(status=404), "expects status 404 of GET /bytes/5"),
        ("/bytes/5", Expect(bytes=6), "expects 6 bytes of GET /bytes/5, the origin answers 5"),
        ("/json/17", Expect(json=("foo", "baz")), 'to be the text "baz": it is "bar"'),
        ("/json/17", Expect(json=("fo", "bar")), 'to be the text "bar": it is not there'),
        ("/bytes/5", Expect(json=("foo", "bar")), 'to be the text "bar": it is not there'),
    ],
)
def test_an_expectation_that_is_wrong(
    target: str, expect: Expect, said: str, base_url: str
) -> None:
    with pytest.raises(InputError) as refused:
        fetch(workload(target, expect), base_url)
    assert said in refused.value.message
    assert refused.value.hint.startswith("mend the workload's 'expect'")


def test_what_is_done_before(base_url: str) -> None:
    put = Exchange("PUT", "/documents/_doc/1", JsonBody('{"a":1}'))
    get = Exchange("GET", "/documents/_source/1")
    stored = Workload("mine", "", (get,), before=(put,))
    do_before(stored, base_url)
    assert fetch(stored, base_url).sha256 == (hashlib.sha256(b'{"a":1}').hexdigest(),)


def test_what_cannot_be_done_before(base_url: str) -> None:
    wrong = Workload("mine", "", (), before=(Exchange("GET", "/nowhere"),))
    with pytest.raises(InputError, match="begins with GET /nowhere"):
        do_before(wrong, base_url)


def answer(exchange: Exchange, base_url: str, folder: Path) -> str:
    """What the origin answers, as it is saved for servers that answer with files."""
    save(exchange, base_url, folder / "answer")
    return (folder / "answer").read_text()


def test_forms_documents_and_files_arrive_as_they_were_meant(base_url: str, tmp_path: Path) -> None:
    form = FormBody((("a b", "1&2"), ("ü", "")))
    assert answer(Exchange("POST", "/form", form), base_url, tmp_path) == "a+b=1%262&%C3%BC="
    document = JsonBody('{"b": 1, "a": []}')
    assert answer(Exchange("POST", "/json", document), base_url, tmp_path) == '{"a":[],"b":1}'
    raw = RawBody("application/pdf", 1000)
    uploaded = json.loads(answer(Exchange("PUT", "/upload", raw), base_url, tmp_path))
    assert uploaded["sha256"] == hashlib.sha256(content(1000)).hexdigest()


def test_parts_of_a_multipart_body(base_url: str, tmp_path: Path) -> None:
    body = MultipartBody((("who", "me"),), (FilePart("photo", "me.png", "image/png", 70_000),))
    said = json.loads(answer(Exchange("POST", "/multipart", body), base_url, tmp_path))
    field, file = said["parts"]
    assert (field["name"], field["filename"], field["bytes"]) == ("who", None, 2)
    assert (file["name"], file["filename"], file["content_type"], file["bytes"]) == (
        *("photo", "me.png"),
        *("image/png", 70_000),
    )
    assert file["sha256"] == hashlib.sha256(content(70_000)).hexdigest()


def test_cookies_and_redirects_as_the_workload_has_them(base_url: str) -> None:
    login = Exchange("POST", "/login", FormBody((("user", "u"), ("password", "p"))))
    private = Exchange("GET", "/private")
    both = Workload("w", "", (login, private), Settings(cookies=True))
    assert fetch(both, base_url).sha256[1] == hashlib.sha256(b"private").hexdigest()
    with pytest.raises(InputError, match=r"status 200 of GET /private, .* answers 401"):
        fetch(Workload("w", "", (login, private)), base_url)
    there = Exchange("GET", "/redirect/2")
    followed = fetch(Workload("w", "", (there,), Settings(redirects=3)), base_url)
    assert followed.sha256 == (hashlib.sha256(b"Hi").hexdigest(),)
    with pytest.raises(InputError, match="answers 302"):
        fetch(Workload("w", "", (there,)), base_url)


@pytest.mark.parametrize(("leads_on", "most"), [(0, 1), (12, 13), (12, 20), (99, 100)])
def test_as_many_redirects_as_the_workload_follows(leads_on: int, most: int, base_url: str) -> None:
    there = Exchange("GET", f"/redirect/{leads_on}")
    followed = fetch(Workload("w", "", (there, there), Settings(redirects=most)), base_url)
    assert followed.sha256 == (hashlib.sha256(b"Hi").hexdigest(),) * 2


@pytest.mark.parametrize(("leads_on", "most"), [(1, 1), (5, 3), (12, 12)])
def test_more_redirects_than_the_workload_follows(leads_on: int, most: int, base_url: str) -> None:
    there = Exchange("GET", f"/redirect/{leads_on}")
    with pytest.raises(InputError, match=f"GET .*/redirect/{leads_on} is redirected more") as error:
        fetch(Workload("w", "", (there,), Settings(redirects=most)), base_url)
    assert error.value.hint.startswith("raise 'redirects'")


def test_the_file_of_a_head_is_that_of_the_get(base_url: str, tmp_path: Path) -> None:
    assert answer(Exchange("HEAD", "/"), base_url, tmp_path) == "Hi"
    with pytest.raises(InputError, match="GET /nowhere is answered with status 404"):
        save(Exchange("GET", "/nowhere"), base_url, tmp_path / "answer")


def test_a_url_with_other_characters_than_those_of_urls(base_url: str) -> None:
    with pytest.raises(InputError, match="/é has other characters than those of a URL") as error:
        fetch(workload("/", Expect()), f"{base_url}/é")
    assert error.value.hint == f"write it as {base_url}/%C3%A9"


def test_nobody_there(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(
        InputError, match=rf"GET http://127\.0\.0\.1:{port}/ fails: .*refused"
    ) as error:
        fetch(workload("/", Expect()), f"http://127.0.0.1:{port}")
    assert error.value.hint == "the workload must work before clients can be measured on it"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("/truncate/1000", "the connection ends 500 bytes before the content does"),
        ("/truncate/1000?chunk=100", "IncompleteRead"),
    ],
)
def test_an_answer_that_is_cut_is_not_the_right_one(target: str, said: str, base_url: str) -> None:
    with pytest.raises(InputError, match=f"fails: {said}"):
        fetch(workload(target, Expect()), base_url)


@pytest.mark.parametrize("target", ["/truncate/1000", "/truncate/1000?chunk=100"])
def test_an_answer_may_have_to_be_cut(target: str, base_url: str) -> None:
    found = fetch(workload(target, Expect(cut=True)), base_url)
    assert found.workload.exchanges[0].expect.bytes is None  # a client must notice by itself
    with pytest.raises(InputError, match="should be cut off, and comes to its end"):
        fetch(workload("/bytes/5", Expect(cut=True)), base_url)


def test_an_answer_that_comes_before_the_request_was_sent(base_url: str) -> None:
    body = RawBody("application/octet-stream", 20_000_000)
    refused = Exchange("PUT", "/refuse/0", body, expect=Expect(status=413))
    found = fetch(Workload("mine", "", (refused,)), base_url)
    assert found.workload.exchanges[0].expect.bytes == len("no content is wanted here\n")


def redirected(host: str, redirects: int) -> Workload:
    exchange = Exchange("GET", f"/redirect/0?host={host}", expect=Expect(status=200))
    return Workload("mine", "", (exchange,), Settings(redirects=redirects))


def test_a_redirect_to_another_name_of_the_origin(base_url: str) -> None:
    assert fetch(redirected("localhost", 1), base_url).workload.exchanges[0].expect.bytes == 2


def test_a_redirect_to_somebody_else_is_refused(base_url: str) -> None:
    host = "192.0.2.1"
    with pytest.raises(InputError, match=f"'{host}', which does not lead to the origin at 127"):
        fetch(redirected(host, 1), base_url)
    with pytest.raises(InputError, match="answers 302"):  # nobody goes there
        fetch(redirected(host, 0), base_url)


def test_a_server_that_does_not_speak_http() -> None:
    """Such as that of SSH, by its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
                connection.recv(1000)

        greeting = threading.Thread(target=greet)
        greeting.start()
        with pytest.raises(InputError, match=r"fails: .*SSH-2\.0"):
            fetch(workload("/", Expect()), f"http://127.0.0.1:{server.getsockname()[1]}")
        greeting.join()
