"""CPU quotas of control groups, on machines that are pretended."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from tests.unit.run import trees

from fetchoff.run.os.cpu_quota import Throttling, throttling, tightest, told

V1 = "9:memory:/jail\n4:cpu,cpuacct:/jail\n0::/jail"
OWN_V1 = "cpu,cpuacct/jail/"


def machine(folder: Path, own: str, files: dict[str, str]) -> tuple[Path, Path]:
    """A /proc and a /sys/fs/cgroup with these files; `own`: the groups of this process."""
    groups = trees.written(folder / "cgroup", files)
    return trees.written(folder / "proc", {"self/cgroup": own}), groups


@pytest.mark.parametrize(
    ("own", "files", "cores"),
    [
        ("0::/", {"cpu.max": "150000 100000"}, 1.5),  # a container, with a namespace of its own
        ("0::/", {"cpu.max": "max 100000"}, math.inf),
        ("0::/", {}, math.inf),
        ("0::/a/b", {"a/b/cpu.max": "max 100000", "a/cpu.max": "50000 100000"}, 0.5),
        ("0::/a/b", {"a/b/cpu.max": "20000 100000", "a/cpu.max": "50000 100000"}, 0.2),
        ("0::/docker/1", {"cpu.max": "200000 100000"}, 2.0),  # its own group is what is mounted
        ("0::/a", {"a/cpu.max": "max 100000", "b/cpu.max": "50000 100000"}, math.inf),
        ("0::/a", {"a/cpu.max": "nonsense"}, math.inf),
        (V1, {f"{OWN_V1}cpu.cfs_quota_us": "50000", f"{OWN_V1}cpu.cfs_period_us": "100000"}, 0.5),
        (V1, {f"{OWN_V1}cpu.cfs_quota_us": "-1", f"{OWN_V1}cpu.cfs_period_us": "100000"}, math.inf),
        ("4:cpu:/", {"cpu/cpu.cfs_quota_us": "80000", "cpu/cpu.cfs_period_us": "40000"}, 2.0),
        ("4:cpuset:/\n0::/", {"unified/cpu.max": "30000 100000"}, 0.3),
    ],
)
def test_the_tightest_quota_counts(
    own: str, files: dict[str, str], cores: float, tmp_path: Path
) -> None:
    assert tightest(*machine(tmp_path, own, files)) == cores


def test_without_control_groups_there_is_no_quota(tmp_path: Path) -> None:
    assert tightest(tmp_path, tmp_path) == math.inf
    assert throttling(tmp_path, tmp_path) == Throttling()


@pytest.mark.parametrize(
    ("own", "files", "found"),
    [
        ("0::/", {"cpu.stat": "usage_usec 5\nnr_throttled 3\nthrottled_usec 120"}, (3, 120)),
        ("0::/", {"cpu.stat": "usage_usec 5"}, (0, 0)),
        (
            "0::/a",
            {
                "a/cpu.stat": "nr_throttled 3\nthrottled_usec 120",
                "cpu.stat": "nr_throttled 1\nthrottled_usec 30",
            },
            (4, 150),
        ),
        (V1, {f"{OWN_V1}cpu.stat": "nr_throttled 2\nthrottled_time 7000999"}, (2, 7000)),
    ],
)
def test_how_often_and_how_long_it_stopped_somebody(
    own: str, files: dict[str, str], found: tuple[int, int], tmp_path: Path
) -> None:
    assert throttling(*machine(tmp_path, own, files)) == Throttling(*found)


def test_between_two_readings() -> None:
    assert Throttling(5, 900).since(Throttling(3, 400)) == Throttling(2, 500)


def test_as_a_fact() -> None:
    assert (told(0.5), told(2.0), told(math.inf)) == ("0.5 cores", "2 cores", "")
