import pytest
from tests.suites.orchestration.scoring.calls.team import call, said

from worktrial.language import Completion, tool_spec, visible
from worktrial.suites.orchestration.planning.turns import StepAnswer
from worktrial.suites.orchestration.scoring.calls.calls import (
    Call,
    StepDecision,
    decision_in,
    decision_of,
    read_calls,
)

ASKS, REFUSES, NOTHING = (
    StepDecision.AWAITING_USER_INPUT,
    StepDecision.TOOL_CONSTRAINT_VIOLATION,
    StepDecision.NO_DECISION,
)


@pytest.mark.parametrize(
    ("text", "decision"),
    [
        ("status: AWAITING_USER_INPUT\nrequired_info: the date", ASKS),
        ("status: TOOL_CONSTRAINT_VIOLATION\nviolation_message: too many", REFUSES),
        ("Status : awaiting_user_input", ASKS),
        ('```json\n{"status": "TOOL_CONSTRAINT_VIOLATION"}\n```', REFUSES),
        ("**status:** `AWAITING_USER_INPUT`", ASKS),
        ("status: awaiting user input", ASKS),
        ("상태: TOOL_CONSTRAINT_VIOLATION", REFUSES),
        ("This is AWAITING_USER_INPUT.", ASKS),
        ("날짜가 없어 AWAITING_USER_INPUT입니다", ASKS),
        ("Not TOOL_CONSTRAINT_VIOLATION.\nstatus: AWAITING_USER_INPUT", ASKS),
        ("status: TOOL_CONSTRAINT_VIOLATION\nstatus: AWAITING_USER_INPUT", REFUSES),
        ("TOOL_CONSTRAINT_VIOLATION or AWAITING_USER_INPUT", REFUSES),
        ("<think>status: AWAITING_USER_INPUT</think>status: TOOL_CONSTRAINT_VIOLATION", REFUSES),
        ("status: AWAITING_USER_INPUT</think>I will look it up.", NOTHING),
        ("<think>status: AWAITING_USER_INPUT", NOTHING),
        ("I am awaiting user input.", NOTHING),
        ("status: COMPLETED", NOTHING),
        ("NOT_AWAITING_USER_INPUTS", NOTHING),
        ("", NOTHING),
    ],
)
def test_text(text: str, decision: StepDecision) -> None:
    assert decision_in(visible(text)) is decision
    assert decision_of(StepAnswer.of(3, Completion({"role": "assistant", "content": text}))) is decision


def test_calls_in_the_text_are_calls_where_tools_were_offered() -> None:
    message = {"content": 'Now.</think><tool_call>{"name": "search", "arguments": {"q": 1}}</tool_call>'}
    offered = Completion(message, tools=[tool_spec("search", "", {})])
    assert decision_of(StepAnswer.of(3, offered)) is StepDecision.CALL
    assert read_calls(StepAnswer.of(3, offered).tool_calls) == (Call("search", {"q": 1}),)
    assert decision_of(StepAnswer.of(3, Completion(message))) is StepDecision.NO_DECISION


def test_native_calls_decide_whatever_the_text_says_and_trouble_is_no_answer() -> None:
    assert decision_of(said("status: AWAITING_USER_INPUT", call("search", {}))) is StepDecision.CALL
    assert decision_of(said("status: AWAITING_USER_INPUT", trouble="503")) is StepDecision.NO_ANSWER
    assert not StepDecision.CALL.is_refusal and ASKS.is_refusal
