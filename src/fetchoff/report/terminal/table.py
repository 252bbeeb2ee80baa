"""What the terminal shows of a run: for each workload its verdict, ranking, checks and notes."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from fetchoff.model.analysis import Analysis, WorkloadResult
from fetchoff.model.check import CheckOutcome, SelfCheck, not_tested
from fetchoff.report.metrics.groups import groups_of, tally
from fetchoff.report.terminal.ranking import Ranking
from fetchoff.report.wording import findings, over_link, self_checks, sentences
from fetchoff.report.wording.figures import count, level, seconds, tolerance


def whole(analysis: Analysis) -> Group:
    """Everything the terminal shows of a run."""
    parts: list[RenderableType] = []
    for result in analysis.results:
        parts += [workload(result, analysis), Text()]
    parts += [*map(_bullet, analysis.notes), footer(analysis)]
    return Group(*parts)


def workload(result: WorkloadResult, analysis: Analysis) -> Group:
    """One workload: heading, verdict, ranking, what was left out, self-checks, notes."""
    cards = {card.client: card for card in analysis.cards}
    parts: list[RenderableType] = [heading(result)]
    if result.link:
        parts.append(Text(over_link.line(result.link), style="dim"))
    parts.append(sentence(result, analysis.margin))
    if result.withheld:
        parts += [_plain(f"hint: {line}", "yellow") for line in sentences.advice(result)]
        parts.append(Text("The figures below are listed by name and rank nothing.", style="yellow"))
    if groups_of(result).measured:
        parts.append(Ranking(result, cards))
    parts += [left_out(result), checks(result.checks), *map(_bullet, sentences.notes(result))]
    return Group(*parts)


def heading(result: WorkloadResult) -> Text:
    """`get-small · GET of 16 bytes · shared-core · 7 rounds`.

    Over a link cores are shared as docs/analysis.md#placement says, whatever the workload asks.
    """
    placement = "" if result.link else f" · {result.placement}"
    about = f"  {result.about}{placement} · {count(result.rounds, 'round')}"
    return Text.assemble((sentences.title(result), "bold underline"), (about, "dim"))


def sentence(result: WorkloadResult, margin: float) -> Text:
    """The verdict in plain words, coloured only where it is withheld."""
    said = " ".join((sentences.verdict(result, margin), sentences.least_cpu(result))).strip()
    return _plain(said, "bold red" if result.withheld else "")


def left_out(result: WorkloadResult) -> RenderableType:
    """The clients without figures, each with its outcome and its reason."""
    missing = groups_of(result).left_out
    if not missing:
        return Group()
    table = Table(box=None, padding=(0, 1), pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(style="yellow", no_wrap=True)
    table.add_column(overflow="fold")
    for standing in missing:
        table.add_row(standing.client, standing.outcome.value, Text(findings.message(standing)))
    return table


def checks(found: tuple[SelfCheck, ...]) -> Group:
    """One line of counts, one for each check that failed, one for each kind that could not tell.

    A kind of which no check could tell was not tested.
    """
    failed = [check for check in found if check.outcome is CheckOutcome.FAILED]
    unclear = [check for check in found if check.outcome is CheckOutcome.INCONCLUSIVE]
    style = "red" if failed else "yellow" if unclear else "green"
    lines = [Text.assemble(("self-checks: ", "dim"), (tally(found), style))]
    lines += [Text(f"  failed: {check.kind}: {self_checks.sentence(check)}") for check in failed]
    if len(unclear) == len(found) > 1:
        return Group(*lines, Text("  too few rounds, or too much noise, for any of them", "dim"))
    untested = not_tested(found)
    if untested:
        lines.append(Text(f"  not tested: {', '.join(untested)}", style="yellow"))
    for kind in dict.fromkeys(check.kind for check in unclear if check.kind not in untested):
        asked = dict.fromkeys(c.client for c in unclear if c.kind == kind and c.client)
        of_whom = f": {', '.join(asked)}" if asked else ""
        lines.append(Text(f"  inconclusive: {kind}{of_whom}", style="dim"))
    return Group(*lines)


def footer(analysis: Analysis) -> Text:
    """How sure all this is."""
    said = (
        f"ratios are to the baseline, below 1 is faster; {level(analysis.level)} intervals, "
        f"verdicts at α = {analysis.alpha:g}, margin ±{tolerance(analysis.margin)}; "
        f"{seconds(analysis.seconds)} of measuring, ended: {analysis.ended_reason}; "
        f"{f'origin {analysis.origin}; ' if analysis.origin else ''}seed {analysis.seed}"
    )
    return Text(said, style="dim")


def _plain(sentence: str, style: str) -> Text:
    return Text(sentence.replace("`", ""), style=style)


def _bullet(note: str) -> Text:
    return Text.assemble(("note: ", "cyan"), note.replace("`", ""))
