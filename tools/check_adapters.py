"""Check the format of the adapters and lint them: `make check-adapters`.

Each language uses its own tools, with their settings in `adapters/`. Tools that this machine does
not have are skipped and named. Exit status 1 if a tool finds something.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from shutil import which

ADAPTERS = Path(__file__).resolve().parents[1] / "adapters"
OURS = sysconfig.get_path("scripts")


@dataclass(frozen=True)
class Tool:
    """A command that ends with a status other than 0 if it finds something.

    `each`: it takes one file at a time. `silent`: anything that it prints is a finding as well.
    """

    language: str
    endings: tuple[str, ...]
    command: tuple[str, ...]
    each: bool = False
    silent: bool = False

    @property
    def name(self) -> str:
        return " ".join(self.command[:2])

    @property
    def program(self) -> str | None:
        return which(self.command[0], path=OURS) or which(self.command[0])


C = ("c", "cpp")
TOOLS = (
    *(
        Tool(each, (".py",), ("ruff", *task, "--quiet", "--config", "../python/ruff.toml"))
        for each in ("java", "rust")
        for task in (("check",), ("format", "--check"))
    ),
    Tool("python", (".py",), ("ruff", "format", "--check", "--quiet")),
    Tool("python", (".py",), ("ruff", "check", "--quiet")),
    Tool("go", (".go",), ("gofmt", "-l"), silent=True),
    Tool("rust", (".rs",), ("rustfmt", "--check", "--edition", "2024")),
    *(
        Tool(each, (".c", ".cpp", ".h", ".hpp"), ("clang-format", "--dry-run", "-Werror"))
        for each in C
    ),
    Tool("javascript", (".mjs", ".js"), ("node", "--check"), each=True),
    Tool("perl", (".pl", ".pm"), ("perltidy", "-st", "-se", "--assert-tidy"), each=True),
    Tool("ruby", (".rb",), ("ruby", "-wc"), each=True),
    Tool("ruby", (".rb",), ("rubocop", "--format", "quiet")),
    Tool("php", (".php",), ("php", "-l"), each=True),
    Tool("lua", (".lua",), ("luac5.4", "-p"), each=True),
    Tool("java", (".java",), ("google-java-format", "--dry-run", "--set-exit-if-changed")),
    *(
        Tool(each, (".sh",), ("shellcheck",))
        for each in ("c", "cpp", "go", "java", "javascript", "perl", "python")
    ),
)


def files_of(tool: Tool, root: Path = ADAPTERS) -> list[Path]:
    """The files that a tool checks, without those of installed packages."""
    found = (root / tool.language).rglob("*")
    return sorted(
        path
        for path in found
        if path.suffix in tool.endings and "node_modules" not in path.parts and path.is_file()
    )


def findings(tool: Tool, files: Sequence[Path], root: Path = ADAPTERS) -> str:
    """The tool's complaints about the files, or ""; it finds its settings from the folder."""
    assert tool.program is not None
    command = [tool.program, *tool.command[1:]]
    said = []
    for group in [[one] for one in files] if tool.each else [list(files)]:
        done = subprocess.run(
            [*command, *map(str, group)],
            cwd=root / tool.language,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0 or (tool.silent and done.stdout):
            where = str(group[0].relative_to(root)) if tool.each else tool.language
            said.append(f"{where}: {(done.stderr or done.stdout).strip() or tool.name}")
    return "\n".join(said)


def main() -> int:
    """Print one line per tool and its complaints; exit status 1 if there are any."""
    todo = [(tool, files) for tool in TOOLS if (files := files_of(tool))]
    with ThreadPoolExecutor() as pool:
        results = pool.map(lambda one: findings(*one) if one[0].program else None, todo)
        bad = 0
        for (tool, files), said in zip(todo, results, strict=True):
            state = "skipped, it is not installed" if said is None else "bad" if said else "good"
            print(f"{tool.language:<10}  {tool.name:<24}  {len(files):>3} files  {state}")
            if said:
                bad += 1
                print(said, file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
