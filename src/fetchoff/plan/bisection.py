"""Which releases to compare with each other next: pure functions of what was found so far.

Releases are numbers from 0, oldest first. The ends are compared first. A stretch whose ends differ
is divided at the release nearest to its middle, until both ends are neighbours.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

Ends = tuple[int, int]


@dataclass(frozen=True)
class Node:
    """A stretch that the search has come to. `halves`: none if it was not divided."""

    ends: Ends
    halves: tuple[Node, ...] = ()

    def leaves(self) -> Iterator[Node]:
        """The stretches that were not divided, in order."""
        if not self.halves:
            yield self
        for half in self.halves:
            yield from half.leaves()

    def nodes(self) -> Iterator[Node]:
        """This stretch and all within it."""
        yield self
        for half in self.halves:
            yield from half.nodes()


def tree(count: int, gone: Collection[int], apart: Mapping[Ends, float]) -> Node | None:
    """The search so far; None if fewer than two releases are left.

    `gone`: releases that cannot be had. `apart`: by the stretches that were compared, how far apart
    their ends were shown to be; 0 where they were not shown to differ.
    """
    left = [release for release in range(count) if release not in gone]
    return _node((left[0], left[-1]), left, apart) if len(left) > 1 else None


def to_compare(root: Node | None, apart: Mapping[Ends, float]) -> tuple[Ends, ...]:
    """The stretches that are open: those in the stretch with the largest difference first, of these
    the oldest; none if nothing is left to find out."""
    if root is None:
        return ()
    if root.ends not in apart:
        return (root.ends,)
    open_halves = [
        (-apart[node.ends], half.ends)
        for node in root.nodes()
        for half in node.halves
        if half.ends not in apart
    ]
    return tuple(ends for _, ends in sorted(open_halves))


def _node(ends: Ends, left: list[int], apart: Mapping[Ends, float]) -> Node:
    older, newer = ends
    inside = [release for release in left if older < release < newer]
    if not apart.get(ends) or not inside:
        return Node(ends)
    middle = min(inside, key=lambda release: (abs(2 * release - older - newer), release))
    halves = (_node((older, middle), left, apart), _node((middle, newer), left, apart))
    return Node(ends, halves)
