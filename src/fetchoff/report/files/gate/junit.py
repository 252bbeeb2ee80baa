"""A gate as JUnit XML: a case for each comparison."""

from __future__ import annotations

from xml.etree import ElementTree

from fetchoff.model.gate import Answer, Gate, Judged, Lost
from fetchoff.report.wording import gate as wording


def text(gate: Gate, *, strict: bool) -> str:
    """Slower fails; what cannot be told is skipped, or fails where it is `strict`.

    A head that broke down is a case of its own: each comparison may still say "not slower".
    """
    suite = ElementTree.Element("testsuite", name=f"fetchoff gate {gate.head.client}")
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in (
        ("base", wording.side(gate.base)),
        ("head", wording.side(gate.head)),
        ("end", wording.end(gate)),
        ("settings", wording.settings(gate)),
        ("base against base", wording.base_against_base(gate)),
        ("said", " ".join(wording.sentences(gate))),
    ):
        ElementTree.SubElement(properties, "property", name=name, value=value)
    for row in gate.rows:
        _case(suite, gate, row, strict=strict)
    for one in gate.lost:
        _broken(suite, gate, one, strict=strict)
    for kind in ("failure", "skipped", "error"):
        word = {"failure": "failures", "error": "errors"}.get(kind, kind)
        suite.set(word, str(len(suite.findall(f"testcase/{kind}"))))
    suite.set("tests", str(len(suite.findall("testcase"))))
    suite.set("time", f"{gate.seconds:.3f}")
    suite.set("timestamp", gate.started)
    whole = ElementTree.Element("testsuites")
    whole.append(suite)
    ElementTree.indent(whole)
    return ElementTree.tostring(whole, encoding="unicode", xml_declaration=True) + "\n"


def _broken(suite: ElementTree.Element, gate: Gate, one: Lost, *, strict: bool) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=f"{gate.head.client}.{one.workload}",
        name="rounds that head ended well",
        time="0",
    )
    if one.is_of_head:
        kind = "failure" if strict else "skipped"
        ElementTree.SubElement(case, kind, message=wording.lost(one), type="cannot tell")
    ElementTree.SubElement(case, "system-out").text = wording.lost(one)


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
