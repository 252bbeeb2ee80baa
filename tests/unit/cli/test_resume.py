"""A run that ended can still lack what is explained after it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.app.test_explaining import CURL, client
from tests.unit.report import reproduced

from fetchoff.app import explaining, unchanged
from fetchoff.app.explain import Explained
from fetchoff.app.results import analysis_of
from fetchoff.catalog import claims
from fetchoff.cli import resume
from fetchoff.diagnosis.rule import Evidence
from fetchoff.model.cause import Cause, Diagnosis, Fact, Unit
from fetchoff.model.claim import Claim, ClaimVerdict, FindingClaim, Side
from fetchoff.model.client import Client
from fetchoff.model.course import Course
from fetchoff.store import explanations
from fetchoff.store.run_folder import Header, RunFolder


def explained(client: Client, course: Course, *_: object) -> Explained:
    """A recording that shows pauses."""
    facts = (
        Fact("pause", 9.0, Unit.MS),
        Fact("usual", 1.0, Unit.MS),
        Fact("share", 0.2, Unit.SHARE),
    )
    causes = (Cause("pauses", 1, 2, 100.0, facts),)
    evidence = Evidence.__new__(Evidence)
    return Explained(Diagnosis(client.id, course.id, 100.0, 1.0, 1.0, causes), evidence)


@pytest.fixture
def ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An article's run that was killed after it ended, before a fault was looked for."""
    article = claims.article("curl-2023")
    claim = Claim("id", "text", FindingClaim(Side(CURL, "small-post"), "pauses"))
    article = replace(article, claims=(claim,))
    monkeypatch.setattr(claims, "article", lambda _: article)
    monkeypatch.setattr(explaining, "explain", explained)
    monkeypatch.setattr(explaining, "part_of", lambda *_: ())
    reproduced.run(tmp_path, "curl-2023")
    return tmp_path


def ready(*_: object) -> list[Client]:
    return [client(CURL)]


def verdict(folder: Path) -> ClaimVerdict:
    reproduction = analysis_of(RunFolder.open(folder)).reproduction
    assert reproduction is not None
    (judgement,) = reproduction.judgements
    return judgement.verdict


def test_claims_about_faults_are_still_decided(
    ended: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(unchanged, "unchanged_of", ready)
    assert verdict(ended) is ClaimVerdict.UNMEASURED
    resume.command(ended)
    assert "nothing is left to measure" in capsys.readouterr().err
    assert verdict(ended) is ClaimVerdict.HOLDS
    assert '"verdict": "holds"' in (ended / "claims.json").read_text()


def test_what_is_decided_already_needs_no_clients(
    ended: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is a client that has changed since told not to be explained: it is."""
    monkeypatch.setattr(unchanged, "unchanged_of", ready)
    resume.command(ended, quiet=True)

    def asked(*_: object) -> list[Client]:
        raise AssertionError("all is explained")

    monkeypatch.setattr(unchanged, "unchanged_of", asked)
    resume.command(ended, quiet=True)
    assert verdict(ended) is ClaimVerdict.HOLDS


def test_who_asks_for_explanations_gets_them(ended: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unchanged, "unchanged_of", ready)
    resume.command(ended, explain=True, quiet=True)
    courses = {each.diagnosis.course for each in explanations.read(ended)}
    assert "small-post" in courses
    assert len(courses) > 1


def test_who_only_wants_to_see_it_needs_no_clients(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(*_: object) -> list[Client]:
        raise AssertionError("nothing is to be explained")

    monkeypatch.setattr(unchanged, "unchanged_of", asked)
    article = replace(claims.article("curl-2023"), claims=())
    monkeypatch.setattr(claims, "article", lambda _: article)
    reproduced.run(tmp_path, "curl-2023")
    resume.command(tmp_path, quiet=True)
    assert (tmp_path / "report.html").is_file()


def test_a_client_that_changed_or_is_gone_is_told_and_not_explained(ended: Path) -> None:
    header: Header = RunFolder.open(ended).header
    records = (header.clients[0], replace(header.clients[1], adapter="gone/away"))
    here = replace(header, clients=records, environment={})
    said: list[str] = []
    assert unchanged.unchanged_of(here, said.append) == []
    assert len(said) == 2
    assert all("is not explained: " in told for told in said)


def test_what_another_machine_has_measured_is_not_explained_here(ended: Path) -> None:
    """What a recording shows here would stand beside figures of there."""
    said: list[str] = []
    assert unchanged.unchanged_of(RunFolder.open(ended).header, said.append) == []
    (told,) = said
    assert "nothing is explained: this run was measured on another machine" in told
    assert "processor: made up then" in told
