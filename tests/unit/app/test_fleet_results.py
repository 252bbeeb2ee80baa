"""The files of a run of several hosts, and what `fetchoff report` says of one without results."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from benches.fleet import pretended
from tests.unit.analysis.told import nobody

from fetchoff.app.fleet_results import explained_on, fleet_analysis_of, write_fleet
from fetchoff.app.site import Origin, gather
from fetchoff.cli.fleet import measuring
from fetchoff.model.errors import InputError, StoreError
from fetchoff.model.host import ClientOnHost
from fetchoff.model.observation import Ended
from fetchoff.model.origin import OriginRecord
from fetchoff.store.run_folder import ClientRecord, RunFolder

HOSTS = ("anna", "berta")


def folder_with(path: Path, rounds: int, hosts: tuple[str, ...] = HOSTS) -> RunFolder:
    asked = pretended.experiment(rounds=5)
    folder = RunFolder.create(path, pretended.header("run", asked, hosts))
    for number in range(rounds):
        for host in hosts:
            for record in pretended.round_of(asked, host, number):
                folder.append(record)
    folder.append(Ended("rounds", rounds))
    folder.close()
    return folder


def test_the_same_files_every_time(tmp_path: Path) -> None:
    folder_with(tmp_path / "run", 5)
    kept = []
    for _ in range(2):
        write_fleet(RunFolder.open(tmp_path / "run"))
        files = sorted(p for p in (tmp_path / "run").rglob("*") if p.is_file())
        kept.append({str(p.relative_to(tmp_path / "run")): p.read_bytes() for p in files})
    assert kept[0] == kept[1]
    assert set(kept[0]) == {
        *("run.json", "batches.jsonl", "results.csv", "results.json", "hosts.csv", "report.html"),
        *("hosts/anna.html", "hosts/berta.html"),
    }


@pytest.mark.parametrize("as_json", [False, True])
def test_what_cannot_be_written_is_shown_all_the_same(
    as_json: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_with(tmp_path / "run", 5)
    (folder.path / "hosts.csv").mkdir()
    with pytest.raises(StoreError, match=r"hosts\.csv cannot be written"):
        measuring.write_and_show(folder, quiet=False, as_json=as_json)
    shown = capsys.readouterr().out
    if as_json:
        assert [host["id"] for host in json.loads(shown)["hosts"]] == list(HOSTS)
    else:
        assert "Hosts were not shown to differ." in shown
    assert not list(folder.path.glob("**/*.part"))


def test_json_is_printed_as_it_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folder_with(tmp_path / "run", 5)
    measuring.write_and_show(folder, quiet=False, as_json=True)
    assert capsys.readouterr().out == (folder.path / "results.json").read_text()


def test_what_a_host_has_in_another_version_is_told_of_it(tmp_path: Path) -> None:
    """In its rows, in its report and in the site, and of nobody else."""
    asked = pretended.experiment(rounds=5)
    other = ClientOnHost("a/fast", "2.0", "Python 3.99", "")
    header = pretended.header("run", asked, HOSTS)
    anna, berta = header.hosts
    header = replace(
        header,
        clients=(ClientRecord("a/fast", "", "", "product", "", "", "1.0", "", "", "", ""),),
        origin=OriginRecord("nginx", "a server", "1.22"),
        hosts=(anna, replace(berta, unlike=(other,), origin="nginx 1.24")),
    )
    folder = RunFolder.create(tmp_path / "run", header)
    for host in HOSTS:
        for number in range(5):
            for record in pretended.round_of(asked, host, number):
                folder.append(record)
    folder.close()
    write_fleet(RunFolder.open(folder.path))
    rows = list(csv.DictReader((folder.path / "results.csv").read_text().splitlines()))
    versions = {(row["host"], row["version"]) for row in rows if row["client"] == "a/fast"}
    assert versions == {("anna", "1.0"), ("berta", "2.0")}
    assert "Python 3.99" in (folder.path / "hosts" / "berta.html").read_text()
    assert "Python 3.99" not in (folder.path / "hosts" / "anna.html").read_text()
    of_anna, of_berta = (run.file for run in gather([Origin(folder.path)]).runs)
    assert (of_anna.origin, of_berta.origin) == ("nginx 1.22", "nginx 1.24")
    assert [card.version for card in (*of_anna.cards, *of_berta.cards)] == ["1.0", "2.0"]


def test_without_a_whole_round_there_is_nothing_to_show(tmp_path: Path) -> None:
    folder = folder_with(tmp_path / "run", 0)
    with pytest.raises(InputError) as raised:
        fleet_analysis_of(folder, nobody)
    assert f"fetchoff fleet resume {folder.path}" in raised.value.hint


def test_a_host_may_be_called_like_a_file_that_is_being_written(tmp_path: Path) -> None:
    """The folder of what it has explained is none, and what a killed process left is removed."""
    names = ("gpu.part", "gpu.html.part")
    folder = folder_with(tmp_path / "run", 5, names)
    for name in names:
        explained_on(folder.path, name).mkdir(parents=True)
    left = folder.path / "hosts" / "anna.html.part"
    left.write_text("<html>")
    write_fleet(folder)
    assert {path.name for path in (folder.path / "hosts").iterdir()} == {
        *names,
        *(f"{name}.html" for name in names),
    }
