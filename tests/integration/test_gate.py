"""Whole gates, on clients of which it is known which is slower."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command import Command, Ran, fake

TRIES = 3  # on a busy machine a self-check may fail, which withholds the answer
WITHHELD = 4


def gate(fetchoff: Command, *arguments: str | Path) -> Ran:
    """A gate on a tiny workload, again if it was withheld."""
    for _ in range(TRIES):
        ran = fetchoff("gate", *arguments, "-w", "tiny.toml", "--budget", "20", "--no-count")
        if ran.status != WITHHELD:
            break
    return ran


def test_a_client_that_spins_is_slower(fetchoff: Command) -> None:
    folder = fetchoff.folder
    ran = gate(
        fetchoff,
        *(fake("honest"), fake("slow"), "--record", folder / "record.jsonl"),
        *("--markdown", folder / "gate.md", "--junit", folder / "gate.xml"),
        *("--benchmark-action", folder / "b.json", "--bencher", folder / "bmf.json"),
    )
    assert ran.status == 1, ran.err
    assert "Slower: " in ran.out
    assert "0 of 1 gate on record" in " ".join(ran.out.split())
    assert "❌ Fetchoff gate: slower" in (folder / "gate.md").read_text()
    assert 'type="slower"' in (folder / "gate.xml").read_text()
    names = [entry["name"] for entry in json.loads((folder / "b.json").read_text())]
    assert names == ["fake/honest tiny wall", "fake/honest tiny CPU"]
    assert list(json.loads((folder / "bmf.json").read_text())) == ["fake/honest tiny"]


def test_one_that_spins_no_more_is_faster_and_passes(fetchoff: Command) -> None:
    ran = gate(fetchoff, fake("slow"), fake("honest"), "--strict")
    assert ran.status == 0, ran.err
    assert "Faster: " in ran.out


def test_what_cannot_be_told_fails_where_it_is_strict(fetchoff: Command) -> None:
    arguments = (
        fake("honest"),
        fake("honest"),
        "-w",
        "tiny.toml",
        "--margin",
        "0.1",
        "--budget",
        1,
    )
    for strict, status in (((), 0), (("--strict",), 8)):
        for _ in range(TRIES):
            ran = fetchoff("gate", *map(str, arguments), "--no-count", "--json", *strict)
            if ran.status != WITHHELD:
                break
        assert ran.status == status, ran.err
        assert json.loads(ran.out)["end"] == "cannot tell"


def test_head_from_a_tree_leaves_what_is_set_up_alone(fetchoff: Command, tmp_path: Path) -> None:
    tree = tmp_path / "library-1.1"
    tree.mkdir()
    (tree / "library").write_text("one")
    ran = gate(fetchoff, fake("honest"), "--with", tree, "--json")
    assert ran.status == 0, ran.err
    found = json.loads(ran.out)
    assert found["base"]["built_from"] == []
    assert found["head"]["client"] == "fake/honest@head"
    assert found["head"]["built_from"] == ["library-1.1"]
    listed = fetchoff("clients", fake("honest"), "--json")
    assert "library-1.1" not in listed.out
