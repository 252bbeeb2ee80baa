"""Fixtures that tests of whole runs share."""

from __future__ import annotations

import os
import subprocess

import pytest


@pytest.fixture(scope="session")
def namespaces() -> None:
    """Skip the test if `unshare` shows that this user may not make network namespaces."""
    own_user = [] if os.geteuid() == 0 else ["--user", "--map-current-user"]
    try:
        tried = subprocess.run(
            ["unshare", *own_user, "--net", "true"], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        pytest.skip("whether links can be emulated here is found out with unshare(1)")
    if tried.returncode != 0:
        pytest.skip(f"links need network namespaces: {tried.stderr.strip()}")
