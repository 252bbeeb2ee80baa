"""Where the cache folder is."""

from __future__ import annotations

import pwd
from pathlib import Path

import pytest

from fetchoff.catalog.paths import cache
from fetchoff.model.errors import StoreError


@pytest.mark.parametrize(
    ("name", "expected"), [("FETCHOFF_CACHE", "mine"), ("XDG_CACHE_HOME", "mine/fetchoff")]
)
def test_a_relative_path_is_made_absolute(
    name: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The steps of a build run in another folder."""
    monkeypatch.delenv("FETCHOFF_CACHE", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(name, "mine")
    assert cache() == tmp_path / expected
    assert (tmp_path / expected).is_dir()


def test_a_user_without_a_home_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that runs as a user of no /etc/passwd."""

    def unknown(number: int) -> None:
        raise KeyError(f"getpwuid(): uid not found: {number}")

    for name in ("FETCHOFF_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(StoreError, match="HOME is not set") as caught:
        cache()
    assert caught.value.hint == "set FETCHOFF_CACHE to a folder that you can write to"
