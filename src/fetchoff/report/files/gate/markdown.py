"""A gate as Markdown, for the summary of a job or a comment on a change."""

from __future__ import annotations

from collections.abc import Iterator

from fetchoff.model.gate import End, Gate
from fetchoff.model.witness import Witness
from fetchoff.report.wording import gate as wording
from fetchoff.report.wording.figures import interval, ratio

MARKS = {End.SLOWER: "❌", End.CANNOT_TELL: "❔", End.NOT_SLOWER: "✅"}
HEADER = ("workload", "time", "head ÷ base", "interval", "change", "verdict")


def text(gate: Gate) -> str:
    """A headline, one table, and the details to unfold."""
    mark = "⚠️" if gate.withheld else MARKS[gate.end]
    lines = [
        f"### {mark} Fetchoff gate: {wording.end(gate)}",
        "",
        _escaped(" ".join(wording.sentences(gate))),
        "",
        *_table(gate),
        "",
        "<details><summary>Details</summary>",
        "",
        *(f"- {_escaped(line)}" for line in _details(gate)),
        "",
        "</details>",
    ]
    return "\n".join(lines) + "\n"


def _table(gate: Gate) -> Iterator[str]:
    yield _row(HEADER)
    yield _row(("---", "---", *["---:"] * 3, "---"))
    for row in gate.rows:
        yield _row(
            (
                _escaped(row.workload),
                wording.CLOCKS[row.clock],
                ratio(row.ratio.point),
                interval(row.ratio),
                wording.change(row),
                wording.verdict(gate, row),
            )
        )


def _details(gate: Gate) -> Iterator[str]:
    yield wording.title(gate)
    yield wording.base_against_base(gate)
    for witness in gate.witnesses:
        yield from _counted(witness)
    yield wording.settings(gate)


def _counted(witness: Witness) -> Iterator[str]:
    yield wording.counted(witness)
    for one in witness.differences:
        yield wording.difference(one, witness)


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(said: str) -> str:
    """No word of it has a meaning in Markdown or HTML."""
    said = said.replace("&", "&amp;").replace("<", "&lt;")
    for mark in "\\`*_~|[]":
        said = said.replace(mark, f"\\{mark}")
    return said
