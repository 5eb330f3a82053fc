"""Whatever was written is there for whoever reads it: all published workplaces, both memories."""

import asyncio
from collections import Counter
from itertools import cycle
from typing import Any

import pytest
from tests.support.data import real_data_dir
from tests.support.forgetful_simulator import Effects, ForgetfulSimulator, Recording
from tests.support.schema_values import value_for
from tests.support.wire import json_text

from worktrial.suites.occupations.tool_effects import with_judged_effects
from worktrial.workplaces import LanguageSimulator, Origin, Tool, Workplace, load_workplaces
from worktrial.workplaces.effects import ToolEffect

pytestmark = pytest.mark.real_data
CLOCK = "2026-01-15T09:00:00"
NAMED = "file /notes~1/A-17 of the night shift"


@pytest.fixture(scope="module")
def workplaces() -> list[Workplace]:
    library = load_workplaces(real_data_dir() / "occubench" / "world_model_configs", with_judged_effects)
    return [library[name] for name in library]


@pytest.fixture(scope="module")
def effects(workplaces: list[Workplace]) -> Effects:
    return Effects(workplaces)


def told(tool: Tool, variant: int = 0) -> Any:
    """Arguments that fit, whose free texts all name the same thing; of another variant otherwise."""
    arguments = value_for(tool.parameters, variant)
    for name in tool.parameters.get("properties", {}):
        named = {**arguments, name: NAMED if variant == 0 else f"{NAMED} {variant}"}
        if name in arguments and not tool.problems(named):
            arguments = named
    return arguments


def first(workplace: Workplace, *effects: ToolEffect) -> Tool | None:
    """The tool of these effects with the most arguments."""
    fitting = [tool for tool in workplace.tools if tool.effect in effects]
    return max(fitting, key=lambda tool: len(value_for(tool.parameters)), default=None)


@pytest.mark.parametrize(("memory", "facts_shown"), [("history", 0), ("ledger", 40_000), ("ledger", 0)])
def test_every_read_after_a_write_returns_it(
    workplaces: list[Workplace], effects: Effects, memory: str, facts_shown: int
) -> None:
    """Each workplace: read, read again, write, read, write otherwise, read, write as at first, read.

    Without room for facts a read has to name what it wants, as the tools with a free text let it.
    """
    counted: Counter[str] = Counter()

    async def played(workplace: Workplace, recording: Recording) -> None:
        read = first(workplace, ToolEffect.READ) or first(workplace, ToolEffect.VOLATILE)
        write = first(workplace, ToolEffect.WRITE, ToolEffect.UNKNOWN)
        if read is None or write is None:
            counted["without a pair"] += 1
            return
        names = NAMED in json_text(told(read)) and NAMED in json_text(told(write))
        if facts_shown == 0 and memory == "ledger" and recording is not Recording.PATCH and not names:
            counted["names nothing"] += 1
            return
        model = ForgetfulSimulator(effects, recording).complete
        session = LanguageSimulator(workplace, model, memory=memory, clock=CLOCK, facts_shown=facts_shown).open()
        before = [await session.call(read.name, told(read)) for _ in range(2)]
        assert before[0].content == before[1].content, workplace.name
        if memory == "ledger" and read.effect is ToolEffect.READ:
            assert before[1].origin is Origin.LEDGER, workplace.name
        written = []
        for variant in (0, 1, 0):
            arguments = told(write, variant)
            done = await session.call(write.name, arguments)
            assert done.origin is Origin.SIMULATOR and done.content == {"status": "done"}, workplace.name
            written.append(json_text(arguments))
            shown = json_text((await session.call(read.name, told(read))).content)
            assert all(text in shown for text in written), (workplace.name, read.name, write.name, recording)
        counted["played"] += 1

    async def campaign() -> None:
        # Facts are the usual way, so they take two turns.
        turns = cycle((Recording.FACTS, Recording.PATCH, Recording.FACTS, Recording.NOTHING))
        for workplace, recording in zip(workplaces, turns, strict=False):
            await played(workplace, recording)

    asyncio.run(campaign())
    print(memory, facts_shown, dict(counted))
    assert counted["played"] >= (200 if (memory, facts_shown) == ("ledger", 0) else 370)


def test_no_write_is_answered_from_memory_and_every_tool_has_a_judged_effect(workplaces: list[Workplace]) -> None:
    assert sum(len(workplace.tools) for workplace in workplaces) == 2089
    found = Counter(tool.effect for workplace in workplaces for tool in workplace.tools)
    print(dict(found))
    assert found[ToolEffect.UNKNOWN] == 0
    for workplace in workplaces:
        plain = load_workplaces(real_data_dir() / "occubench" / "world_model_configs")[workplace.name]
        for tool, unjudged in zip(workplace.tools, plain.tools, strict=True):
            # Rules alone never take a judged write for a read.
            assert (tool.effect, unjudged.effect) != (ToolEffect.WRITE, ToolEffect.READ), tool.name
