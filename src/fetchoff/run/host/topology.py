"""Which cores are threads of one physical core, which are big, and who should run on which."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

SYS = Path("/sys")
_SIZES = ("cpu_capacity", "cpufreq/cpuinfo_max_freq")
"""Files that tell how big a core is. Where threads share physical cores, x86 gives all cores one
capacity, and only their highest frequencies differ. (What ACPI's CPPC tells is no size: on AMD it
ranks cores that are alike.)"""
_BIG = 0.9
"""Of the biggest core's size: the best cores of one kind are a few percent faster than others."""


@dataclass(frozen=True)
class Topology:
    """Of some cores. `threads`: of each, those that are threads of the same physical core, itself
    among them. `big`: those that are about as big as the biggest."""

    threads: Mapping[int, frozenset[int]]
    big: frozenset[int]

    @classmethod
    def of(cls, cores: Collection[int], sys_folder: Path = SYS) -> Topology:
        """As the kernel tells it; what it doesn't tell is taken to be alike, and apart."""
        folder = sys_folder / "devices/system/cpu"
        threads = {core: _threads(folder, core) & {*cores} for core in cores}
        return cls(threads, _big(folder, cores))

    @property
    def physical(self) -> int:
        """How many physical cores there are."""
        return len({*self.threads.values()})

    def together(self, one: int, other: int) -> bool:
        """Whether two cores are threads of one physical core, or the same."""
        return other in self.threads[one]

    def in_order(self) -> list[int]:
        """All cores: the harness's first, the origin's the last but one, the client's the last.

        The client has a big core, the origin a big one too where another physical core is big, and
        the harness shares a physical core with one of them only if there is no other. Among cores
        that are alike the client's is the last one, and the harness's the first.
        """
        left = sorted(self.threads)
        client = max(left, key=lambda c: (c in self.big, -len(self.threads[c]), c))
        left.remove(client)
        if len(left) < 2:
            return [*left, client]
        origin = max(left, key=lambda c: (not self.together(c, client), c in self.big, c))
        left.remove(origin)
        harness = min(left, key=lambda c: (self.together(c, client), self.together(c, origin), c))
        left.remove(harness)
        return [harness, *left, origin, client]


def governor(core: int, sys_folder: Path = SYS) -> str:
    """What sets the frequency of a core; "" if that isn't told."""
    return _text(sys_folder / f"devices/system/cpu/cpu{core}/cpufreq/scaling_governor")


def _threads(folder: Path, core: int) -> frozenset[int]:
    listed = _text(folder / f"cpu{core}/topology/thread_siblings_list")
    with contextlib.suppress(ValueError):
        return frozenset(_numbers(listed)) | {core}
    return frozenset({core})


def _numbers(listed: str) -> Iterator[int]:
    """The cores of a list such as `0-1,8`; ValueError if it is none."""
    for part in filter(None, listed.split(",")):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def _big(folder: Path, cores: Collection[int]) -> frozenset[int]:
    """By the first file that tells cores apart; all of them if none does."""
    for name in _SIZES:
        told = {core: _text(folder / f"cpu{core}" / name) for core in cores}
        sizes = {core: int(text) for core, text in told.items() if text.isdigit()}
        if len(sizes) == len(told) and len({*sizes.values()}) > 1:
            return frozenset(c for c, size in sizes.items() if size >= _BIG * max(sizes.values()))
    return frozenset(cores)


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""
