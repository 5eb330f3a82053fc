import json
from pathlib import Path

import pytest

from worktrial.errors import DataError
from worktrial.workplaces import load_workplace

TOOLS = """
- name: get_bay
  description: Shows a bay.
  parameters:
    type: object
    properties: {bay: {type: string}}
    required: [bay]
  example_output: {since: 2024-05-01, free: true}
  writes: false
- name: list_bays
"""
STATE = {"bays": {"1": "free"}, "opened": "2024-05-01"}


def folder(place: Path, **files: str) -> Path:
    for name, text in files.items():
        (place / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return place


def indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip().splitlines())


def test_one_file_or_several_say_the_same(tmp_path: Path) -> None:
    one, several = tmp_path / "one", tmp_path / "several"
    one.mkdir()
    several.mkdir()
    folder(
        one,
        workplace__yaml="name: depot\nsystem_prompt: |-\n  You are a depot.\ntools:\n"
        + indented(TOOLS)
        + '\ninitial_state: {bays: {"1": free}, opened: 2024-05-01}\nstate_description: {bays: By number}\n',
    )
    folder(
        several,
        workplace__yaml="name: depot",
        system_prompt__md="You are a depot.",
        tools__yaml=TOOLS,
        initial_state__json=json.dumps(STATE),
        state_description__yaml="bays: By number",
    )
    first, second = load_workplace(one), load_workplace(several / "workplace.yaml")
    for workplace in (first, second):
        assert workplace.name == "depot" and workplace.system_prompt == "You are a depot."
        assert workplace.initial_state == STATE and workplace.state_description == {"bays": "By number"}
        assert workplace.tools == first.tools
    # A date in YAML stays the text that JSON would hold.
    assert first.tools[0].example_output == {"since": "2024-05-01", "free": True}
    assert [t.writes for t in first.tools] == [False, None]
    assert first.tools[1].parameters == {"type": "object"}


WHOLE = {"system_prompt__md": "Rules", "tools__yaml": TOOLS, "initial_state__yaml": "bays: {}"}


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, r"workplace\.yaml: lacks system_prompt.*system_prompt\.md"),
        ({"system_prompt__md": "R", "tools__yaml": TOOLS}, r"lacks initial_state.*initial_state\.yaml or"),
        ({**WHOLE, "initial_state__json": "{}"}, "initial_state is given twice"),
        (
            {**WHOLE, "workplace__yaml": "name: d\nsystem_prompt: x"},
            "twice, in workplace.yaml and system_prompt.md",
        ),
        ({**WHOLE, "workplace__yaml": "name: d\nrules: x"}, "unknown field rules.*Known fields: name"),
        ({**WHOLE, "workplace__yaml": "name: ''"}, "name is missing"),
        ({**WHOLE, "workplace__yaml": "- a"}, "holds a list"),
        ({**WHOLE, "workplace__yaml": "name: [a"}, "not the YAML we read"),
        ({**WHOLE, "workplace__yaml": "name: a\nname: b"}, "'name' appears twice"),
        ({**WHOLE, "initial_state__yaml": "bays: {1: free}"}, "key 1 is not text; put it in quotes"),
        ({**WHOLE, "initial_state__yaml": "level: .inf"}, "level is inf"),
        ({**WHOLE, "initial_state__yaml": "- 1"}, r"initial_state\.yaml: initial_state is a list"),
        ({**WHOLE, "tools__yaml": "name: x"}, "tools is an object"),
        ({**WHOLE, "tools__yaml": "- x"}, r"tools\[0\] is a string"),
        ({**WHOLE, "tools__yaml": "- {name: x, writess: true}"}, r"tools\[0\].*writess"),
        ({**WHOLE, "tools__yaml": "- {name: x}\n- {name: x}"}, "more than one tool is called x"),
        ({**WHOLE, "tools__yaml": "- {name: x, parameters: {type: text}}"}, r"tools\[0\].parameters of tool 'x'"),
        ({**WHOLE, "tools__yaml": "[]"}, "tools is empty"),
    ],
)
def test_errors_name_file_and_field(tmp_path: Path, files: dict[str, str], says: str) -> None:
    folder(tmp_path, **{"workplace__yaml": "name: depot", **files})
    with pytest.raises(DataError, match=says) as e:
        load_workplace(tmp_path)
    assert str(tmp_path) in str(e.value)


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    folder(tmp_path, workplace__yaml="name: depot", tools__yaml=TOOLS, initial_state__yaml="a: 1")
    (tmp_path / "system_prompt.md").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match=r"system_prompt\.md: is not UTF-8"):
        load_workplace(tmp_path)
