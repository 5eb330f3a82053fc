"""The published workplaces: whole prompts, and the size of what is sent."""

import asyncio
import json
import random
from typing import Any

import msgspec
import pytest
from tests.support.data import real_data_dir
from tests.support.schema_values import value_for
from tests.workplaces.scripted import characters

from worktrial.language import Completion, JsonObject, Message
from worktrial.suites.occupations.tool_effects import with_judged_effects
from worktrial.workplaces import LanguageSimulator, Workplace, load_workplaces
from worktrial.workplaces.effects import ToolEffect
from worktrial.workplaces.simulator.json_text import json_text
from worktrial.workplaces.simulator.prompting import CompactPrompting, FullPrompting
from worktrial.workplaces.simulator.rules import lasting_rules

CALLS = 32
CLOCK = "2026-01-15T09:00:00"

pytestmark = pytest.mark.real_data


@pytest.fixture(scope="module")
def workplaces() -> list[Workplace]:
    library = load_workplaces(real_data_dir() / "occubench" / "world_model_configs", with_judged_effects)
    return [library[name] for name in library]


def test_prompts_hold_tools_descriptions_and_state_once(workplaces: list[Workplace]) -> None:
    for workplace in workplaces:
        system = FullPrompting(workplace, with_ledger=False, clock=CLOCK, task=None).system
        assert "{{" not in system.replace(json_text(workplace.initial_state), ""), workplace.name
        parts = [json_text(workplace.initial_state), json_text(workplace.state_description)]
        for part in [*parts, *(f'"name":{json_text(t.name)},"description":' for t in workplace.tools)]:
            assert system.count(part) == 1, (workplace.name, part[:80])


def test_ledger_rules_keep_error_handling_and_principles(workplaces: list[Workplace]) -> None:
    for workplace in workplaces:
        rules = lasting_rules(workplace.system_prompt)
        assert "**Consistency**" in rules or "**Factuality**" in rules, workplace.name
        assert "rror" in rules, workplace.name
        assert "{{" not in rules and "Input Parsing" not in rules
        assert len(rules) > 800, workplace.name


def test_compact_prompts_are_a_third(workplaces: list[Workplace]) -> None:
    full = compact = 0
    for workplace in workplaces:
        full += len(FullPrompting(workplace, with_ledger=False, clock=CLOCK, task=None).system)
        compact += len(CompactPrompting(workplace, with_ledger=False, clock=CLOCK, task=None).system)
    mean = compact / len(workplaces)
    print(f"compact {mean:.0f} characters on average, {compact / full:.2f} of full")
    assert mean < 2500  # 600 tokens at a little over 4 characters each
    assert compact < full / 3


class Counting:
    """Answers with observations of 250-400 characters and counts what it is sent.

    In a ledger what is no read changes the state, and every eighth call makes something up.
    """

    def __init__(self, workplace: Workplace, memory: str) -> None:
        self.sizes: list[int] = []
        self._workplace = workplace
        self._ledger = memory == "ledger"
        self._random = random.Random(workplace.name)

    async def __call__(self, messages: list[Message], *, schema: JsonObject | None = None, **_: Any) -> Completion:
        self.sizes.append(characters(messages))
        observation = {"status": "success", "data": "x" * self._random.randint(220, 370)}
        reply: JsonObject = observation
        if self._ledger:
            n = len(self.sizes)
            called = json.loads(messages[-1]["content"].split("Call to answer:\n")[1].splitlines()[0])
            tool = self._workplace.tool(called["name"])
            assert tool is not None
            write = {"op": "add", "path": "/last_change", "value": f"change {n}"}
            reply = {
                "observation": observation,
                "patch": [] if tool.effect is ToolEffect.READ else [write],
                "facts": {f"entry {n} detail": "made up " * 5} if n % 8 == 0 else {},
            }
        return Completion({"role": "assistant", "content": msgspec.json.encode(reply).decode()})


def work(workplace: Workplace, memory: str) -> list[int]:
    model = Counting(workplace, memory)
    session = LanguageSimulator(workplace, model, memory=memory, clock=CLOCK).open()

    async def calls() -> None:
        for step in range(CALLS):
            tool = workplace.tools[step % len(workplace.tools)]
            await session.call(tool.name, value_for(tool.parameters, step))

    asyncio.run(calls())
    return model.sizes


def test_ledger_memory_sends_at_most_half_and_grows_linearly(workplaces: list[Workplace]) -> None:
    sample = workplaces[::4]
    history = [work(w, "history") for w in sample]
    ledger = [work(w, "ledger") for w in sample]
    totals = [sum(map(sum, sizes)) / len(sample) for sizes in (history, ledger)]
    asked = sum(map(len, ledger)) / len(sample)
    per_call = [sum(map(sum, sizes)) / sum(map(len, sizes)) for sizes in (history, ledger)]
    print(
        f"characters over {CALLS} calls: history {totals[0]:.0f}, ledger {totals[1]:.0f} "
        f"({totals[1] / totals[0]:.3f}; {asked:.1f} calls reach the model; "
        f"per request {per_call[1] / per_call[0]:.3f})"
    )
    # Earlier calls are shown with their answers: a fifth of what a ledger sends.
    assert totals[1] <= 0.50 * totals[0]
    # Flat prompts: the later half of the requests costs hardly more than the earlier one.
    early = sum(sum(s[: len(s) // 2]) / (len(s) // 2) for s in ledger)
    late = sum(sum(s[-(len(s) // 2) :]) / (len(s) // 2) for s in ledger)
    assert late < 1.15 * early
