"""Servers that are named by a URL: which may be asked, and what is believed of them."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from fetchoff.model.errors import InputError, OriginError
from fetchoff.model.observation import Seen
from fetchoff.run.host.placement import Cores, Urgency
from fetchoff.run.origins.remote import RemoteOrigin, must_be_permitted, must_have_no_secret


def found_at(*addresses: str) -> Any:
    """A resolver that knows one host."""
    return lambda *_, **__: [(None, None, 0, "", (address, 80)) for address in addresses]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8080",
        "https://127.8.9.1",
        "http://[::1]:80/below",
        "http://10.1.2.3",
        "http://172.31.255.255",
        "http://192.168.0.1",
        "http://169.254.1.1",
        "http://[fd00::1]",
    ],
)
def test_this_machine_and_private_networks(url: str) -> None:
    must_be_permitted(url, allow_remote=False)


@pytest.mark.parametrize(
    "url", ["http://192.0.2.1", "http://172.32.0.1", "https://[2001:db8::1]:443", "http://0.0.0.0"]
)
def test_others_only_where_the_user_says_so(url: str) -> None:
    with pytest.raises(
        InputError, match="neither this machine nor in a private network"
    ) as refused:
        must_be_permitted(url, allow_remote=False)
    assert "--allow-remote" in refused.value.hint
    must_be_permitted(url, allow_remote=True)


def test_a_name_is_as_near_as_its_farthest_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", found_at("127.0.0.1", "fe80::1%eth0"))
    must_be_permitted("http://here.example", allow_remote=False)
    monkeypatch.setattr(socket, "getaddrinfo", found_at("127.0.0.1", "192.0.2.1"))
    with pytest.raises(InputError, match=r"here\.example is neither"):
        must_be_permitted("http://here.example", allow_remote=False)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://127.0.0.1",
        "127.0.0.1:80",
        "http://",
        "http://h/?a=1",
        "http://127.0.0.1:99999",
        "http://127.0.0.1:http",
        "http://127.0.0.1:0",
        "http://[::1",
        "http://[here]:80",
    ],
)
@pytest.mark.parametrize("allow_remote", [False, True])
def test_what_is_no_url_of_an_origin(url: str, allow_remote: bool) -> None:
    with pytest.raises(InputError, match="cannot be an origin") as refused:
        must_be_permitted(url, allow_remote=allow_remote)
    assert "http://127.0.0.1:8080" in refused.value.hint


@pytest.mark.parametrize(
    "url",
    ["http://ada:secret@127.0.0.1:8080", "https://secret@127.0.0.1/below", "http://:secret@h"],
)
def test_a_url_with_a_secret_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(InputError, match="cannot have a user or a password") as refused:
        must_have_no_secret(url)
    assert "secret" not in refused.value.message + refused.value.hint


@pytest.mark.parametrize("url", ["http://127.0.0.1:8080", "http://[::1]:80/a@b"])
def test_a_url_without_a_secret(url: str) -> None:
    must_have_no_secret(url)


def test_a_name_that_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(OriginError, match=r"origin nowhere:81 is not found: .*not known"):
        must_be_permitted("http://nowhere:81", allow_remote=False)


def test_nothing_is_seen_of_it_and_nothing_is_done_to_it() -> None:
    origin = RemoteOrigin("http://127.0.0.1:8080/below/")
    ledger = origin.open()
    assert ledger.base_url == "http://127.0.0.1:8080/below"
    assert ledger.counts == frozenset()
    assert ledger.read(at_least=5).seen == ledger.close().seen == Seen()
    assert origin.misplaced(Cores({0}), Urgency.HIGH) == ""
    assert origin.turnstile is None
    assert (origin.cpu_clock(), origin.involuntary_switches()) == (None, 0)


def test_while_it_is_away_no_client_is_to_blame() -> None:
    """Otherwise whoever is measured just then is given up for the whole run."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        RemoteOrigin(url).must_be_there()
    with pytest.raises(
        OriginError, match=r"the origin http://127.* is not there: .*refused"
    ) as why:
        RemoteOrigin(url).must_be_there()
    assert "fetchoff resume" in why.value.hint
