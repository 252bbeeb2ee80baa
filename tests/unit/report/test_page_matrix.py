"""How cells of the matrix look, without a browser: coloured, striped, or the reference's."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.report.test_page_scripts import _by_node as by_node
from tests.unit.report.test_page_scripts import a_client, chosen

Interval = tuple[float, float, float]  # the ratio, and the ends of its interval

ELEMENTS = """
globalThis.document = { createElement: (tag) => ({
  tag, attributes: {}, children: [], style: { setProperty() {} }, addEventListener() {},
  setAttribute(name, value) { this.attributes[name] = value; },
  append(...all) { this.children.push(...all); },
}) }
"""
CELLS = """
((place) => {
  drawMatrix(place, DATA, VIEW, STATE, { go() {}, linkTo: () => "" });
  const [, , body] = place.children[0].children;
  const text = (one) => one.children ? one.children.map(text).join("") : String(one);
  return Object.fromEntries(body.children.map(({ children: [client, ...cells] }) => [
    text(client), cells.map((cell) => ({ ...cell.attributes, figure: text(cell.children[0]) })),
  ]));
})({ replaceChildren(...all) { this.children = all; } })
"""


def drawn(*columns: Interval, shown: bool) -> dict[str, list[dict[str, Any]]]:
    """The cells of two clients: *all of these* if there are several workloads, then each of them.
    On each, a/b has such a ratio to a/a; `shown`: the test of all pairs found a difference."""
    workloads = [
        {
            "id": f"w{number}", "title": "w", "about": "", "withheld": "", "absent": {},
            "clocks_apart": {}, "figures": {"wall": {"values": [1, 2], "texts": ["1", "2"]}},
        }
        for number in range(len(columns))
    ]  # fmt: skip
    data = {
        "aspects": [{"key": "wall", "pairs": "wall", "more_is_better": False, "label": "wall"}],
        "clients": [a_client("a/a"), a_client("a/b")],
        "workloads": workloads,
    }
    pairs = ", ".join(
        f"['w{number}', {{wall: {{order: [0, 1], isShown: () => {json.dumps(shown)},"
        f" isEquivalent: () => false, difference: () => ({{point: Math.log({point}),"
        f" low: Math.log({low}), high: Math.log({high})}})}}}}]"
        for number, (point, low, high) in enumerate(columns)
    )
    state = json.dumps(chosen("wall", "a/a"))
    view = f"viewOf({json.dumps(data)}, new Map([{pairs}]), {state})"
    cells = CELLS.replace("DATA", json.dumps(data)).replace("VIEW", view).replace("STATE", state)
    found: dict[str, list[dict[str, Any]]] = json.loads(
        by_node("view matrix", f"({ELEMENTS.strip()}, {cells.strip()})", as_json=True)
    )
    return found


@pytest.mark.parametrize(
    ("first", "second", "look", "figure", "title"),
    [
        ((1.5, 1.2, 1.9), (1.6, 1.1, 2.3), "dear", "1.5", "1.1–2.1"),
        ((1.5, 1.2, 1.9), (0.8, 0.5, 1.3), "undecided", "≈ 1.1", "undecided: 0.8–1.6"),
        ((1.5, 1.2, 1.9), (1.5, 0.001, 9000.0), "undecided", "?", "undecided"),
        ((0.5, 0.4, 0.6), (0.6, 0.5, 0.7), "cheap", "0.5", "0.4–0.6"),
    ],
)
def test_all_of_these_is_striped_where_its_interval_does_not_tell(
    first: Interval, second: Interval, look: str, figure: str, title: str
) -> None:
    cells = drawn(first, second, shown=True)
    reference, found = cells["a/a"][0], cells["a/b"][0]
    assert (reference["class"], reference["figure"]) == ("cell reference", "1")
    assert (found["class"], found["figure"], found["title"]) == (f"cell {look}", figure, title)


@pytest.mark.parametrize(
    ("interval", "shown", "title"),
    [
        ((1.27, 0.97, 1.67), True, "slower: 0.97–1.67 (by the test of all pairs)"),
        ((1.27, 1.1, 1.67), True, "slower: 1.1–1.7"),
        ((1.27, 0.97, 1.67), False, "undecided: 0.97–1.67"),
        ((3000.0, 2.0, 9000.0), True, "slower"),
    ],
)
def test_a_verdict_that_its_interval_does_not_show_says_what_shows_it(
    interval: Interval, shown: bool, title: str
) -> None:
    (found,) = drawn(interval, shown=shown)["a/b"]
    assert found["title"] == title


@pytest.mark.parametrize(
    ("cell", "told"),
    [
        ({"verdict": "slower", "low": 0.97, "high": 1.67}, "slower by the test of all pairs"),
        ({"verdict": "faster", "low": 0.97, "high": 1.67}, "faster by the test of all pairs"),
        ({"verdict": "slower", "low": 1.1, "high": 1.67}, ""),
        ({"verdict": "equivalent", "low": 0.99, "high": 1.01}, ""),
        ({"verdict": "undecided", "low": 0.97, "high": 1.67}, "undecided"),
        ({"verdict": "untested"}, ""),
    ],
)
def test_so_do_the_pages_of_clients(cell: dict[str, object], told: str) -> None:
    assert by_node("pieces", f"verdictInWords({json.dumps(cell)})") == told
