"""Diagnoses of small clients made for a fault each, and of clients that ship."""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from fetchoff.app.choose import chosen, states
from fetchoff.app.courses import courses
from fetchoff.app.loopbacks import best
from fetchoff.catalog.paths import shipped
from fetchoff.diagnosis.diagnose import diagnose
from fetchoff.diagnosis.rule import Evidence
from fetchoff.model.cause import Diagnosis
from fetchoff.model.client import Launch
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

FAULTY = Path(__file__).parent / "faulty"


def faulty(language: str, name: str, **environment: str) -> Launch:
    """How to start the client `faulty/LANGUAGE/NAME`, a file driven by the kit of its language."""
    match language:
        case "python":
            kit = shipped("adapters") / "python" / "_kit"
            command = (sys.executable, str(FAULTY / "python" / f"{name}.py"))
            return Launch(command, {"PYTHONPATH": str(kit), **environment})
        case "javascript":
            node = shutil.which("node")
            if node is None:
                pytest.skip("Node.js is not installed")
            return Launch((node, str(FAULTY / "javascript" / f"{name}.mjs")), environment)
    raise ValueError(language)


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
            asked = iterations or iterations_of(warm.iteration_ms)
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


def traced_diagnosis_of(
    launch: Launch, workload: str, link: str = "", *, iterations: int | None = None
) -> Diagnosis:
    """What the rules say of a client when those that need system calls are asked too.

    Skips the test where nothing can be traced.
    """
    wire = recording_of(launch, workload, link, iterations=iterations)
    (course,) = courses([workload], [link] if link else [])
    with tempfile.TemporaryDirectory(prefix="fetchoff-test-") as folder:
        missing = why_not(Path(folder))
        if missing:
            pytest.skip(f"nothing can be traced here: {missing.reason}")
    with tempfile.TemporaryDirectory(prefix="fetchoff-test-") as folder:
        subject = Subject("test/client", launch, course, loopback=best())
        with warm_client(subject, Path(folder)) as warm:
            traced = record_calls(warm, iterations or traced_iterations_of(warm))
    return diagnose(Evidence(wire, traced))


def named(diagnosis: Diagnosis) -> set[str]:
    """The faults that were found."""
    return {cause.fault for cause in diagnosis.causes}
