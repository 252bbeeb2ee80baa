"""What a shell is told to offer, by its script's own questions."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.command import PROGRAM, Command

from fetchoff.catalog import files, origins
from fetchoff.catalog.manifests import discover
from fetchoff.cli import completing
from fetchoff.cli.completion import VARIABLE

SHELLS = ("bash", "zsh", "fish")


def offered(fetchoff: Command, *words: str) -> list[str]:
    """What bash would be told, with the cursor at the end of the last word."""
    ran = fetchoff(
        COMP_WORDS=" ".join(("fetchoff", *words)),
        COMP_CWORD=str(len(words)),
        _FETCHOFF_COMPLETE="complete_bash",
    )
    assert ran.err == ""
    return ran.out.split()


def test_commands(fetchoff: Command) -> None:
    assert offered(fetchoff, "re") == ["reproduce", "report", "resume"]


def test_options(fetchoff: Command) -> None:
    assert offered(fetchoff, "run", "--see") == ["--seed"]


def test_clients_where_a_client_is_expected(fetchoff: Command) -> None:
    assert "python/urllib3" in offered(fetchoff, "run", "--client", "python/ur")
    assert "python/requests" in offered(fetchoff, "compare", "python/urllib3", "python/req")
    assert offered(fetchoff, "explain", "perl/http-t") == ["perl/http-tiny"]


def test_names_of_the_catalogue(fetchoff: Command) -> None:
    assert offered(fetchoff, "run", "transatl") == ["transatlantic"]
    assert offered(fetchoff, "run", "--link", "transatl") == ["transatlantic"]
    assert "small-get" in offered(fetchoff, "compare", "a", "b", "-w", "small-g")
    assert offered(fetchoff, "run", "--origin", "built") == ["built-in"]
    assert offered(fetchoff, "link", "lond") == ["london"]


def test_all_names_are_those_of_the_catalogue() -> None:
    listed = {name for name in discover() if "@" not in name and "~" not in name}
    languages = {name.partition("/")[0] for name in listed}
    found = {name for language in languages for name in completing.clients(f"{language}/")}
    assert found == listed
    assert set(completing.clients("")) <= listed
    assert completing.workloads() == files.names("workloads")
    assert completing.suites() == files.names("suites")
    assert completing.links() == files.names("links")
    assert completing.servers() == origins.names()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_for_each_shell(shell: str, fetchoff: Command) -> None:
    ran = fetchoff("completion", shell)
    assert (ran.status, ran.err) == (0, "")
    assert f"{VARIABLE}=complete_{shell}" in ran.out


@pytest.mark.parametrize("shell", SHELLS)
def test_the_shell_can_read_its_script(shell: str, fetchoff: Command, tmp_path: Path) -> None:
    if (program := shutil.which(shell)) is None:
        pytest.skip(f"there is no {shell}")
    script = tmp_path / "script"
    script.write_text(fetchoff("completion", shell).out)
    done = subprocess.run([program, "-n", str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_bash_completes(fetchoff: Command, tmp_path: Path) -> None:
    """The script as bash runs it, up to the words that it would show."""
    script = tmp_path / "script"
    script.write_text(fetchoff("completion", "bash").out)
    asking = (
        f"PATH={PROGRAM.parent}:$PATH; source {script}; COMP_WORDS=(fetchoff run --see); "
        'COMP_CWORD=2; _fetchoff_completion fetchoff; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", asking], capture_output=True, text=True, check=False)
    assert done.stdout == "--seed\n", done.stderr


def test_an_unknown_shell_is_refused(fetchoff: Command) -> None:
    ran = fetchoff("completion", "tcsh")
    assert ran.status == 2
    assert "'bash', 'zsh', 'fish'" in ran.err
