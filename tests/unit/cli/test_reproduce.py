"""`fetchoff reproduce` of several articles: what stops one of them, and what stops all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from tests.unit.report import reproduced

from fetchoff.catalog import claims
from fetchoff.cli import reproduce
from fetchoff.cli.measure import Manner
from fetchoff.cli.status import Status
from fetchoff.model.analysis import Analysis
from fetchoff.model.claim import Article
from fetchoff.model.errors import (
    BusyError,
    InputError,
    LinkError,
    OriginError,
    StoreError,
)
from fetchoff.model.origin import BUILT_IN
from fetchoff.store.run_folder import RunFolder

WANTED = ["ruby-2014", "curl-2023", "ruby-2011"]
Failing = Callable[..., None]
NO_LINK = LinkError("a link cannot be made", "it needs network namespaces")


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Failing:
    """Makes some articles fail, with run folders below `kept`; the others cost what was
    published."""

    def make(errors: dict[str, BaseException], kept: Path | None = None) -> None:
        def run(
            article: Article, _request: reproduce.Request, _manner: Manner, begun: list[RunFolder]
        ) -> Analysis:
            if article.id in errors:
                if kept:
                    begun.append(reproduced.run(kept / article.id, article.id))
                raise errors[article.id]
            return reproduced.analysis(article.id)

        monkeypatch.setattr(reproduce, "_reproduced", run)

    return make


def status_of(wanted: list[str], *, as_json: bool = False) -> int:
    with pytest.raises(typer.Exit) as ended:
        reproduce.command(wanted, as_json=as_json)
    return int(ended.value.exit_code)


def test_one_that_cannot_be_measured_stops_no_other(
    failing: Failing, capsys: pytest.CaptureFixture[str]
) -> None:
    failing({"ruby-2014": NO_LINK, "ruby-2011": InputError("no client is ready")})
    assert status_of(WANTED) == Status.LINK
    shown = capsys.readouterr()
    assert "curl8-h2-tls" in shown.out
    assert "3 claims: 3 hold" in shown.out
    assert "ruby-2014 is left out: a link cannot be made" in shown.err
    assert "hint: it needs network namespaces" in shown.err
    assert "ruby-2011 is left out: no client is ready" in shown.err


def test_the_json_has_the_others_as_claims_json_has_them(
    failing: Failing, capsys: pytest.CaptureFixture[str]
) -> None:
    failing({"ruby-2014": NO_LINK})
    assert status_of(WANTED[:2], as_json=True) == Status.LINK
    first, *others = json.loads(capsys.readouterr().out)
    assert len(others) == 2
    assert set(first) == {"claim", "verdict", "measured", "published", "text"}


def test_one_that_fails_while_it_is_measured_prints_no_document_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(
        article: Article, _request: reproduce.Request, manner: Manner, _begun: list[RunFolder]
    ) -> Analysis:
        folder = reproduced.run(tmp_path / article.id, article.id)
        return reproduce._measured(article, folder, [], manner)

    def watched(folder: RunFolder, *_: object) -> None:
        if folder.header.experiment.suite == "ruby-2014":
            raise NO_LINK

    monkeypatch.setattr(reproduce, "_reproduced", run)
    monkeypatch.setattr("fetchoff.cli.measure.measure_watched", watched)
    assert status_of(WANTED[:2], as_json=True) == Status.LINK
    assert isinstance(json.loads(capsys.readouterr().out), list)
    assert (tmp_path / "ruby-2014" / "results.json").exists()


def test_if_all_fail_nothing_is_shown(failing: Failing, capsys: pytest.CaptureFixture[str]) -> None:
    failing(dict.fromkeys(WANTED, NO_LINK))
    assert status_of(WANTED) == Status.LINK
    assert capsys.readouterr().out == ""


def test_the_only_one_fails_as_any_run_does(
    failing: Failing,
) -> None:
    failing({"ruby-2014": NO_LINK})
    with pytest.raises(LinkError):
        reproduce.command(["ruby-2014"])


STOPS = [
    (BusyError("another run"), False, "ruby-2014 ruby-2011"),
    (StoreError("the disk is full"), False, "ruby-2014 ruby-2011"),
    (StoreError("the disk is full"), True, "ruby-2011"),
    (KeyboardInterrupt(), False, "ruby-2014 ruby-2011"),
    (KeyboardInterrupt(), True, "ruby-2011"),
]


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize(("error", "has_begun", "rest"), STOPS)
def test_what_concerns_all_stops_all_and_leaves_the_verdicts_that_there_are(
    failing: Failing,
    error: BaseException,
    has_begun: bool,
    rest: str,
    as_json: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What was measured for an hour is shown before the error is told. What has a run folder is
    resumed, and what has none is of the rest."""
    failing({"ruby-2014": error}, tmp_path if has_begun else None)
    with pytest.raises(type(error)):
        reproduce.command(["curl-2023", "ruby-2014", "ruby-2011"], as_json=as_json)
    shown = capsys.readouterr()
    command = f"fetchoff reproduce {rest}{' --json' if as_json else ''}"
    told = " ".join(shown.err.split())
    assert f"stopped at ruby-2014; '{command}' measures the rest" in told
    if as_json:
        assert len(json.loads(shown.out)) == 3
    else:
        assert "3 claims: 3 hold" in shown.out


def test_the_rest_is_measured_as_the_user_wants_it(
    failing: Failing, capsys: pytest.CaptureFixture[str]
) -> None:
    failing({"ruby-2014": KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        reproduce.command(
            ["ruby-2014", "ruby-2011"],
            link=["dsl", "my links/far.toml"],
            origin="nginx",
            full=True,
            budget=600.0,
            out=Path("x"),
            seed=0,
            setup=True,
            wait=True,
        )
    assert (
        "'fetchoff reproduce ruby-2014 ruby-2011 --link dsl --link 'my links/far.toml' "
        "--origin nginx --budget 600 --out x --seed 0 --full --setup --wait' measures the rest"
    ) in " ".join(capsys.readouterr().err.split())


def test_what_was_interrupted_while_it_was_set_up_is_of_the_rest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("fetchoff.cli.setup.clients_of", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reproduce.command(["ruby-2014", "ruby-2011"])
    assert "'fetchoff reproduce ruby-2014 ruby-2011' measures the rest" in " ".join(
        capsys.readouterr().err.split()
    )


def test_where_the_first_one_stops_all_nothing_is_shown(
    failing: Failing, capsys: pytest.CaptureFixture[str]
) -> None:
    failing({WANTED[0]: KeyboardInterrupt(), WANTED[1]: KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        reproduce.command(WANTED, as_json=True)
    assert capsys.readouterr().out == ""
    with pytest.raises(KeyboardInterrupt):
        reproduce.command(WANTED[1:2])
    assert capsys.readouterr().err == ""


def test_all_that_were_measured_end_well(
    failing: Failing, capsys: pytest.CaptureFixture[str]
) -> None:
    failing({})
    reproduce.command(WANTED)
    assert "claims: " in capsys.readouterr().out


def test_all_and_names_contradict_each_other(
    failing: Failing,
) -> None:
    """All would be measured, for an hour, and what was named might not even be an article."""
    failing({})
    with pytest.raises(InputError, match="--all and 'perl-2011' contradict each other") as error:
        reproduce.command(["perl-2011", "reported"], everything=True)
    assert error.value.exit_code == Status.INPUT


def request(origin: str | None, *, sets_up: bool = False) -> reproduce.Request:
    return reproduce.Request(
        links=(),
        origin=origin,
        allow_remote=False,
        full=False,
        budget_s=None,
        out=None,
        seed=1,
        sets_up=sets_up,
    )


@pytest.mark.parametrize(("sets_up", "tried"), [(False, []), (True, ["caddy"])])
def test_whoever_asks_for_an_origin_gets_it_or_an_error(
    sets_up: bool, tried: list[str], absent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of `run`: figures on the built-in origin would answer another question."""
    monkeypatch.setattr("fetchoff.cli.setup.clients_of", lambda *_, **__: [])
    with pytest.raises(OriginError, match="origin 'caddy' is not ready: not here"):
        reproduce._reproduced(
            claims.article("curl-2023"), request("caddy", sets_up=sets_up), Manner(), []
        )
    assert absent == tried


def test_the_built_in_origin_stands_in_for_an_authors_server(absent: list[str]) -> None:
    origin, note = reproduce._origin_of(claims.suite("curl-2023"), request(None))
    assert origin == BUILT_IN
    assert note.startswith("on the built-in origin: apache is not ready")
