"""JUnit XML and Markdown, also with text that wants to be more than text."""

import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.results.runs import record, store

from worktrial.results.gate import Gate, GateLimits, gate_markdown, judge_gate, junit_xml
from worktrial.results.gate.limits import Criterion
from worktrial.results.gate.outputs import plain

HOSTILE = (
    "]]><script>alert('x')</script> | **b** [l](javascript:x) `c` $a$ \x00\x1b[2J\x0b\ufffe \ud800 \u2028 "
    "<!-- &lt; @all #1"
)


def _gate(reason: str, passed: bool = False, folder: str = "runs/a") -> Gate:
    criterion = Criterion("min_completion", 0.7, 0.5, None, passed, reason)
    return Gate(folder, None, "E0", 0.05, False, (criterion,), None)


def test_junit_of_a_real_gate(tmp_path: Path) -> None:
    run = store(tmp_path, [record("1"), record("2", "fail")])
    found = judge_gate(run, GateLimits(min_completion=0.7, max_seconds=5, min_robustness=0.8))
    root = Xml.fromstring(junit_xml(found))
    assert root.tag == "testsuites"
    (suite,) = root
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "2", "0")
    cases = suite.findall("testcase")
    assert [case.get("name") for case in cases] == [
        "--min-completion 0.7",
        "--min-robustness 0.8",
        "--max-seconds 5",
    ]
    failures = [case.find("failure") for case in cases]
    assert [failure is not None for failure in failures] == [True, True, False]
    assert failures[0] is not None
    assert "50.0 % of 2 samples passed" in (failures[0].get("message") or "")
    assert str(tmp_path) in (failures[0].text or "")
    assert {p.get("name"): p.get("value") for p in suite.iter("property")} == {
        "run": str(tmp_path),
        "baseline": "",
        "condition": "E0",
        "level": "0.05",
    }


@pytest.mark.parametrize("passed", [True, False])
def test_hostile_text_stays_text_in_xml(passed: bool) -> None:
    root = Xml.fromstring(junit_xml(_gate(HOSTILE, passed, HOSTILE)))
    assert [e.tag for e in root.iter()] == [
        "testsuites",
        "testsuite",
        "properties",
        *["property"] * 4,
        "testcase",
        "system-out" if passed else "failure",
    ]
    said = "".join(root.itertext())
    assert "<script>alert('x')</script>" in said
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", said)


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_makes_valid_xml(text: str) -> None:
    root = Xml.fromstring(junit_xml(_gate(text, folder=text)))
    assert root.find(".//failure") is not None


def test_markdown_of_a_real_gate(tmp_path: Path) -> None:
    run = store(tmp_path, [record("1"), record("2", "fail")])
    lines = gate_markdown(judge_gate(run, GateLimits(min_completion=0.7, max_seconds=5))).splitlines()
    assert lines[0] == "### Worktrial gate: failed"
    rows = [line for line in lines if line.startswith("| ") and "criterion" not in line]
    assert [row.split(" | ")[0] for row in rows] == ["| **failed**", "| passed"]
    assert "`--min-completion 0.7`" in rows[0]
    assert "50.0 % of 2 samples passed" in rows[0]


MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])
MEANT = st.sampled_from(
    [*"\\\\`*_{}[]<>()+!|~\"'$:@^=-#&.;/ \nax1", "www.", "://", "&amp;", ":tada:", "mailto:", "--"]
)


@given(st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.lists(MEANT, max_size=30).map("".join)))
def test_any_text_is_shown_as_it_is_in_markdown(text: str) -> None:
    """A reader of the rendered cell sees the same words, and nothing becomes markup."""
    shown = plain(text)
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    assert unescape(shown) == words or "&" in words
    tokens = MARKDOWN.parse(f"| a | b |\n|---|---|\n| x | {shown} |\n")
    cells = [token for token in tokens if token.type == "inline"]
    assert len(cells) == 4
    assert {child.type for child in cells[3].children or ()} <= {"text", "text_special"}
    assert "".join(child.content for child in cells[3].children or ()) == words
    # To GitHub nothing is an address, a mention, an issue, an emoji, or the end of mathematics.
    assert not re.search(r"://|www\.|mailto:|xmpp:|@\w|:[\w+-]+:|\S\$|(?<!&)#\w", shown, re.IGNORECASE)


def test_a_summary_reads_well_raw(tmp_path: Path) -> None:
    run = store(tmp_path, [record("1"), record("2", "fail")])
    found = judge_gate(run, GateLimits(min_completion=0.7, max_cost_per_task=5))
    raw = gate_markdown(found)
    assert "&" not in raw
    for criterion in found.criteria:
        assert criterion.reason in raw


def test_hostile_text_stays_in_its_cell() -> None:
    row = gate_markdown(_gate(HOSTILE)).splitlines()[6]
    assert row.count("|") == 4
    assert "<" not in row
    assert "www." not in plain("see www.example.com")
