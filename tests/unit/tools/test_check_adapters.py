"""The linters of adapters: what is bad is found, and what is missing is not taken for good."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.check_adapters import TOOLS, Tool, files_of, findings

TOOL = {(tool.language, tool.name): tool for tool in TOOLS}
BAD = [
    ("python", "ruff format", "adapter.py", "x=1\n"),
    ("python", "ruff check", "adapter.py", "import os\n"),
    ("go", "gofmt -l", "main.go", "package main\nfunc main() {  }\n"),
    ("c", "clang-format --dry-run", "adapter.c", "int main( ) {return 0 ;}\n"),
    ("ruby", "ruby -wc", "adapter.rb", "def broken\n"),
    ("perl", "perltidy -st", "adapter.pl", "my $x=1 ;\n"),
    ("php", "php -l", "adapter.php", "<?php echo 1\n\n}"),
    ("javascript", "node --check", "adapter.mjs", "const = 1;\n"),
    ("lua", "luac5.4 -p", "adapter.lua", "local = 1\n"),
    ("rust", "rustfmt --check", "main.rs", "fn main( ) { }\n"),
]


@pytest.mark.parametrize(("language", "program", "name", "text"), BAD)
def test_what_is_bad_is_found(
    language: str, program: str, name: str, text: str, tmp_path: Path
) -> None:
    tool = TOOL[language, program]
    if tool.program is None:
        pytest.skip(f"{tool.command[0]} is not installed")
    folder = tmp_path / language / "client"
    (folder / "node_modules").mkdir(parents=True)
    (folder / name).write_text(text)
    (folder / "node_modules" / name).write_text(text)
    files = files_of(tool, tmp_path)
    assert files == [folder / name]
    assert findings(tool, files, tmp_path)


def test_a_tool_that_is_missing_is_known_to_be() -> None:
    assert Tool("python", (".py",), ("no-such-linter-at-all",)).program is None
