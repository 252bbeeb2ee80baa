"""Clients that crash or hang while they are recorded leave what was seen until then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from tests.diagnosis.recorded import faulty

from fetchoff.app.courses import courses
from fetchoff.diagnosis.diagnose import diagnose
from fetchoff.diagnosis.rule import Evidence
from fetchoff.model.errors import OriginError
from fetchoff.model.recording import Recording
from fetchoff.run.adapters import sizing
from fetchoff.run.recording.recorder import record_calls, record_wire
from fetchoff.run.recording.tracer import why_not
from fetchoff.run.recording.warm_client import Subject, WarmClient, warm_client

ITERATIONS = 20
SEEN = 4


@pytest.mark.parametrize("how", ["crashes", "hangs"])
@pytest.mark.parametrize("record", [record_wire, record_calls])
def test_what_was_seen_is_kept(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
    record: Callable[[WarmClient, int], Recording],
) -> None:
    if record is record_calls and (missing := why_not(tmp_path)):
        pytest.skip(f"nothing can be traced here: {missing.reason}")
    monkeypatch.setattr(sizing, "timeout_s", lambda *_: 3.0)
    fail_when = tmp_path / "fail"
    environment = {"FAIL_WHEN": str(fail_when)} | ({"HANGS": "1"} if how == "hangs" else {})
    (course,) = courses(["small-get"])
    subject = Subject("test/client", faulty("python", "crashing", **environment), course)
    with warm_client(subject, tmp_path) as warm:
        fail_when.touch()
        found = record(warm, ITERATIONS)
    assert ("exit status 3" if how == "crashes" else "no answer within") in found.fault
    evidence = Evidence(found)
    assert len(evidence.exchanges) == SEEN
    assert diagnose(evidence, (found.fault,)).faults == (found.fault,)
    if record is record_calls:
        assert len([call for call in found.calls if call.name == "sendto"]) == SEEN


def test_where_the_origin_is_lost_there_is_no_run_to_resume(tmp_path: Path) -> None:
    (course,) = courses(["small-get"])
    subject = Subject("test/client", faulty("python", "clean"), course)
    with (
        pytest.raises(OriginError, match="the origin ended with signal SIGKILL") as lost,
        warm_client(subject, tmp_path) as warm,
    ):
        (origin,) = (
            child for child in psutil.Process().children() if child.name() == "fetchoff-origin"
        )
        origin.kill()
        warm.ledger.read()
    assert lost.value.hint == "repeat the command: nothing of it is kept"
