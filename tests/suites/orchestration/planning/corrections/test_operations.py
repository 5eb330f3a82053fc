"""What each kind of correction does to a step, and when it refuses to."""

import pytest

from worktrial.errors import DataError
from worktrial.suites.orchestration.planning.corrections.overlay import correct, read_overlay
from worktrial.suites.orchestration.planning.scenario import StepRecord


def record(text: str | None, agent: str = "gardener", workflow: str | None = "workflow_1") -> StepRecord:
    return StepRecord(3, workflow, agent, "agent", text)


def overlay(*operations: str, step: int = 3) -> str:
    return "\n".join(f"- {{scenario: 1, step: {step}, why: reason {n}, {one}}}" for n, one in enumerate(operations))


FITS: dict[str, tuple[str, str, str]] = {
    "replace": ("replace: {old: competed, new: completed, times: 2}", "competed competed", "completed completed"),
    "rename": ("rename_keys: {name: tool}", "name: dig\narguments:\n  name: x", "tool: dig\narguments:\n  name: x"),
    "unlist": ("unlist: true", "- tool: dig\n  arguments:\n    a: 1", "tool: dig\narguments:\n  a: 1"),
    "repeats": (
        "drop_repeats: true",
        "tool: dig\narguments:\n  a: 1\ntool: dig\narguments:\n  a: 1\ntool_call_result: 1",
        "tool: dig\narguments:\n  a: 1\ntool_call_result: 1",
    ),
    "tag": (
        "refusal: AWAITING_USER_INPUT",
        "Load needed",
        'status: AWAITING_USER_INPUT\nrequired_info: "Load needed"',
    ),
    "quote": (
        "refusal: TOOL_CONSTRAINT_VIOLATION",
        'status: TOOL_CONSTRAINT_VIOLATION\nviolation_message: late: "x"',
        'status: TOOL_CONSTRAINT_VIOLATION\nviolation_message: "late: \\"x\\""',
    ),
    "key again": (
        "refusal: AWAITING_USER_INPUT",
        "status: AWAITING_USER_INPUT\nrequired_info: 연락처required_info:",
        'status: AWAITING_USER_INPUT\nrequired_info: "연락처"',
    ),
    "call": (
        "call: {tool: dig, arguments: [where, deep]}",
        "tool_call_result:\n  data: {where: bed 3, deep: true, done: true}",
        'tool: dig\narguments:\n  where: "bed 3"\n  deep: true\n'
        "tool_call_result:\n  data: {where: bed 3, deep: true, done: true}",
    ),
}


@pytest.mark.parametrize("name", FITS)
def test_text(name: str) -> None:
    operation, before, after = FITS[name]
    done = correct([record(before)], read_overlay(overlay(operation), where="test")["1"])
    assert [one.text for one in done.records] == [after]
    assert (done.applied, done.misfits) == (("3: reason 0",), ())


def test_agent_workflow_and_leaving_out() -> None:
    operations = ("agent: {old: gardener, new: carter}", "workflow: {old: workflow_1, new: workflow_2}")
    done = correct([record("x")], read_overlay(overlay(*operations, "leave_out: {starts: x}"), where="test")["1"])
    [one] = done.records
    assert (one.agent, one.workflow, one.left_out) == ("carter", "workflow_2", "reason 2")
    assert done.applied == ("3: reason 0", "3: reason 1", "3: reason 2")


MISFITS = {
    "replace: {old: a, new: b}": ["", "aa", None],
    "agent: {old: carter, new: x}": ["x"],
    "workflow: {old: workflow_9, new: x}": ["x"],
    "rename_keys: {name: tool}": ["tool: a", "name: a\ntool: b", "name: a\nname: b"],
    "unlist: true": ["tool: a", "- a\n- b", ""],
    "drop_repeats: true": ["tool: a\ntool: b"],
    "refusal: AWAITING_USER_INPUT": ["status: AWAITING_USER_INPUT", "Needed: a"],
    "call: {tool: dig, arguments: [a]}": [
        "tool: a",
        "tool_call_result: 1",
        "tool_call_result: {data: {b: 1}}",
        "a: b: c",
    ],
    "leave_out: {starts: b}": ["abc"],
}


@pytest.mark.parametrize("operation", MISFITS)
def test_a_step_that_it_was_not_made_for_stays_as_it_is(operation: str) -> None:
    corrections = read_overlay(overlay(operation), where="test")["1"]
    for text in MISFITS[operation]:
        before = record(text)
        done = correct([before], corrections)
        assert (done.records, done.applied) == ((before,), ()), text
        [(step, why)] = done.misfits
        assert step == 3
        assert "reason 0" in why


def test_a_step_takes_all_of_its_corrections_or_none() -> None:
    text = (
        overlay("replace: {old: a, new: b}", "replace: {old: z, new: y}") + "\n" + overlay("unlist: true", step=9)
    )
    other = StepRecord(4, None, "main", "main", "a")
    done = correct([record("a"), other], read_overlay(text, where="test")["1"])
    assert done.records == (record("a"), other)
    assert [step for step, _ in done.misfits] == [3, 9]
    assert "there is no such step" in done.misfits[1][1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- {scenario: 1, step: 2, why: x}", "entry 1 has 0 operations"),
        ("- {scenario: 1, step: 2, why: x, unlist: true, drop_repeats: true}", "entry 1 has 2 operations"),
        ("- {scenario: 1, step: 2, unlist: true}", "why"),
        ("- {scenario: 1, step: 2, why: x, unlisted: true}", "unlisted"),
        ("- {scenario: 1, step: 2, why: x, why: y, unlist: true}", "twice"),
        ("- {scenario: 1, step: 2, why: x, refusal: LATE}", "LATE"),
        ("- {scenario: ", "own.yaml"),
        ("scenario: 1", "array"),
    ],
)
def test_an_overlay_that_makes_no_sense(text: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_overlay(text, where="own.yaml")
