"""The files that are derived from a run folder: a pure function of it."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from tests.unit.report import reproduced

from fetchoff.app import results
from fetchoff.catalog.paths import shipped
from fetchoff.cli.results import show
from fetchoff.model.errors import StoreError
from fetchoff.store.run_folder import RunFolder

MEASURED = {"run.json", "batches.jsonl"}
ALWAYS = {"results.csv", "results.json", "report.html"}


def written(folder: Path) -> dict[str, bytes]:
    """Every derived file by its path, after the results were written (again)."""
    results.write(results.analysis_of(RunFolder.open(folder)), folder)
    found = {str(p.relative_to(folder)): p for p in folder.rglob("*") if p.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if name not in MEASURED}


def test_an_articles_run_leaves_its_claims_and_the_same_files_every_time(tmp_path: Path) -> None:
    reproduced.run(tmp_path, "curl-2023")
    first = written(tmp_path)
    assert set(first) == {*ALWAYS, "claims.json"}
    assert written(tmp_path) == first
    judged = json.loads(first["claims.json"])
    assert [one["claim"]["id"] for one in judged][:2] == ["curl8-h2-tls", "curl8-h1-parallel"]
    assert {one["verdict"] for one in judged} == {"holds"}
    assert b"The article, measured again" in first["report.html"]


def test_claims_have_no_verdict_before_the_run_has_ended(tmp_path: Path) -> None:
    """Their intervals allow for one look: who interrupts a run that pleases had chosen it."""
    reproduced.run(tmp_path, "curl-2023")
    records = tmp_path / "batches.jsonl"
    *before, end = records.read_text("utf-8").splitlines(keepends=True)
    assert "ended" in end
    records.write_text("".join(before), "utf-8")
    judged = json.loads(written(tmp_path)["claims.json"])
    assert {one["verdict"] for one in judged} == {"undecided"}
    assert b"the run has not come to its end" in (tmp_path / "report.html").read_bytes()


def test_ruby_2008_leaves_a_file_for_each_implementation_and_three_for_all(tmp_path: Path) -> None:
    reproduced.run(tmp_path, "ruby-2008", reproduced.SPECIAL["ruby-2008"])
    names = {name for name in written(tmp_path) if name.startswith("csv/")}
    assert {"csv/clock-time.csv", "csv/cpu-time.csv", "csv/cpu-percentage.csv"} <= names
    assert "csv/net-http+read-1k--ruby-3.1.2.csv" in names
    assert len(names) == 3 + len(RunFolder.open(tmp_path).header.clients)


@pytest.mark.parametrize("name", ["perl-2011", "ruby-2008", "ruby-2014", "curl-2023"])
def test_an_articles_json_is_valid_by_its_schema(name: str, tmp_path: Path) -> None:
    reproduced.run(tmp_path, name)
    document = json.loads(written(tmp_path)["results.json"])
    schema = json.loads((shipped("docs") / "results.schema.json").read_text("utf-8"))
    jsonschema.validate(document, schema)
    assert document["article"]["id"] == name
    assert len(document["article"]["claims"]) == len(json.loads(_claims(tmp_path)))
    assert set(document["rounds"]) == set(document["points"])


def _claims(folder: Path) -> str:
    return (folder / results.CLAIMS).read_text("utf-8")


def test_the_run_of_another_suite_has_no_article(tmp_path: Path) -> None:
    reproduced.run(tmp_path, "curl-2023")
    header = json.loads((tmp_path / "run.json").read_text())
    header["experiment"]["suite"] = "my-own"
    (tmp_path / "run.json").write_text(json.dumps(header))
    found = written(tmp_path)
    assert set(found) == ALWAYS
    assert json.loads(found["results.json"])["article"] is None
    assert b"measured again" not in found["report.html"]


def test_a_journal_of_another_run_is_told(tmp_path: Path) -> None:
    reproduced.run(tmp_path, "curl-2023")
    header = json.loads((tmp_path / "run.json").read_text())
    header["experiment"]["looks"] = [1]
    (tmp_path / "run.json").write_text(json.dumps(header))
    with pytest.raises(StoreError, match=r"rounds, but by its run.json it may have 1 at most"):
        written(tmp_path)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    reproduced.run(tmp_path, "ruby-2008")
    (tmp_path / "csv").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        written(tmp_path)


def test_what_an_origin_does_not_count_is_not_told(tmp_path: Path) -> None:
    reproduced.run(tmp_path, "curl-2023")
    header = json.loads((tmp_path / "run.json").read_text())
    header["origin"] = {"id": "nginx", "version": "1.22.1", "counts": ["requests", "bytes"]}
    (tmp_path / "run.json").write_text(json.dumps(header))
    document = json.loads(written(tmp_path)["results.json"])
    assert document["origin"] == "nginx 1.22.1"
    wire = document["results"][0]["standings"][0]["wire"]
    assert wire["bytes_in_per_exchange"] == 100
    assert wire["connections"] is wire["segments_per_exchange"] is None


def test_what_it_comes_to_is_told_only_to_who_asks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    analysis = results.analysis_of(reproduced.run(tmp_path, "curl-2023"))
    show(analysis, tmp_path, quiet=True, as_json=False)
    assert "exchanges a day" not in capsys.readouterr().out
    show(analysis, tmp_path, quiet=True, as_json=False, per_day=100_000_000)
    assert "parallel-h2-tls at 100,000,000 exchanges a day" in capsys.readouterr().out
