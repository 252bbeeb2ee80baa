"""Which clients a command means."""

from __future__ import annotations

import pytest

from fetchoff.cli.choose import chosen
from fetchoff.model.errors import InputError, UnknownName


def names(*patterns: str, without: tuple[str, ...] = ()) -> list[str]:
    return [str(manifest.id) for manifest in chosen(patterns, without)]


def test_ids_and_globs_pick_each_client_once() -> None:
    picked = names("c/libcurl", "c/*", "c/libcurl")
    assert picked[0] == "c/libcurl"
    assert len(picked) == len(set(picked)) > 1


def test_what_is_excepted_is_not_picked_by_a_glob() -> None:
    assert "c/libcurl" in names("c/*")
    assert "c/libcurl" not in names("c/*", without=("*/libcurl",))


def test_what_is_named_in_full_is_picked_all_the_same() -> None:
    assert names("c/libcurl", without=("c/*",)) == ["c/libcurl"]


def test_a_runtime_that_is_not_listed_can_be_asked_for() -> None:
    assert names("javascript/axios~node-18") == ["javascript/axios~node-18"]


def test_a_runtime_that_a_kit_does_not_have() -> None:
    with pytest.raises(InputError, match="there is no 'javascript/axios~node-1'") as caught:
        names("javascript/axios~node-1")
    assert "node-22" in caught.value.hint


def test_a_client_that_nobody_knows() -> None:
    with pytest.raises(UnknownName, match="unknown client 'c/libcurk'"):
        names("c/libcurk")
