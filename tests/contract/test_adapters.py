"""Every adapter that is ready keeps the contract: each case passes, or its feature is not declared.

`fetchoff setup --all` gets them ready; whoever is not is skipped, and says why.
"""

from __future__ import annotations

from collections import Counter

import pytest

from fetchoff.catalog.manifests import discover
from fetchoff.catalog.workshop import state
from fetchoff.contract.case import Verdict
from fetchoff.contract.suite import opened
from fetchoff.model.client import Readiness

LEAST_PASSED = 8  # a client of HTTP/2 alone has the fewest


@pytest.mark.parametrize("name", discover())
def test_keeps_the_contract(name: str, contract: Counter[Verdict]) -> None:
    client = state(discover()[name])
    if client.readiness is not Readiness.READY or client.launch is None:
        pytest.skip(f"{client.readiness}: {client.reason} ({client.hint})")
    with opened(client.id, client.launch, client.manifest.faults) as suite:
        results = list(suite.results())
    contract.update(result.verdict for result in results)
    failed = [f"{r.case}: {r.text}" for r in results if r.verdict is Verdict.FAILED]
    assert failed == []
    assert sum(result.verdict is Verdict.PASSED for result in results) >= LEAST_PASSED
