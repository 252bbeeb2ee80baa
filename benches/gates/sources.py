"""Sources of released libraries, as a maintainer has them in a checkout.

Each comes by its language's own tools: from where setup has it already, or from the registry that
the machine uses.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

TIMEOUT_S = 300
_MAKEFILE_PL = """use ExtUtils::MakeMaker;
WriteMakefile(NAME => 'HTTP::Tiny', VERSION_FROM => 'lib/HTTP/Tiny.pm');
"""


class SourceError(Exception):
    """A library whose source cannot be had here."""


def told(command: Sequence[str | Path], folder: Path) -> str:
    """What a command prints; SourceError where it fails."""
    try:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=True,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SourceError(str(error)) from error
    except subprocess.CalledProcessError as error:
        raise SourceError(f"{command[0]}: {(error.stderr or error.stdout)[-500:]}") from error
    return done.stdout.strip()


def sdist(name: str, version: str, folder: Path) -> Path:
    """A source distribution of PyPI."""
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:")
    told((*pip, f"{name}=={version}", "--dest", folder), folder)
    return _unpacked(next(folder.glob("*.tar.gz")), folder)


def npm(name: str, version: str, folder: Path) -> Path:
    """A package as npm has it."""
    packed = told(("npm", "pack", "--silent", f"{name}@{version}"), folder).splitlines()[-1]
    return _unpacked(folder / packed, folder)


def crate(name: str, version: str, folder: Path) -> Path:
    """A crate, copied out of Cargo's registry. No version: its newest."""
    told(("cargo", "init", "--quiet", "--vcs", "none", "--name", "scratch", "scratch"), folder)
    scratch = folder / "scratch"
    wanted = f"{name}@={version}" if version else name
    told(("cargo", "add", "--quiet", wanted), scratch)
    metadata = json.loads(told(("cargo", "metadata", "--format-version", "1"), scratch))
    manifest = next(p["manifest_path"] for p in metadata["packages"] if p["name"] == name)
    return _copied(Path(manifest).parent, folder)


def module(path: str, version: str, folder: Path) -> Path:
    """A module of Go."""
    found = told(("go", "mod", "download", "-json", f"{path}@v{version.lstrip('v')}"), folder)
    return _copied(Path(json.loads(found)["Dir"]), folder)


def gem(name: str, _version: str, folder: Path) -> Path:
    """A gem that is installed, in a folder called NAME-VERSION."""
    asked = f"print Gem::Specification.find_by_name({name!r}).full_gem_path"
    return _copied(Path(told(("ruby", "-e", asked), folder)), folder)


def http_tiny(_name: str, _version: str, folder: Path) -> Path:
    """The HTTP::Tiny that perl brings, as a distribution."""
    module_ = Path(told(("perl", "-MHTTP::Tiny", "-e", "print $INC{'HTTP/Tiny.pm'}"), folder))
    tree = folder / "HTTP-Tiny"
    (tree / "lib" / "HTTP").mkdir(parents=True)
    shutil.copy(module_, tree / "lib" / "HTTP")
    (tree / "Makefile.PL").write_text(_MAKEFILE_PL)
    return tree


def jar(artifact: str, version: str, folder: Path) -> Path:
    """The sources of an artifact (`group:name`) and, in `classes.jar`, what they compile to."""
    copy = ("mvn", "--quiet", "--batch-mode", "dependency:copy", f"-DoutputDirectory={folder}")
    name = artifact.partition(":")[2]
    for kind in ("jar", "jar:sources"):
        told((*copy, f"-Dartifact={artifact}:{version}:{kind}"), folder)
    tree = folder / name
    tree.mkdir()
    told(("jar", "xf", folder / f"{name}-{version}-sources.jar"), tree)
    shutil.copy(folder / f"{name}-{version}.jar", tree / f"{name}-{version}.jar")
    return tree


def libcurl(_name: str, _version: str, folder: Path) -> Path:
    """The libcurl that the newest curl-sys brings."""
    tree = _copied(crate("curl-sys", "", folder) / "curl", folder)
    for missing in (
        "docs",
        "docs/examples",
        "tests",
    ):  # the crate leaves them out, CMake wants them
        (tree / missing).mkdir(exist_ok=True)
        (tree / missing / "CMakeLists.txt").touch()
    return tree


def _unpacked(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as file:
        top = file.getnames()[0].partition("/")[0]
        file.extractall(folder, filter="data")
    return folder / top


def _copied(source: Path, folder: Path) -> Path:
    # Go's modules are read-only: a copy is to be changed.
    tree = folder / source.name
    shutil.copytree(source, tree, copy_function=shutil.copyfile)
    for path in (tree, *tree.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
    return tree
