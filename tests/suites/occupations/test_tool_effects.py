"""The judged list of tools, and where it does not hold."""

from dataclasses import replace

import pytest
from tests.support.data import real_data_dir

from worktrial.suites.occupations.tool_effects import judged_effects, tools_digest, with_judged_effects
from worktrial.workplaces import Tool, Workplace, load_workplaces
from worktrial.workplaces.effects import ToolEffect, effect_by_rules

NOTHING = {"type": "object", "properties": {}}


def test_the_list_names_every_tool_once() -> None:
    listed = judged_effects()
    assert len(listed) == 382
    for name, judged in listed.items():
        tools = [*judged.read, *judged.write, *judged.volatile]
        assert len(tools) == len(set(tools)) and judged.tools, name


def test_a_workplace_with_other_tools_is_left_to_the_rules() -> None:
    name = next(iter(judged_effects()))
    place = Workplace(name, "rules", (Tool("get_weather", "Shows the weather.", NOTHING),), {})
    assert with_judged_effects(place) is place
    assert with_judged_effects(replace(place, name="another")).tools == place.tools


@pytest.mark.real_data
def test_judged_effects_reach_the_tools() -> None:
    library = load_workplaces(real_data_dir() / "occubench" / "world_model_configs", with_judged_effects)
    seen = set()
    for name, workplace in library.items():
        judged = judged_effects()[name]
        assert judged.tools == tools_digest(workplace)
        for tool in workplace.tools:
            assert tool.effect is judged.effect(tool.name)
            seen.add((tool.effect, tool.writes, tool.volatile))
    assert seen == {
        (ToolEffect.READ, False, False),
        (ToolEffect.WRITE, True, None),
        (ToolEffect.VOLATILE, None, True),
    }


@pytest.mark.parametrize(
    ("name", "description", "arguments", "effect"),
    [
        ("get_order", "Retrieves an order.", ["order_id"], "read"),
        ("list_orders", "", [], "read"),
        ("calculate_tax", "Computes the tax.", ["amount"], "read"),
        ("get_order", "Retrieves an order and marks it as seen.", ["order_id"], "unknown"),
        ("get_or_create", "Creates what is missing.", ["id"], "unknown"),
        ("search_papers", "Searches, to populate the active set.", ["query"], "unknown"),
        ("query", "Queries the database.", ["sql"], "unknown"),
        ("get_telemetry", "Retrieves real-time values.", [], "volatile"),
        ("get_simulation_time", "Retrieves the current simulation time.", [], "volatile"),
        ("check_build_status", "Checks the build status.", ["id"], "volatile"),
        ("update_order", "Updates an order.", ["order_id"], "write"),
        ("advance_time", "Advances the clock.", [], "write"),
        ("verify_identity", "Verifies an identity.", ["id"], "unknown"),
        ("execute_plan", "Executes the plan.", [], "unknown"),
        ("", "", [], "unknown"),
    ],
)
def test_rules_call_a_read_only_what_is_plainly_one(
    name: str, description: str, arguments: list[str], effect: str
) -> None:
    parameters = {"type": "object", "properties": {key: {} for key in arguments}}
    assert effect_by_rules(name, description, parameters) == effect


def test_what_is_declared_outranks_the_rules() -> None:
    def effect(**declared: bool) -> ToolEffect:
        return Tool("get_telemetry", "Retrieves real-time values.", NOTHING, **declared).effect

    assert effect(writes=True) is ToolEffect.WRITE
    assert effect(writes=False) is ToolEffect.VOLATILE
    assert effect(writes=False, volatile=False) is ToolEffect.READ
    assert effect(volatile=True) is ToolEffect.VOLATILE
