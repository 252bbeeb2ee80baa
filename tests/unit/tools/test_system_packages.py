"""system-packages.sh: how it shares apt-get, which is pretended, with others on the machine."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "tools" / "system-packages.sh"
NEEDED = ("cat", "grep", "mkdir", "rmdir", "sh")
LOCKED = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)"
ROOT, USER = "#!/bin/sh\necho 0\n", "#!/bin/sh\necho 1000\n"
NOTHING_INSTALLED = "#!/bin/sh\nexit 1\n"
AT_ONCE = "#!/bin/sh\n"
APT_GET = """#!/bin/sh
[ ! -e "/proc/$$/fd/9" ] || echo "has the lock" >>noted
case " $* " in
*" update "*)
    for refusal in refusals/*; do
        if rmdir "$refusal" 2>/dev/null; then
            echo refused >>noted
            cat reason >&2
            exit 100
        fi
    done
    if ! mkdir busy; then
        echo "E: Could not get lock /var/lib/apt/lists/lock." >&2
        echo overlapping >>noted
        exit 100
    fi
    SLEEP 0.3
    rmdir busy
    echo updated >>noted
    ;;
*) echo installed >>noted ;;
esac
"""


class Machine:
    """A folder with the only programs that the script finds."""

    def __init__(self, folder: Path, *, user: str = ROOT, has_flock: bool = True) -> None:
        self.folder, self.programs = folder, folder / "programs"
        self.programs.mkdir()
        for name in (*NEEDED, *(["flock"] if has_flock else [])):
            found = shutil.which(name)
            if found is None:
                pytest.skip(f"there is no {name} here")
            (self.programs / name).symlink_to(found)
        sleep = shutil.which("sleep")
        assert sleep is not None
        written = {
            "apt-get": APT_GET.replace("SLEEP", sleep),
            "dpkg-query": NOTHING_INSTALLED,
            "id": user,
            "sleep": AT_ONCE,
        }
        for name, text in written.items():
            (self.programs / name).write_text(text)
            (self.programs / name).chmod(0o755)

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [str(SCRIPT), "package"],
            cwd=self.folder,
            env={"PATH": str(self.programs)},
            stderr=subprocess.PIPE,
            text=True,
        )

    def refuse(self, times: int, reason: str = LOCKED) -> None:
        """Let updates fail; unless another reason is given, somebody else has the lock."""
        (self.folder / "reason").write_text(reason)
        for number in range(times):
            (self.folder / "refusals" / str(number)).mkdir(parents=True)

    @property
    def noted(self) -> list[str]:
        return (self.folder / "noted").read_text().splitlines()


def test_copies_update_one_after_the_other(tmp_path: Path) -> None:
    """As those of `make --jobs`; apt-get's own locks don't wait for that of the lists."""
    machine = Machine(tmp_path)
    copies = [machine.start() for _ in range(3)]
    said = [copy.communicate(timeout=60)[1] for copy in copies]
    assert [copy.returncode for copy in copies] == [0, 0, 0], said
    assert "overlapping" not in machine.noted
    assert machine.noted.count("updated") == 3


def test_what_apt_get_starts_does_not_keep_the_lock(tmp_path: Path) -> None:
    """Such as a server, which runs on."""
    machine = Machine(tmp_path)
    assert machine.start().wait(60) == 0
    assert machine.noted == ["updated", "installed"]


@pytest.mark.parametrize("has_flock", [True, False])
def test_an_update_that_is_refused_is_tried_again(tmp_path: Path, has_flock: bool) -> None:
    """Somebody else has the lock, as apt-daily.service has it."""
    machine = Machine(tmp_path, has_flock=has_flock)
    machine.refuse(3)
    assert machine.start().wait(60) == 0
    assert machine.noted == [*["refused"] * 3, "updated", "installed"]


def test_an_update_that_is_always_refused_has_an_end(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.refuse(100)
    assert machine.start().wait(60) == 100
    assert set(machine.noted) == {"refused"}


def test_an_update_without_a_network_is_tried_once(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.refuse(100, "E: Temporary failure resolving 'deb.debian.org'")
    ran = machine.start()
    assert "Temporary failure" in ran.communicate(timeout=60)[1]
    assert (ran.returncode, machine.noted) == (100, ["refused"])


def test_who_is_not_root_is_told_what_to_install(tmp_path: Path) -> None:
    machine = Machine(tmp_path, user=USER)
    ran = machine.start()
    said = ran.communicate(timeout=60)[1]
    assert (ran.returncode, (tmp_path / "noted").exists()) == (0, False)
    assert said.endswith("apt-get install package\n")
