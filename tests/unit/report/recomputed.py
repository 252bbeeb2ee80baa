"""Whether what the page's script ranked anew is what Python ranks."""

from __future__ import annotations

import math
from typing import Any

import pytest

from fetchoff.report.page.answer.packing import GRAIN, STEP
from fetchoff.stats import Standing, Subset


def must_agree(answer: dict[str, Any], expected: Subset) -> None:
    """Assert that tiers, verdicts, leaders and reference are the same, and ratios up to what
    packing rounds."""
    assert answer["reference"] == expected.reference
    assert tuple(answer["leaders"]) == expected.leaders
    ours = [(one.client, one.tiers) for one in expected.standings]
    assert [(one["client"], tuple(one["tiers"])) for one in answer["standings"]] == ours
    for standing, found in zip(expected.standings, answer["standings"], strict=True):
        _is_near(found, standing)
        assert found["verdict"] == standing.verdict.value


def _is_near(found: dict[str, Any], standing: Standing) -> None:
    """JSON has no infinity; it says null."""
    ratio = standing.ratio
    if not math.isfinite(ratio.high):
        assert found["high"] is None
        assert found["verdict"] == "undecided"
        return
    assert found["ratio"] == pytest.approx(ratio.point, rel=GRAIN)
    assert found["low"] <= ratio.low * (1 + 1e-9)
    assert found["high"] >= ratio.high * (1 - 1e-9)
    widths = [
        math.log(high / low)
        for low, high in ((ratio.low, ratio.high), (found["low"], found["high"]))
    ]
    assert widths[1] <= widths[0] * math.exp(STEP) + 3 * GRAIN
