"""Our reading of a plan: wherever a careful reader would find one."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.suites.orchestration.planning.plans import HOSTILE, PLAN, RAW, YAML, hostility
from tests.support.data import real_data_dir

from worktrial.language import visible
from worktrial.suites.orchestration.planning.plan_text import our_plan, read_plan
from worktrial.suites.orchestration.planning.published_plan_text import published_plan

_OBJECT = json.dumps(RAW, indent=1)
_PARTS = [json.dumps({key: value}) for key, value in RAW.items()]
_LATER = _OBJECT.replace("ferry", "train")


@pytest.mark.parametrize(
    "text",
    [
        _OBJECT,
        YAML,
        f"```json\n{_OBJECT}\n```",
        f"```\n{YAML}```",
        f"```yml\n{YAML}",
        f"Sure: ```json {_OBJECT}``` Will {{that}} do [1]?",
        f"Here it is: {_OBJECT} and that is {{all}}",
        f"Plan:\n{YAML}That is all: really.\n",
        f"Plan:\n\n{YAML}\nThat is all: really.\n",
        "Plan:\n" + "".join(f"    {line}\n" for line in YAML.splitlines()) + "Done: yes",
        f"<think>{_LATER}</think>{_OBJECT}",
        f"{_OBJECT}<think>or else {_LATER}",
        f"<thinking>`workflow_1`: ```json\n{_LATER}```</thinking>```json\n{_OBJECT}\n```",
        f"{{ // ours: {{\n{_OBJECT[1:]}",
        _OBJECT.replace("\n }", ",\n }"),
        f"The plan is {RAW}.",
        json.dumps({"status": "SUCCESS", "workflows": RAW}),
        json.dumps({"result": {"plan": [RAW]}}),
        json.dumps({"plan": [{"workflow_id": key, **value} for key, value in RAW.items()]}),
        f"[{', '.join(_PARTS)}]",
        f"{_PARTS[0]} and then {_PARTS[1]}",
        "\n".join(f"```json\n{part}\n```" for part in _PARTS),
        f"Before it was\n```json\n{_LATER}\n```\nand now\n```json\n{_OBJECT}\n```\n",
        '```json\n{"a": 1}\n```\n```json\n' + _OBJECT + "\n```",
    ],
)
def test_found(text: str) -> None:
    assert our_plan(visible(text)) == PLAN


@pytest.mark.parametrize(
    "text",
    [
        "",
        "No plan is needed.",
        "Your workflow_1 is done: the ferry leaves at 9.",
        '{"status": "SUCCESS", "workflow": null}',
        _OBJECT[:-40],
        f"<think>{_OBJECT}",
        '{"workflow_1": "pending"}',
        '{"workflow_1": {"steps": ["ferry_agent"]}}',
        "workflow_1:\n",
        _OBJECT + " " * 1_000_000,
    ],
)
def test_not_found(text: str) -> None:
    assert our_plan(visible(text)) is None


def test_circles_and_unknown_workflows_are_still_a_plan() -> None:
    raw = {"workflow_1": {"depends_on": ["workflow_1", "workflow_7"], "steps": []}}
    assert our_plan(json.dumps(raw)) == read_plan(raw)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_replies_take_time_in_proportion_at_most(name: str) -> None:
    assert hostility(name, lambda text: our_plan(visible(text))) < 8


_PIECES = st.sampled_from(
    ["```", "```json\n", "```yaml\n", "{", "}", "[", "]", '"', "'", ":", ",", "\n", "  ", "- ", "//", "\\", "\t",
     '"workflow_1": {', "workflow_1:\n", "steps: ", '"steps": [', "<think>", "</think>", "null", "1", "a", "\ud800"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=30).map("".join))
def test_any_text_is_a_plan_or_none(text: str) -> None:
    plan = our_plan(visible(text))
    assert plan is None or plan.workflows
    published_plan(text)


@pytest.mark.real_data
def test_every_gold_plan_is_read_as_it_stands() -> None:
    path = real_data_dir() / "oracles" / "workflow_pairs.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for text in (row["gold_text"] for row in rows if "gold_text" in row):
        assert our_plan(text) == read_plan(published_plan(text))
