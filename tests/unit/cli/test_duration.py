"""How long something may take, as users write it."""

from __future__ import annotations

import pytest
import typer

from fetchoff.cli.duration import duration_s


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("5m", 300), ("1.5h", 5400), (" 8h ", 28800), (600.0, 600)],
)
def test_seconds_minutes_and_hours(text: str | float, seconds: float) -> None:
    assert duration_s(text) == seconds


@pytest.mark.parametrize("text", ["", "5d", "m", "-1", "1e9", "٣", "5 m", "nan"])
def test_what_is_no_time_is_said(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not a time"):
        duration_s(text)


def test_less_than_a_second_is_no_budget() -> None:
    with pytest.raises(typer.BadParameter, match="less than a second"):
        duration_s("0.5")
