import json

from worktrial.suites.orchestration.planning.scenario import (
    CallStep,
    GoldCall,
    Language,
    OddStep,
    PlanStep,
    RefusalStep,
    RefusalType,
    Reply,
    Scenario,
    ScenarioStep,
    SystemNote,
    UserTurn,
    WorkflowPlan,
)
from worktrial.suites.orchestration.planning.turns import StepAnswer
from worktrial.suites.orchestration.scoring.layout import history_of, labels_of

TWO_CALLS = """tool_call:
  - tool: book
    arguments: {room: "12", guests: 2}
  - tool: pay
    arguments: {sum: 3}
tool_call_result:
  ok: true
"""
REFUSAL = "status: AWAITING_USER_INPUT\nrequired_info: the date"


def agent_step(text: str, number: int = 4) -> CallStep:
    return CallStep(id=number, workflow=None, agent="hotel_agent", text=text, calls=(GoldCall("book", {}),))


def labels(*steps: ScenarioStep) -> dict[str, dict[str, object]]:
    return labels_of(Scenario("7", Language.EN, steps))


def wire(label: dict[str, dict[str, object]], key: str = "4-1") -> list[tuple[str, object]]:
    calls = label[key]["tool_calls"]
    assert isinstance(calls, list)
    return [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]


def test_who_says_what() -> None:
    found = labels(
        SystemNote(id=1, workflow="system", agent="main", text="Today"),
        UserTurn(id=2, workflow="user", agent="user", text="A room"),
        PlanStep(id=3, workflow=None, agent="main", text="workflow_1: {}", plan=WorkflowPlan()),
        RefusalStep(
            id=4,
            workflow=None,
            agent="hotel_agent",
            text=REFUSAL,
            type=RefusalType.AWAITING_USER_INPUT,
            info="the date",
        ),
        Reply(id=5, workflow=None, agent="main", text="When? (tool)"),
    )
    assert found == {
        "1": {"role": "system", "content": "Today"},
        "2": {"role": "user", "content": "A room"},
        "3": {"role": "assistant", "content": "workflow_1: {}"},
        "4": {"role": "assistant", "agent_id": "hotel_agent", "content": REFUSAL},
        "5": {"role": "assistant", "content": "When? (tool)"},
    }


def test_calls_and_their_result() -> None:
    found = labels(agent_step(TWO_CALLS))
    assert list(found) == ["4", "4-1", "4-2"]
    assert wire(found) == [("book", {"room": "12", "guests": 2}), ("pay", {"sum": 3})]
    assert found["4-2"] == {
        "role": "tool",
        "agent_id": "hotel_agent",
        "tool_call_id": "call_4",
        "content": {"ok": True},
        "name": "book",
    }


def test_odd_ways_to_write_a_call() -> None:
    assert wire(labels(agent_step("tool: book\nparameters: {room: 1}"))) == [("book", {"room": 1})]
    assert wire(labels(agent_step("tool: book\narguments:"))) == [("book", {})]
    assert wire(labels(agent_step("name: book\ntool_call_result: {}\narguments: {room: 1}"))) == [
        ("tool_name", {"room": 1})
    ]
    # No calls to the published program: a bare list, broken YAML, calls that are no mappings.
    for text in ("- tool: book\n  arguments: {}", "tool: [", "tool_call: [book]", "tool_call: {tool: book}"):
        found = labels(agent_step(text))
        assert found["4-1"] == {"role": "assistant", "agent_id": "hotel_agent", "content": text}
        assert "4-2" not in found


def test_history_has_the_answers() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "book", "arguments": "{}"}}
    scenario = Scenario(
        "7",
        Language.EN,
        (
            PlanStep(id=3, workflow=None, agent="main", text="workflow_1: {}", plan=WorkflowPlan()),
            agent_step("tool: book", 4),
            OddStep(id=5, workflow=None, agent="hotel_agent", text="?", why="a note"),
            agent_step("tool: book", 6),
        ),
    )
    answers = {
        3: StepAnswer(3, "workflow_1: {}"),
        4: StepAnswer(4, tool_calls=(call,)),
        6: StepAnswer(6, trouble="endpoint_unavailable: 503"),
    }
    history = history_of(scenario, answers)
    assert history["main_agent_history"] == [
        {"step_id": 3, "role": "assistant", "content": "workflow_1: {}", "tool_calls": []}
    ]
    common = {"agent_id": "hotel_agent", "role": "assistant", "content": ""}
    assert history["sub_agent_history"] == [
        common | {"step_id": "4", "tool_calls": [call]},
        common | {"step_id": "6", "tool_calls": [], "trouble": "endpoint_unavailable: 503"},
    ]
    assert history["label"] == labels_of(scenario)
    assert json.loads(json.dumps(history)) == history
