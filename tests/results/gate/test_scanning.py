"""SARIF and annotations of a gate, also with text that wants to be more than text."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from tests.results.runs import record, store

from worktrial.results.gate import Gate, GateLimits, github_annotations, judge_gate, sarif
from worktrial.results.gate.limits import Criterion
from worktrial.statistics import Interval

# What SARIF 2.1.0 asks of the parts that we write (OASIS, 2020; sections 3.13, 3.14, 3.18 to 3.20, 3.27 to 3.29,
# 3.49), with no room for anything else.
TEXT = {
    "type": "object",
    "required": ["text"],
    "additionalProperties": False,
    "properties": {"text": {"type": "string"}},
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}


def _closed(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "additionalProperties": False, "properties": properties}


RULE = _closed(
    ["id"],
    id={"type": "string"},
    name={"type": "string"},
    shortDescription=TEXT,
    defaultConfiguration=_closed([], level=LEVEL),
)
PLACE = _closed(
    ["artifactLocation"],
    artifactLocation=_closed(["uri"], uri={"type": "string", "pattern": "^[\\x21-\\x7e]+$"}),
    region=_closed([], startLine={"type": "integer", "minimum": 1}),
)
RESULT = _closed(
    ["message"],
    ruleId={"type": "string"},
    ruleIndex={"type": "integer", "minimum": -1},
    kind={"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]},
    level=LEVEL,
    message=TEXT,
    locations={"type": "array", "items": _closed([], physicalLocation=PLACE)},
    partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},
    properties={"type": "object"},
)
INVOCATION = _closed(["executionSuccessful"], executionSuccessful={"type": "boolean"}, exitCode={"type": "integer"})
RUN = _closed(
    ["tool"],
    tool=_closed(
        ["driver"],
        driver=_closed(
            ["name"], name={"type": "string"}, version={"type": "string"}, rules={"type": "array", "items": RULE}
        ),
    ),
    invocations={
        "type": "array",
        "items": _closed(
            ["executionSuccessful"], executionSuccessful={"type": "boolean"}, exitCode={"type": "integer"}
        ),
    },
    results={"type": "array", "items": RESULT},
    properties={"type": "object"},
)
LOG = _closed(
    ["version", "runs"],
    **{"$schema": {"type": "string"}, "version": {"enum": ["2.1.0"]}, "runs": {"type": "array", "items": RUN}},
)


def _read(gate: Gate) -> dict[str, Any]:
    log = json.loads(sarif(gate), parse_constant=pytest.fail)
    Draft7Validator(LOG).validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        # Section 3.27.6: an index points to the rule of that id. Section 3.27.9: only what failed has a level.
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert (result["kind"] == "fail") or result["level"] == "none"
    found: dict[str, Any] = run
    return found


def _gate(reason: str, folder: str = "runs/a b") -> Gate:
    criterion = Criterion("min_completion", 0.7, 0.5, Interval(0.2, float("inf")), False, reason)
    return Gate(folder, None, "E0", 0.05, False, (criterion,), None)


def test_a_result_for_each_criterion_that_failed(tmp_path: Path) -> None:
    run = store(tmp_path, [record("1"), record("2", "fail")])
    found = judge_gate(run, GateLimits(min_completion=0.7, max_seconds=5, min_robustness=0.8))
    log = _read(found)
    assert [result["ruleId"] for result in log["results"]] == [
        "worktrial/min_completion",
        "worktrial/min_robustness",
    ]
    first = log["results"][0]
    assert first["message"]["text"].startswith("--min-completion 0.7: 50.0 % of 2 samples passed")
    assert first["properties"]["observed"] == 0.5
    assert (log["properties"]["passed"], log["invocations"][0]["exitCode"]) == (False, 1)


def test_a_baseline_that_is_not_comparable_is_a_warning(tmp_path: Path) -> None:
    before, after = (store(tmp_path / name, [record("1")], depth=n) for n, name in enumerate("ab"))
    found = judge_gate(after, GateLimits(max_regression=0.1), baseline=before)
    (result,) = _read(found)["results"]
    assert (result["level"], result["ruleId"]) == ("warning", "worktrial/not_comparable")
    assert "compared though they differ in trial.depth: 0 -> 1" in result["message"]["text"]
    (line,) = github_annotations(found)
    assert line.startswith("::warning title=Worktrial gate%3A not comparable::compared though")


def test_places_are_addresses_in_the_repository() -> None:
    (result,) = _read(_gate("why"))["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == "runs/a%20b/manifest.json"
    assert result["properties"]["interval"] == [0.2, None]
    (absolute,) = _read(_gate("why", "/tmp/a b"))["results"]
    assert absolute["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].startswith("file:///tmp/a%20b")


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_stays_text(text: str) -> None:
    (result,) = _read(_gate(text))["results"]
    assert result["message"]["text"].endswith(text)
    (line,) = github_annotations(_gate(text))
    assert not re.search("[\r\n]", line)
    assert line.count("::", 0, line.index("::", 2) + 2) == 2
    told = line.split("::", 2)[2]
    coded = {"%25": "%", "%0D": "\r", "%0A": "\n"}
    assert re.sub("%(?:25|0D|0A)", lambda found: coded[found[0]], told) == f"{text} (runs/a b, E0)"
