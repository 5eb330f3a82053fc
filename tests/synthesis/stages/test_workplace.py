import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.synthesis.sources.interfaces import api, load_api
from tests.synthesis.stages.writing import REFERENCE, SPEC, Json, Model, author, by_id, slot, workplace_draft

from worktrial.synthesis.artifacts import WorkplaceDraft
from worktrial.synthesis.checks.case import playable
from worktrial.synthesis.prompting import tokens
from worktrial.synthesis.sources import SourceLibrary
from worktrial.synthesis.stages.workplace import MOST_STATE, workplace


def write(
    replies: list[Any], sources: SourceLibrary | None = None, level: int = 2, language: str = "en"
) -> tuple[WorkplaceDraft, Model]:
    model = Model(replies)
    return asyncio.run(
        workplace(SPEC, slot(level, language), REFERENCE, sources or SourceLibrary(), author(model))
    ), model


def tool(**changed: Any) -> Json:
    return {**workplace_draft()["tools"][0], **changed}


def beside(**changed: Any) -> Json:
    """A draft with a good tool, and this one."""
    return {"tools": [tool(), tool(**{"name": "b", **changed})]}


def test_a_workplace_that_can_be_used() -> None:
    made, model = write([workplace_draft()])
    assert made.name == "returns_desk"
    assert made.system_prompt.startswith(
        "The system of the returns desk of a shop.\n\n## Rules\n\n1. A return is settled"
    )
    assert made.system_prompt.index("## Errors") < made.system_prompt.index("## Answers")
    assert playable(made).tool("settle_return") is not None
    assert model.salts == ["workplace/refunds-2"]
    assert "level 2 of 3" in model.prompts[0] and "Day 30 is still in time." in model.prompts[0]


def test_each_level_is_asked_for_in_its_size() -> None:
    prompts = [write([workplace_draft()], level=level)[1].prompts[0] for level in (1, 2, 3)]
    assert len(set(prompts)) == 3
    assert all(tokens(prompt) < 2600 for prompt in prompts)


def test_in_the_language_of_the_slot() -> None:
    made, model = write([workplace_draft()], language="ko")
    assert "in Korean" in model.prompts[0] and "## 규칙" in made.system_prompt


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"tools": [tool()]}, "tools: there are 1; 2 to 10 are wanted"),
        ({"tools": [tool(), tool()]}, "'get_return' is there twice"),
        ({"tools": [tool(writes=True), tool(name="b", writes=True)]}, "none of them only reads"),
        (beside(name="Get One!"), "the name must be lower-case"),
        (beside(example_output="ok"), "example_output must be an object or a list"),
        (beside(parameters={"type": "array"}), 'parameters must have "type": "object"'),
        (beside(parameters={"properties": {"a": {"type": "text"}}}), "not valid JSON Schema"),
        (beside(parameters={"$ref": "http://example.org/x"}), "lies outside"),
        (beside(parameters=by_id(x={"type": "string"})), "properties.x has no description"),
        (beside(parameters=by_id(x={"description": "It.", "pattern": "(["})), "is not a 'regex'"),
        (beside(parameters={"required": ["ghost"]}), "names 'ghost', which is no property"),
        ({"initial_state": {"today": "2026-03-02"}}, "holds no records"),
        ({"initial_state": {"returns": [{"n": 1}, {"n": 1}]}}, "initial_state.returns: no field gives each record"),
        ({"initial_state": {"returns": [{"return_id": "R-1", "note": "x" * MOST_STATE}]}}, "are the most"),
        ({"state_description": {"today": "The day.", "returns": " "}}, "says nothing of returns"),
        ({"rules": ["TODO"]}, "rules: 'TODO' stands for"),
        ({"errors": []}, "$.errors"),
    ],
)
def test_what_is_wrong_is_asked_for_again(changed: Json, problem: str) -> None:
    made, model = write([workplace_draft(**changed), workplace_draft()])
    assert problem in model.corrections[0]
    assert made.initial_state == workplace_draft()["initial_state"]


def interface(folder: Path) -> SourceLibrary:
    number = {"name": "returnId", "in": "path", "required": True, "schema": {"type": "string", "pattern": "^R-"}}
    body = {"schema": {"type": "object", "properties": {"outcome": {"enum": ["paid", "refused"]}}}}
    paths = {
        "/returns/{returnId}": {
            "parameters": [number],
            "get": {"operationId": "getReturn", "summary": "One return", "responses": {}},
            "put": {
                "operationId": "settleReturn",
                "summary": "Pay or refuse a return",
                "requestBody": {"content": {"application/json": body}},
                "responses": {},
            },
        }
    }
    return load_api(folder, api(paths))


def test_tools_come_from_the_interface_as_it_has_them(tmp_path: Path) -> None:
    sources = interface(tmp_path)
    taken = [
        tool(name="getReturn", parameters={"type": "object"}, writes=True, description="Mine."),
        tool(name="settleReturn", parameters={}, example_output="done"),
        tool(name="get_date", parameters={"type": "object"}, example_output={"today": "2026-03-02"}),
    ]
    right = [taken[0], {**taken[1], "example_output": {"return_id": "R-1"}}]
    drafts = [workplace_draft(tools=tools) for tools in (taken[2:] + taken[:1], taken, right)]
    _, model = write(drafts, sources)
    # One of two operations is not enough, and an example has to come from somewhere.
    assert "1 of them are operations of the interface" in model.corrections[0]
    assert "settleReturn: example_output must be an object or a list" in model.corrections[1]


def test_the_interfaces_schemas_are_kept(tmp_path: Path) -> None:
    sources = interface(tmp_path)
    taken = [tool(name="getReturn", parameters={}, writes=True), tool(name="settleReturn", parameters={})]
    made, model = write([workplace_draft(tools=taken)], sources)
    interfaces_own = {o.tool.name: o.tool for o in sources.operations}
    for mine in made.tools:
        own = interfaces_own[mine.name]
        assert (mine.parameters, mine.writes, mine.description) == (own.parameters, own.writes, own.description)
        assert mine.example_output == tool()["example_output"]
    assert "settleReturn (changes the state)" in model.prompts[0]
    assert playable(made).tool("getReturn") is not None


def test_an_interface_for_other_work_is_offered_and_no_more(tmp_path: Path) -> None:
    paths = {"/zones": {"get": {"operationId": "zones", "summary": "배송 구역", "responses": {}}}}
    made, model = write([workplace_draft()], load_api(tmp_path, api(paths)))
    assert "- zones (reads): 배송 구역" in model.prompts[0]
    assert [tool.name for tool in made.tools] == ["get_return", "settle_return"]
