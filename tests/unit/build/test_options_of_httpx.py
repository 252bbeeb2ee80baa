"""python/httpx is built from any release: it calls httpx with the names that the release knows."""

from __future__ import annotations

import runpy
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from fetchoff.catalog.paths import shipped

OPTIONS = shipped("adapters") / "python" / "httpx" / "options.py"
SETTINGS = SimpleNamespace(
    concurrency=1,
    protocol="http/1.1",
    tls_ca=None,
    proxy="http://127.0.0.1:3128",
    cookies=True,
    decompress=True,
    redirects=0,
    reuse=None,
    timeouts=lambda **_: {},
)


@pytest.mark.parametrize("build", ["of_client", "of_function"])
@pytest.mark.parametrize(("version", "name"), [("0.25.2", "proxies"), ("0.26.0", "proxy")])
def test_a_proxy_has_the_name_of_the_release(
    build: str, version: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    httpx: Any = SimpleNamespace(__version__=version, Limits=dict, Timeout=lambda *_, **__: None)
    monkeypatch.setitem(sys.modules, "httpx", httpx)
    options = runpy.run_path(str(OPTIONS))[build](SETTINGS)
    assert options.get(name) == SETTINGS.proxy
    assert options.keys() & {"proxy", "proxies"} == {name}
