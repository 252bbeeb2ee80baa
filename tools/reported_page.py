"""docs/reported.md: what people have reported, measured again, from the run folders.

python tools/reported_page.py [--note TEXT] RUN…
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from claims_table import machine, row, told

from fetchoff.app.results import analysis_of
from fetchoff.catalog import claims
from fetchoff.model.analysis import Analysis
from fetchoff.model.judgement import Judgement, Reproduction
from fetchoff.report.article.tables import doubts, tally
from fetchoff.report.wording.figures import seconds
from fetchoff.store.run_folder import RunFolder

PAGE = Path(__file__).parent.parent / "docs" / "reported.md"
INTRODUCTION = """\
# Reported claims, measured again

`fetchoff reproduce reported --setup` measures again what people have reported about HTTP clients in
trackers, READMEs and release notes, as far as a source states how, and judges every claim:
[how](analysis.md#claims). The figures below are of such runs, on {machine};
they took {measured} of measuring. `make reported-page RUNS=…` made this page from the run folders.

A verdict is about this machine and the workload named here. Most sources don't tell the server, the
path or the size of the answers, and many clients have had years of releases since. So *does not
hold any more* doesn't say that a report was wrong when it was made. A ratio above 1 says how many
times more the first side costs. All intervals of a report hold the truth together with a
probability of 95 %. A finding is what [`fetchoff explain`](diagnosis.md) sees in a recording.

{note}{tally}.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    parser.add_argument("--note", default="", help="what a reader must know of these runs")
    asked = parser.parse_args()
    runs = [RunFolder.open(path) for path in asked.runs]
    found = {
        each.article.id: (each, one) for one in map(analysis_of, runs) if (each := _reported(one))
    }
    missing = [name for name in claims.reported() if name not in found]
    if not found:
        sys.exit("none of these is the run of a reported claim")
    judgements = [judgement for each, _ in found.values() for judgement in each.judgements]
    lines = [
        INTRODUCTION.format(
            machine=machine(runs[0]),
            measured=seconds(sum(one.seconds for _, one in found.values())),
            note=f"**Note:** {asked.note}\n\n" if asked.note else "",
            tally=f"{len(found)} reports, {tally(judgements)}",
        )
    ]
    for name in claims.reported():
        lines += _section(*found[name]) if name in found else []
    if missing:
        lines += ["## Not measured yet", "", *map(_unmeasured, missing), ""]
    PAGE.write_text("\n".join(lines), encoding="utf-8")


def _unmeasured(name: str) -> str:
    article = claims.article(name)
    assert article.report is not None
    return f"- `{name}`: {article.title} ([source]({article.report.source}))"


def _reported(analysis: Analysis) -> Reproduction | None:
    found = analysis.reproduction
    return found if found and found.article.report else None


def _section(found: Reproduction, analysis: Analysis) -> Iterator[str]:
    article, report = found.article, found.article.report
    assert report is not None
    year = f", {article.year}" if article.year else ""
    yield f"## {article.title}{year}"
    yield ""
    yield f"`fetchoff reproduce {article.id}`, seed {analysis.seed}, {_rounds(analysis)}."
    yield ""
    yield f"- source: [{_short(report.source)}]({report.source})"
    yield f"- stated: {report.stated}"
    yield f"- versions: {report.versions}"
    if report.unstated:
        yield f"- not stated: {report.unstated}"
    if report.here:
        yield f"- here: {report.here}"
    yield from (f"- doubt: {doubt}" for doubt in doubts(analysis))
    yield ""
    yield from _table(found.judgements)
    yield ""


def _table(judgements: Sequence[Judgement]) -> Iterator[str]:
    yield "| what it says | published | measured | interval | verdict |"
    yield "|---|---|---|---|---|"
    yield from (row(told(judgement)) for judgement in judgements)


def _rounds(analysis: Analysis) -> str:
    counts = sorted({result.rounds for result in analysis.results})
    return f"{'–'.join(map(str, (counts[0], counts[-1])[: len(counts)]))} rounds"


def _short(source: str) -> str:
    return source.removeprefix("https://").removeprefix("github.com/")


if __name__ == "__main__":
    main()
