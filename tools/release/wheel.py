"""The wheel of a release: programs that name no folder of this machine, for an old glibc.

Zig links them (cargo-zigbuild), because it can link for the glibc of another year. auditwheel then
reads the symbols that they use, and names the platform by them.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

TARGET = f"{platform.machine()}-unknown-linux-gnu"
CARGO = "cargo-zigbuild"


def built(source: Path, work: Path, epoch: int) -> Path:
    """The wheel as setuptools builds it, from the folder of an extracted sdist."""
    subprocess.run(["cargo", "fetch", "--quiet", "--locked"], cwd=source, check=True)
    outdir = work / "built"
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(outdir), str(source)],
        env={
            **environment(epoch),
            "CARGO": CARGO,
            "CARGO_BUILD_TARGET": TARGET,
            "CARGO_TARGET_DIR": str(work / "target"),
            "RUSTFLAGS": " ".join(without_folders(source)),
        },
        check=True,
    )
    (wheel,) = outdir.glob("*.whl")
    return wheel


def tagged(wheel: Path, out: Path, epoch: int) -> Path:
    """The wheel under the oldest platform that has all symbols which it uses."""
    command = [sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", str(out), str(wheel)]
    subprocess.run(command, env=environment(epoch), check=True)
    (found,) = out.glob("*.whl")
    return found


def environment(epoch: int) -> dict[str, str]:
    """This environment, with the programs of this Python first, and with a fixed time."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "SOURCE_DATE_EPOCH": str(epoch)}


def without_folders(source: Path) -> list[str]:
    """Flags of rustc that replace the names of this machine's folders in what is built."""
    cargo = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    crates = sorted((cargo / "registry" / "src").glob("*"))
    known = [*((folder, "/crates") for folder in crates), (source, "/fetchoff")]
    return [f"--remap-path-prefix={folder}={name}" for folder, name in known]
