"""Write docs/findings.md: every rule of `fetchoff explain`, from the rules themselves.

`--check` compares the page. `--survey FILE` replaces the table of clients by that of a file of
`make bench-diagnosis`; without it the table stays as it is.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from fetchoff.catalog.manifests import discover
from fetchoff.diagnosis.rule import Rule
from fetchoff.diagnosis.rules.registry import all_rules
from fetchoff.model.estimate import MINIMUM_ROUNDS

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "findings.md"
TESTS = ROOT / "tests" / "diagnosis"
MARK = "## In the clients that ship"
FAULTY = re.compile(r"""faulty\(\s*"(\w+)",\s*"(\w+)"|faulty\(language,\s*"(\w+)\"""")
CASE = re.compile(r"pytest\.param\((.*?)id=", re.S)
LOOPED = re.compile(r"""\("(\w+)", True\)""")  # of clients that a test goes through: is it faulty?
SILENT = re.compile(r"""assert "[\w-]+" not in .*""")  # what a test says of a rule that isn't meant
SOUND = ("clean", "slow_", "decoded_in_", "timeout_in_")  # they must not be named
STRING = re.compile(r'"([^"]*)"')
SOURCES = {
    "events": "the origin's events",
    "segments": "packets",
    "calls": "system calls",
    "names": "lookups of names",
    "single": "exchanges one at a time",
}

Row = dict[str, Any]


def page(rules: Sequence[Rule], cured: Mapping[str, Sequence[str]], survey: str) -> str:
    """The page as Markdown."""
    numbers = {number for rule in rules for number in rule.fault.numbers}
    parts = [
        "# Findings",
        f"What `fetchoff explain` can find: {len(rules)} rules for {len(numbers)} of the 40 "
        "faults that were collected from trackers and articles. A number such as #8 is that of the "
        "fault; a rule may know several, and several rules the same. [Diagnosis](diagnosis.md) "
        "tells how to read a finding. `tools/findings_page.py` writes this page from the rules.",
        *(section(rule, cured) for rule in rules),
        survey,
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def section(rule: Rule, cured: Mapping[str, Sequence[str]]) -> str:
    """What is known of a rule's fault, and who shows it in the tests."""
    fault = rule.fault
    numbers = ", ".join(f"#{number}" for number in fault.numbers)
    needs = ", ".join(SOURCES[str(source)] for source in sorted(rule.needs, key=str))
    lines = [
        ("signal", fault.signal),
        ("reported", ", ".join(fault.reported) or "no report"),
        ("rests on", needs),
        ("tried by", tried_by(rule)),
        ("variants that have a cure", _listed(cured.get(rule.id, ())) or "none yet"),
        ("cure", fault.cure),
        ("faulty client", _listed(faulty_clients(rule)) or "none yet"),
    ]
    told = "\n".join(f"- {name}: {text}" for name, text in lines)
    return f"## {fault.title}\n\n`{fault.id}`, {numbers}\n\n{told}"


def tried_by(rule: Rule) -> str:
    """What a trial changes, as app/trials.py chooses it: a toggle, or else a variant."""
    if rule.untried:
        return f"nothing: {rule.untried}"
    if rule.toggle is None:
        return "a variant of the client alone: no factor outside the client ends it"
    if rule.toggle.when:
        return f"{rule.toggle.about} ({rule.toggle.when}), or else a variant of the client"
    return rule.toggle.about


def cured_variants() -> dict[str, list[str]]:
    """The variants of the clients that ship which have a cure, by fault."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for manifest in discover().values():
        if not manifest.id.version and not manifest.id.runtime:
            for fault, cure in manifest.cures.items():
                found[fault] |= {cure.variant: None} if cure.variant else {}
    return {fault: sorted(variants) for fault, variants in found.items()}


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def faulty_clients(rule: Rule) -> list[str]:
    """The clients of tests/diagnosis/faulty that the tests expect a rule to name."""
    quoted = f'"{rule.id}"'
    found: dict[str, None] = {}
    for path in sorted(TESTS.glob("test_*.py")):
        text = SILENT.sub("", path.read_text(encoding="utf-8"))
        own = path.stem == "test_" + rule.id.replace("-", "_")
        for match in FAULTY.finditer(text):
            if own or near(text, match.start(), quoted):
                found.update(dict.fromkeys(_started(next(filter(None, match.groups()[1:])))))
        for match in LOOPED.finditer(text):
            if near(text, match.start(), quoted):
                found.update(dict.fromkeys(_started(match[1])))
        for case in CASE.findall(text):
            if quoted in case:
                found.update(dict.fromkeys(_started(STRING.findall(case)[0])))
    return list(found)


def near(text: str, place: int, quoted: str) -> bool:
    """Whether a rule is named in the same test function."""
    begin = text.rfind("\ndef ", 0, place)
    end = text.find("\ndef ", place)
    return quoted in text[begin : end if end >= 0 else len(text)]


def _started(name: str) -> list[str]:
    """The faulty clients of this name, with their languages."""
    if name.startswith(SOUND):
        return []
    kinds = {"python": ".py", "javascript": ".mjs", "ruby": ".rb"}
    folder = TESTS / "faulty"
    return [
        f"{kind}/{name}" for kind, end in kinds.items() if (folder / kind / (name + end)).exists()
    ]


def survey_of(rows: Iterable[Row]) -> str:
    """The table of what was found in the clients, with how well predictions were confirmed."""
    recorded = [row for row in rows if row["part"] == "survey"]
    told = [row for row in recorded if "diagnosis" in row]
    errors = errors_of(cause for row in told for cause in row["diagnosis"]["causes"])
    lines = [
        "| client | course | finding | an exchange, µs | predicted saving | saved when tried | |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in told:
        for cause in row["diagnosis"]["causes"]:
            tried, saves = trial_of(cause), cause["saves_us"]
            saved = _interval(tried["saved_us"]) if tried else ""
            cells = (
                f"`{row['client']}`",
                row["course"].replace("@", " over "),
                f"`{cause['fault']}`, {_often(cause['count'], cause['of'])}",
                f"{cause['exchange_us']:,.0f}",
                f"{saves:,.0f}" if saves is not None else "",
                saved,
                tried["trial"] if tried else "",
            )
            lines.append(f"| {' | '.join(cells)} |")
    clients = len({row["client"] for row in told})
    silent = sum(not row["diagnosis"]["causes"] for row in told)
    said = (
        f"{clients} clients, {len(told)} pairs of client and course; in {silent} of them nothing "
        "was found."
    )
    if errors:
        said += (
            f" Of {len(errors)} predictions that were tried, the median error is "
            f"{median(errors):.1%}."
        )
    return f'{MARK}\n\nBy `make bench-diagnosis OPTIONS="--parts survey"`: {said}\n\n' + "\n".join(
        lines
    )


def _often(count: int, of: int) -> str:
    """As many exchanges show it; an exchange may have several calls that do."""
    return f"{count} of {of}" if count <= of else f"{count} times in {of}"


def trial_of(cause: Row) -> Row | None:
    """What its trial showed; None without one, or if that had too few rounds for an interval."""
    tried: Row | None = cause["tried"]
    return tried if tried and tried["rounds"] >= MINIMUM_ROUNDS else None


def errors_of(causes: Iterable[Row]) -> list[float]:
    """How far each prediction was off what its trial saved, as a share of the prediction."""
    pairs = ((trial_of(cause), cause["saves_us"]) for cause in causes)
    return [
        abs(tried["saved_us"]["point"] - saves) / saves for tried, saves in pairs if tried and saves
    ]


def _interval(estimate: Row) -> str:
    return f"{estimate['point']:,.0f} ({estimate['low']:,.0f} to {estimate['high']:,.0f})"


def _kept() -> str:
    text = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    return text[text.index(MARK) :].rstrip() if MARK in text else ""


def main() -> int:
    """Write the page; with `--check`, exit with status 1 if it is out of date."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--survey", type=Path)
    arguments = parser.parse_args()
    survey = _kept()
    if arguments.survey:
        rows = [json.loads(line) for line in arguments.survey.read_text("utf-8").splitlines()]
        survey = survey_of(rows)
    text = page(all_rules(), cured_variants(), survey)
    if arguments.check:
        if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
            return 0
        print(f"{PAGE.name} is out of date: run 'make findings-page'")
        return 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
