"""The hook for `git push`, in a repository that pushes to another one."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.unit.examples.listener import EXAMPLES, program_in

AUTHOR = {
    f"GIT_{who}_{what}": "somebody" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
}
WATCHER = """#!/bin/sh
while [ "$1" != --with ]; do shift; done
cat "$2/library" >>"$SEEN"
out=runs/1 # where a gate writes that isn't told otherwise
for word in "$@"; do
    [ "$before" != --out ] || out=$word
    before=$word
done
mkdir -p "$(dirname "$out")"
mkdir "$out" && touch "$out/run.json"
exec "$LISTENER" "$@"
"""


@dataclass(frozen=True)
class Clone:
    """A repository with the hook, and what its `fetchoff` saw of the trees that it was given."""

    folder: Path

    def git(
        self, *words: str, status: int = 0, summary: str = "yes"
    ) -> subprocess.CompletedProcess[str]:
        """`status`: what a gate ends with. `summary`: whether it writes its Markdown before."""
        place = self.folder.parent
        return subprocess.run(
            ["git", *words],
            cwd=self.folder,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(place),
                "TMPDIR": str(place / "temporary"),
                "FETCHOFF": str(place / "watcher"),
                "LISTENER": str(place / "fetchoff"),
                "SEEN": str(place / "seen"),
                "HEARD": str(place / "heard"),
                "STATUS": " ".join([str(status)] * 9),
                "SUMMARY": summary,
                **AUTHOR,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def commit(self, content: str) -> None:
        (self.folder / "library").write_text(f"{content}\n")
        self.git("add", "library")
        assert self.git("commit", "--message", content).returncode == 0

    @property
    def seen(self) -> list[str]:
        path = self.folder.parent / "seen"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def is_clean(self) -> bool:
        """Whether no folder and no worktree is left, and nothing in the working tree."""
        if "?" in self.git("status", "--porcelain").stdout:
            return False
        trees = self.git("worktree", "list").stdout.splitlines()
        return len(trees) == 1 and not any((self.folder.parent / "temporary").iterdir())


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    (tmp_path / "temporary").mkdir()
    program_in(tmp_path)
    watcher = tmp_path / "watcher"
    watcher.write_text(WATCHER)
    watcher.chmod(0o755)
    folder = tmp_path / "library"
    folder.mkdir()
    clone = Clone(folder)
    clone.git("init", "--quiet", "--bare", str(tmp_path / "remote"))
    clone.git("init", "--quiet", "--initial-branch=main")
    clone.git("remote", "add", "origin", str(tmp_path / "remote"))
    clone.commit("released")
    (folder / ".git" / "hooks").mkdir(exist_ok=True)
    (folder / ".git" / "hooks" / "pre-push").symlink_to(EXAMPLES / "pre-push")
    return clone


def test_the_commit_is_measured_and_not_what_is_edited(clone: Clone) -> None:
    (clone.folder / "library").write_text("edited\n")
    assert clone.git("push", "origin", "main").returncode == 0
    assert clone.seen == ["released"]
    assert clone.is_clean


def test_what_is_slower_is_not_pushed(clone: Clone) -> None:
    pushed = clone.git("push", "origin", "main", status=1)
    assert pushed.returncode != 0
    assert "(refs/heads/main) is slower than the released version" in pushed.stderr
    assert clone.git("ls-remote", "origin").stdout == ""
    assert clone.is_clean


def test_a_status_without_a_verdict_lets_it_go_on(clone: Clone) -> None:
    """1 is also what Python, or a shell, ends with."""
    pushed = clone.git("push", "origin", "main", status=1, summary="no")
    assert pushed.returncode == 0
    assert "ended with status 1 and no verdict: the push goes on" in pushed.stderr
    assert clone.is_clean


def test_a_verdict_is_that_of_its_own_commit(clone: Clone) -> None:
    """The first gate has one, "not slower"; the second ends with 1 and has none."""
    watcher = clone.folder.parent / "watcher"
    second = '[ ! -e "$HEARD.calls" ] || export SUMMARY=no STATUS="0 1"\n'
    watcher.write_text(watcher.read_text().replace("exec ", f"{second}exec "))
    clone.git("checkout", "--quiet", "-b", "other")
    clone.commit("changed")
    pushed = clone.git("push", "origin", "main", "other")
    assert "ended with status 1 and no verdict" in pushed.stderr
    assert pushed.returncode == 0


@pytest.mark.parametrize("status", [2, 3, 4, 8, 9, 70])
def test_any_other_end_lets_it_go_on(status: int, clone: Clone) -> None:
    pushed = clone.git("push", "origin", "main", status=status)
    assert pushed.returncode == 0
    assert f"ended with status {status}: the push goes on" in pushed.stderr
    assert clone.is_clean


def test_each_commit_is_measured_once(clone: Clone) -> None:
    clone.git("tag", "--annotate", "--message", "one", "v1")
    clone.git("branch", "same")
    clone.git("checkout", "--quiet", "-b", "other")
    clone.commit("changed")
    assert clone.git("push", "origin", "main", "same", "other", "v1").returncode == 0
    assert sorted(clone.seen) == ["changed", "released"]
    assert clone.is_clean


def test_nothing_is_measured_where_no_commit_is_new(clone: Clone) -> None:
    clone.git("push", "origin", "main")
    clone.git("branch", "same")
    clone.git("tag", "v1")
    assert clone.git("push", "origin", "same", "v1", status=1).returncode == 0
    assert clone.git("push", "origin", "--delete", "same", status=1).returncode == 0
    assert clone.seen == ["released"]
