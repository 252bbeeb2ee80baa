"""The versions of a package, by pip, for one interpreter; run in the adapter's folder.

releases.py list INTERPRETER PACKAGE
    prints a line `VERSION [DATE]` for each version that has a wheel for it
releases.py resolve INTERPRETER PACKAGE VERSION LOCK PACKAGES [BESIDE…]
    writes the lock file of PACKAGE at VERSION, with what it and BESIDE pull in, and to PACKAGES a
    line `NAME VERSION HASH` for each
"""

import json
import os
import re
import ssl
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

ONLY_WHEELS = ("--only-binary", ":all:")
ACCEPTED = "application/vnd.pypi.simple.v1+json"
TIMEOUT_S = 60


def list_versions(interpreter: str, package: str) -> None:
    name = package.partition("[")[0]
    said = pip(interpreter, "index", "versions", "--pre", *ONLY_WHEELS, name)
    if said.returncode != 0:
        sys.exit(complaint(said.stderr))
    versions = re.search(r"^Available versions: (.*)$", said.stdout, re.M)
    dates = released(name)
    for version in versions[1].split(", ") if versions else ():
        print(version, dates.get(version, ""))


def resolve(
    interpreter: str, package: str, version: str, lock: str, packages: str, *beside: str
) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        install = ("install", "--dry-run", "--ignore-installed", "--quiet", *ONLY_WHEELS)
        wanted = f"{package}=={version}"
        said = pip(interpreter, *install, "--report", str(report), wanted, *beside)
        if said.returncode != 0:
            sys.exit(complaint(said.stderr, wanted))
        found = sorted(map(locked, json.loads(report.read_text())["install"]))
    Path(lock).parent.mkdir(exist_ok=True)
    pins = (f"{name}=={at} --hash={digest}" for name, at, digest in found)
    Path(lock).write_text("\n".join((" ".join(ONLY_WHEELS), *pins)) + "\n")
    Path(packages).write_text("".join(f"{' '.join(one)}\n" for one in found))


def locked(item: dict) -> tuple[str, str, str]:
    about, digest = item["metadata"], item["download_info"]["archive_info"]["hash"]
    return about["name"], about["version"], digest.replace("=", ":", 1)


def complaint(said: str, wanted: str = "") -> str:
    """Why pip cannot have it, in a line."""
    lines = [line.partition("ERROR: ")[2] for line in said.splitlines() if "ERROR: " in line]
    name, _, version = wanted.partition("==")
    for line in lines:
        if line.startswith("Ignored the following versions that require a different python"):
            others = dict(re.findall(r"(\S+) Requires-Python ([^;]+)", line))
            if version in others:
                return f"{name} {version} needs another Python: {others[version].strip()}"
        if line.startswith("Cannot install"):
            return line.removesuffix(".")
    if wanted and lines:
        library = name.partition("[")[0]
        return f"there is no wheel of {library} {version} for this Python and machine"
    return lines[-1] if lines else said.strip() or "no message"


def released(name: str) -> dict[str, str]:
    """The day of the first file of each version, where the index tells."""
    request = urllib.request.Request(f"{index()}/{name}/", headers={"Accept": ACCEPTED})
    certificates = os.environ.get("PIP_CERT") or None
    try:
        context = ssl.create_default_context(cafile=certificates)
        with urllib.request.urlopen(request, timeout=TIMEOUT_S, context=context) as answer:
            files = json.load(answer)["files"]
    except (OSError, ValueError, KeyError):  # an index of the older kind, or none
        return {}
    spelt = re.sub("[-_.]+", "[-_.]+", name)
    pattern = re.compile(rf"{spelt}-(.+?)(?:-.*\.whl|\.tar\.\w+|\.zip)", re.IGNORECASE)
    dates: dict[str, str] = {}
    for file in files:
        match = pattern.fullmatch(file["filename"])
        if match and "upload-time" in file:
            day = file["upload-time"][:10]
            dates[match[1]] = min(day, dates.get(match[1], day))
    return dates


def index() -> str:
    """Where pip asks."""
    from pip._internal.models.index import PyPI

    asked = subprocess.run(
        [sys.executable, "-m", "pip", "config", "get", "global.index-url"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    configured = os.environ.get("PIP_INDEX_URL") or asked.stdout.strip()
    return (configured or PyPI.simple_url).rstrip("/")


def pip(interpreter: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", interpreter]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)


{"list": list_versions, "resolve": resolve}[sys.argv[1]](*sys.argv[2:])
