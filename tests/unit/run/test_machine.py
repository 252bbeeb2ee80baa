"""What is told of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from fetchoff.run.host.machine import reports_free_memory


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
