"""The wheel of a release: programs that name no folder of this machine, for an old glibc.

Zig links them (cargo-zigbuild), because it can link for the glibc of another year. auditwheel then
reads the symbols that they use, and names the platform by them.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

TARGET = f"{platform.machine()}-unknown-linux-gnu.2.28"  # the oldest that numpy has wheels for
CARGO = Path(__file__).with_name("cargo.sh")


def built(source: Path, work: Path, epoch: int) -> Path:
    """The wheel as setuptools builds it, from the folder of an extracted sdist."""
    subprocess.run(["cargo", "fetch", "--quiet", "--locked"], cwd=source, check=True)
    outdir = work / "built"
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(outdir), str(source)],
        env={
            **environment(epoch),
            "CARGO": str(CARGO),
            "CARGO_TARGET_DIR": str(work / "target"),
            "CARGO_ZIGBUILD_ZIG_PATH": str(_zig()),
            "RELEASE_TARGET": TARGET,
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


def _zig() -> Path:
    """The program in the package ziglang, which the environment of the build does not have."""
    package = find_spec("ziglang")
    if package is None or package.origin is None:
        raise SystemExit("there is no ziglang: pip install -r tools/release/requirements.txt")
    return Path(package.origin).with_name("zig")
