"""How a client finds the origin by its name: clients made for a fault each, and a clean one."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from tests.diagnosis.recorded import diagnosis_of, faulty, named

from fetchoff.catalog import links
from fetchoff.model.errors import FetchoffError
from fetchoff.run.network.emulator import over

EIGHT = str(Path(__file__).parent / "workloads" / "eight-at-once-fresh.toml")


@pytest.fixture(scope="module", autouse=True)
def _permitted() -> None:
    """Skips where no link with names can be made, and says why."""
    link = links.link("dead-ipv6")
    try:
        with (
            tempfile.TemporaryDirectory(prefix="fetchoff-test-") as folder,
            over(link, Path(folder)),
        ):
            pass
    except FetchoffError as error:
        pytest.skip(f"no link with names: {error.message}")


@pytest.mark.parametrize(
    ("name", "workload", "link", "fault"),
    [
        pytest.param(
            "late_fallback", "hi-get-fresh", "dead-ipv6", "late-fallback", id="late-fallback"
        ),
        pytest.param(
            "lookups_one_by_one", EIGHT, "slow-names", "name-lookups", id="lookups-one-by-one"
        ),
        pytest.param(
            "lookups_twice", "hi-get-fresh", "slow-names", "name-lookups", id="lookups-twice"
        ),
        pytest.param(
            "given_up", "hi-get-fresh", "two-addresses", "attempt-given-up", id="given-up"
        ),
    ],
)
def test_it_is_named_where_it_is(name: str, workload: str, link: str, fault: str) -> None:
    assert named(diagnosis_of(faulty("python", name), workload, link)) == {fault}


@pytest.mark.parametrize("link", ["dead-ipv6", "slow-names", "two-addresses"])
@pytest.mark.parametrize("workload", ["hi-get-fresh", EIGHT], ids=["one", "eight"])
def test_a_clean_client_is_not_blamed(workload: str, link: str) -> None:
    assert named(diagnosis_of(faulty("python", "clean_names"), workload, link)) == set()
