"""Made-up run folders of every kind, for sites."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.unit.report import factory, linked, reproduced
from tests.unit.report.explained import explanation
from tests.unit.report.test_history import LEVEL, STEP, history

from fetchoff.model.analysis import Analysis
from fetchoff.report.files import csv_results, history_results, json_results
from fetchoff.store import plan_file
from fetchoff.store.history import HISTORY

REPORT = "<!doctype html><title>a report</title>"
REPORT_OF_HISTORY = f'{REPORT}<a href="comparisons/2--3/report.html">a comparison</a>'
HOSTILE = "\"><script>alert('name')</script><b title='"
RUN = "20261120-094107-7"


def write(folder: Path, analysis: Analysis) -> Path:
    """A run folder with what is read of it."""
    folder.mkdir(parents=True)
    (folder / "results.json").write_text(json_results.text(analysis), "utf-8")
    (folder / "results.csv").write_text(csv_results.text(analysis), "utf-8")
    (folder / "report.html").write_text(REPORT, "utf-8")
    return folder


def write_history(folder: Path, client: str = "python/urllib3") -> Path:
    """The folder of a history with a step, and the run of one of its comparisons."""
    found = history(LEVEL, STEP)
    plan = replace(found.plan, client=client, adapter=client, started="2026-11-18T10:00:00+00:00")
    HISTORY.create(folder, plan)
    text = history_results.text(replace(found, plan=plan))
    plan_file.write(folder, "results.json", text)
    plan_file.write(folder, "report.html", REPORT_OF_HISTORY)
    write(folder / "comparisons" / "2--3", compared("20261101-000000-1", 1))
    return folder


def ranked(run_id: str = RUN, day: int = 20, seed: int = 7) -> Analysis:
    """A wide run: of three workloads, the second is withheld; one client is explained."""
    return replace(
        factory.analysis(seed),
        run_id=run_id,
        started=f"2026-11-{day:02}T09:41:07+00:00",
        explanations=(explanation(),),
    )


def compared(run_id: str, day: int) -> Analysis:
    """A run of two clients on one workload."""
    whole = ranked(run_id, day)
    two = {"python/requests", "python/urllib3"}
    first = whole.results[0]
    rows = tuple(s for s in first.standings if s.client in two)
    return replace(
        whole,
        title="python/urllib3 against python/requests",
        results=(replace(first, standings=rows),),
        cards=tuple(card for card in whole.cards if card.client in two),
        points={},
        explanations=(),
    )


def over_link(run_id: str, day: int) -> Analysis:
    """A run over a link."""
    whole = ranked(run_id, day)
    course = linked.over_link("download@10M/atlantic")
    return replace(whole, results=(course,), points={}, explanations=())


def article(run_id: str, day: int) -> Analysis:
    """A run of an article's suite."""
    whole = reproduced.analysis("ruby-2008")
    return replace(whole, run_id=run_id, started=f"2026-11-{day:02}T12:00:00+00:00")


def hostile(run_id: str = f"../../{HOSTILE}") -> Analysis:
    """A run in which everything that somebody may name has a name that would do harm."""
    whole = compared("", 5)
    (first,) = whole.results
    clients = {"python/requests": f"{HOSTILE}/../..", "python/urllib3": "python/urllib3"}
    rows = tuple(replace(s, client=clients[s.client]) for s in first.standings)
    course = replace(
        first,
        workload=f"../..{HOSTILE}",
        about=HOSTILE,
        standings=rows,
        baseline=clients["python/requests"],
    )
    cards = tuple(
        replace(card, client=clients[card.client], about=HOSTILE, version=HOSTILE)
        for card in whole.cards
    )
    told = explanation(clients["python/requests"], course.workload)
    known = tuple(replace(fault, title=HOSTILE, signal=HOSTILE) for fault in told.known)
    return replace(
        whole,
        run_id=run_id,
        title=f"{HOSTILE}\x00\x0b",
        results=(course,),
        cards=cards,
        notes=(HOSTILE,),
        environment={"processor": HOSTILE},
        explanations=(replace(told, known=known),),
    )


def every_kind(folder: Path) -> Path:
    """Runs of every kind, two of them wide, and a history."""
    write(folder / "wide", ranked())
    write(folder / "wide again", ranked("20261122-094107-8", 22, seed=8))
    write(folder / "two", compared("20261123-094107-9", 23))
    write(folder / "far", over_link("20261121-094107-3", 21))
    write(folder / "reproduced" / "ruby-2008", article("20261119-120000-4", 19))
    write_history(folder / "history-of-httpx")
    return folder
