"""`fetchoff site` on a real run: what it says, and that its files are there."""

from __future__ import annotations

import re
import shutil
import signal
import urllib.parse
from http.client import HTTPConnection
from pathlib import Path

from tests import links
from tests.command import Command


def test_a_site_of_a_real_run(finished_run: Path, fetchoff: Command) -> None:
    shutil.copytree(finished_run, fetchoff.folder / "runs" / "good")
    shutil.copytree(finished_run, fetchoff.folder / "runs" / "same")
    ran = fetchoff("site", "build", "runs")
    assert ran.status == 0, ran.err
    assert ran.out == ""
    lines = ran.err.splitlines()
    assert lines[0] == "left out: runs/same: has the id of good"
    assert re.fullmatch(r"site: site/index\.html: \d+ pages, 1 run", lines[1])
    site = fetchoff.folder / "site"
    assert links.broken(site, links.read(site)) == []
    assert sorted(path.name for path in (site / "clients").iterdir()) == [
        *("fake_honest.html", "fake_slow.html", "index.html")
    ]


def test_a_site_is_served_until_it_is_interrupted(finished_run: Path, fetchoff: Command) -> None:
    assert fetchoff("site", "build", finished_run, "--quiet").err == ""
    process = fetchoff.start("site", "serve", "--port", "0")
    assert process.stderr is not None
    address = urllib.parse.urlsplit(process.stderr.readline().split()[-3])
    asked = HTTPConnection(str(address.hostname), address.port, timeout=20)
    asked.request("GET", "/clients/fake_honest.html")
    assert asked.getresponse().status == 200
    asked.close()
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20) == ("", "")
    assert process.returncode == 0
