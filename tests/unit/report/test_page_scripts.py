"""The page's scripts: whole, permitted by the page's policy, and modules that node accepts."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest
from tests.unit.report import factory

from fetchoff.report.page import html
from fetchoff.report.page.bundle import bundle, digest_of, source_of

SCRIPTS = Path(str(files("fetchoff.report.page") / "scripts"))
MODULES = sorted(path.stem for path in SCRIPTS.glob("*.mjs"))
ENTRIES = ("main", "history")


class Scripts(HTMLParser):
    """The scripts of a page that a browser would run, its policy, and attributes that run."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.run: list[str] = []
        self.policy = ""
        self.handlers: list[str] = []
        self._is_script = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._is_script = tag == "script" and given.get("type") in (None, "", "module")
        self.handlers += [name for name in given if name.startswith("on")]
        if tag == "meta" and given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""

    def handle_endtag(self, tag: str) -> None:
        self._is_script = False

    def handle_data(self, data: str) -> None:
        if self._is_script:
            self.run.append(data)


@pytest.fixture(scope="module")
def scripts() -> Scripts:
    return Scripts(html.text(factory.analysis()))


def test_the_policy_permits_the_scripts_by_their_digests_and_no_others(scripts: Scripts) -> None:
    directive = next(d for d in scripts.policy.split("; ") if d.startswith("script-src "))
    assert len(scripts.run) == 1
    assert directive.split() == ["script-src", digest_of(scripts.run[0]), digest_of(html._vega())]
    assert "unsafe-eval" not in scripts.policy
    assert scripts.handlers == []


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_bundle_has_every_module_once_and_before_its_users(entry: str) -> None:
    whole = bundle(entry)
    assert not re.search(r"^\s*(import|export)\b", whole, re.MULTILINE)
    assert "</script" not in whole.lower()
    assert "<!--" not in whole
    used = re.findall(r"\} = of_(\w+);", whole)
    for module in used:
        made = whole.index(f"const of_{module} = ")
        assert made < whole.index(f"}} = of_{module};")
        assert whole.count(f"const of_{module} = ") == 1


def test_what_is_imported_is_exported_and_every_module_is_used() -> None:
    used = set(ENTRIES)
    for module in MODULES:
        for names, source in re.findall(
            r'import \{ ([^}]+) \} from "\./(\w+)\.mjs"', source_of(module)
        ):
            used.add(source)
            exported = set(re.findall(r"^export (?:const|class) (\w+)", source_of(source), re.M))
            assert {name.strip() for name in names.split(",")} <= exported
    assert used == set(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_one_idea_and_says_which(module: str) -> None:
    text = source_of(module)
    assert text.startswith("// ")
    assert text.count("\n") < 200


def test_node_accepts_every_module() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: apt install nodejs")
    for module in MODULES:
        done = subprocess.run(
            [node, "--check", str(SCRIPTS / f"{module}.mjs")], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
