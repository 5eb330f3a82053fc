import asyncio
from typing import Any

import msgspec
import pytest
from tests.synthesis.stages.writing import REFERENCE, SPEC, WORKPLACE, Json, Model, author, slot, task_draft

from worktrial.grading.logprob import statements
from worktrial.synthesis.artifacts import TaskDraft, ToolDraft, WorkplaceDraft
from worktrial.synthesis.author import UnusableReplies
from worktrial.synthesis.prompting import tokens
from worktrial.synthesis.stages.task import task

STEP = {"tool": "get_return", "arguments": {"return_id": "R-1"}}


def write(
    replies: list[Any], level: int = 2, language: str = "en", workplace: WorkplaceDraft = WORKPLACE
) -> tuple[TaskDraft, Model]:
    model = Model(replies)
    return asyncio.run(task(SPEC, slot(level, language), REFERENCE, workplace, author(model))), model


def test_a_task() -> None:
    made, model = write([task_draft()])
    assert (made.slot, made.subtopic, made.level, made.language) == ("refunds-2", "refunds", 2, "en")
    assert made.rubric == "1. R-1 is paid.\n2. R-2 is refused.\n3. The report says so."
    assert statements(made.rubric) == ("R-1 is paid.", "R-2 is refused.", "The report says so.")
    assert [step.tool for step in made.plan] == ["get_return"] * 2 + ["settle_return"] * 2
    assert model.salts == ["task/refunds-2"]
    assert '"return_id": "R-2"' in model.prompts[0] and "settle_return (changes the state)" in model.prompts[0]


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"instruction": "Do it."}, "is too short"),
        ({"instruction": "x" * 4000}, "3,000 are the most"),
        ({"instruction": "Call get_return for R-1, then settle_return."}, "names get_return, settle_return"),
        ({"instruction": "Settle the return <return id> by our rules, please."}, "stands for something"),
        ({"plan": []}, "$.plan"),
        ({"plan": [STEP]}, "plan: has 1 calls; a task of this level takes"),
        ({"plan": [STEP, STEP, {"tool": "pay"}]}, "plan[2]: there is no tool 'pay'"),
        ({"plan": [STEP, STEP, {"tool": "get_return"}]}, "plan[2] get_return: return_id: required, but missing"),
        ({"plan": [STEP, STEP, {**STEP, "arguments": {"return_id": 1}}]}, "1 is not of type 'string'"),
        ({"plan": [STEP, STEP, {**STEP, "arguments": {"return_id": "{{id}}"}}]}, "'{{id}}' stands for"),
        ({"rubric": ["Only one."]}, "rubric: has 1 statements"),
        ({"rubric": ["R-1 is paid.", "2. "]}, "rubric[1]: is blank"),
        ({"rubric": "1. R-1 is paid."}, "$.rubric"),
    ],
)
def test_what_is_wrong_is_asked_for_again(changed: Json, problem: str) -> None:
    made, model = write([task_draft(**changed), task_draft()])
    assert problem in model.corrections[0]
    assert made.instruction == task_draft()["instruction"]


def test_a_word_that_is_also_a_tool_may_stand_in_the_instruction() -> None:
    tools = [msgspec.structs.replace(WORKPLACE.tools[0], name="report"), *WORKPLACE.tools]
    made, _ = write([task_draft()], workplace=msgspec.structs.replace(WORKPLACE, tools=tools))
    changed = task_draft(instruction="Settle R-1 and R-2 by our rules, and report what became of them.")
    made, _ = write([changed], workplace=msgspec.structs.replace(WORKPLACE, tools=tools))
    assert "report" in made.instruction


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "objekt"},
        {"$ref": "https://example.org/s"},
        {"$ref": "#/$defs/none"},
        {"properties": {"return_id": {"pattern": "(["}}},
    ],
)
def test_a_schema_that_a_person_broke_does_not_end_the_session(parameters: Json) -> None:
    tools = [msgspec.structs.replace(WORKPLACE.tools[0], parameters=parameters), WORKPLACE.tools[1]]
    made, _ = write([task_draft()], workplace=msgspec.structs.replace(WORKPLACE, tools=tools))
    assert len(made.plan) == 4


def test_levels_and_languages_differ() -> None:
    prompts = {write([task_draft()], level, lang)[1].prompts[0] for level in (1, 2) for lang in ("en", "ko")}
    assert len(prompts) == 4
    with pytest.raises(UnusableReplies, match="of this level takes"):
        write([task_draft()], 3)


def test_a_large_workplace_still_fits_a_small_context() -> None:
    names = [f"argument_number_{n}" for n in range(12)]
    properties = {name: {"type": "string", "description": "What it means, at some length. " * 3} for name in names}
    large = {"type": "object", "properties": properties, "required": [], "additionalProperties": False}
    tools = [
        ToolDraft(
            name=f"do_part_{n}", description="Does a part. " * 9, parameters=large, example_output={}, writes=True
        )
        for n in range(8)
    ]
    state = {"records": [{"id": f"A-{n}", "text": "some text"} for n in range(200)]}
    workplace = msgspec.structs.replace(
        WORKPLACE, tools=[*WORKPLACE.tools, *tools], initial_state=state, system_prompt="A rule. " * 400
    )
    _, model = write([task_draft()], workplace=workplace)
    assert tokens(model.prompts[0]) < 6200
    assert all(f"- {tool.name}" in model.prompts[0] for tool in workplace.tools)
    assert '"A-199"' in model.prompts[0]
