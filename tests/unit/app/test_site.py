"""Sites from run folders: what is found, what is left out, and a folder that is never half done."""

from __future__ import annotations

import errno
import json
import os
import shutil
import socket
import threading
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest
from benches.fleet import pretended
from tests.unit.app.test_fleet_results import folder_with
from tests.unit.report import reproduced, sited

from fetchoff.app import results, site, site_folder, site_server
from fetchoff.app.fleet_results import write_fleet
from fetchoff.app.histories import folder_of
from fetchoff.app.site import Origin, Passed, gather
from fetchoff.cli import site as site_command
from fetchoff.model.errors import InputError, StoreError
from fetchoff.model.observation import Ended, HostLost
from fetchoff.report.site import render
from fetchoff.store.history import HISTORIES
from fetchoff.store.run_folder import RunFolder


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return sited.write(tmp_path / "runs" / "one", sited.compared("one", 1))


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_runs_of_every_kind_are_found(tmp_path: Path) -> None:
    found = gather([Origin(sited.every_kind(tmp_path))])
    assert len(found.runs) == 5
    assert [one.file.client for one in found.histories] == ["python/urllib3"]
    assert found.passed == ()


def test_the_histories_of_many_clients_are_found_in_their_folder(tmp_path: Path) -> None:
    """It has results of its own, which are those of no run. All began at once, with one seed."""
    folder = tmp_path / "histories"
    clients = ["python/httpx", "python/urllib3"]
    for client in clients:
        sited.write_history(folder / folder_of(client), client)
    for name in (HISTORIES.name, "results.json"):
        (folder / name).write_text("{}")
    found = gather([Origin(folder)])
    assert [one.file.client for one in found.histories] == clients
    assert found.passed == ()


def test_a_run_folder_can_be_named_itself(run: Path) -> None:
    (found,) = gather([Origin(run)]).runs
    assert (found.file.run_id, found.by) == ("one", "")
    assert found.files == ("report.html", "results.csv")


def test_hidden_folders_are_not_looked_into(run: Path) -> None:
    shutil.copytree(run, run.parent / ".trash" / "one")
    assert len(gather([Origin(run.parent)]).folders) == 1


def test_results_that_are_missing_are_computed(tmp_path: Path) -> None:
    folder = tmp_path / "computed"
    reproduced.run(folder, "ruby-2008").close()
    assert not (folder / "results.json").exists()
    (found,) = gather([Origin(folder)]).runs
    assert found.file.article is not None
    assert found.files == ()
    assert not (folder / "results.json").exists()


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """A fleet of two hosts, with its files."""
    written = folder_with(tmp_path / "runs" / "fleet", 5)
    write_fleet(RunFolder.open(written.path))
    return written.path


@pytest.mark.parametrize("has_results", [True, False])
def test_each_host_of_a_fleet_is_a_run_on_its_own_machine(fleet: Path, has_results: bool) -> None:
    if not has_results:
        (fleet / "results.json").unlink()
    anna, berta = gather([Origin(fleet)]).runs
    assert (anna.file.run_id, berta.file.run_id) == ("run-anna", "run-berta")
    assert anna.file.title == "pretended, on anna"
    assert anna.machine == berta.machine == "pretended"
    assert [course.workload for course in anna.file.results] == ["get-0", "get-1"]
    assert {course.host for course in berta.file.results} == {"berta"}
    assert anna.files == ("hosts/anna.html",)
    for placed in anna.courses:
        levels = {s.wall.ratio.level for s in placed.ranked if s.wall}
        assert levels == {anna.file.level}  # a host has but a part of the error rate
        assert anna.file.level > 0.99
        assert anna.file.alpha == pytest.approx(1 - anna.file.level)
        assert [standing.client for standing in placed.ranked] == ["a/fast", "b/even", "c/slow"]


def test_a_host_whose_fastest_client_has_no_interval_has_its_level_all_the_same(
    fleet: Path,
) -> None:
    """A ratio from too few rounds for an interval has none, and its level is 0."""
    document = json.loads((fleet / "results.json").read_text())
    ratio = document["results"][0]["standings"][0]["wall"]["ratio"]
    level = ratio["level"]
    ratio |= {"low": None, "high": None, "level": 0}
    (fleet / "results.json").write_text(json.dumps(document))
    anna, berta = gather([Origin(fleet)]).runs
    assert anna.file.level == berta.file.level == level


def test_the_site_of_a_fleet_has_a_report_for_each_host(fleet: Path, tmp_path: Path) -> None:
    site.build(gather([Origin(fleet)]), tmp_path / "site")
    page = (tmp_path / "site" / "runs" / "run-berta" / "index.html").read_text("utf-8")
    assert 'hosts/berta.html">The full report</a>' in page
    assert (tmp_path / "site" / "runs" / "run-berta" / "hosts" / "berta.html").is_file()


def test_a_host_that_was_lost_is_shown_so_and_one_without_results_is_not(fleet: Path) -> None:
    document = json.loads((fleet / "results.json").read_text())
    document["hosts"][0]["lost"] = "it has been away for 60 s"
    document["results"] = [one for one in document["results"] if one["host"] == "anna"]
    (fleet / "results.json").write_text(json.dumps(document))
    (anna,) = gather([Origin(fleet)]).runs
    assert "anna was lost: it has been away for 60 s" in anna.file.notes
    (fleet / "results.json").write_text(json.dumps(document | {"results": []}))
    (passed,) = gather([Origin(fleet)]).passed
    assert passed.reason == "no host of it has measured anything"


def test_each_host_has_measured_as_long_as_it_did(tmp_path: Path) -> None:
    """One that was lost early, for less time than the others."""
    asked = pretended.experiment(rounds=5)
    folder = RunFolder.create(tmp_path / "run", pretended.header("run", asked, ("anna", "berta")))
    for host, rounds in (("anna", 5), ("berta", 3)):
        for number in range(rounds):
            for record in pretended.round_of(asked, host, number):
                folder.append(record)
    folder.append(HostLost(3, "it has been away for 60 s", host="berta"))
    folder.append(Ended("rounds", 5))
    folder.close()
    write_fleet(RunFolder.open(folder.path))
    anna, berta = gather([Origin(folder.path)]).runs
    assert (anna.file.seconds, berta.file.seconds) == (5 * 2.0, 3 * 2.0)
    document = json.loads((folder.path / "results.json").read_text())
    for host in document["hosts"]:
        del host["seconds"]
    (folder.path / "results.json").write_text(json.dumps(document))
    assert [run.file.seconds for run in gather([Origin(folder.path)]).runs] == [None, None]


def test_of_hosts_of_others_and_hosts_elsewhere_nothing_is_copied(fleet: Path) -> None:
    (others, _) = gather([Origin(fleet, "Ada")]).runs
    assert others.files == ()
    text = (fleet / "results.json").read_text()
    (fleet / "results.json").write_text(text.replace('"anna"', '"../../report"'))
    (elsewhere, _) = gather([Origin(fleet)]).runs
    assert elsewhere.files == ()


def test_observations_that_make_no_sense_leave_others_in(
    tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reproduced.run(run.parent / "odd", "ruby-2008").close()

    def refused(_: object) -> None:
        raise ValueError("13 rounds, but the stopping rule ends at 6")

    monkeypatch.setattr(results, "analysis_of", refused)
    found = gather([Origin(run.parent)])
    assert [one.file.run_id for one in found.runs] == ["one"]
    (passed,) = found.passed
    assert passed.reason.startswith("batches.jsonl cannot be analysed: 13 rounds")


def broken(folder: Path, name: str) -> Path:
    """A folder that can't be shown."""
    match name:
        case "cut short":
            text = (folder / "results.json").read_text()
            (folder / "results.json").write_text(text[: len(text) // 2])
        case "old":
            document = json.loads((folder / "results.json").read_text())
            (folder / "results.json").write_text(json.dumps(document | {"schema": 0}))
        case "begun":
            (folder / "results.json").rename(folder / "run.json")
        case "interrupted":
            (folder / "results.json").rename(folder / "run.json")
            (folder / "batches.jsonl").write_text("")
        case "of a history":
            (folder / "history.json").write_text("{}")
    return folder


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("cut short", "results.json is not valid: "),
        ("old", "results.json is not valid: it has schema 0; this version reads schema 1"),
        ("begun", "results.json cannot be read: No such file or directory"),
        ("interrupted", "run.json is damaged: "),
        ("of a history", "history.json is damaged"),
    ],
)
def test_what_cannot_be_shown_is_left_out_with_a_reason(
    tmp_path: Path, run: Path, name: str, reason: str
) -> None:
    folder = broken(sited.write(run.parent / "bad", sited.compared("two", 2)), name)
    found = gather([Origin(run.parent)])
    (passed,) = found.passed
    assert passed.folder == folder
    assert passed.reason.startswith(reason)
    assert str(tmp_path) not in passed.reason
    assert [one.file.run_id for one in found.runs] == ["one"]


def test_a_folder_that_may_not_be_read_is_left_out(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its name alone, as wherever a folder is left out."""
    closed = run.parent / "closed"
    closed.mkdir()
    scandir = os.scandir

    def refused(path: str) -> Iterator[os.DirEntry[str]]:
        if Path(path) == closed:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refused)
    found = gather([Origin(run.parent)])
    assert [one.file.run_id for one in found.runs] == ["one"]
    assert found.passed == (Passed(closed, "it cannot be read: Permission denied"),)
    with pytest.raises(InputError, match="closed cannot be read: Permission denied"):
        gather([Origin(closed)])


def test_a_folder_that_may_be_listed_and_not_entered_is_left_out(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = sited.write(run.parent / "listed", sited.compared("two", 2))
    is_file = Path.is_file

    def refused(path: Path) -> bool:
        if path.parent == listed:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refused)
    found = gather([Origin(run.parent)])
    assert [one.file.run_id for one in found.runs] == ["one"]
    assert found.passed == (Passed(listed, "it cannot be read: Permission denied"),)


def test_the_same_run_counts_once(run: Path) -> None:
    shutil.copytree(run, run.parent / "two")
    found = gather([Origin(run.parent), Origin(run)])
    assert len(found.runs) == 1
    assert [one.reason for one in found.passed] == ["has the id of one"] * 2


def test_a_run_of_others_may_have_the_id_of_ones_own(run: Path) -> None:
    found = gather([Origin(run), Origin(run, "somebody")])
    assert {one.folder for one in found.runs} == {"runs/one/", "runs/somebody_one/"}


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_a_folder_without_runs_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=name):
        gather([Origin(tmp_path / name)])


def test_nothing_to_show_is_an_error(tmp_path: Path, run: Path) -> None:
    broken(run, "old")
    with pytest.raises(InputError, match="no run to show"):
        site.build(gather([Origin(run)]), tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_a_site_is_replaced_as_a_whole(tmp_path: Path, run: Path) -> None:
    out = tmp_path / "site"
    site.build(gather([Origin(run)]), out)
    (out / "left over").touch()
    sited.write(run.parent / "two", sited.compared("two", 2))
    built = site.build(gather([Origin(run.parent)]), out)
    assert built.runs == 2
    assert not (out / "left over").exists()
    assert built.pages == sum(name.endswith(".html") for name in listing(out)) - 2  # the reports
    assert sorted(path.name for path in tmp_path.iterdir()) == ["runs", "site"]


def test_a_site_may_be_built_into_an_empty_folder(tmp_path: Path, run: Path) -> None:
    (tmp_path / "site").mkdir()
    site.build(gather([Origin(run)]), tmp_path / "site")
    assert site_folder.is_site(tmp_path / "site")


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_is_no_site_is_not_overwritten(tmp_path: Path, run: Path, kind: str) -> None:
    out = tmp_path / "precious"
    kept = out if kind == "file" else out / "thesis.txt"
    kept.parent.mkdir(exist_ok=True)
    kept.write_text("precious")
    with pytest.raises(InputError, match="not a site"):
        site.build(gather([Origin(run)]), out)
    assert kept.read_text() == "precious"


@pytest.mark.parametrize("out", ["a" * 300, f"{'a' * 300}/site", "file/site", "/proc/site"])
def test_where_no_folder_can_be_made_is_told(out: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    site_folder.must_be_a_site_or_nothing(tmp_path / out)
    with pytest.raises(StoreError, match="the site cannot be written") as caught:
        site_folder.must_be_writable(tmp_path / out)
    assert out in caught.value.message
    assert listing(tmp_path) == ["file"]


@pytest.mark.parametrize("out", ["a" * 255, "new/folders/site"])
def test_a_look_whether_a_folder_can_be_made_leaves_nothing(
    out: str, tmp_path: Path, run: Path
) -> None:
    before = listing(tmp_path)
    site_folder.must_be_writable(tmp_path / out)
    assert listing(tmp_path) == before
    site.build(gather([Origin(run)]), tmp_path / out)
    site_folder.must_be_writable(tmp_path / out)
    assert site_folder.is_site(tmp_path / out)


def test_no_run_is_read_for_a_folder_that_cannot_be_made(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There may be gigabytes of them."""
    monkeypatch.setattr(site, "gather", lambda _: pytest.fail("runs were read"))
    with pytest.raises(StoreError, match="/dev/null/site"):
        site_command.build([run], out=Path("/dev/null/site"))


def test_runs_within_the_site_are_refused(tmp_path: Path, run: Path) -> None:
    out = tmp_path / "site"
    site.build(gather([Origin(run)]), out)
    inside = sited.write(out / "mine", sited.compared("two", 2))
    with pytest.raises(InputError, match="lies in"):
        site.build(gather([Origin(inside)]), out)
    assert inside.exists()


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_end_in_the_middle_changes_nothing(
    tmp_path: Path,
    run: Path,
    error: BaseException | type[BaseException],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    out = tmp_path / "site"
    site.build(gather([Origin(run)]), out)
    before = listing(tmp_path)

    def cut_short(*_: object) -> Iterator[tuple[str, str]]:
        yield "index.html", "the first page of"
        raise error

    monkeypatch.setattr(render, "files", cut_short)
    with pytest.raises((KeyboardInterrupt, StoreError)):
        site.build(gather([Origin(run)]), out)
    assert listing(tmp_path) == before
    assert "the first page of" not in (out / "index.html").read_text()


def test_an_interrupt_between_the_moves_brings_the_old_site_back(
    tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "site"
    site.build(gather([Origin(run)]), out)
    before = listing(tmp_path)
    rename = Path.rename

    def interrupted(path: Path, target: Path) -> Path:
        if path.name == "new":
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        site.build(gather([Origin(run)]), out)
    assert listing(tmp_path) == before


def test_a_site_is_served(tmp_path: Path, run: Path) -> None:
    site.build(gather([Origin(run)]), tmp_path / "site")
    with site_server.server(tmp_path / "site", 0) as serving:
        thread = threading.Thread(target=serving.serve_forever, daemon=True)
        thread.start()
        asked = HTTPConnection("127.0.0.1", serving.server_port, timeout=20)
        asked.request("GET", "/")
        assert asked.getresponse().read() == (tmp_path / "site" / "index.html").read_bytes()
        asked.close()
        assert serving.server_address[0] == "127.0.0.1"
        serving.shutdown()
        thread.join()


def test_a_port_that_is_taken_is_said_to_be(tmp_path: Path, run: Path) -> None:
    site.build(gather([Origin(run)]), tmp_path / "site")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port} is taken"):
            site_server.server(tmp_path / "site", port)


@pytest.mark.parametrize("folder", [".", "a" * 300])
def test_only_a_site_is_served(folder: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a site"):
        site_server.server(tmp_path / folder, 0)
