"""Each check finds what it is for, and a sound slot has nothing to find."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.own_suite import Row, drafts, slot

from worktrial.finding import Finding
from worktrial.synthesis.artifacts import PlannedCall, TaskDraft, ToolDraft, WorkplaceDraft
from worktrial.synthesis.checks import CheckName, check_slot

Change = Callable[[Row, Row], Any]


def _found(change: Change) -> Sequence[Finding]:
    home, work = slot()
    change(home, work)
    return check_slot(*drafts(home, work))


def test_a_sound_slot() -> None:
    assert _found(lambda home, work: None) == []


def _set(which: int, *path: str | int, to: Any) -> Change:
    def change(*rows: Row) -> None:
        at: Any = rows[which]
        for part in path[:-1]:
            at = at[part]
        at[path[-1]] = to

    return change


def _home(*path: str | int, to: Any) -> Change:
    return _set(0, *path, to=to)


def _task(*path: str | int, to: Any) -> Change:
    return _set(1, *path, to=to)


_SCHEMA = ("tools", 1, "parameters")
_EXAMPLE = ("tools", 0, "example_output")
_CALLS = ["list_berths", "get_vessel", "book_berth"]

# What is changed; check, artifact and field of what is found, and a word of it.
CASES: dict[str, tuple[Change, str, str, str, str]] = {
    "no tools": (lambda h, t: (h["tools"].clear(), t["plan"].clear()), "tool-count", "tools", "tools", "0 tools"),
    "many tools": (
        lambda h, t: h["tools"].extend({**h["tools"][0], "name": f"more_{n}"} for n in range(8)),
        "tool-count",
        "tools",
        "tools",
        "11 tools",
    ),
    "one name twice": (
        lambda h, t: h["tools"].append({**h["tools"][0], "name": "listBerths"}),
        "duplicate-tools",
        "tools",
        "tools",
        "list_berths, listBerths",
    ),
    "a name that endpoints refuse": (
        lambda h, t: h["tools"].append({**h["tools"][0], "name": "list free berths"}),
        "schemas",
        "tools",
        "tools[3].name",
        "refuse",
    ),
    "no valid schema": (
        _home(*_SCHEMA, to={"type": "objekt"}),
        "schemas",
        "tools",
        "tools[1].parameters",
        "objekt",
    ),
    "a property of no type there is": (
        _home(*_SCHEMA, "properties", "vessel_id", "type", to="text"),
        "schemas",
        "tools",
        "tools[1].parameters",
        "2020-12",
    ),
    "a schema elsewhere": (
        _home(*_SCHEMA, "properties", "vessel_id", to={"$ref": "https://schemas.invalid/vessel"}),
        "schemas",
        "tools",
        "tools[1].parameters",
        "outside",
    ),
    "an argument without a description": (
        _home(*_SCHEMA, "properties", "vessel_id", to={"type": "string"}),
        "schemas",
        "tools",
        "tools[1].parameters",
        "vessel_id",
    ),
    "an argument that is required and not there": (
        _home(*_SCHEMA, "required", to=["vessel_id", "flag"]),
        "schemas",
        "tools",
        "tools[1].parameters",
        "flag",
    ),
    "a scalar example": (
        _home(*_EXAMPLE, to="berth B-1"),
        "example-shape",
        "tools",
        "tools[0].example_output",
        "list",
    ),
    "an example of another type": (
        _home(*_EXAMPLE, "berths", 0, "length_m", to="80 m"),
        "example-shape",
        "tools",
        "tools[0].example_output",
        "length_m of B-1",
    ),
    "an example of another world": (
        _home(*_EXAMPLE, "berths", 0, "berth_id", to="PIER-4"),
        "example-clash",
        "tools",
        "tools",
        "PIER-4",
    ),
    "a field that nobody describes": (
        _home("initial_state", "tides", to=[]),
        "undescribed-state",
        "workplace",
        "state_description",
        "tides",
    ),
    "a call of nothing in the rules": (
        _home("system_prompt", to='A call: {"name": "moor", "arguments": {}}'),
        "prompt-calls",
        "workplace",
        "system_prompt",
        "moor",
    ),
    "a note to oneself": (
        _home("tools", 1, "description", to="TODO: say what it does"),
        "placeholders",
        "tools",
        "tools[1].description",
        "TODO",
    ),
    "filler": (
        _home("system_prompt", to="Lorem ipsum dolor"),
        "placeholders",
        "workplace",
        "system_prompt",
        "orem",
    ),
    "a template's variable": (
        _task("instruction", to="Find {{ vessel }} a berth."),
        "placeholders",
        "instruction",
        "instruction",
        "{{ vessel }}",
    ),
    "angle brackets": (
        _task("plan", 1, "arguments", "vessel_id", to="<vessel_id>"),
        "placeholders",
        "plan",
        "plan[1].arguments.vessel_id",
        "<vessel_id>",
    ),
    "a list cut short": (
        lambda h, t: h["initial_state"]["bookings"].append("..."),
        "placeholders",
        "workplace",
        "initial_state.bookings[0]",
        "...",
    ),
    "square brackets": (
        _task("rubric", to="1. The berth is [insert berth]."),
        "placeholders",
        "rubric",
        "rubric",
        "[insert berth]",
    ),
    "dates and no clock": (
        lambda h, t: h["initial_state"].pop("current_date"),
        "dates-without-clock",
        "workplace",
        "initial_state",
        "2026-03-0",
    ),
    "no plan": (_task("plan", to=[]), "plan-calls", "plan", "plan", "no step"),
    "a plan with a ghost": (_task("plan", 2, "tool", to="moor"), "plan-calls", "plan", "plan[2].tool", "'moor'"),
    "a plan without an argument": (
        lambda h, t: t["plan"][2]["arguments"].pop("hours"),
        "plan-calls",
        "plan",
        "plan[2].arguments.hours",
        "missing",
    ),
    "a plan with a wrong argument": (
        _task("plan", 2, "arguments", "hours", to=0),
        "plan-calls",
        "plan",
        "plan[2].arguments.hours",
        "minimum",
    ),
    "a plan too short for its level": (_task("level", to=3), "plan-length", "instruction", "plan", "5 to 18"),
    "a plan too long for its level": (
        lambda h, t: t.update(plan=t["plan"] * 3, level=1),
        "plan-length",
        "instruction",
        "plan",
        "9 calls",
    ),
    "a plan in the instruction": (
        _task("instruction", to=f"Find the Gannet a berth: {', then '.join(_CALLS)}. Six hours."),
        "steps-told",
        "instruction",
        "instruction",
        "list_berths, get_vessel, book_berth",
    ),
    "the plan's tools in another order": (
        _task("instruction", to="Use book_berth and get_vessel where you need them. Six hours for the Gannet."),
        "steps-told",
        "instruction",
        "instruction",
        "get_vessel, book_berth",
    ),
    "a ghost in the rubric": (
        _task("rubric", to="1. `assign_berth` was called with B-1."),
        "rubric-tools",
        "rubric",
        "rubric",
        "assign_berth",
    ),
    "a ghost that begins like no tool": (
        _task("rubric", to="1. The agent used the moor_vessel tool."),
        "rubric-tools",
        "rubric",
        "rubric",
        "moor_vessel",
    ),
    "a ghost's call": (
        _task("rubric", to="1. There is a call moor_vessel(vessel_id='V-7')."),
        "rubric-tools",
        "rubric",
        "rubric",
        "moor_vessel",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_finds(name: str) -> None:
    change, check, artifact, field, word = CASES[name]
    problems = [p for p in _found(change) if p.check == check]
    assert [(p.subject, p.field) for p in problems] == [(artifact, field)], _found(change)
    assert word in problems[0].what and problems[0].fix


def test_every_check_is_tried() -> None:
    assert {check for _, check, *_ in CASES.values()} == {name.value for name in CheckName}


FINE: dict[str, Change] = {
    "a new id in what a tool that writes shows": _home("tools", 2, "example_output", "booking_id", to="K-2201"),
    "how the call went": _home(
        "tools", 0, "example_output", to={"status": "success", "berths": [{"berth_id": "B-1", "free": True}]}
    ),
    "a record with a name": _home("system_prompt", to='A master is {"name": "Ann Lee", "rank": 2}.'),
    "what the simulator's prompt fills in": _home("system_prompt", to="You hold {{initial_state}}."),
    "a format in the rules": _home("system_prompt", to="An error is {error: <message_text>}."),
    "a tool that tells the date": lambda h, t: (
        h["initial_state"].pop("current_date"),
        h["tools"].append({**h["tools"][0], "name": "get_current_date"}),
    ),
    "an address of the made-up world": _home("initial_state", "vessels", 0, "master", to="ann@example.com"),
    "the plan's work in other words": _task(
        "instruction", to="Please book a berth for the vessel Gannet, six hours, at whatever it costs there."
    ),
    "a field of the state in the rubric": _task(
        "rubric", to="1. `price_per_hour` of `B-1` is `unchanged_free`."[:26]
    ),
    "tool and argument in the rubric": _task("rubric", to="1. `book_berth(hours=6)` with `vessel_id` V-7."),
    "a shared definition": _home(
        "tools",
        1,
        "parameters",
        to={
            "type": "object",
            "properties": {"vessel_id": {"$ref": "#/$defs/id"}},
            "$defs": {"id": {"type": "string", "description": "An id."}},
        },
    ),
    "a shape only": _home("tools", 0, "example_output", to={"berths": []}),
}


@pytest.mark.parametrize("name", FINE)
def test_leaves_alone(name: str) -> None:
    assert _found(FINE[name]) == []


def test_a_schema_that_refers_to_nothing_is_reported_not_raised() -> None:
    for target in ("#/$defs/none", "#"):
        problems = _found(_home(*_SCHEMA, to={"type": "object", "properties": {"vessel_id": {"$ref": target}}}))
        assert {p.check for p in problems} <= {"plan-calls", "schemas"}
    assert "cannot be checked" in _found(_home(*_SCHEMA, to={"type": "object", "$ref": "#/$defs/none"}))[0].what


def test_the_word_for_word_echo_of_dates_in_another_language() -> None:
    def korean(home: Row, work: Row) -> None:
        work.update(language="ko", instruction="Gannet호에 여섯 시간 정박지를 잡고 비용을 알려 주세요.")
        work["rubric"] = "1. V-7이 B-1을 6시간 예약했다.\n2. 비용은 273원이다.\n3. 2026년 3월 2일에 시작한다."

    assert _found(korean) == []


_TEXT = st.text(min_size=1, max_size=30)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)
_OBJECT = st.dictionaries(st.text(max_size=12), _JSON, max_size=4)
_SCHEMAS = _OBJECT | st.fixed_dictionaries(
    {"type": st.just("object"), "properties": st.dictionaries(_TEXT, _OBJECT)}
)


@settings(max_examples=60, deadline=None)
@given(
    st.builds(
        WorkplaceDraft,
        name=_TEXT,
        system_prompt=_TEXT,
        tools=st.lists(
            st.builds(
                ToolDraft,
                name=_TEXT | st.sampled_from(_CALLS),
                description=_TEXT,
                parameters=_SCHEMAS,
                example_output=_JSON,
                writes=st.booleans(),
            ),
            max_size=4,
        ),
        initial_state=_OBJECT,
        state_description=_OBJECT,
    ),
    st.builds(
        TaskDraft,
        id=_TEXT,
        level=st.integers(1, 3),
        instructions=st.dictionaries(_TEXT, _TEXT, min_size=1, max_size=2),
        plan=st.lists(st.builds(PlannedCall, tool=st.sampled_from(_CALLS), arguments=_OBJECT), max_size=4),
        rubric=_TEXT,
    ),
)
def test_whatever_an_author_writes_is_answered_with_problems(home: WorkplaceDraft, work: TaskDraft) -> None:
    for problem in check_slot(home, work):
        assert problem.what and problem.fix and CheckName(problem.check)
