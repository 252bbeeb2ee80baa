"""The sources of a release: a commit, and an sdist that says nothing of who made it, and when."""

from __future__ import annotations

import gzip
import io
import subprocess
import tarfile
from pathlib import Path


def committed_at(root: Path) -> int:
    """The time of the last commit, which stands for the time of the release."""
    return int(_git(root, "log", "-1", "--format=%ct").decode())


def committed(root: Path, folder: Path) -> Path:
    """The files of the last commit, in a new folder."""
    with tarfile.open(fileobj=io.BytesIO(_git(root, "archive", "HEAD"))) as archive:
        archive.extractall(folder, filter="data")
    return folder


def normalised(archive: Path, target: Path, epoch: int) -> Path:
    """The same files as an archive has, in order, of one time and of nobody."""
    with (
        tarfile.open(archive) as old,
        target.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=epoch) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            content = old.extractfile(member) if member.isfile() else None
            new.addfile(_of_nobody(member, epoch), content)
    return target


def _of_nobody(member: tarfile.TarInfo, epoch: int) -> tarfile.TarInfo:
    runs = member.isdir() or member.mode & 0o100
    own = member.replace(
        mtime=epoch, mode=0o755 if runs else 0o644, uid=0, gid=0, uname="", gname=""
    )
    own.pax_headers = {}  # they hold the time once more
    return own


def _git(root: Path, *arguments: str) -> bytes:
    command = ["git", "-C", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout
