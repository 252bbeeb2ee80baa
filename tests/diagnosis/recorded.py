"""Diagnoses of small clients made for a fault each, and of clients that ship."""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from fetchoff.app.choose import chosen, states
from fetchoff.app.courses import courses
from fetchoff.app.loopbacks import best
from fetchoff.app.measure import launches, measure
from fetchoff.app.trials import trial_of
from fetchoff.catalog.kits import read_kit
from fetchoff.catalog.paths import shipped
from fetchoff.diagnosis.diagnose import diagnose
from fetchoff.diagnosis.rule import Evidence
from fetchoff.model.cause import Diagnosis, Trial
from fetchoff.model.client import (
    Client,
    ClientId,
    Description,
    Kind,
    Launch,
    Manifest,
    Readiness,
    Recipe,
)
from fetchoff.model.course import Course
from fetchoff.model.recording import Recording
from fetchoff.model.toggle import Toggle
from fetchoff.run.recording.recorder import (
    iterations_of,
    record_calls,
    traced_iterations_of,
)
from fetchoff.run.recording.tapped import record_tapped
from fetchoff.run.recording.tracer import why_not
from fetchoff.run.recording.warm_client import Subject, warm_client
from fetchoff.run.schedule.events import Nobody

FAULTY = Path(__file__).parent / "faulty"
ENDINGS = {"python": "py", "javascript": "mjs", "ruby": "rb"}
TRIAL_S, MORE_S = 6.0, 25.0
"""What a trial has, and what it has where noise left something undecided: as users would. Another
chance alone, which all tests here have, would be of as few rounds."""
COMMANDS = {"javascript": "node", "ruby": "ruby"}


def faulty(language: str, name: str, **environment: str) -> Launch:
    """How to start the client `faulty/LANGUAGE/NAME`, a file driven by the kit of its language."""
    client = str(client_file(language, name))
    kit = shipped("adapters") / language / "_kit"
    if language == "python":
        return Launch((sys.executable, client), {"PYTHONPATH": str(kit), **environment})
    command = shutil.which(COMMANDS[language])
    if command is None:
        pytest.skip(f"{COMMANDS[language]} is not installed")
    # A clean one is as warm as those that ship: what compiles while it is recorded pauses. A faulty
    # one may do that, and would take seconds for thousands of slow exchanges.
    least = read_kit(kit).run.warm_up_exchanges if name.startswith("clean") else None
    return Launch((command, client), environment, warm_up_exchanges=least or 0)


def client_file(language: str, name: str) -> Path:
    """Where the client of a language is, if there is one."""
    return FAULTY / language / f"{name}.{ENDINGS[language]}"


def languages_of(name: str) -> list[str]:
    """The languages that have a client of this name."""
    return [language for language in ENDINGS if client_file(language, name).exists()]


def in_each_language(*cases: ParameterSet) -> list[ParameterSet]:
    """Each case for each language that has its client, the first of its values: with the language
    before all others."""
    return [
        pytest.param(language, *case.values, id=f"{case.id}-{language}")
        for case in cases
        for language in languages_of(str(case.values[0]))
    ]


def ready(client: str) -> Launch:
    """How to start a client that ships; skips the test where it is not set up."""
    (found,) = states(chosen([client]))
    if found.launch is None:
        pytest.skip(f"{client} is not ready: {found.reason}")
    return found.launch


def recording_of(
    launch: Launch,
    workload: str,
    link: str = "",
    *,
    iterations: int | None = None,
    toggle: Toggle | None = None,
) -> Recording:
    """What a client does on a workload: a name, or the path of a TOML file, and a change of it."""
    (course,) = courses([workload], [link] if link else [])
    if toggle is not None:
        course = replace(course, workload=toggle.apply(course.workload))
    with tempfile.TemporaryDirectory(prefix="fetchoff-test-") as folder:
        subject = Subject("test/client", launch, course, loopback=best())
        with warm_client(subject, Path(folder)) as warm:
            at_once = course.workload.settings.concurrency
            asked = iterations or iterations_of(warm.iteration_ms, at_once)
            return record_tapped(warm, asked)


def diagnosis_of(
    launch: Launch,
    workload: str,
    link: str = "",
    *,
    iterations: int | None = None,
    toggle: Toggle | None = None,
) -> Diagnosis:
    """What the rules say of a client."""
    return diagnose(
        Evidence(recording_of(launch, workload, link, iterations=iterations, toggle=toggle))
    )


def compared_diagnosis_of(launch: Launch, workload: str) -> Diagnosis:
    """What the rules say of a client that is recorded with one exchange at a time, too."""
    one = Toggle("it is asked for one at a time", settings={"concurrency": 1})
    single = recording_of(launch, workload, toggle=one)
    return diagnose(Evidence(recording_of(launch, workload), single=single))


def traced_diagnosis_of(
    launch: Launch, workload: str, link: str = "", *, iterations: int | None = None
) -> Diagnosis:
    """What the rules say of a client when those that need system calls are asked too.

    Skips the test where nothing can be traced.
    """
    (course,) = courses([workload], [link] if link else [])
    with tempfile.TemporaryDirectory(prefix="fetchoff-test-") as folder:
        missing = why_not(Path(folder))
        if missing:
            pytest.skip(f"nothing can be traced here: {missing.reason}")
    with tempfile.TemporaryDirectory(prefix="fetchoff-test-") as folder:
        subject = Subject("test/client", launch, course, loopback=best())
        with warm_client(subject, Path(folder)) as warm:
            at_once = course.workload.settings.concurrency
            wire = record_tapped(warm, iterations or iterations_of(warm.iteration_ms, at_once))
            traced = record_calls(warm, iterations or traced_iterations_of(warm))
    return diagnose(Evidence(wire, traced))


def tried_diagnosis_of(launch: Launch, workload: str, link: str = "") -> Diagnosis:
    """What the rules say of a client, and what came of trying it: both ways measured.

    What noise leaves undecided is tried again, for longer.
    """
    (course,) = courses([workload], [link] if link else [])
    found = diagnosis_of(launch, workload, link)
    tried = _tried(launch, course, found, TRIAL_S)
    if any(cause.tried and cause.tried.trial is Trial.UNDECIDED for cause in tried.causes):
        return _tried(launch, course, found, MORE_S)
    return tried


def _tried(launch: Launch, course: Course, found: Diagnosis, budget_s: float) -> Diagnosis:
    with tempfile.TemporaryDirectory(prefix="fetchoff-test-") as folder:
        out = Path(folder) / "run"
        trial = trial_of(_client(launch), course, found, budget_s=budget_s, out=out, seed=1)
        if trial is None:
            return found
        measure(trial.folder, launches(trial.clients), Nobody(), waits=True)
        return trial.judged()


def _client(launch: Launch) -> Client:
    """A client as the catalogue would have it, whose source is this file."""
    id_, here = ClientId.parse("test/client"), Path(__file__)
    manifest = Manifest(
        id=id_,
        built_as=id_,
        kit=id_.language,
        kind=Kind.PRODUCT,
        about="",
        homepage="",
        tried=True,
        json_parser="",
        is_control=False,
        faults={},
        folder=here.parent,
        kit_folders=(),
        source=here.name,
        set={},
        runtime=None,
        recipe=Recipe(),
        launch=launch,
    )
    about = Description("1", "", "", frozenset())
    return Client(manifest, Readiness.READY, about, launch)


def named(diagnosis: Diagnosis) -> set[str]:
    """The faults that were found."""
    return {cause.fault for cause in diagnosis.causes}
