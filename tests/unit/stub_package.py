"""A package in a folder that pip can install without a registry, because it builds itself."""

from __future__ import annotations

from pathlib import Path

PROJECT = """[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""
BACKEND = """import os, pathlib, zipfile

NAME = "@NAME@"

def build_wheel(folder, config_settings=None, metadata_directory=None):
    version = os.environ[VARIABLE] if (VARIABLE := "@VARIABLE@") else "1.0"
    info = f"{NAME}-{version}.dist-info"
    name = f"{NAME}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder, name), "w") as wheel:
        about = f"Metadata-Version: 2.1\\nName: {NAME}\\nVersion: {version}\\n@REQUIRES@"
        wheel.writestr(f"{info}/METADATA", about)
        kind = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
        wheel.writestr(f"{info}/WHEEL", kind)
        wheel.writestr(f"{info}/RECORD", "")
        wheel.write("module.py", "@MODULE@.py")
        for program in pathlib.Path("programs").glob("*"):
            wheel.write(program, f"{NAME}-{version}.data/scripts/{program.name}")
    return name
"""


def write_package(
    folder: Path,
    name: str,
    content: str = "",
    asks_for: str = "",
    requires: str = "",
    module: str = "",
) -> None:
    """A package with one module and the programs in `programs`.

    `content`: of the module. `asks_for`: the variable that must hold its version while it is built.
    `requires`: another package. `module`: its name, if it is not that of the package.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").write_text(PROJECT)
    backend = BACKEND.replace("@NAME@", name).replace("@VARIABLE@", asks_for)
    backend = backend.replace("@MODULE@", module or name)
    needs = f"Requires-Dist: {requires} (>=0.1) ; extra == 'all'\\n" if requires else ""
    backend = backend.replace("@REQUIRES@", needs)
    (folder / "backend.py").write_text(backend)
    (folder / "module.py").write_text(content)
