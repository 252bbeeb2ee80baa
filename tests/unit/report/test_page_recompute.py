"""The page's script ranks a part of a ranking as Python does, without a browser.

tests/browser does the same with the filters of a whole page.
"""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from tests.unit.report.recomputed import agrees
from tests.unit.report.test_page_scripts import SCRIPTS

from fetchoff.model.pairwise import Pairwise
from fetchoff.report.page.answer.packing import packed
from fetchoff.stats import pairwise, subset

NAMES = [f"c/client-{number}" for number in range(30)]
NODE = """
import { readFileSync } from "node:fs";
const { at, margin, pairs, parts } = JSON.parse(readFileSync(0, "utf8"));
const { readPairs } = await import(`${at}/pairs.mjs`);
const { recompute } = await import(`${at}/recompute.mjs`);
const read = await readPairs(pairs);
const found = parts.map(({ shown, baseline }) => recompute(read, new Set(shown), baseline, margin));
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
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: apt install nodejs")
    chance, pairs = random.Random(seed), made_up(seed)
    parts: list[dict[str, Any]] = [
        {
            "shown": chance.sample(range(len(NAMES)), chance.randint(0, len(NAMES))),
            "baseline": chance.randint(-1, len(NAMES) - 1),
        }
        for _ in range(100)
    ]
    numbers = {name: number for number, name in enumerate(NAMES)}
    question = {
        "at": str(SCRIPTS),
        "margin": 0.02,
        "pairs": asdict(packed(pairs, numbers)),
        "parts": parts,
    }
    done = subprocess.run(
        [node, "--input-type=module", "--eval", NODE],
        input=json.dumps(question),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    same = every = 0
    for part, answer in zip(parts, json.loads(done.stdout), strict=True):
        expected = subset(pairs, {NAMES[n] for n in part["shown"]}, name_of(part["baseline"]))
        same += agrees(named(answer), expected)
        every += len(expected.standings)
    assert same > 0.98 * every


def name_of(number: int) -> str:
    return NAMES[number] if number >= 0 else ""


def named(answer: dict[str, Any]) -> dict[str, Any]:
    """The answer with the clients' names for their numbers."""
    return {
        "reference": name_of(answer["reference"]),
        "leaders": [name_of(number) for number in answer["leaders"]],
        "standings": [{**one, "client": name_of(one["client"])} for one in answer["standings"]],
    }
