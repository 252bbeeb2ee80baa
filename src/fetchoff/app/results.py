"""Analyse a run and write its result files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from fetchoff.model.analysis import Analysis, ClientCard, WorkloadResult
from fetchoff.model.errors import InputError, StoreError
from fetchoff.model.observation import SectionDone
from fetchoff.store import results_file

if TYPE_CHECKING:
    from fetchoff.analysis.analyse import RunFacts
    from fetchoff.model.explanation import Explanation
    from fetchoff.model.judgement import Reproduction
    from fetchoff.model.origin import OriginRecord
    from fetchoff.store.run_folder import ClientRecord, Header, RunFolder

CSV, JSON, HTML, CLAIMS = "results.csv", results_file.FILE, "report.html", "claims.json"
_COMMENT = ("#", "//", "--", "/*", "*", "*/")


def analysis_of(folder: RunFolder) -> Analysis:
    """The analysis of a run folder; InputError if no workload was measured completely, StoreError
    if its journal has rounds that its header rules out."""
    from fetchoff.analysis.analyse import analyse
    from fetchoff.app.repeating import command_of
    from fetchoff.store import explanations

    _must_belong_together(folder)
    analysis = analyse(facts_of(folder.header), folder.records())
    if not analysis.results:
        raise nothing_measured(folder)
    explained = explanations.read(folder.path)
    return replace(
        analysis,
        reproduction=_reproduction_of(folder, analysis.results, explained),
        explanations=explained,
        command=command_of(folder.header),
    )


def _must_belong_together(folder: RunFolder) -> None:
    """Raise StoreError if more rounds were measured than the experiment may have."""
    most = folder.header.experiment.looks[-1]
    done = (r for r in folder.records() if isinstance(r, SectionDone))
    rounds = len({r.round for r in done})
    if rounds > most:
        raise StoreError(
            f"{folder.path} has {rounds} rounds, but by its run.json it may have {most} at most",
            "run.json and batches.jsonl must be of the same run",
        )


def facts_of(header: Header) -> RunFacts:
    """What an analysis needs of a run beside its records."""
    from fetchoff.analysis.analyse import RunFacts

    return RunFacts(
        run_id=header.run_id,
        title=header.title,
        started=header.started,
        experiment=header.experiment,
        cards=tuple(_card(client) for client in header.clients),
        absent=header.absent,
        environment=header.environment,
        notes=header.notes,
        origin=named(header.origin),
        counts=header.origin.counts,
    )


def named(origin: OriginRecord) -> str:
    """An origin as results name it."""
    return f"{origin.id} {origin.version}".strip()


def nothing_measured(folder: RunFolder) -> InputError:
    """The error of a run without results."""
    from fetchoff.store.run_folder import resumed_by

    return InputError(
        f"{folder.path} has no completely measured workload yet",
        f"continue with {resumed_by(folder.header, folder.path)}",
    )


def _reproduction_of(
    folder: RunFolder, measured: Sequence[WorkloadResult], explained: Sequence[Explanation]
) -> Reproduction | None:
    """The article whose suite was reproduced, with its claims judged; None for other runs.

    A run that ends when it has decided is none: intervals of claims allow for one look, at the end.
    Before its end, the claims have no verdict.
    """
    from fetchoff.analysis.claims import judge_claims, not_judged
    from fetchoff.analysis.evidence import Evidence
    from fetchoff.analysis.sizes import at_sizes_of
    from fetchoff.catalog import claims
    from fetchoff.model.judgement import Reproduction

    header = folder.header
    experiment = header.experiment
    if experiment.decide_on or experiment.suite not in (*claims.articles(), *claims.reported()):
        return None
    planned = [course.id for course in header.experiment.courses]
    article = at_sizes_of(claims.article(header.experiment.suite), planned)
    if folder.ended is None:
        return Reproduction(article, tuple(not_judged(article.claims)))
    diagnoses = [each.diagnosis for each in explained]
    withheld = {result.workload: result.withheld for result in measured if result.withheld}
    evidence = Evidence.of(header.experiment, folder.records(), header.absent, diagnoses, withheld)
    return Reproduction(article, tuple(judge_claims(article.claims, evidence)))


def write(analysis: Analysis, folder: Path) -> None:
    """Write all result files of a run; StoreError if that fails."""
    write_files(_files(analysis), folder)


def write_files(files: Iterable[tuple[str, str]], folder: Path) -> None:
    """Write files by their path within the run folder; StoreError if that fails."""
    for name, text in files:
        with new_file(name, folder) as target:
            target.write(text)


@contextlib.contextmanager
def new_file(name: str, folder: Path) -> Iterator[TextIO]:
    """A file of the run folder, which takes its place when it is whole; StoreError if that
    fails."""
    from fetchoff.store.whole_file import whole

    path = folder / name
    try:
        path.parent.mkdir(exist_ok=True)
        with whole(path) as target:
            yield target
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written: {error.strerror}",
            "the measurements are kept; make room, then write the results with "
            f"'fetchoff report {folder}'",
        ) from error


def _files(analysis: Analysis) -> Iterator[tuple[str, str]]:
    """The path of each file within the run folder, and its text."""
    from fetchoff.report.files import csv_results, json_results
    from fetchoff.report.page import html

    yield CSV, csv_results.text(analysis)
    yield JSON, json_results.text(analysis)
    if analysis.reproduction is not None:
        yield CLAIMS, json_results.claims(analysis.reproduction)
        yield from _per_implementation(analysis, analysis.reproduction)
    yield HTML, html.text(analysis)


def _per_implementation(
    analysis: Analysis, reproduction: Reproduction
) -> Iterator[tuple[str, str]]:
    """The extra files of an article that compares implementations site by site."""
    from fetchoff.report.article.sites import sites_of
    from fetchoff.report.files import implementations

    sites = sites_of(analysis, reproduction.article.per_implementation)
    rounds = {site.name: analysis.rounds.get(site.result.workload, ()) for site in sites}
    if any(rounds.values()):
        found = implementations.files(rounds, analysis.cards)
        for name, text in found.items():
            yield f"{implementations.FOLDER}/{name}", text


def _card(client: ClientRecord) -> ClientCard:
    return ClientCard(
        client=client.id,
        kind=client.kind,
        about=client.about,
        homepage=client.homepage,
        version=client.version,
        runtime=client.runtime,
        engine=client.engine,
        kit=client.kit,
        source_name=client.source_name,
        source=client.source,
        adapter_lines=lines_of_code(client.source),
        json_parser=client.json_parser,
        is_standard=client.is_standard,
        package=client.package,
        features=client.features,
    )


def lines_of_code(source: str) -> int:
    """Lines that are neither empty nor whole-line comments."""
    lines = (line.strip() for line in source.splitlines())
    return sum(1 for line in lines if line and not line.startswith(_COMMENT))
