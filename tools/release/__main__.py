"""Build the sdist, and the wheel from it: `python -m tools.release`, or `make dist`.

What is committed is built, not what lies in the folder. The same commit gives the same bytes, with
the same versions of Rust and of what tools/release/requirements.txt pins.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from tools.release.sources import committed, committed_at, normalised
from tools.release.wheel import built, tagged

ROOT = Path(__file__).resolve().parent.parent.parent
SUMS = "SHA256SUMS"


def main() -> int:
    """Build into `--out`; `--work` is a folder for what is needed on the way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "release")
    arguments = parser.parse_args()
    out, work = arguments.out.resolve(), arguments.work.resolve()
    for folder in (out, work / "sources", work / "built"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)

    epoch = committed_at(ROOT)
    sdist = _sdist(committed(ROOT, work / "sources" / "commit"), work, out, epoch)
    with tarfile.open(sdist) as archive:
        archive.extractall(work / "sources", filter="data")
    source = work / "sources" / sdist.name.removesuffix(".tar.gz")
    wheel = tagged(built(source, work, epoch), out, epoch)
    files = sorted([sdist, wheel])
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *files], check=True)
    sums = "".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files
    )
    (out / SUMS).write_text(sums, encoding="utf-8")
    print(sums, end="")
    return 0


def _sdist(source: Path, work: Path, out: Path, epoch: int) -> Path:
    command = [
        sys.executable,
        "-m",
        "build",
        "--sdist",
        "--outdir",
        str(work / "built"),
        str(source),
    ]
    subprocess.run(command, check=True)
    (made,) = (work / "built").glob("*.tar.gz")
    return normalised(made, out / made.name, epoch)


if __name__ == "__main__":
    sys.exit(main())
