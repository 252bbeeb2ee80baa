"""Without Dask there is one clear message; with it, a configuration that samples nothing."""

from __future__ import annotations

import importlib.util

import pytest

from fetchoff.fleet.dask.required import CONFIG, environment, must_have_dask
from fetchoff.model.errors import InputError


def without(*names: str) -> object:
    real = importlib.util.find_spec
    return lambda name: None if name in names else real("json") if name else None


@pytest.mark.parametrize(
    ("missing", "ssh", "said"),
    [
        (("distributed",), False, "distributed is not installed"),
        (("asyncssh",), True, "asyncssh is not installed"),
        (("distributed", "asyncssh"), True, "distributed and asyncssh is not installed"),
    ],
)
def test_what_is_missing_is_named(
    missing: tuple[str, ...], ssh: bool, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", without(*missing))
    with pytest.raises(InputError) as raised:
        must_have_dask(ssh=ssh)
    assert said in raised.value.message
    assert "in a checkout: pip install --editable '.[fleet]'" in raised.value.hint


def test_asyncssh_is_only_needed_for_ssh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", without("asyncssh"))
    must_have_dask()


def test_the_profiler_and_stealing_are_off_in_child_processes_too() -> None:
    assert environment()["DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED"] == "False"
    assert environment()["DASK_DISTRIBUTED__SCHEDULER__WORK_STEALING"] == "False"
    assert len(environment()) == len(CONFIG)
