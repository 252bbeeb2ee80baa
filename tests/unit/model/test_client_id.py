"""Client ids: text to parts and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fetchoff.model.client import ClientId, matching
from fetchoff.model.errors import InputError, UnknownName

languages = st.from_regex(r"[a-z][a-z0-9-]*", fullmatch=True)
names = st.from_regex(r"[a-z0-9][a-z0-9._-]*", fullmatch=True)
versions = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]*", fullmatch=True)
ids = st.builds(
    ClientId,
    languages,
    names,
    st.just("") | names,
    st.just("") | versions,
    st.just("") | names,
)


@given(ids)
def test_round_trip(client: ClientId) -> None:
    assert ClientId.parse(str(client)) == client


@given(st.text())
def test_any_text_is_an_id_or_refused(text: str) -> None:
    try:
        client = ClientId.parse(text)
    except InputError as error:
        assert error.hint
    else:
        assert str(client) == text


def test_parts() -> None:
    client = ClientId.parse("ruby/net-http+fresh@0.2.0~jruby-1.7")
    assert client == ClientId("ruby", "net-http", "fresh", "0.2.0", "jruby-1.7")


@pytest.mark.parametrize(
    "text",
    ["", "ruby", "ruby/", "/curb", "Ruby/curb", "ruby/curb+", "ruby/curb@", "ruby/curb\n", "a/b/c"],
)
def test_refused(text: str) -> None:
    with pytest.raises(InputError, match="not a client id"):
        ClientId.parse(text)


def test_matching_prefers_the_name_itself() -> None:
    known = ["python/httpx", "python/httpx+async", "ruby/curb"]
    assert matching("python/httpx", known) == ["python/httpx"]
    assert matching("python/*", known) == ["python/httpx", "python/httpx+async"]
    assert matching("perl/*", known) == []


def test_unknown_names_come_with_the_nearest() -> None:
    error = UnknownName("client", "ruby/crub", ["ruby/curb", "c/libcurl"])
    assert "ruby/curb" in error.hint
    assert "known: " in UnknownName("client", "zzz", ["ruby/curb"]).hint
    assert "ruby/curb" in UnknownName("client", "CURB", ["ruby/curb"]).hint
