"""A simulated workplace and its tasks, as an author writes them and has them sent back."""

import asyncio
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.synthesis.scripted_author import SPEC, Json, Model, author
from tests.synthesis.sources.interfaces import api, load_api

from worktrial.grading.logprob import statements
from worktrial.synthesis.artifacts import TaskDraft, ToolDraft, WorkplaceDraft
from worktrial.synthesis.author import UnusableReplies
from worktrial.synthesis.checks.case import playable
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.numbers import clause_numbers
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.prompting import tokens
from worktrial.synthesis.simulated.tasks import faults_of, focus_of, twin_of, written_task
from worktrial.synthesis.simulated.workplace import MOST_STATE, SimulatedPlace, SimulatedStage
from worktrial.synthesis.sources import SourceLibrary

RULES = [
    "A return is settled once.",
    "Up to 30 days after delivery a return is in time.",
    "A return that is late is refused.",
    "Two clerks agree on more than 500 euros.",
    "Opened hygiene goods are refused.",
    "A refund goes to the card that was charged.",
    "A return without a receipt is refused.",
    "Goods of another shop are sent back.",
]


def by_id(**more: Json) -> Json:
    properties = {"return_id": {"type": "string", "description": "Id of the return."}, **more}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_STATUS = {"type": "string", "enum": ["paid", "refused"], "description": "What becomes of it."}
WORKPLACE: Json = {
    "purpose": "The system of the returns desk of a shop.",
    "effects": ["Settling sets the status of a return."],
    "errors": ['An unknown id is answered with {"error": "not_found"}.'],
    "output": ["One JSON object for each call."],
    "initial_state": {
        "today": "2026-03-02",
        "returns": [
            {"return_id": "R-1", "status": "open", "days": 30},
            {"return_id": "R-2", "status": "open", "days": 31},
        ],
    },
    "state_description": {
        "today": "The day of the work.",
        "returns": "return_id; status: open, paid or refused; days since delivery.",
    },
    "tools": [
        {
            "name": "get_return",
            "description": "Look a return up.",
            "parameters": by_id(),
            "example_output": {"return_id": "R-1", "status": "open", "days": 30},
            "writes": False,
        },
        {
            "name": "settle_return",
            "description": "Pay or refuse a return.",
            "parameters": by_id(status=_STATUS),
            "example_output": {"return_id": "R-1", "status": "paid"},
            "writes": True,
        },
    ],
}
CLAUSES = [
    Clause(id=f"C-{n:02d}", document="job", section="0", quote=q, kind="obligation", numbers=clause_numbers(q))
    for n, q in enumerate(RULES, 1)
]


def tool(**changed: Any) -> Json:
    return {**WORKPLACE["tools"][0], **changed}


def stage(root: Path, model: Model, sources: SourceLibrary | None = None) -> SimulatedStage:
    folder = SuiteFolder(root)
    ledger = ProvenanceLedger(folder, warn=print)
    return SimulatedStage(
        folder=folder,
        spec=SPEC,
        sources=sources or SourceLibrary(),
        author=author(model),
        ledger=ledger,
        context=8000,
    )


def place(root: Path, *drafts: Json, sources: SourceLibrary | None = None) -> tuple[SimulatedPlace, Model]:
    model = Model([{"rules": RULES}, *drafts])
    return asyncio.run(stage(root, model, sources).make()), model


def changed(**parts: Any) -> Json:
    return deepcopy({**WORKPLACE, **parts})


def test_rules_of_a_job_without_documents_are_its_clauses(tmp_path: Path) -> None:
    made, model = place(tmp_path, WORKPLACE)
    assert [clause.quote for clause in made.clauses] == RULES
    assert [number.value for number in made.clauses[1].numbers] == ["30"]
    assert made.name == "returns_clerk"
    prompt = made.whole.system_prompt
    assert prompt.startswith("C-01. A return is settled once.\nC-02. Up to 30 days")
    assert prompt.index("The system of the returns desk") < prompt.index("## Effects") < prompt.index("## Errors")
    assert playable(made.whole).tool("settle_return") is not None
    assert model.salts == ["rules", "simulated workplace"]
    assert "Up to 30 days" in model.prompts[1] and all(tokens(text) < 3000 for text in model.prompts)
    again = Model(["nothing"])
    assert asyncio.run(stage(tmp_path, again).make()) == made
    assert again.prompts == []


def test_rules_that_are_no_rules_are_asked_for_again(tmp_path: Path) -> None:
    model = Model([{"rules": RULES[:3]}, {"rules": [*RULES[:-1], "Refuse."]}, {"rules": RULES}, WORKPLACE])
    asyncio.run(stage(tmp_path, model).make())
    assert "there are 3; 8 to 24 are wanted" in model.corrections[0]
    assert "rules[7]: the quote has 1 words" in model.corrections[1]


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"tools": [tool()]}, "has 1 tool; a workplace has 2 to 10"),
        ({"tools": [tool(), tool()]}, "2 tools are called get_return"),
        ({"tools": [tool(writes=True), tool(name="b", writes=True)]}, "none of them only reads"),
        ({"tools": [tool(), tool(name="b", example_output="ok")]}, "an answer is an object or a list"),
        ({"tools": [tool(), tool(name="b", parameters={"properties": {"a": {"type": "text"}}})]}, "JSON Schema"),
        ({"tools": [tool(), tool(name="b", parameters={"$ref": "http://example.org/x"})]}, "not fetched"),
        ({"tools": [tool(), tool(name="b", parameters=by_id(x={"type": "string"}))]}, "no description of x"),
        ({"initial_state": {"today": "2026-03-02"}}, "holds no records"),
        ({"initial_state": {"returns": [{"return_id": "R-1", "note": "x" * MOST_STATE}]}}, "are the most"),
        ({"state_description": {"today": "The day.", "returns": " "}}, "says nothing of returns"),
        ({"effects": ["TODO"]}, "TODO"),
        ({"effects": ["A refund is paid within 17 days."]}, "the number 17 days stands in no clause"),
        ({"errors": []}, "$.errors"),
    ],
)
def test_what_is_wrong_with_a_workplace_is_asked_for_again(parts: Json, problem: str, tmp_path: Path) -> None:
    made, model = place(tmp_path, changed(**parts), WORKPLACE)
    assert problem in model.corrections[0]
    assert made.draft.initial_state == WORKPLACE["initial_state"]


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


def test_the_interfaces_names_and_schemas_are_kept(tmp_path: Path) -> None:
    # The interface alone: its description has no clause, so these are given.
    sources = interface(tmp_path)
    own = {one.tool.name: one.tool for one in sources.operations}
    bare = SourceLibrary(operations=sources.operations)
    taken = [tool(name="getReturn", parameters={}, writes=True), tool(name="settleReturn", parameters={})]
    made, model = place(tmp_path / "suite", WORKPLACE, changed(tools=taken), sources=bare)
    assert "none is an operation of the interface" in model.corrections[0]
    assert [one.name for one in made.draft.tools] == ["getReturn", "settleReturn"]
    for mine in made.draft.tools:
        theirs = own[mine.name]
        assert (mine.parameters, mine.writes, mine.description) == (
            theirs.parameters,
            theirs.writes,
            theirs.description,
        )
        assert mine.example_output == tool()["example_output"]


HOME = SimulatedPlace(
    "returns_clerk",
    msgspec.convert(
        {"name": "returns_clerk", "system_prompt": "The returns desk.", **WORKPLACE},
        WorkplaceDraft,
    ),
    CLAUSES,
)


def call(tool: str, **arguments: Any) -> Json:
    return {"tool": tool, "arguments": arguments, "why": "It is next."}


STEP = call("get_return", return_id="R-1")
SAID = "Two returns came in, R-1 and R-2. Settle both by our rules and say what became of them."
TASK: Json = {
    "instructions": {"en": SAID},
    "plan": [
        STEP,
        call("get_return", return_id="R-2"),
        call("settle_return", return_id="R-1", status="paid"),
        call("settle_return", return_id="R-2", status="refused"),
    ],
    "rubric": ["1. R-1 is paid.", "2. R-2 is refused.", "- The report says so."],
    "clauses": ["C-02", "C-03"],
}


def write(*replies: Json, level: int = 2, home: SimulatedPlace = HOME) -> tuple[TaskDraft, Model]:
    model = Model(list(replies))
    task = written_task("returns-02", level, ["C-02", "C-03"], SPEC, home, author(model))
    return asyncio.run(task), model


def test_a_task() -> None:
    made, model = write(TASK)
    assert (made.id, made.level, made.languages, made.clauses) == ("returns-02", 2, ["en"], ["C-02", "C-03"])
    assert made.rubric == "1. R-1 is paid.\n2. R-2 is refused.\n3. The report says so."
    assert statements(made.rubric) == ("R-1 is paid.", "R-2 is refused.", "The report says so.")
    assert [step.tool for step in made.plan] == ["get_return"] * 2 + ["settle_return"] * 2
    assert model.salts == ["task/returns-02"]
    for said in ('"return_id": "R-2"', "settle_return (changes the state)", "C-02. Up to 30 days", "C-02, C-03:"):
        assert said in model.prompts[0]


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ({"instructions": {"en": "Do it."}}, "has 6 characters; 20 to 3,000"),
        ({"instructions": {"en": "Settle them. " * 300}}, "20 to 3,000 are wanted"),
        ({"instructions": {"ko": SAID}}, "are in ko; en is wanted"),
        (
            {"instructions": {"en": "Call get_return for R-1, then settle_return for it."}},
            "names the tools get_return, settle",
        ),
        (
            {"instructions": {"en": "Please settle_return R-1 as our rules ask for it."}},
            "names the tools settle_return",
        ),
        ({"instructions": {"en": "Settle the return <return id> by our rules, please."}}, "placeholder"),
        ({"instructions": {"en": "반품 R-1을 규정에 따라 처리하고 결과를 알려 주십시오."}}, "reads as"),
        ({"plan": []}, "$.plan"),
        ({"plan": [STEP]}, "has 1 call; level 2 takes"),
        ({"plan": [STEP, STEP, call("pay")]}, "calls 'pay', and there is no such tool"),
        ({"plan": [STEP, STEP, call("get_return")]}, "required, but missing"),
        ({"plan": [STEP, STEP, call("get_return", return_id=1)]}, "1 is not of type 'string'"),
        ({"plan": [STEP, STEP, call("get_return", return_id="{{id}}")]}, "'{{id}}'"),
        ({"rubric": ["Only one."]}, "rubric: has 1 statements"),
        ({"rubric": ["R-1 is paid.", "2. "]}, "rubric[1]: is blank"),
        ({"rubric": [SAID, "R-1 is paid."]}, "rubric-told"),
        ({"rubric": "1. R-1 is paid."}, "$.rubric"),
        ({"clauses": ["C-01"]}, "names none of C-02, C-03"),
        ({"clauses": ["C-02", "C-77"]}, "C-77 is no clause"),
    ],
)
def test_what_is_wrong_with_a_task_is_asked_for_again(parts: Json, problem: str) -> None:
    made, model = write({**TASK, **parts}, TASK)
    assert problem in model.corrections[0]
    assert made.instruction == SAID


def test_a_rubric_that_a_tool_tells_is_found() -> None:
    rubric = "Both returns are settled as the rules of this desk ask, and each customer is told why."
    tools = [msgspec.structs.replace(HOME.draft.tools[0], description=rubric), HOME.draft.tools[1]]
    leaky = SimulatedPlace(HOME.name, msgspec.structs.replace(HOME.draft, tools=tools), CLAUSES)
    made, model = write({**TASK, "rubric": [rubric, "R-1 is paid."]}, TASK, home=leaky)
    assert "the description of get_return repeats the rubric" in model.corrections[0]
    assert faults_of(made, leaky) == []


def test_a_private_clause_is_in_no_prompt_and_no_task_may_rest_on_it() -> None:
    hidden = [msgspec.structs.replace(CLAUSES[2], private=True)]
    secret = SimulatedPlace(HOME.name, HOME.draft, [*CLAUSES[:2], *hidden, *CLAUSES[3:]])
    assert "C-03" not in secret.whole.system_prompt
    assert all("C-03" not in focus_of(number, secret, 0)[1] for number in range(1, 20))
    with pytest.raises(UnusableReplies, match="C-03 is no clause that an agent can read"):
        write(TASK, home=secret)


def test_all_clauses_have_their_turn_and_levels_go_round() -> None:
    turns = [focus_of(number, HOME, 7) for number in range(1, 9)]
    assert [level for level, _ in turns] == [1, 2, 3, 1, 2, 3, 1, 2]
    assert [len(ids) for _, ids in turns] == [1, 2, 3, 1, 2, 3, 1, 2]
    assert {id for _, ids in turns[:4] for id in ids} | set(turns[4][1]) == {clause.id for clause in CLAUSES}
    assert focus_of(1, HOME, 8) != turns[0] or focus_of(2, HOME, 8) != turns[1]


def test_twins_are_told_by_words_tools_and_clauses() -> None:
    first = write(TASK)[0]
    other = msgspec.structs.replace(first, id="returns-05", instructions={"en": SAID.replace("R-1", "R-7")})
    assert twin_of(other, {first.id: first, other.id: other}, HOME) == first.id
    assert twin_of(first, {first.id: first, other.id: other}, HOME) is None
    assert twin_of(msgspec.structs.replace(other, clauses=["C-05"]), {first.id: first}, HOME) is None
    elsewhere = {"en": "A customer asks about a parcel of hygiene goods. Decide about it and write down why."}
    assert twin_of(msgspec.structs.replace(other, instructions=elsewhere), {first.id: first}, HOME) is None


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
    draft = msgspec.structs.replace(
        HOME.draft, tools=[*HOME.draft.tools, *tools], system_prompt="Something is said. " * 400
    )
    _, model = write(TASK, home=SimulatedPlace(HOME.name, draft, CLAUSES))
    assert tokens(model.prompts[0]) < 7500
    assert all(f"- {tool.name}" in model.prompts[0] for tool in draft.tools)
