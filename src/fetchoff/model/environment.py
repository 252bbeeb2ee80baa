"""The environment that clients are checked and run in."""

from __future__ import annotations

from collections.abc import Mapping

_OF_THE_USER = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LD_LIBRARY_PATH")
_OF_LANGUAGES = (
    *("PERL5LIB", "RUBYLIB", "GEM_HOME", "GEM_PATH", "LUA_PATH", "LUA_CPATH"),
    *("PKG_CONFIG_PATH", "JAVA_HOME", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"),
)
KEPT = (*_OF_THE_USER, *_OF_LANGUAGES)
"""Where users have programs and libraries of their own, such as `perl -Mlocal::lib` says."""


def environment(users: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """A short one, the same everywhere, without proxies or certificate paths.

    `users`: what this process was started with; `extra`: what goes before it.
    """
    kept = {name: users[name] for name in KEPT if name in users}
    return {**kept, "LANG": "C.UTF-8", "TZ": "UTC", **extra}
