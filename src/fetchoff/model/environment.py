"""The environment variables that clients are checked and run with."""

from __future__ import annotations

from collections.abc import Mapping

_OF_THE_USER = ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "LD_LIBRARY_PATH")
_OF_LANGUAGES = (
    *("PERL5LIB", "RUBYLIB", "GEM_HOME", "GEM_PATH", "LUA_PATH", "LUA_CPATH"),
    *("PKG_CONFIG_PATH", "JAVA_HOME", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"),
)
KEPT = (*_OF_THE_USER, *_OF_LANGUAGES)
"""Variables that point to the user's own programs and libraries, as set by
`perl -Mlocal::lib`."""

SEARCHED = ("PERL5LIB", "RUBYLIB")
"""Lists of folders that an adapter may add to: its own come first."""


def environment(users: Mapping[str, str], extra: Mapping[str, str]) -> dict[str, str]:
    """A minimal environment, the same everywhere, without proxies or certificate paths.

    `users`: the environment of this process; `extra`: variables that override it. Of variables that
    hold folders to search, both parts are kept.
    """
    kept = {name: users[name] for name in KEPT if name in users}
    both = {
        name: f"{extra[name]}:{kept[name]}" for name in SEARCHED if name in extra and kept.get(name)
    }
    return {**kept, "LANG": "C.UTF-8", "TZ": "UTC", **extra, **both}
