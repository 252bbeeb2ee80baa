"""Which client ratios are relative to, as the user names it."""

from __future__ import annotations

import pytest

from fetchoff.app.choose import chosen
from fetchoff.catalog import workloads
from fetchoff.cli import run
from fetchoff.cli.fleet import run as fleet_run
from fetchoff.fleet.seam.told import Wanted
from fetchoff.model.client import Client, Readiness
from fetchoff.model.errors import InputError

GLOB, NAME = "perl/furl+one*", "perl/furl+one-context"


class Asked(Exception):
    """The clients are known, and nothing more is to happen."""


def test_a_glob_of_a_single_client_is_that_client() -> None:
    assert run.in_full(GLOB) == NAME
    assert run.in_full(NAME) == NAME
    assert run.in_full("") == ""
    with pytest.raises(InputError, match=r"the baseline 'ruby/\*' matches \d+ clients"):
        run.in_full("ruby/*")


def test_a_suite_that_leaves_out_its_like_has_the_baseline_all_the_same() -> None:
    """A suite leaves out what globs match, never who is named in full."""
    suite = workloads.suite("everyone")
    assert [m.id for m in chosen([GLOB], without=suite.without)] == []
    clients = run._clients(suite, None, run.in_full(GLOB), set_up=False, quiet=True)
    assert NAME in [client.id for client in clients]


def test_a_baseline_that_nobody_has_is_an_error_and_no_traceback() -> None:
    others = [Client(manifest, Readiness.READY) for manifest in chosen(["perl/http-tiny"])]
    with pytest.raises(InputError, match=r"perl/furl\+one-context cannot be the baseline") as error:
        run.asked_for(NAME, others)
    assert "--client" in error.value.hint


def test_hosts_are_asked_for_the_baseline_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[Wanted] = []
    made = fleet_run._wanted

    def asked(*given: object) -> Wanted:
        wanted.append(made(*given))  # type: ignore[arg-type]
        raise Asked

    monkeypatch.setattr(fleet_run, "_wanted", asked)
    with pytest.raises(Asked):
        fleet_run.command("everyone", local=2, baseline=GLOB)
    assert NAME in wanted[0].clients
    assert GLOB not in wanted[0].clients
