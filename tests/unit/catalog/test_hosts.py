"""hosts.toml: the machines that SSH reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from fetchoff.catalog.hosts import RemoteHost, hosts
from fetchoff.model.errors import InputError

HOST = '[[host]]\nname = "{name}"\naddress = "{name}.lan"\npython = "/opt/bin/python"\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "hosts.toml"
    path.write_text(text)
    return path


def test_hosts_and_where_they_reach_the_scheduler(tmp_path: Path) -> None:
    first = HOST.format(name="pi") + 'user = "me"\nport = 2222\n'
    text = 'schema = 1\nlisten = "10.0.0.5"\n' + first
    found = hosts(written(tmp_path, text + HOST.format(name="laptop")))
    assert found.listen == "10.0.0.5"
    assert found.hosts == (
        RemoteHost("pi", "pi.lan", "me", 2222, "/opt/bin/python"),
        RemoteHost("laptop", "laptop.lan", "", 0, "/opt/bin/python"),
    )


def test_nothing_listens_beyond_loopback_unless_told(tmp_path: Path) -> None:
    path = written(tmp_path, "schema = 1\n" + HOST.format(name="pi"))
    assert hosts(path).listen == "127.0.0.1"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("schema = 1\n", "host: is missing"),
        ("schema = 1\n" + HOST.format(name="a/b"), "name"),
        ("schema = 1\n" + 2 * HOST.format(name="pi"), "host 'pi' is there more than once"),
        ("schema = 1\n" + HOST.format(name="pi") + "adress = 1\n", "unknown key"),
        ("schema = 2\n" + HOST.format(name="pi"), "schema"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        hosts(written(tmp_path, text))
