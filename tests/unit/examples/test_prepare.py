"""prepare.sh: what it asks of a machine, whose programs only note that they were started."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.unit.examples.listener import EXAMPLES, Started, started
from tools import debian_packages

from fetchoff.build.prerequisites import Refused
from fetchoff.catalog.manifests import discover
from fetchoff.model.client import Manifest

NEEDED = ("bash", "cat", "cut", "dirname", "env", "mktemp", "rm", "sh", "wc")
NOTES = """#!/bin/sh
echo "$(basename "$0") $*" >>"$NOTED"
"""
SUDO = """#!/bin/sh
echo "sudo $*" >>"$NOTED"
[ "$MAY" = yes ]
"""


def prepare(folder: Path, *there: str, may: str = "yes") -> tuple[Started, list[str]]:
    """Run it as a user who may use sudo or not, with these programs; also what was started."""
    programs = folder / "programs"
    programs.mkdir()
    for name in NEEDED:
        found = shutil.which(name)
        assert found is not None
        (programs / name).symlink_to(found)
    written = {"id": "#!/bin/sh\necho 1000\n", "sudo": SUDO, **dict.fromkeys(there, NOTES)}
    for name, text in written.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    noted = folder / "noted"
    ran = started(
        ["bash", str(EXAMPLES / "prepare.sh"), "a-python", "ruby/excon"],
        folder,
        PATH=str(programs),
        NOTED=str(noted),
        MAY=may,
    )
    return ran, noted.read_text().splitlines()


def test_everything_is_installed_by_sudo(tmp_path: Path) -> None:
    ran, noted = prepare(tmp_path, "apt-get")
    said = "\n".join(noted)
    assert ran.status == 0, ran.said
    assert "install --yes --no-install-recommends strace" in said
    assert "kernel.yama.ptrace_scope=0" in said
    assert f"a-python {EXAMPLES}/../../tools/debian_packages.py ruby/excon" in said


def test_strace_is_not_installed_where_it_is_there(tmp_path: Path) -> None:
    _, noted = prepare(tmp_path, "apt-get", "strace")
    assert not any("install" in line for line in noted if "debian_packages" not in line)


@pytest.mark.parametrize(("there", "may"), [("apt-get", "no"), ("dnf", "yes")])
def test_where_nothing_can_be_installed_it_says_so(there: str, may: str, tmp_path: Path) -> None:
    ran, noted = prepare(tmp_path, there, may=may)
    assert ran.status == 0
    assert "hint: strace and Debian packages of clients are not installed here" in ran.said
    assert noted == ["sudo -n true"]


def test_packages_are_those_of_both_ways_to_build() -> None:
    perl = discover()["perl/http-tiny"]
    assert perl.from_trees is not None
    needed = [one.recipe.apt for one in debian_packages.both_ways([perl])]
    assert needed == [perl.recipe.apt, perl.from_trees.recipe.apt]
    assert "make" not in perl.recipe.apt and "make" in perl.from_trees.recipe.apt


def test_what_cannot_be_installed_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def refuse(manifests: list[Manifest], _say: object) -> Refused:
        return {"make": f"asked for {len(manifests)} recipes"}

    monkeypatch.setattr(debian_packages, "install_packages", refuse)
    assert debian_packages.main(["perl/http-tiny"]) == 0
    assert "could not install make: asked for 2 recipes" in capsys.readouterr().err
    assert debian_packages.main(["perl/no-such"]) == 0
    assert "hint: " in capsys.readouterr().err
