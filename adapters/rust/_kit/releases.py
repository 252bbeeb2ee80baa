"""The versions of a crate, by cargo; run in the adapter's folder.

releases.py list CRATE[+LIBRARY]
    prints a line `VERSION DATE` for each version that was not yanked
releases.py resolve CRATE[+LIBRARY] VERSION PACKAGES
    writes Cargo.toml and Cargo.lock for that version, and to PACKAGES a line `NAME VERSION HASH`
    for each crate

A crate that carries a library in C says in its own version which one it is, as curl-sys does in
0.4.68+curl-8.4.0: with +LIBRARY, versions are those of the library.
"""

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

MANIFEST = """[package]
name = "releases"
version = "0.1.0"
edition = "2021"

[lib]
path = "lib.rs"

[dependencies]
{crate} = "*"
"""


def list_versions(package: str) -> None:
    for version, entry in dict(versions(package)).items():
        print(version, entry.get("pubtime", "")[:10])


def resolve(package: str, version: str, packages: str) -> None:
    crate = package.partition("+")[0]
    found = [entry["vers"] for one, entry in versions(package) if one == version]
    if not found:
        sys.exit(f"there is no {package} {version}, or it was yanked")
    exact = f"{crate}@={found[-1].partition('+')[0]}"
    if cargo("add", "--quiet", exact).returncode != 0:
        sys.exit(complaint(cargo("add", "--quiet", exact)))
    updated = cargo("update", "--workspace", "--quiet")
    if updated.returncode != 0:
        # What is locked may need a later version: then everything is resolved anew.
        Path("Cargo.lock").unlink(missing_ok=True)
        updated = cargo("generate-lockfile", "--quiet")
    if updated.returncode != 0:
        sys.exit(complaint(updated))
    locked = tomllib.loads(Path("Cargo.lock").read_text())["package"]
    fetched = (package for package in locked if "checksum" in package)
    lines = (f"{one['name']} {one['version']} sha256:{one['checksum']}\n" for one in fetched)
    Path(packages).write_text("".join(lines))


def versions(package: str) -> Iterator[tuple[str, dict]]:
    """What the index has of a crate, oldest first, as cargo keeps it.

    Cargo prints no lists. But when it has resolved a crate it keeps what the index said, as JSON
    documents between null bytes (cargo's src/cargo/sources/registry/index/cache.rs).
    """
    crate, _, library = package.partition("+")
    with tempfile.TemporaryDirectory() as scratch:
        manifest = Path(scratch) / "Cargo.toml"
        manifest.write_text(MANIFEST.format(crate=crate))
        (Path(scratch) / "lib.rs").touch()
        done = cargo("generate-lockfile", "--quiet", "--manifest-path", str(manifest))
    if done.returncode != 0:
        sys.exit(complaint(done))
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")
    kept = list(home.glob(f"registry/index/*/.cache/{place(crate)}"))
    newest = max(kept, key=lambda path: path.stat().st_mtime, default=None)
    parts = newest.read_bytes().split(b"\0") if newest else ()
    for entry in (json.loads(part) for part in parts if part.startswith(b"{")):
        own, _, carried = entry["vers"].partition("+")
        if not entry.get("yanked") and (not library or carried.startswith(f"{library}-")):
            yield (carried.removeprefix(f"{library}-") if library else own), entry


def place(crate: str) -> str:
    """https://doc.rust-lang.org/cargo/reference/registry-index.html#index-files"""
    name = crate.lower()
    match len(name):
        case 1 | 2:
            return f"{len(name)}/{name}"
        case 3:
            return f"3/{name[0]}/{name}"
    return f"{name[:2]}/{name[2:4]}/{name}"


def complaint(done: "subprocess.CompletedProcess[str]") -> str:
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    return lines[0].removeprefix("error: ") if lines else done.stderr.strip() or "no message"


def cargo(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["cargo", *arguments], capture_output=True, text=True, check=False)


{"list": list_versions, "resolve": resolve}[sys.argv[1]](*sys.argv[2:])
