"""The environment of clients: a short one, with what is the user's own."""

from __future__ import annotations

from fetchoff.model.environment import environment

USERS = {"PATH": "/bin", "PERL5LIB": "/home/ada/perl5", "http_proxy": "http://proxy"}


def test_only_what_says_where_things_are() -> None:
    assert environment(USERS, {}) == {
        "PATH": "/bin",
        "PERL5LIB": "/home/ada/perl5",
        "LANG": "C.UTF-8",
        "TZ": "UTC",
    }


def test_what_an_adapter_says_goes_before_it() -> None:
    """Of lists of folders the user's stay, behind it."""
    env = environment(USERS, {"PATH": "/opt", "PERL5LIB": "/build/perl5", "RUBYLIB": "/build"})
    assert env["PATH"] == "/opt"
    assert env["PERL5LIB"] == "/build/perl5:/home/ada/perl5"
    assert env["RUBYLIB"] == "/build"
