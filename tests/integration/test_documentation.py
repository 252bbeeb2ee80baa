"""Nothing without its documentation; and what README and the first page show as commands do run.

In both, every line of a ```console block that begins with `$ fetchoff` is run, in a folder that
holds the adapter folders `main` and `feature`. Commands that measure get a short budget unless they
have one; `origin` gets a free port, and is interrupted once it listens. All must succeed.
"""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command import FAKES, Command, commands, fake

from fetchoff.build.build_dir import state
from fetchoff.catalog import claims, kits, links, manifests, workloads
from fetchoff.catalog.manifests import discover, families
from fetchoff.catalog.paths import cache as users_cache
from fetchoff.catalog.paths import shipped
from fetchoff.catalog.toml import Document
from fetchoff.cli.main import app
from fetchoff.model.client import Readiness, matching

ROOT = shipped("docs").parent
README, INDEX = ROOT / "README.md", shipped("docs") / "index.md"
PAGES = {path: path.read_text() for path in (README, *shipped("docs").rglob("*.md"))}
COMMANDS = commands(app)
BUDGET_S = "2"
ONE_COMPARISON_S = "6"  # of a history


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_section(command: str) -> None:
    """Those of a group may have a line each in the group's."""
    text = (shipped("docs") / "commands.md").read_text(encoding="utf-8")
    headings = "\n".join(re.findall(r"^(?:## fetchoff |- `)(.*)$", text, re.M))
    assert re.search(rf"^{command}\b", headings, re.M)


def keys(kind: type[Document]) -> set[str]:
    """All keys of a TOML document and of its tables."""
    return {field.alias or name for name, field in kind.model_fields.items()}


def documents(module: object) -> list[type[Document]]:
    return [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Document) and value is not Document
    ]


@pytest.mark.parametrize(
    ("kind", "page"),
    [(kind, "catalog.md") for kind in documents(workloads)]
    + [(kind, "catalog.md") for room in (claims, links) for kind in documents(room)]
    + [(kind, "adapters.md") for room in (kits, manifests) for kind in documents(room)],
    ids=lambda part: getattr(part, "__name__", part),
)
def test_every_key_is_explained(kind: type[Document], page: str) -> None:
    text = (shipped("docs") / page).read_text()
    assert keys(kind)
    missing = {key for key in keys(kind) if not re.search(rf"\b{re.escape(key)}\b", text)}
    assert missing == set()


def test_an_adapter_is_three_files() -> None:
    """Its manifest, its source, and a lock file where something comes from a registry.

    A folder with several clients has more; most have one.
    """
    counts = []
    for family in families():
        files = [path for path in family.folder.iterdir() if path.is_file()]
        assert family.folder / "adapter.toml" in files
        counts.append(len(files))
    assert sum(count <= 4 for count in counts) > 0.8 * len(counts)


def test_the_page_of_clients_is_what_the_manifests_say() -> None:
    """If this fails, run `python tools/clients_page.py`."""
    check = [sys.executable, str(ROOT / "tools" / "clients_page.py"), "--check"]
    assert subprocess.run(check, check=False).returncode == 0


def test_the_page_of_findings_is_what_the_rules_say() -> None:
    """If this fails, run `make findings-page`."""
    check = [sys.executable, str(ROOT / "tools" / "findings_page.py"), "--check"]
    assert subprocess.run(check, check=False).returncode == 0
    assert "faulty client: none" not in (ROOT / "docs" / "findings.md").read_text()


@pytest.mark.parametrize("page", [pytest.param(p, id=p.name) for p in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)\s]+)\)", PAGES[page])
    for target in targets:
        if not target.startswith(("http://", "https://")):
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            assert file.exists(), target
            if anchor and file.suffix == ".md":
                assert anchor in anchors(file.read_text()), target


def test_source_points_to_sections_that_there_are() -> None:
    for path in (ROOT / "src").rglob("*.py"):
        for page, anchor in re.findall(r"docs/([\w/-]+\.md)#([\w-]+)", path.read_text()):
            assert anchor in anchors(PAGES[shipped("docs") / page]), f"{path}: {page}#{anchor}"


def test_readme_has_no_gaps() -> None:
    assert re.findall(r"@@\w+@@", README.read_text()) == []


def anchors(text: str) -> set[str]:
    """The anchors of the headings."""
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


def shown_commands() -> list[str]:
    """Each once, whatever is said behind it."""
    text = README.read_text() + INDEX.read_text()
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.M | re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    shown = (line.removeprefix("$ ") for line in lines if line.startswith("$ fetchoff"))
    return sorted({re.sub(r"\s+#.*", "", line) for line in shown})


def test_commands_are_shown() -> None:
    assert len(shown_commands()) >= 12


@pytest.mark.parametrize("line", shown_commands())
def test_shown_commands_run(line: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    _, command, *shown = shlex.split(line, comments=True)
    arguments = [argument for argument in shown if argument != "--setup"]  # that takes minutes
    require_ready(arguments)
    if command == "link" or "--link" in arguments:
        request.getfixturevalue("namespaces")
    shutil.copytree(FAKES / "_kit", tmp_path / "_kit")
    for branch in ("main", "feature"):
        shutil.copytree(fake("honest"), tmp_path / branch)
    fetchoff = Command(tmp_path, users_cache())
    if command == "origin":
        serve(fetchoff, arguments)
        return
    if command in ("run", "compare", "reproduce") and "--budget" not in arguments:
        arguments += ["--budget", BUDGET_S]
    if command == "history":
        arguments += ["--budget", ONE_COMPARISON_S]
    ran = fetchoff(command, *arguments, timeout_s=200)
    assert "Traceback" not in ran.err
    if "no client is ready" in ran.err:  # all of a language, on a machine without it
        pytest.skip(ran.err)
    if "--fail-if-slower" in arguments and "nothing is concluded" in ran.err:
        assert ran.status == 4  # two seconds are too short to insist on more
        return
    if command == "gate" and "self-check failed" in ran.out:
        assert ran.status == 4  # other tests run beside it, and a check has its error rate
        return
    assert ran.status == 0, ran.err
    assert ran.out


def require_ready(arguments: list[str]) -> None:
    known = discover()
    named = {name for argument in arguments for name in matching(argument, list(known))}
    missing = [n for n in named if state(known[n]).readiness is Readiness.NOT_SET_UP]
    if missing:
        pytest.skip(f"not set up: {', '.join(sorted(missing))}: 'fetchoff setup --all'")


def serve(fetchoff: Command, arguments: list[str]) -> None:
    process = fetchoff.start("origin", *arguments, "--listen", "127.0.0.1:0")
    assert process.stderr is not None
    assert "listening on http://127.0.0.1:" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode in (0, 130)
