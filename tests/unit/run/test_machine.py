"""What is told of the machine."""

from __future__ import annotations

import getpass
import os
import socket
import sys
from pathlib import Path

import pytest

from fetchoff.run.host import machine
from fetchoff.run.host.machine import facts, reports_free_memory, tools, usable_cores
from fetchoff.run.os import cgroups


@pytest.mark.parametrize(
    ("driver", "features", "reports"),
    [
        ("virtio_balloon", "0110010100", True),
        ("virtio_balloon", "0110000100", False),
        ("virtio_balloon", "", False),
        ("virtio_net", "1111111111", False),
        ("", "1111111111", False),
    ],
)
def test_free_memory_that_goes_to_the_host(
    driver: str, features: str, reports: bool, tmp_path: Path
) -> None:
    device = tmp_path / "bus/virtio/devices/virtio0"
    device.mkdir(parents=True)
    (device / "features").write_text(features)
    if driver:
        (tmp_path / "bus/virtio/drivers" / driver).mkdir(parents=True)
        (device / "driver").symlink_to(f"../../drivers/{driver}")
    assert reports_free_memory(tmp_path) is reports


def test_no_virtual_machine(tmp_path: Path) -> None:
    assert not reports_free_memory(tmp_path)


def test_facts_have_values_and_do_not_tell_who_the_user_is() -> None:
    found = facts()
    assert all(found.values())
    assert {"processor", "memory", "kernel", "priority", "control groups"} <= set(found)
    assert found["cores"] == f"{len(usable_cores())} usable of {os.cpu_count()}"
    said = " ".join(found.values()).split()
    assert socket.gethostname() not in said
    assert getpass.getuser() not in said


def test_where_the_kernel_tells_nothing_the_rest_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as in a container without /proc/cpuinfo: the architecture stands in."""
    monkeypatch.setattr(machine, "_lines", lambda path: [])
    found = facts()
    assert found["processor"] == os.uname().machine
    assert "system" not in found and "congestion control" not in found
    assert "virtual machine" in found["frequency governor"]


def test_without_control_groups_it_is_said_how_children_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cgroups, "_ROOTS", (tmp_path,))
    assert facts()["control groups"] == "no: cost of started processes by wait4"
    assert list(tmp_path.iterdir()) == []


def test_tools_are_where_they_are_found_or_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "go").write_text("#!/bin/sh\n")
    (tmp_path / "go").chmod(0o755)
    (tmp_path / "ruby").write_text("not executable")
    monkeypatch.setenv("PATH", str(tmp_path))
    found = tools()
    assert (found["go"], found["ruby"]) == (str(tmp_path / "go"), "")
    assert found["python"] == sys.executable
