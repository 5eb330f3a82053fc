"""All published workplaces load."""

import re

import pytest
from tests.support.data import real_data_dir

from worktrial.workplaces import load_workplaces
from worktrial.workplaces.tools import schema_problem

PLACEHOLDERS = re.compile(r"\{\{(?:initial_state|state_descriptions|action_set_definitions)\}\}")


@pytest.mark.real_data
def test_all_published_workplaces_load() -> None:
    library = load_workplaces(real_data_dir() / "occubench" / "world_model_configs")
    workplaces = [library[name] for name in library]
    assert len(workplaces) == 382
    tools = [tool for w in workplaces for tool in w.tools]
    assert len(tools) == 2089
    assert all(schema_problem(tool.parameters) is None for tool in tools[::10])
    assert not any("example_output" in tool.parameters for tool in tools)
    for w in workplaces:
        assert len(w.initial_state) > 0 and len(w.state_description) > 0, w.name
        assert not re.search(
            r"^\{+(?:initial_state|state_descriptions|action_set_definitions)\}+:", w.system_prompt, re.M
        )
        assert PLACEHOLDERS.findall(w.system_prompt), w.name
        assert "{{" not in PLACEHOLDERS.sub("", w.system_prompt), w.name
        # What follows the cut is state and tools; none of it may be left.
        assert all(f'"{tool.name}": {{\n' not in w.system_prompt for tool in w.tools), w.name
        assert not w.system_prompt.rstrip().endswith("}"), w.name
