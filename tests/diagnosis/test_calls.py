"""Faults that system calls show: each is named in its client, and none in a clean one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.diagnosis.recorded import (
    diagnosis_of,
    faulty,
    languages_of,
    named,
    traced_diagnosis_of,
)

from fetchoff.model.cause import Cause, Diagnosis

CERTIFICATES = 100
RULES = {"several-writes", "small-reads", "thread-per-exchange", "ca-reloaded", "timer-wait"}


def cause(diagnosis: Diagnosis, fault: str) -> Cause:
    return next(each for each in diagnosis.causes if each.fault == fault)


def facts(found: Cause) -> dict[str, float | str]:
    return {fact.name: fact.value for fact in found.facts}


@pytest.mark.parametrize("workload", ["small-get", "small-post", "json-get", "handshake-full"])
@pytest.mark.parametrize("language", languages_of("clean"))
def test_a_clean_client_has_none(language: str, workload: str) -> None:
    diagnosis = traced_diagnosis_of(faulty(language, "clean"), workload)
    assert named(diagnosis) == set()
    assert not RULES & set(diagnosis.silent)


@pytest.mark.parametrize("language", languages_of("many_writes"))
def test_several_writes_are_named(language: str) -> None:
    diagnosis = traced_diagnosis_of(faulty(language, "many_writes"), "small-post")
    assert named(diagnosis) & RULES == {"several-writes"}
    assert float(facts(cause(diagnosis, "several-writes"))["writes"]) >= 4


@pytest.mark.parametrize(
    ("language", "size"), [("python", "1"), *((each, "64") for each in languages_of("byte_reads"))]
)
def test_small_reads_are_named(language: str, size: str) -> None:
    diagnosis = traced_diagnosis_of(faulty(language, "byte_reads", READ_BYTES=size), "json-get")
    assert named(diagnosis) & RULES == {"small-reads"}
    assert facts(cause(diagnosis, "small-reads"))["size"] == int(size)


@pytest.mark.parametrize("language", languages_of("thread_each"))
def test_threads_are_named(language: str) -> None:
    diagnosis = traced_diagnosis_of(faulty(language, "thread_each"), "small-get")
    assert named(diagnosis) & RULES == {"thread-per-exchange"}


@pytest.mark.parametrize("language", languages_of("ca_each"))
def test_certificates_are_named(tmp_path: Path, language: str) -> None:
    store = tmp_path / "store.pem"
    store.write_text((Path(__file__).parent / "certificate.pem").read_text() * CERTIFICATES)
    client = faulty(language, "ca_each", CA_FILE=str(store))
    diagnosis = traced_diagnosis_of(client, "small-get")
    assert named(diagnosis) & RULES == {"ca-reloaded"}
    assert facts(cause(diagnosis, "ca-reloaded"))["file"] == str(store)


@pytest.mark.parametrize("sleep_ms", ["1", "10", "40"])
@pytest.mark.parametrize("language", languages_of("timer_each"))
def test_a_timer_is_named_from_events_alone(language: str, sleep_ms: str) -> None:
    diagnosis = diagnosis_of(faulty(language, "timer_each", SLEEP_MS=sleep_ms), "small-get")
    assert named(diagnosis) & RULES == {"timer-wait"}
    found = cause(diagnosis, "timer-wait")
    assert facts(found)["timer"] == f"{sleep_ms} ms"
    assert found.saves_us is not None
    assert found.exchange_us - found.saves_us < 0.5 * found.exchange_us


@pytest.mark.parametrize("language", languages_of("timer_each"))
def test_the_call_that_sleeps_is_named(language: str) -> None:
    diagnosis = traced_diagnosis_of(faulty(language, "timer_each"), "small-get")
    sleeps = {"python": "clock_nanosleep", "javascript": "epoll_pwait"}
    assert sleeps[language] in str(facts(cause(diagnosis, "timer-wait"))["call"])
