"""The page's script ranks a part of a ranking as Python does, without a browser.

tests/browser does the same with the filters of a whole page.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from array import array
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from tests.unit.report.recomputed import must_agree
from tests.unit.report.test_page_scripts import SCRIPTS

from fetchoff.model.pairwise import Pairwise
from fetchoff.report.page.answer.packing import packed
from fetchoff.stats import pairwise, subset
from fetchoff.stats.verdicts import MARGIN

NAMES = [f"c/client-{number}" for number in range(30)]
NODE = """
import { readFileSync } from "node:fs";
const { at, pairs, parts } = JSON.parse(readFileSync(0, "utf8"));
const { readPairs } = await import(`${at}/pairs.mjs`);
const { recompute } = await import(`${at}/recompute.mjs`);
const read = await readPairs(pairs);
const found = parts.map(({ shown, baseline }) => recompute(read, new Set(shown), baseline));
console.log(JSON.stringify(found));
"""


def made_up(seed: int) -> Pairwise:
    """Some alike, some apart, some that missed rounds, one that nobody was measured with, and one
    whose few rounds say nothing."""
    noise = np.random.default_rng(seed)
    levels = noise.choice([0.0, 0.01, 0.02, 0.1, 0.3, 1.0, 4.0], len(NAMES))
    y = levels + noise.normal(0, 0.01, (16, len(NAMES))) * noise.lognormal(0, 0.5, len(NAMES))
    y[1::2, :6] = np.nan
    y[:8, 6], y[8:, 7] = np.nan, np.nan
    y[:3, 8], y[3:, 8] = [0.0, 1.0, 3.0], np.nan
    return pairwise(y, NAMES, final=True)


@pytest.mark.parametrize("seed", range(3))
def test_parts_of_a_ranking(seed: int) -> None:
    chance, pairs = random.Random(seed), made_up(seed)
    parts: list[dict[str, Any]] = [
        {
            "shown": chance.sample(range(len(NAMES)), chance.randint(0, len(NAMES))),
            "baseline": chance.randint(-1, len(NAMES) - 1),
        }
        for _ in range(100)
    ]
    for part, answer in zip(parts, recomputed(pairs, parts), strict=True):
        expected = subset(pairs, {NAMES[n] for n in part["shown"]}, name_of(part["baseline"]))
        must_agree(named(answer), expected)


@pytest.mark.parametrize(
    ("point", "reach", "told"),
    [
        (0.0, 0.0195, "equivalent"),
        (0.0, 0.0199, "undecided"),
        (0.011, 0.0085, "equivalent"),
        (0.011, 0.0105, "slower"),
    ],
)
def test_a_pair_has_the_verdict_of_its_own_interval_not_of_the_one_that_is_drawn(
    point: float, reach: float, told: str
) -> None:
    """A comparison ends as soon as its interval lies within the margin; the next wider one that can
    be packed may not."""
    ends = array("d", [reach])
    pair = Pairwise(
        tuple(NAMES[:2]), 1, 0.99, array("d", [point]), ends, ends, bytes([point > reach])
    )
    for baseline, verdict in ((0, told), (1, {"slower": "faster"}.get(told, told))):
        (answer,) = recomputed(pair, [{"shown": [0, 1], "baseline": baseline}])
        must_agree(named(answer), subset(pair, NAMES[:2], NAMES[baseline]))
        assert answer["standings"][1 - baseline]["verdict"] == verdict


def recomputed(pairs: Pairwise, parts: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the page's script makes of some parts."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: apt install nodejs")
    numbers = {name: number for number, name in enumerate(NAMES)}
    packing = asdict(packed(pairs, numbers, MARGIN))
    done = subprocess.run(
        [node, "--input-type=module", "--eval", NODE],
        input=json.dumps({"at": str(SCRIPTS), "pairs": packing, "parts": parts}),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def name_of(number: int) -> str:
    return NAMES[number] if number >= 0 else ""


def named(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer with the clients' names for their numbers."""
    return {
        "reference": name_of(answer["reference"]),
        "leaders": [name_of(number) for number in answer["leaders"]],
        "standings": [{**one, "client": name_of(one["client"])} for one in answer["standings"]],
    }
