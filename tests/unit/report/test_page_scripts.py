"""The page's scripts: whole, permitted by the page's policy, and modules that node accepts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import pytest
from tests.unit.report import factory

from fetchoff.report.page import html
from fetchoff.report.page.bundle import bundle, digest_of, source_of

FACETS = ("language", "kind", "protocol", "capability")
SCRIPTS = Path(str(files("fetchoff.report.page") / "scripts"))
MODULES = sorted(path.stem for path in SCRIPTS.glob("*.mjs"))
ENTRIES = ("main", "history")


class Scripts(HTMLParser):
    """The scripts of a page that a browser would run, its policy, and attributes that run."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.run: list[str] = []
        self.policy = ""
        self.handlers: list[str] = []
        self._is_script = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._is_script = tag == "script" and given.get("type") in (None, "", "module")
        self.handlers += [name for name in given if name.startswith("on")]
        if tag == "meta" and given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""

    def handle_endtag(self, tag: str) -> None:
        self._is_script = False

    def handle_data(self, data: str) -> None:
        if self._is_script:
            self.run.append(data)


@pytest.fixture(scope="module")
def scripts() -> Scripts:
    return Scripts(html.text(factory.analysis()))


def test_the_policy_permits_the_scripts_by_their_digests_and_no_others(scripts: Scripts) -> None:
    directive = next(d for d in scripts.policy.split("; ") if d.startswith("script-src "))
    assert len(scripts.run) == 1
    assert directive.split() == ["script-src", digest_of(scripts.run[0]), digest_of(html._vega())]
    assert "unsafe-eval" not in scripts.policy
    assert scripts.handlers == []


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_bundle_has_every_module_once_and_before_its_users(entry: str) -> None:
    whole = bundle(entry)
    assert not re.search(r"^\s*(import|export)\b", whole, re.MULTILINE)
    assert "</script" not in whole.lower()
    assert "<!--" not in whole
    used = re.findall(r"\} = of_(\w+);", whole)
    for module in used:
        made = whole.index(f"const of_{module} = ")
        assert made < whole.index(f"}} = of_{module};")
        assert whole.count(f"const of_{module} = ") == 1


def test_what_is_imported_is_exported_and_every_module_is_used() -> None:
    used = set(ENTRIES)
    for module in MODULES:
        for names, source in re.findall(
            r'import \{ ([^}]+) \} from "\./(\w+)\.mjs"', source_of(module)
        ):
            used.add(source)
            exported = set(re.findall(r"^export (?:const|class) (\w+)", source_of(source), re.M))
            assert {name.strip() for name in names.split(",")} <= exported
    assert used == set(MODULES)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_has_one_idea_and_says_which(module: str) -> None:
    text = source_of(module)
    assert text.startswith("// ")
    assert text.count("\n") < 200


def test_node_accepts_every_module() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: apt install nodejs")
    for module in MODULES:
        done = subprocess.run(
            [node, "--check", str(SCRIPTS / f"{module}.mjs")], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (1.9, 3.1, "1.9–3.1"),
        (1.57, 3.89, "1.6–3.9"),
        (7.2, 12.3, "7–12"),
        (1.04, 1.6, "1.04–1.60"),
        (1.004, 1.058, "1.004–1.058"),
        (1, 2, "1.0–2.0"),
    ],
)
def test_no_end_is_written_as_1_that_is_not_1(low: float, high: float, told: str) -> None:
    assert _by_node("figures", f"intervalText({low}, {high})") == told


@pytest.mark.parametrize(
    ("ratio", "low", "high", "told"),
    [
        (0.00045, 0.00036, 0.00056, "0.00045 (0.00036–0.00056)"),
        (0.054, 0.043, 0.0703, "0.054 (0.043–0.070)"),
        (0.3, 0.03, 3, "0.30 (0.03–3.00)"),
        (0.12, 0.09, 0.16, "0.12 (0.09–0.16)"),
        (48, 8, 300, "48 (8–300)"),
        (200, 38, 612, "200 (40–610)"),
        (2400, 1800, 3100, "2,400 (1,800–3,100)"),
        (0.47, 0.45, 0.5, "0.47 (0.45–0.50)"),
    ],
)
def test_no_end_is_written_as_0_and_a_small_ratio_has_two_digits(
    ratio: float, low: float, high: float, told: str
) -> None:
    """As in Python: test_figures.py."""
    text = f"`${{ratioText({ratio}, {low}, {high})}} (${{intervalText({low}, {high})}})`"
    assert _by_node("figures", text) == told


def a_client(name: str) -> dict[str, object]:
    traits: dict[str, list[str]] = {facet: [] for facet in FACETS}
    told = dict.fromkeys(("about", "version", "runtime", "engine"), "")
    return {"id": name, "ranked": True, "traits": traits, **told}


def chosen(aspect: str, baseline: str) -> dict[str, object]:
    """A reader's choices: an aspect, and what ratios are relative to."""
    state: dict[str, object] = {"aspect": aspect, "baseline": baseline, "text": "", "sort": "w"}
    return state | {name: [] for name in (*FACETS, "without", "pick", "column")}


@pytest.mark.parametrize(
    ("apart", "aspect", "verdict"),
    [({}, "wall", "slower"), ({"1": 0.15}, "wall", "undecided"), ({"0": 0.15}, "wall", "undecided"),
     ({"1": 0.11}, "wall", "undecided"), ({"1": 0.105}, "wall", "slower"),
     ({"1": 0.15}, "cpu", "slower")],
)  # fmt: skip
def test_no_cell_has_a_verdict_that_rests_on_clocks_further_apart(
    apart: dict[str, float], aspect: str, verdict: str
) -> None:
    """As in the table: client 1 takes 1.12 times as long as client 0, which takes 10.7 % less."""
    workload = {
        "id": "w", "withheld": "", "absent": {}, "clocks_apart": apart,
        "figures": {aspect: {"values": [100, 112], "texts": ["100", "112"]}},
    }  # fmt: skip
    data = {
        "aspects": [{"key": aspect, "pairs": aspect, "more_is_better": False}],
        "clients": [a_client("a/a"), a_client("a/b")],
        "workloads": [workload],
    }  # fmt: skip
    pairs = (
        "{order: [0, 1], isShown: () => true, isEquivalent: () => false,"
        " difference: () => ({point: Math.log(1.12), low: Math.log(1.1), high: Math.log(1.14)})}"
    )
    state = json.dumps(chosen(aspect, "a/a"))
    view = f"viewOf({json.dumps(data)}, new Map([['w', {{{aspect}: {pairs}}}]]), {state})"
    assert _by_node("view", f"{view}.columns[0].cells.get(1).verdict") == verdict


@pytest.mark.parametrize(
    ("clients", "apart", "hidden", "told"),
    [
        (2, {}, [], "a/a is the fastest on w. Next is a/b, with 1.12 × (1.10–1.14) the wall time."),
        (
            2,
            {"1": 0.15},
            [[0, 1]],
            "Undecided: a/b takes 1.12 × (1.10–1.14) the wall time of a/a on w; two clocks differ "
            "by more than that about it.",
        ),
        (
            3,
            {"0": 0.15},
            [[0, 1]],
            "a/a and a/b share the first tier on w: it was not shown which of them is the fastest. "
            "Two clocks differ about a/a.",
        ),
        (
            3,
            {"2": 0.15},
            [[1, 2]],
            "a/a is the fastest on w. Next is a/b, with 1.12 × (1.10–1.14) the wall time.",
        ),
    ],
)
def test_nor_does_the_sentence_say_how_much_longer(
    clients: int, apart: dict[str, float], hidden: list[list[int]], told: str
) -> None:
    """As the terminal's. Each client takes 1.12 times as long as the one before it. `hidden`: the
    pairs that clocks leave open."""
    names = ["a/a", "a/b", "a/c"][:clients]
    texts = [str(112 * number) for number in range(clients)]
    data = {
        "aspects": [
            {"key": "wall", "pairs": "wall", "more_is_better": False, "best": "the fastest"}
        ],
        "clients": [a_client(name) for name in names],
        "workloads": [
            {
                "id": "w", "title": "w", "withheld": "", "absent": {}, "clocks_apart": apart,
                "figures": {"wall": {"values": [1] * clients, "texts": texts}},
            }
        ],
    }  # fmt: skip
    pairs = (
        f"{{order: {list(range(clients))}, isEquivalent: () => false,"
        f" isShown: (i, j) => !{hidden}.some(([a, b]) => a === i && b === j),"
        " difference: (i, j) => Object.fromEntries(Object.entries({point: 1.12, low: 1.1,"
        " high: 1.14}).map(([end, ratio]) => [end, (j - i) * Math.log(ratio)]))}"
    )
    state = json.dumps(chosen("wall", ""))
    view = f"viewOf({json.dumps(data)}, new Map([['w', {{wall: {pairs}}}]]), {state})"
    sure = _by_node("view advice", f"sureness({{alpha: '1 %'}}, {view})")
    pairs_of_all = clients * (clients - 1) // 2
    assert sure.startswith(f"{pairs_of_all - len(hidden)} of {pairs_of_all} pair")
    said = json.loads(_by_node("view advice", f"adviceOf({view})", as_json=True))
    assert "".join(one if isinstance(one, str) else names[one["client"]] for one in said) == told


def of_memory(*workloads: tuple[str, list[float | None]], baseline: str = "") -> str:
    """The view of a run in which three clients use so much memory on each workload."""
    data = {
        "aspects": [{"key": "memory", "pairs": "", "more_is_better": False, "label": "memory",
                     "best": "the smallest"}],
        "clients": [a_client("a/a"), a_client("a/b"), a_client("a/c")],
        "workloads": [
            {
                "id": name, "title": name, "withheld": "", "absent": {}, "clocks_apart": {},
                "figures": {"memory": {"values": values, "texts": list(map(str, values))}},
            }
            for name, values in workloads
        ],
    }  # fmt: skip
    return f"viewOf({json.dumps(data)}, new Map(), {json.dumps(chosen('memory', baseline))})"


OfEach = tuple[str, list[float | None]]
ALL: tuple[OfEach, ...] = (("v", [10.0, 20.0, 40.0]), ("w", [10.0, 30.0, 40.0]))
WITHOUT_B: OfEach = ("x", [10.0, None, 90.0])


def test_all_of_these_is_relative_to_the_client_that_was_chosen_and_to_no_other() -> None:
    """On a workload without a figure of that client, ratios are to the best, which is another."""
    view = of_memory(*ALL, WITHOUT_B, baseline="a/b")
    found = json.loads(_by_node("view", f"[...{view}.overall]", as_json=True))
    ratios = {client: round(one["ratio"], 3) for client, one in found}
    assert ratios == {0: 0.408, 1: 1.0, 2: 1.633}  # of v and w alone
    assert _by_node("view", f"{view}.averaged.length") == "2"
    assert beside(view) == ["", "", "relative to a/a"]


def test_all_of_these_without_a_choice_is_relative_to_the_best_of_each() -> None:
    view = of_memory(*ALL, WITHOUT_B)
    found = dict(json.loads(_by_node("view", f"[...{view}.overall]", as_json=True)))
    assert sorted(found) == [0, 2]
    assert found[0]["ratio"] == 1
    assert beside(view) == ["", "", ""]


def test_who_has_no_figure_in_common_with_the_choice_is_not_said_to_have_none() -> None:
    view = of_memory(ALL[0], WITHOUT_B, baseline="a/b")
    (client, *words) = json.loads(_by_node("view advice", f"adviceOf({view})", as_json=True))
    assert client == {"client": 1}
    assert "".join(words) == (
        " has no figure for memory on every workload shown: choose another client to compare with."
    )


def beside(view: str) -> list[str]:
    """What stands beside the heading of each column."""
    told = f"{view}.columns.map((column) => column.otherReference)"
    numbers = json.loads(_by_node("view", told, as_json=True))
    return ["" if number is None else f"relative to {'a/' + 'abc'[number]}" for number in numbers]


def test_no_text_of_an_adapter_is_a_formula_in_what_is_saved() -> None:
    """As in results.csv; a number below 0 stays a number."""
    rows = [{"version": "=1+1", "absent": "-x", "client": "a/b", "ratio": -0.5, "shown_as": None}]
    names = ("version", "absent", "client", "ratio", "shown_as")
    saved = _by_node("download", f"asCsv({json.dumps(rows)})").splitlines()
    heading, row = (line.split(",") for line in saved[:2])
    assert [row[heading.index(name)] for name in names] == ["'=1+1", "'-x", "a/b", "-0.5", ""]


def test_an_end_that_is_not_known_is_in_no_saved_file() -> None:
    cell = {"value": 1, "text": "1", "ratio": 1.2, "low": 0}
    data = {"run": "r", "clients": [{"id": "a/a", "version": ""}]}
    column = {"workload": {"id": "w"}, "reference": 0}
    cells = f"new Map([[0, {{...{json.dumps(cell)}, high: Infinity}}]])"
    view = (
        f"{{aspect: {{key: 'wall'}}, shown: [0], columns: [{{...{json.dumps(column)},"
        f" cells: {cells}}}]}}"
    )
    (row,) = json.loads(_by_node("download", f"rowsOf({json.dumps(data)}, {view})", as_json=True))
    assert (row["ratio"], row["ratio_low"], row["ratio_high"]) == (1.2, None, None)


def _by_node(modules: str, expression: str, *, as_json: bool = False) -> str:
    """What an expression of some modules' exports is, as text."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: apt install nodejs")
    paths = [(SCRIPTS / f"{module}.mjs").as_uri() for module in modules.split()]
    shown = f"JSON.stringify({expression})" if as_json else expression
    lines = [f"Object.assign(globalThis, await import({json.dumps(path)}));" for path in paths]
    done = subprocess.run(
        [node, "--input-type=module", "--eval", "\n".join([*lines, f"console.log({shown});"])],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
