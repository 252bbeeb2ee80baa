"""Every adapter that is ready keeps the contract: each case passes, or its feature is not declared.

`fetchoff setup --all` gets them ready; whoever is not is skipped or fails, and says why
(standing.py). What fails is tried once more with a new process and a new origin: two hundred
clients on a busy machine have races of their own. Only what fails twice is a failure; what passes
then is told at the end as unsteady. Nothing may be left in the folder for temporary files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.contract.standing import ready
from tests.contract.tally import Tally, tried_again

from fetchoff.catalog.manifests import discover
from fetchoff.contract.case import CaseVerdict, Result
from fetchoff.contract.suite import opened
from fetchoff.model.client import Client, Launch

if TYPE_CHECKING:
    from pathlib import Path


LEAST_PASSED = 8  # a client of HTTP/2 alone has the fewest


@pytest.mark.parametrize("name", discover())
def test_keeps_the_contract(name: str, tally: Tally, temporary: Path) -> None:
    standing = ready(name)
    client, launch = standing.client, standing.launch
    pairs = list(tried_again(judged(client, launch), lambda case: judged(client, launch, case)))
    tally.count(name, pairs)
    results = [last for _, last in pairs]
    failed = [one for one in results if one.verdict is CaseVerdict.FAILED]
    assert [f"{one.case}: {one.text}" for one in failed] == []
    assert sum(one.verdict is CaseVerdict.PASSED for one in results) >= LEAST_PASSED
    assert [left.name for left in temporary.iterdir()] == []


def judged(client: Client, launch: Launch, only: str = "") -> list[Result]:
    """The results of all cases, or of those whose name contains `only`."""
    with opened(client.id, launch, client.manifest.faults) as suite:
        return list(suite.results(only))
