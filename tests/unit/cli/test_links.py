"""What `fetchoff links` lists."""

from __future__ import annotations

import json

import pytest

from fetchoff.catalog import files, links
from fetchoff.cli.links import command


def test_all_of_them_and_loopback_first(capsys: pytest.CaptureFixture[str]) -> None:
    command()
    rows = capsys.readouterr().out.splitlines()
    named = [row.split()[0] for row in rows[1:] if not row.startswith(" ")]
    assert named == ["loopback", *files.names("links")]


def test_for_a_program(capsys: pytest.CaptureFixture[str]) -> None:
    command(["loopback", "4g"], as_json=True)
    loopback, mobile = json.loads(capsys.readouterr().out)
    assert (loopback["link"], loopback["round_trip_ms"], loopback["mtu"]) == ("loopback", 0, None)
    assert (mobile["link"], mobile["round_trip_ms"], mobile["mtu"]) == ("4g", 55, 1500)
    assert (mobile["up"]["rate_mbit_s"], mobile["down"]["rate_mbit_s"]) == (6, 13)
    assert mobile["down"]["loss_share"] == 0
    assert mobile["source"] == links.link("4g").source
