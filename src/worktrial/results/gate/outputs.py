"""A gate for machines: JUnit XML, which every CI system reads, and Markdown for the summary of a step on GitHub."""

import re
from xml.etree import ElementTree as Xml

from worktrial.errors import flag
from worktrial.results.gate.judging import Gate

# What XML 1.0 does not allow, not even escaped (W3C, Extensible Markup Language 1.0, section 2.2).
_NOT_ALLOWED = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(gate: Gate) -> bytes:
    """One test suite with a test case for each criterion, in UTF-8."""
    failures = sum(not criterion.passed for criterion in gate.criteria)
    counts = {"tests": str(len(gate.criteria)), "failures": str(failures), "errors": "0", "skipped": "0"}
    suites = Xml.Element("testsuites", counts)
    suite = Xml.SubElement(suites, "testsuite", {"name": "worktrial gate", **counts})
    properties = Xml.SubElement(suite, "properties")
    told = {
        "run": gate.run,
        "baseline": gate.baseline or "",
        "condition": gate.condition,
        "level": f"{gate.level:g}",
        **({"label": gate.label} if gate.label else {}),
    }
    for name, value in told.items():
        Xml.SubElement(properties, "property", {"name": name, "value": _allowed(value)})
    for criterion in gate.criteria:
        # `time` is required by some readers; nothing was run.
        case = Xml.SubElement(
            suite,
            "testcase",
            {"classname": "worktrial.gate", "name": f"{flag(criterion.name)} {criterion.limit:g}", "time": "0"},
        )
        reason = _allowed(criterion.reason)
        if criterion.passed:
            Xml.SubElement(case, "system-out").text = reason
        else:
            failure = Xml.SubElement(case, "failure", {"message": reason, "type": criterion.name})
            failure.text = _allowed(f"{reason}\nrun: {gate.run}")
    Xml.indent(suites)
    text: bytes = Xml.tostring(suites, encoding="utf-8", xml_declaration=True)
    return text + b"\n"


def _allowed(text: str) -> str:
    return _NOT_ALLOWED.sub("�", text)


# What would mean something in Markdown, in HTML, or to GitHub, and only where it would, so that the text reads well
# raw, too. Always: escapes, code, strong, links, tags, cells, strokes. Emphasis at the edge of a word; entities;
# the end of mathematics (a dollar behind anything but a space); mentions; issues; addresses and emoji.
_SPECIAL = re.compile(
    r"[\\`*\[\]<>|~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w)|(?<=\S)\$|@(?=\w)|#(?=\w)"
    r"|:(?=//|[\w+-]+:)|(?<=mailto):|(?<=xmpp):|(?<=www)\.",
    re.IGNORECASE,
)


def gate_markdown(gate: Gate) -> str:
    """A heading with the verdict, and a table with one row for each criterion."""
    verdict = "passed" if gate.passed else "failed"
    about = [("run", gate.run), ("baseline", gate.baseline), ("condition", gate.condition)]
    told = " · ".join(f"{name} {plain(value)}" for name, value in about if value)
    rows = [
        f"| {'passed' if c.passed else '**failed**'} | `{flag(c.name)} {c.limit:g}` | {plain(c.reason)} |"
        for c in gate.criteria
    ]
    label = [f"**Not comparable:** {plain(gate.label)}", ""] if gate.label else []
    table = ["| | criterion | why |", "|---|---|---|", *rows]
    lines = [f"### Worktrial gate: {verdict}", "", *label, told, "", *table, ""]
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """`text` so that it is shown as it is, on one line, whatever is in it."""
    one_line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return _SPECIAL.sub(lambda found: f"&#{ord(found.group())};", one_line)
