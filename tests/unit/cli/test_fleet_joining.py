"""What is said when a cluster is joined: who is not there, and who may run code on it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason="the extra 'fleet' is not installed")

from fetchoff.cli.fleet.joining import Where, joined
from fetchoff.fleet.dask import clusters, over_ssh, required, security
from fetchoff.fleet.dask import joined as dask_joined
from fetchoff.model.errors import HostError, InputError

HOSTS = """schema = 1
{listen}
[[host]]
name = "pi"
address = "192.0.2.7"
python = "python"
"""
MAY_RUN_CODE = "can run code as you while this runs, which --security prevents: docs/fleet.md#tls"


made: list[Cluster] = []


class Cluster:
    """Of two workers, one of which can't be used."""

    dashboard = ""
    is_let_go = False

    def __init__(self, *_: object) -> None:
        self.unfit = {"bare": "ImportError: no Fetchoff at tcp://192.0.2.9"}
        self.names = {"anna"}
        made.append(self)

    def present(self) -> frozenset[str]:
        return frozenset(self.names)

    def let_go(self) -> None:
        self.is_let_go = True


@pytest.fixture(autouse=True)
def _pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextlib.contextmanager
    def of_this_machine(*_: object) -> Iterator[None]:
        yield

    @contextlib.contextmanager
    def ssh(_h: object, _l: object, _s: object, absent: Callable[..., None]) -> Iterator[None]:
        absent("pi", HostError("it cannot be started by SSH", "192.0.2.7 refused"))
        yield

    monkeypatch.setattr(clusters, "of_this_machine", of_this_machine)
    monkeypatch.setattr(over_ssh, "over_ssh", ssh)
    monkeypatch.setattr(dask_joined, "JoinedCluster", Cluster)
    monkeypatch.setattr(required, "must_have_dask", lambda **_: None)
    monkeypatch.setattr(security, "security", lambda **_: object())


def hosts_file(folder: Path, listen: str) -> Path:
    path = folder / "hosts.toml"
    path.write_text(HOSTS.format(listen=listen and f'listen = "{listen}"'))
    return path


def said(where: Where, capsys: pytest.CaptureFixture[str], *, quiet: bool = False) -> str:
    with joined(where, quiet=quiet):
        pass
    return capsys.readouterr().err


def test_who_is_not_there_is_known_until_it_comes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = Where(None, hosts_file(tmp_path, ""), None)
    with joined(where) as there:
        assert there.names() == ["anna"]
        absent = there.absent_from(there.names())
        assert {host: why.message for host, why in absent.items()} == {
            "pi": "it cannot be started by SSH",
            "bare": "it cannot do what Fetchoff asks of it",
        }
        there.cluster.names = {"pi", "tcp://192.0.2.8:4711"}  # type: ignore[attr-defined]
        assert there.names() == ["anna", "pi"]
        assert [*there.absent_from(there.names())] == ["bare"]
        assert [*there.absent_from(["anna"])] == ["pi", "bare"]
    assert "note: pi: it cannot be started by SSH: 192.0.2.7 refused\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("names", "error", "said"),
    [
        ({"tcp://192.0.2.9:4711"}, InputError, "cannot be the name of a host"),
        (set(), HostError, "no worker can do what Fetchoff asks of it"),
    ],
)
def test_workers_that_are_refused_are_let_go_of(
    names: set[str], error: type[Exception], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They keep to one core already."""
    monkeypatch.setattr(Cluster, "present", lambda _: frozenset(names))
    with pytest.raises(error, match=said), joined(Where(None, None, 1)):
        pass
    assert made[-1].is_let_go


@pytest.mark.parametrize(
    ("listen", "who"),
    [
        ("", "every user of this machine"),
        ("192.0.2.1", "whoever reaches 192.0.2.1 or a host's worker"),
    ],
)
def test_who_can_run_code_on_hosts_is_told(
    listen: str, who: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = hosts_file(tmp_path, listen)
    assert f"note: {who} {MAY_RUN_CODE}\n" in said(Where(None, path, None), capsys)
    assert MAY_RUN_CODE not in said(Where(None, path, None, secure=True), capsys)


@pytest.mark.parametrize("address", ["", "localhost", "foo://x:1", "tcp://127.0.0.1", "h:abc"])
def test_what_is_no_address_is_refused_before_dask_has_a_client(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was never connected isn't closed in order, and says so long afterwards."""
    clients: list[object] = []
    monkeypatch.setattr(clusters, "Client", lambda *given, **_: clients.append(given))
    refused = re.escape(f"'{address}' is not the address of a scheduler: ")
    with pytest.raises(InputError, match=refused) as raised, joined(Where(address, None, None)):
        pass
    assert raised.value.exit_code == 2
    assert "--scheduler tcp://HOST:8786" in raised.value.hint
    assert clients == []


def test_who_can_run_code_on_pretended_hosts_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert f"note: every user of this machine {MAY_RUN_CODE}\n" in said(
        Where(None, None, 1), capsys
    )
    assert MAY_RUN_CODE not in said(Where(None, None, 1), capsys, quiet=True)
