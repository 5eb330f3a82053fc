import json
from pathlib import Path
from typing import Any

import pytest
from tests.workplaces.loading.records import action, record

from worktrial.errors import DataError
from worktrial.workplaces import load_workplace


def written(folder: Path, value: object) -> Path:
    path = folder / "env_depot.json"
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return path


def test_a_record_becomes_a_workplace(tmp_path: Path) -> None:
    path = written(tmp_path, record())
    workplace = load_workplace(str(path))
    assert workplace.name == "env_depot" and workplace.source == str(path)
    assert workplace.system_prompt == (
        '### Role\nYou are a depot. Answer {"error": "no such bay"} or {"a": {"b": 1}}; '
        "state $s_{t+1}$ is hidden.\n"
        "```json\n{{initial_state}}\n```\n{{state_descriptions}}\n{{action_set_definitions}}"
    )
    assert workplace.initial_state == {"bays": {"1": "free"}}
    assert workplace.tools[0].example_output == {"state": "free"}


def test_a_prompt_that_is_no_format_string_keeps_its_braces(tmp_path: Path) -> None:
    prompt = 'Answer {"a": {"b": {}}} in {{initial_state}}.'
    assert load_workplace(written(tmp_path, record(world_model_system_prompt=prompt))).system_prompt == prompt


def test_what_is_loose_but_clear_is_read(tmp_path: Path) -> None:
    loose = record(
        task_initial_state='{"bays": {"2": "taken"}}',
        state_description="Bays by number",
        action_set_definitions=[
            action(name="a", example_output=...),
            action(name="b", example_output=None),
            action(name="c", example_output=[{"x": 1}]),
            action(name="d", parameters={}),
            action(name="e", parameters=None),
            action(name="f", parameters={"type": "object", "properties": {"free": {"type": "object"}}}),
            action(name="g", example_output=..., parameters={"type": "object", "example_output": {"y": 2}}),
            action(name="h", example_output='{"z": 3}'),
        ],
        extra_field_of_a_later_release=1,
    )
    workplace = load_workplace(written(tmp_path, loose))
    assert workplace.initial_state == {"bays": {"2": "taken"}}
    assert workplace.state_description == {"about": "Bays by number"}
    tools = {t.name: t for t in workplace.tools}
    assert [tools[n].example_output for n in "abcgh"] == [None, None, [{"x": 1}], {"y": 2}, {"z": 3}]
    assert tools["d"].parameters == tools["e"].parameters == {"type": "object"}
    assert tools["f"].problems({"free": {"any": [1, {"thing": None}]}}) == []
    assert tools["g"].parameters == {"type": "object"}
    assert load_workplace(written(tmp_path, record(state_description=...))).state_description == {}
    assert load_workplace(written(tmp_path, record(state_description='{"bays": "B"}'))).state_description == {
        "bays": "B"
    }


BAD: list[tuple[Any, str]] = [
    (b"", "is empty"),
    (b"\xef\xbb\xbf{}", "byte order mark"),
    (b'{"environment_name": "\xff"}', "not UTF-8"),
    (json.dumps(record()).encode()[:-30], "breaks off"),
    (b"{nope}", "not JSON"),
    (b"[1]", "holds a list, not an object"),
    (b"[" * 200_000, "nests too deeply|breaks off"),
    (record(environment_name=...), "lacks environment_name"),
    (
        record(world_model_system_prompt=..., task_initial_state=...),
        "lacks world_model_system_prompt, task_initial",
    ),
    (record(environment_name="  "), "environment_name is blank"),
    (record(environment_name=3), "environment_name: expected `str`"),
    (record(world_model_system_prompt=None), "world_model_system_prompt: expected `str`"),
    (record(action_set_definitions={}), "action_set_definitions: expected `array`"),
    (record(action_set_definitions=[]), "action_set_definitions is empty"),
    (record(action_set_definitions=["x"]), r"action_set_definitions\[0\] is a string"),
    (record(action_set_definitions=[action(name=...)]), r"action_set_definitions\[0\] lacks name"),
    (record(action_set_definitions=[action(name=1)]), r"\[0\]: name: expected `str`"),
    (record(action_set_definitions=[action(), action(name=" ")]), r"\[1\].name is blank"),
    (record(action_set_definitions=[action(), action()]), "more than one tool is called get_bay"),
    (record(action_set_definitions=[action(parameters=[1])]), "parameters of tool 'get_bay' must be"),
    (
        record(action_set_definitions=[action(parameters={"type": "array"})]),
        "parameters of tool 'get_bay' must have",
    ),
    (record(action_set_definitions=[action(parameters={"type": "objekt"})]), "parameters of tool 'get_bay'"),
    (
        record(
            action_set_definitions=[action(parameters={"type": "object", "properties": {"a": {"type": "txt"}}})]
        ),
        "parameters of tool 'get_bay' is not valid JSON Schema",
    ),
    (record(action_set_definitions=[action(example_output=5)]), "example_output of tool 'get_bay' is a number"),
    (
        record(action_set_definitions=[action(example_output="done")]),
        "example_output of tool 'get_bay' is a string",
    ),
    (record(task_initial_state=[1]), "task_initial_state is a list"),
    (record(task_initial_state="free text"), "task_initial_state is a string that holds no JSON object"),
    (record(state_description=[1]), "state_description is a list"),
]


@pytest.mark.parametrize(("value", "says"), BAD)
def test_errors_name_the_file_and_the_field(tmp_path: Path, value: object, says: str) -> None:
    path = written(tmp_path, value)
    with pytest.raises(DataError, match=says) as e:
        load_workplace(path)
    assert str(path) in str(e.value)


def test_what_is_not_there_or_no_workplace(tmp_path: Path) -> None:
    other = tmp_path / "x.txt"
    other.write_text("x")
    for path, says in [
        (tmp_path / "no.json", "no such file"),
        (tmp_path / "no", "no such file or folder"),
        (tmp_path, "no workplace.yaml"),
        (other, "is no workplace"),
        (tmp_path / "all.jsonl", "load_workplaces"),
    ]:
        with pytest.raises(DataError, match=says):
            load_workplace(path)
