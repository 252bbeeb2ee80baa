"""docs/articles.md: every published claim, measured again, from the run folders of a reproduction.

python tools/articles_page.py RUN…
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from claims_table import machine, row, told

from fetchoff.app.results import analysis_of
from fetchoff.model.analysis import Analysis
from fetchoff.report.article.tables import tally
from fetchoff.store.run_folder import RunFolder

PAGE = Path(__file__).parent.parent / "docs" / "articles.md"
INTRODUCTION = """\
# Published claims, measured again

`fetchoff reproduce --all --setup` measures again what these articles have published, each on the
server that its author used, and judges every claim: [how](analysis.md#claims). The figures below
are of such runs, on {machine}; `make articles-page RUNS=…` made this page from their run
folders. Yours will differ in the figures; on a noisier machine more claims stay undecided, on a
quieter one fewer. A ratio above 1 says how many times more the first side costs. All intervals of
an article hold the truth together with a probability of 95 %.
"""


def main() -> None:
    runs = [RunFolder.open(Path(argument)) for argument in sys.argv[1:]]
    analyses = [analysis_of(run) for run in runs]
    lines = [INTRODUCTION.format(machine=machine(runs[0]))]
    for analysis in analyses:
        lines += _article(analysis)
    PAGE.write_text("\n".join(lines), encoding="utf-8")


def _article(analysis: Analysis) -> Iterator[str]:
    reproduction = analysis.reproduction
    if reproduction is None:
        sys.exit(f"{analysis.title} is not an article's run")
    article, judgements = reproduction.article, reproduction.judgements
    yield f"## {article.title}, {article.year}"
    yield ""
    where = f"on {analysis.origin}, seed {analysis.seed}"
    yield f"`fetchoff reproduce {article.id}`, {where}. {tally(judgements)}."
    yield ""
    yield "| claim | what it says | published | measured | interval | verdict |"
    yield "|---|---|---|---|---|---|"
    yield from (row((f"`{one.claim.id}`", *told(one))) for one in judgements)
    yield ""


if __name__ == "__main__":
    main()
