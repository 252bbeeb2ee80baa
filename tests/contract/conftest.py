"""Fixtures of the contract tests."""

from __future__ import annotations

import pytest
from tests.contract.tally import Tally


@pytest.fixture(scope="session")
def tally(request: pytest.FixtureRequest) -> Tally:
    """Of this process of the tests."""
    return Tally.of(request.config)
