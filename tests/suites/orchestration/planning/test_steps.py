"""Steps from what is written in them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.orchestration import whole
from tests.support.tiny_orchestration import TinyOrchestration, plan, step, usual

from worktrial.suites.orchestration.planning.release import load_release
from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    GoldCall,
    Language,
    OddStep,
    PlanStep,
    RefusalStep,
    RefusalType,
    Reply,
    ScenarioStep,
    SystemNote,
    UserTurn,
)
from worktrial.suites.orchestration.planning.steps import NotReadable, agent_content

AWAITING = RefusalType.AWAITING_USER_INPUT


def read(folder: Path, content: str, agent: str = "gardener") -> tuple[ScenarioStep, list[str]]:
    """The one step, and the kinds of its findings."""
    data = TinyOrchestration({"1": whole(step(agent, content))}).write(folder)
    [loaded] = load_release(data, [Language.EN]).scenarios
    return loaded.steps[0], [o.check for o in loaded.findings]


def test_the_usual_kinds(tmp_path: Path) -> None:
    refusal = step("carter", "status: AWAITING_USER_INPUT\nrequired_info: the load", workflow="workflow_2")
    [loaded] = load_release(TinyOrchestration({"7": usual(refusal)}).write(tmp_path), [Language.EN]).scenarios
    assert [type(s) for s in loaded.steps] == [SystemNote, UserTurn, PlanStep, CallStep, Reply, RefusalStep]
    assert (loaded.key, loaded.note, loaded.findings) == ("EN/7", "Date: 2026-03-02", ())
    _, _, planned, call, _, refused = loaded.steps
    assert isinstance(planned, PlanStep)
    assert [(w.id, w.steps[0].agent) for w in planned.plan.workflows] == [("workflow_1", "gardener")]
    assert isinstance(call, CallStep)
    assert call.calls == (GoldCall("dig", {"where": "bed 3"}, {"depth": 30}),)
    assert isinstance(refused, RefusalStep)
    assert (refused.type, refused.info, refused.workflow) == (AWAITING, "the load", "workflow_2")


CALLS: dict[str, tuple[str, tuple[GoldCall, ...], list[str]]] = {
    "several": (
        "tool_call:\n- {tool: dig, arguments: {where: a}}\n- {tool: rake}\ntool_call_result: [1, 2]",
        (GoldCall("dig", {"where": "a"}, 1), GoldCall("rake", {}, 2)),
        [],
    ),
    "one under tool_call": (
        "tool_call: {tool: dig}\ntool_call_result: [1, 2]",
        (GoldCall("dig", {}, [1, 2]),),
        [],
    ),
    "one result for two calls": (
        "tool_call: [{tool: dig}, {tool: rake}]\ntool_call_result: {both: 1}",
        (GoldCall("dig", {}), GoldCall("rake", {}, {"both": 1})),
        [],
    ),
    "no result": ("tool: dig\narguments: {where: a}", (GoldCall("dig", {"where": "a"}),), []),
    "bare list": (
        "- tool: dig\n  arguments: {where: a}\n  tool_call_result: 1\n- tool: rake",
        (GoldCall("dig", {"where": "a"}, 1), GoldCall("rake", {})),
        ["odd-call"],
    ),
    "other keys": ("name: dig\nparameters: {where: a}", (GoldCall("dig", {"where": "a"}),), ["odd-call"]),
    "twice": (
        "tool: rake\narguments: {}\ntool: dig\narguments: {where: a}",
        (GoldCall("dig", {"where": "a"}),),
        ["duplicate-key"],
    ),
    "no arguments": ("tool: dig\narguments:", (GoldCall("dig", {}),), []),
    "dates stay as written": (
        "tool: dig\narguments: {on: 2026-03-02, at: 2026-03-02 10:00:00}",
        (GoldCall("dig", {"on": "2026-03-02", "at": "2026-03-02 10:00:00"}),),
        [],
    ),
    "with a status": ("tool: dig\nstatus: AWAITING_USER_INPUT", (GoldCall("dig", {}),), ["odd-call"]),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str, tmp_path: Path) -> None:
    text, calls, odd = CALLS[name]
    got, codes = read(tmp_path, text)
    assert isinstance(got, CallStep)
    assert (got.calls, codes, got.text) == (calls, odd, text)


REFUSALS = {
    "not possible": ("status: TOOL_CONSTRAINT_VIOLATION\nviolation_message: too late", "too late", []),
    "no YAML": (
        "status: AWAITING_USER_INPUT\nrequired_info: when: where: 'x",
        "when: where: 'x",
        ["odd-refusal"],
    ),
    "escape in the tag": ("status: _x0008_AWAITING_USER_INPUT", "", ["odd-refusal", "odd-status"]),
    "no tag": ("The load is required.", "The load is required.", ["odd-refusal"]),
    "no tag, and a colon": ("Needed: the load", "Needed: the load", ["odd-refusal"]),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name: str, tmp_path: Path) -> None:
    text, info, odd = REFUSALS[name]
    got, codes = read(tmp_path, text)
    assert isinstance(got, RefusalStep)
    assert got.type == (RefusalType.TOOL_CONSTRAINT_VIOLATION if name == "not possible" else AWAITING)
    assert (got.info, codes) == (info, odd)


@pytest.mark.parametrize(
    "text",
    [
        "tool_call_result: {depth: 30}",
        "tool: dig\narguments:\n  where: |\n     a\n    b: c: d",
        "arguments: {where: a}",
        "tool_call: []",
        "tool: [dig]",
        "tool: dig\narguments: bed 3",
        "status: done",
        "I wonder.\n\nShould this be annotated so?",
        "x" * 301,
        "  ",
    ],
)
def test_neither_call_nor_refusal(text: str, tmp_path: Path) -> None:
    got, codes = read(tmp_path, text)
    assert isinstance(got, OddStep)
    assert got.why
    assert codes == ["unscored-step"]


@pytest.mark.parametrize(
    ("text", "kind", "codes"),
    [
        ("workflow_1: I am on it", OddStep, ["unscored-step"]),
        ('workflow_1:\n  steps:\n  - name: "a "b" c"', OddStep, ["unscored-step"]),
        ("workflow_1 has begun.", Reply, []),
        ("About workflow_1: it has begun.", Reply, []),
        (plan("interrupted_workflow_1-1:carter"), PlanStep, []),
        (plan("workflow1:carter"), PlanStep, []),
        (plan("workflow_1:a") + plan("workflow_1:b"), PlanStep, ["duplicate-key"]),
    ],
)
def test_plans_and_replies(text: str, kind: type[ScenarioStep], codes: list[str], tmp_path: Path) -> None:
    assert (type(got := read(tmp_path, text, "main")[0]), read(tmp_path, text, "main")[1]) == (kind, codes)
    assert got.text == text


@given(st.text(alphabet="tolcagsrumen_ :-\n[]{}&*'\"\\x0!|>1", max_size=60))
def test_any_text_is_a_call_a_refusal_or_neither(text: str) -> None:
    try:
        content = agent_content(text)
    except NotReadable as e:
        assert e.why
    else:
        assert bool(content.calls) != (content.refusal is not None)
