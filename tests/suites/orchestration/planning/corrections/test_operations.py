"""What a correction does to a step, and when it refuses to."""

import json

import pytest

from worktrial.errors import DataError
from worktrial.suites.orchestration.planning.corrected import correct, read_overlay
from worktrial.suites.orchestration.planning.scenario import StepRecord


def record(text: str | None, agent: str = "gardener", workflow: str | None = "workflow_1") -> StepRecord:
    return StepRecord(3, workflow, agent, "agent", text)


def overlay(*changes: dict[str, object], step: int = 3) -> str:
    rows = [{"scenario": 1, "step": step, "why": f"reason {n}", **one} for n, one in enumerate(changes)]
    return json.dumps(rows)


FITS: dict[str, tuple[dict[str, object], str, str]] = {
    "words": ({"find": "competed", "put": "completed", "times": 2}, "competed competed", "completed completed"),
    "a key at its top": (
        {"find": "^name(?=:)", "put": "tool"},
        "name: dig\na:\n  name: x",
        "tool: dig\na:\n  name: x",
    ),
    "every line": ({"find": "^(?:- |  )", "times": 0}, "- tool: dig\n  a:\n    b: 1", "tool: dig\na:\n  b: 1"),
    "groups": ({"find": r"\A(.+)\Z", "put": r"info: |-\n  \1"}, "Load: 'x'", "info: |-\n  Load: 'x'"),
}


@pytest.mark.parametrize("name", FITS)
def test_text(name: str) -> None:
    change, before, after = FITS[name]
    done = correct([record(before)], read_overlay(overlay(change), where="test")["1"])
    assert [one.text for one in done.records] == [after]
    assert (done.applied, done.misfits) == (("3: reason 0",), ())


def test_agent_workflow_and_leaving_out() -> None:
    changes: list[dict[str, object]] = [
        {"field": "agent", "find": "gardener", "put": "carter"},
        {"field": "workflow", "find": "workflow_1", "put": "workflow_2"},
        {"find": r"\Ax", "leave_out": True},
    ]
    done = correct([record("x")], read_overlay(overlay(*changes), where="test")["1"])
    [one] = done.records
    assert (one.agent, one.workflow, one.left_out, one.text) == ("carter", "workflow_2", "reason 2", "x")
    assert done.applied == ("3: reason 0", "3: reason 1", "3: reason 2")


@pytest.mark.parametrize("text", ["", "aa", None])
@pytest.mark.parametrize("change", [{"find": "a", "put": "b"}, {"find": "^a$", "leave_out": True}])
def test_a_step_that_it_was_not_made_for_stays_as_it_is(change: dict[str, object], text: str | None) -> None:
    before = record(text)
    done = correct([before], read_overlay(overlay(change), where="test")["1"])
    assert (done.records, done.applied) == ((before,), ())
    [(step, why)] = done.misfits
    assert step == 3
    assert "times, not 1 (reason 0)" in why


def test_a_step_takes_all_of_its_corrections_or_none() -> None:
    rows = [
        {"scenario": 1, "step": 3, "why": "one", "find": "a", "put": "b"},
        {"scenario": 1, "step": 3, "why": "two", "find": "z", "put": "y"},
        {"scenario": 1, "step": 9, "why": "three", "find": "z"},
    ]
    other = StepRecord(4, None, "main", "main", "a")
    done = correct([record("a"), other], read_overlay(json.dumps(rows), where="test")["1"])
    assert done.records == (record("a"), other)
    assert [step for step, _ in done.misfits] == [3, 9]
    assert "there is no such step" in done.misfits[1][1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- {scenario: 1, step: 2, why: x}", "find"),
        ("- {scenario: 1, step: 2, find: x}", "why"),
        ("- {scenario: 1, step: 2, why: x, find: x, unlisted: true}", "unlisted"),
        ("- {scenario: 1, step: 2, why: x, why: y, find: x}", "twice"),
        ("- {scenario: 1, step: 2, why: x, find: x, field: status}", "status"),
        ("- {scenario: ", "own.yaml"),
        ("scenario: 1", "array"),
    ],
)
def test_an_overlay_that_makes_no_sense(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_overlay(text, where="own.yaml")
