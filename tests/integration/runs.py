"""Read run folders in tests."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from subprocess import Popen
from typing import Any

from fetchoff.model.experiment import Experiment, is_measured, takes_turns
from fetchoff.model.observation import Batch, Invocation, Sample, SectionDone, Turns
from fetchoff.plan.rounds import entrants_of_round
from fetchoff.store.journal import JOURNAL
from fetchoff.store.run_folder import RunFolder

DEADLINE_S = 60.0


def results(run: Path) -> dict[str, Any]:
    document = json.loads((run / "results.json").read_text())
    assert isinstance(document, dict)
    return document


def standings(run: Path, workload: str = "tiny") -> dict[str, dict[str, Any]]:
    """The entries of results.json by client."""
    result = next(one for one in results(run)["results"] if one["workload"] == workload)
    return {standing["client"]: standing for standing in result["standings"]}


def batches(run: Path) -> list[Batch]:
    return [r for r in RunFolder.open(run).records() if isinstance(r, Batch)]


def turns(run: Path) -> list[Turns]:
    return [r for r in RunFolder.open(run).records() if isinstance(r, Turns)]


def invocations(run: Path) -> list[Invocation]:
    return [r for r in RunFolder.open(run).records() if isinstance(r, Invocation)]


def lines(run: Path) -> int:
    """The complete lines of the journal, even while it is being written."""
    try:
        return (run / JOURNAL).read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def finished_sections(run: Path) -> int:
    """The number of complete lines, even while the journal is being written."""
    try:
        return (run / JOURNAL).read_bytes().count(b'{"kind":"section"')
    except FileNotFoundError:
        return 0


def wait_for_lines(run: Path, count: int, process: Popen[str]) -> None:
    """Wait until the journal has this many lines; the process must not end before."""
    deadline = time.monotonic() + DEADLINE_S
    while lines(run) < count:
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline, f"{lines(run)} lines only"
        time.sleep(0.005)


def assert_every_slot_once(run: Path) -> None:
    """Every entrant of every finished section has each batch, or its turns, exactly once."""
    folder = RunFolder.open(run)
    experiment = folder.header.experiment
    finished = [r for r in folder.records() if isinstance(r, SectionDone)]
    accepted = Counter((r.sample, r.workload) for r in finished)
    assert set(accepted.values()) <= {1}
    attempts = {(r.sample, r.workload): r.attempt for r in finished}
    measured: list[Batch | Turns] = [*batches(run), *turns(run)]
    counted = (
        record
        for record in measured
        if attempts.get((record.sample, record.workload)) == record.attempt
    )
    slots = Counter(slot_of(record) for record in counted)
    assert slots == planned_slots(experiment, accepted)


Slot = tuple[Sample, str, int, str]
IN_TURNS = -1  # in place of a block's number


def slot_of(record: Batch | Turns) -> Slot:
    """The position in the plan that a record fills."""
    if isinstance(record, Turns):
        return (record.sample, record.workload, IN_TURNS, record.entrant)
    return record.slot


def planned_slots(experiment: Experiment, sections: Iterable[tuple[Sample, str]]) -> Counter[Slot]:
    """Every slot of these sections, each a sample and the id of a course."""
    courses = {course.id: course for course in experiment.courses}
    found: Counter[Slot] = Counter()
    for sample, workload in sections:
        course, (_, number) = courses[workload], sample
        for entrant in entrants_of_round(experiment, number):
            if not is_measured(entrant, course):
                continue
            if course.link.is_emulated or course.workload.settings.concurrency > 1:
                blocks = range(experiment.blocks_of(course))
                found.update((sample, workload, block, entrant.key) for block in blocks)
            elif takes_turns(entrant):
                found[(sample, workload, IN_TURNS, entrant.key)] += 1
    return found
