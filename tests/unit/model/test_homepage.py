"""What a report may link to."""

from __future__ import annotations

import pytest

from fetchoff.model.homepage import must_be_of_the_web


@pytest.mark.parametrize("address", ["", "https://requests.example/x?y#z", "http://localhost:1"])
def test_of_the_web(address: str) -> None:
    assert must_be_of_the_web(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "java\nscript:alert(1)",
        "JAVASCRIPT://https://example/%0aalert(1)",
        " https://example",
        "https://",
        'https://example/" onclick="alert(1)',
        "https://example\njavascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "//example",
        "example",
    ],
)
def test_anything_else_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match="must begin with http"):
        must_be_of_the_web(address)
