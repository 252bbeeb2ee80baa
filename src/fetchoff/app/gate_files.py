"""Write the files that a gate is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fetchoff.model.errors import StoreError
from fetchoff.model.gate import Gate
from fetchoff.report.files.gate import bencher, benchmark_action, junit, markdown
from fetchoff.store import gates


@dataclass(frozen=True)
class Wanted:
    """Where to write a gate, by format. `strict`: what cannot be told fails in JUnit XML."""

    markdown: Path | None = None
    junit: Path | None = None
    benchmark_action: Path | None = None
    bencher: Path | None = None
    strict: bool = field(default=False, kw_only=True)

    @property
    def paths(self) -> tuple[Path, ...]:
        """All files that are wanted."""
        paths = (self.markdown, self.junit, self.benchmark_action, self.bencher)
        return tuple(path for path in paths if path)


def must_be_writable(wanted: Wanted) -> None:
    """StoreError if a file could not be written, as far as can be told without trying: after
    minutes of measuring, nobody wants to hear that of a gate's only output."""
    for path in wanted.paths:
        gates.must_be_writable(path)
        place = next(place for place in path.absolute().parents if place.exists())
        if path.is_dir() or not place.is_dir():
            what = f"{path} is a folder" if path.is_dir() else f"{place} is no folder"
            raise StoreError(f"{path} cannot be written: {what}", "name another file")


def write(gate: Gate, wanted: Wanted) -> None:
    """Write what is wanted; StoreError if a file cannot be written."""
    for path, text in _texts(gate, wanted):
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}") from error


def _texts(gate: Gate, wanted: Wanted) -> Iterator[tuple[Path, str]]:
    if wanted.markdown:
        yield wanted.markdown, markdown.text(gate)
    if wanted.junit:
        yield wanted.junit, junit.text(gate, strict=wanted.strict)
    if wanted.benchmark_action:
        yield wanted.benchmark_action, benchmark_action.text(gate)
    if wanted.bencher:
        yield wanted.bencher, bencher.text(gate)
