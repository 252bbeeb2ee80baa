"""Releases of a library: their order, and which are pre-releases, by the ways of any language."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBERS = re.compile(r"v?(\d+(?:\.\d+)*)")
_WORD = re.compile(r"[a-z]+|\d+")
_STAGES = (
    ("dev", "snapshot", "nightly", "canary", "experimental", "next"),
    ("a", "alpha", "ea"),
    ("b", "beta"),
    ("m", "milestone", "pre", "preview"),
    ("c", "cr", "rc"),
)
"""What pre-releases are called by PEP 440, Semantic Versioning and Maven, the earliest first."""

_NUMBERED = -1  # 1.0.0-0: below all with words (https://semver.org/#spec-item-11)
_OTHER = len(_STAGES)
_FINAL = _OTHER + 1
_LATER = ("post", "sp", "patch")
_OF_RELEASES = {"final", "ga", "release", "jre", "jdk", "java", "android", "incubating"}
"""What Maven's releases may have behind a hyphen, too."""

Order = tuple[tuple[int, ...], int, tuple[int, ...]]


@dataclass(frozen=True)
class Release:
    """A version that a registry has. `released`: the day, as YYYY-MM-DD; "": it does not tell."""

    version: str
    released: str = ""

    @property
    def is_pre(self) -> bool:
        return self.order[1] < _FINAL

    @property
    def order(self) -> Order:
        """Sorts releases by version: numbers first, then the stage, then the number of that."""
        text = self.version.lower()
        match = _NUMBERS.match(text)
        numbers = tuple(map(int, match[1].split("."))) if match else ()
        rest = text[match.end() :] if match else text
        words = _WORD.findall(rest)
        is_semantic = len(numbers) == 3 and rest.startswith("-")
        stage = _of_semantic(words) if is_semantic else _of_words(words)
        return _without_zeros(numbers), stage, tuple(int(w) for w in words if w.isdigit())


def newest_first(releases: list[Release]) -> tuple[Release, ...]:
    """Releases by version, not by day: an old line may go on after a new one has begun."""
    return tuple(sorted(releases, key=lambda release: release.order, reverse=True))


def _of_semantic(words: list[str]) -> int:
    """The stage of X.Y.Z-…: by Semantic Versioning a pre-release, whatever it is called."""
    if words and words[0].isdigit():
        return _NUMBERED
    found = _of_words(words)
    return _OTHER if found == _FINAL and not _OF_RELEASES.intersection(words) else found


def _of_words(words: list[str]) -> int:
    return next((stage for stage in map(_stage, words) if stage is not None), _FINAL)


def _stage(word: str) -> int | None:
    if word in _LATER:
        return _FINAL + 1
    return next((n for n, names in enumerate(_STAGES) if word in names), None)


def _without_zeros(numbers: tuple[int, ...]) -> tuple[int, ...]:
    """1.0 and 1.0.0 are one version."""
    while numbers and numbers[-1] == 0:
        numbers = numbers[:-1]
    return numbers
