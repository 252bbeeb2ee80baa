"""A gate as JUnit XML: a case for each comparison."""

from __future__ import annotations

from xml.etree import ElementTree

from fetchoff.model.gate import Answer, Gate, Judged
from fetchoff.report.wording import gate as wording


def text(gate: Gate, *, strict: bool) -> str:
    """Slower fails; what cannot be told is skipped, or fails where it is `strict`."""
    suite = ElementTree.Element("testsuite", name=f"fetchoff gate {gate.head.client}")
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (
        ("base", wording.side(gate.base)),
        ("head", wording.side(gate.head)),
        ("end", wording.end(gate)),
        ("settings", wording.settings(gate)),
        ("base against base", wording.base_against_base(gate)),
    ):
        ElementTree.SubElement(properties, "property", name=name, value=value)
    for row in gate.rows:
        _case(suite, gate, row, strict=strict)
    for kind in ("failure", "skipped", "error"):
        word = {"failure": "failures", "error": "errors"}.get(kind, kind)
        suite.set(word, str(len(suite.findall(f"testcase/{kind}"))))
    suite.set("tests", str(len(gate.rows)))
    suite.set("time", f"{gate.seconds:.3f}")
    suite.set("timestamp", gate.started)
    whole = ElementTree.Element("testsuites")
    whole.append(suite)
    ElementTree.indent(whole)
    return ElementTree.tostring(whole, encoding="unicode", xml_declaration=True) + "\n"


def _case(suite: ElementTree.Element, gate: Gate, row: Judged, *, strict: bool) -> None:
    name = f"{wording.CLOCKS[row.clock]} time"
    case = ElementTree.SubElement(
        suite, "testcase", classname=f"{gate.head.client}.{row.workload}", name=name, time="0"
    )
    said = f"{wording.verdict(gate, row)}: {wording.taken(row)}"
    if gate.withheld:
        ElementTree.SubElement(case, "error", message=wording.sentences(gate)[0], type="withheld")
    elif row.answer is Answer.SLOWER:
        ElementTree.SubElement(case, "failure", message=said, type="slower")
    elif row.answer is Answer.CANNOT_TELL:
        kind = "failure" if strict else "skipped"
        ElementTree.SubElement(case, kind, message=said, type="cannot tell")
    output = ElementTree.SubElement(case, "system-out")
    output.text = said
