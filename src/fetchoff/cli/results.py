"""Writing and showing what a run says."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

from fetchoff.model.analysis import Analysis, ClientCard
from fetchoff.model.errors import InputError, StoreError

if TYPE_CHECKING:
    from fetchoff.store.run_folder import ClientRecord, RunFolder

CSV, JSON, HTML = "results.csv", "results.json", "report.html"
_COMMENT = ("#", "//", "--", "/*", "*", "*/")


def analysis_of(folder: RunFolder) -> Analysis:
    """The analysis of a run folder; InputError if nothing in it was measured whole."""
    from fetchoff.analysis.analyse import RunFacts, analyse

    header = folder.header
    facts = RunFacts(
        run_id=header.run_id,
        title=header.title,
        started=header.started,
        experiment=header.experiment,
        cards=tuple(_card(client) for client in header.clients),
        absent=header.absent,
        environment=header.environment,
        notes=header.notes,
    )
    analysis = analyse(facts, folder.records())
    if not analysis.results:
        raise InputError(
            f"{folder.path} has no workload that was measured whole yet",
            f"'fetchoff resume {folder.path}' goes on with it",
        )
    return analysis


def write(analysis: Analysis, folder: Path) -> None:
    """results.csv, results.json and report.html; StoreError where they cannot be written."""
    from fetchoff.report import csv_results, html, json_results

    for name, render in (
        (CSV, csv_results.text),
        (JSON, json_results.text),
        (HTML, html.text),
    ):
        part = folder / f"{name}.part"
        try:
            part.write_text(render(analysis), encoding="utf-8")
            part.replace(folder / name)
        except OSError as error:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
            raise StoreError(
                f"{folder / name} cannot be written: {error.strerror}",
                "the measurements are kept; make room, then "
                f"'fetchoff report {folder}' writes the results",
            ) from error


def write_and_show(analysis: Analysis, folder: Path, *, quiet: bool, as_json: bool) -> None:
    """Both; where nothing can be written it is shown all the same, before StoreError says so."""
    try:
        write(analysis, folder)
    except StoreError:
        show(analysis, folder, quiet=True, as_json=as_json)
        raise
    show(analysis, folder, quiet=quiet, as_json=as_json)


def show(analysis: Analysis, folder: Path, *, quiet: bool, as_json: bool) -> None:
    """The ranking on standard output, and where the rest is on standard error."""
    from fetchoff.cli.console import data_console, say

    if as_json:
        from fetchoff.report import json_results

        print(json_results.text(analysis))
        return
    from fetchoff.report import table

    data_console().print(table.whole(analysis))
    if not quiet:
        say(f"report: {folder / HTML}   data: {folder / CSV}, {folder / JSON}")


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
    )


def lines_of_code(source: str) -> int:
    """Lines that are neither empty nor whole-line comments."""
    lines = (line.strip() for line in source.splitlines())
    return sum(1 for line in lines if line and not line.startswith(_COMMENT))
