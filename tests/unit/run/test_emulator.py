"""What an emulated network takes from its emulator, and what it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fetchoff.model.course import Course
from fetchoff.model.errors import LinkError
from fetchoff.model.link import Link
from fetchoff.model.workload import Exchange, Workload
from fetchoff.run.network.emulator import OWN_NAMESPACE, laid
from fetchoff.run.os import procfs

COURSE = Course(Workload("w", "", (Exchange("GET", "/"),)), Link("far", ""))
DIRECTION = {
    "packets": 0,
    "lost": 0,
    "queue_dropped": 0,
    "overruns": 0,
    "overflowed": 0,
    "refused": 0,
    "lateness": {"histogram_us": []},
}
READ = {"link": 1, "elapsed_ns": 0, "cpu_ns": 0, "up": DIRECTION, "down": DIRECTION}


def pretend(folder: Path, monkeypatch: pytest.MonkeyPatch, namespace: str) -> None:
    """An emulator whose two ends are in that namespace; entering it is not moving at all."""
    end = {"namespace": namespace, "ipv4": "127.0.0.1", "congestion": "cubic"}
    opened = {"link": 1, "backend": "none", "near": end, "far": end}
    program = folder / "emulator"
    program.write_text(
        "#!/bin/sh\n"
        '[ "$1" = enter ] && { shift 3; exec "$@"; }\n'
        """echo '{"protocol":1,"user_namespace":null}'\n"""
        f"read asked; echo '{json.dumps(opened)}'\n"
        f"while read asked; do echo '{json.dumps(READ)}'; done\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("FETCHOFF_LINK", str(program))


def test_what_runs_beside_this_process_is_nobodys_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    emptied: list[tuple[int, int]] = []

    def inside(namespace: tuple[int, int]) -> list[int]:
        emptied.append(namespace)
        return []

    monkeypatch.setattr(procfs, "inside", inside)
    pretend(tmp_path, monkeypatch, OWN_NAMESPACE)
    with laid(COURSE, tmp_path) as network:
        assert network.used() is not None
    assert emptied == []


def test_a_namespace_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(tmp_path, monkeypatch, "/proc/nowhere")
    with (
        pytest.raises(LinkError, match=r"ends of the link cannot be reached: .*/proc/nowhere"),
        laid(COURSE, tmp_path),
    ):
        pass
