"""The tutorial by the letter: its commands run, in order, in one folder, and leave what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from tests.command import Command

from fetchoff.app.choose import chosen, states
from fetchoff.catalog.paths import cache as users_cache
from fetchoff.catalog.paths import shipped
from fetchoff.model.client import Readiness

TUTORIAL = (shipped("docs") / "tutorial.md").read_text(encoding="utf-8")
CLIENTS = ("python/requests", "python/urllib3", "python/httpx", "perl/http-tiny")


def commands() -> list[list[str]]:
    """What each `$ fetchoff` line of a block of a console starts, without `fetchoff`."""
    blocks = re.findall(r"^```console\n(.*?)^```", TUTORIAL, re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [shlex.split(line.removeprefix("$ fetchoff"), comments=True) for line in lines]


def test_it_names_no_other_clients() -> None:
    """So that the next test knows what must be ready."""
    named = set(re.findall(r"\b(?:python|perl)/[a-z0-9-]+", TUTORIAL))
    assert named == set(CLIENTS)


@pytest.mark.timeout(240)
def test_every_command_does_what_it_says(tmp_path: Path, namespaces: object) -> None:
    missing = [c for c in states(chosen(CLIENTS)) if c.readiness is not Readiness.READY]
    if missing:
        pytest.skip(f"not ready: {', '.join(c.id for c in missing)}: 'fetchoff setup --all'")
    fetchoff = Command(tmp_path, users_cache())
    found = commands()
    assert [words[0] for words in found] == ["doctor", "compare", "run", "report", "explain", "run"]
    for words in found:
        ran = fetchoff(*words, timeout_s=120)
        assert (ran.status, "Traceback" in ran.err) == (0, False), ran.err
        if words[0] == "compare":
            assert "python/urllib3 is faster" in ran.out or "withheld" in ran.out, ran.out
        if words[0] == "explain":
            assert "Waits for an acknowledgement" in ran.out
            assert "\n  tried " in ran.out, ran.out
        if "--link" in words:
            assert "small-get over transatlantic" in ran.out
    assert (tmp_path / "first" / "report.html").is_file()
