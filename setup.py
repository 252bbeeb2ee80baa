"""What pyproject.toml cannot say: the wheel carries the adapters' sources and the catalogue.

Its programs are not modules, so it is for every Python 3 of its platform. $FETCHOFF_PROGRAMS is
`apart` if somebody else builds the programs and puts them beside Python's scripts, as the Makefile
does for its editable installs: then clients can be set up meanwhile.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools_rust import build_rust

CARRIED = ("adapters", "catalog", "docs")
LITTER = shutil.ignore_patterns("__pycache__", "node_modules", "target", "*.pyc", "*.o")


class BuildWithData(build_py):
    """Copies the carried folders into fetchoff/_data, unless the install is editable."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        for name in CARRIED:
            target = Path(self.build_lib, "fetchoff", "_data", name)
            shutil.copytree(name, target, ignore=LITTER, dirs_exist_ok=True)


class BuildPrograms(build_rust):
    """Builds the programs, unless they are built apart. A wheel always has them."""

    def run(self) -> None:
        is_editable = self.get_finalized_command("build_py").editable_mode
        if not (is_editable and os.environ.get("FETCHOFF_PROGRAMS") == "apart"):
            super().run()


class WheelOfPrograms(bdist_wheel):
    """Tagged by its platform alone: setuptools-rust takes programs for modules of one Python."""

    def get_tag(self) -> tuple[str, str, str]:
        _python, _abi, platform = super().get_tag()
        return "py3", "none", platform


setup(
    cmdclass={
        "build_py": BuildWithData,
        "build_rust": BuildPrograms,
        "bdist_wheel": WheelOfPrograms,
    }
)
