"""Self-checks fail when they must, and the ranking is then withheld.

The faults are as large as faults can be: a twin that costs several times as much, and nothing spun
of what was said. And runs have many rounds, because they aren't decided soon: a client whose
processes differ by a factor of up to nine is ranked too, or a limit of 1 % is asked of equals. What
smaller faults come to is tested in virtual time, by tests/unit/run/test_truth.py.
"""

from __future__ import annotations

import pytest
from tests.command import Command, fake
from tests.integration import runs

BUDGET_S = "40"
CHECKED = {
    "two-faced": ("a/a", "two processes of a client must not differ"),
    "idle": ("busy time", "time spun inside a client must be seen"),
}


@pytest.mark.parametrize("name", CHECKED)
def test_a_failed_check_withholds_the_ranking(name: str, fetchoff: Command) -> None:
    kind, words = CHECKED[name]
    fetchoff("setup", fake(name), fake("wavering"))
    run = fetchoff.folder / "run"
    ran = fetchoff(
        *("run", "-w", "tiny.toml", "-c", fake(name), "-c", fake("wavering")),
        *("--budget", BUDGET_S, "-o", run),
    )
    result = runs.results(run)["results"][0]
    failed = [check for check in result["checks"] if check["outcome"] == "failed"]
    assert kind in {check["kind"] for check in failed}
    assert words in " ".join(check["text"] for check in failed)
    assert result["withheld"].startswith("self-check failed")
    assert "self-check failed" in " ".join(ran.out.split())


def test_nothing_is_concluded_from_a_failed_check(fetchoff: Command) -> None:
    fetchoff("setup", fake("honest"), fake("two-faced"))
    ran = fetchoff(
        *("compare", fake("two-faced"), fake("honest"), "-w", "tiny.toml", "--budget", BUDGET_S),
        *("--fail-if-slower", "1"),
    )
    assert ran.status == 4
    assert "the ranking is withheld, so --fail-if-slower is not decided" in ran.err
