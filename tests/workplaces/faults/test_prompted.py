import asyncio

import pytest
from tests.workplaces.scripted import Scripted
from tests.workplaces.shop import CLOCK, SHOP

from worktrial.workplaces import LanguageSimulator
from worktrial.workplaces.faults import FaultMode, FaultSettings, FaultUnit, PromptedFaults
from worktrial.workplaces.faults.prompted import rules


@pytest.mark.parametrize("memory", ["history", "ledger"])
@pytest.mark.parametrize("prompt", ["full", "compact"])
def test_the_rules_stand_at_the_end_of_the_simulators_prompt(memory: str, prompt: str) -> None:
    model = Scripted([{"observation": {"status": "x"}, "patch": [], "facts": {}}])
    settings = FaultSettings(FaultMode.E2, count=3, duration=1)
    simulator = LanguageSimulator(SHOP, PromptedFaults(model, settings), memory=memory, prompt=prompt, clock=CLOCK)
    asyncio.run(simulator.open().call("get_order", {"order_id": "A-1"}))
    assert model.requests[0][0]["content"].endswith(rules(settings))
    assert len(model.requests[0]) > 1


def test_the_rules_say_what_the_mode_is() -> None:
    assert rules(FaultSettings(FaultMode.E0)) == ""
    said = {m: rules(FaultSettings(m, 3, 4, unit=FaultUnit.TURN)) for m in FaultMode if m.is_faulty}
    assert ["timeout" in text for text in said.values()] == [True, False, True]
    assert ["No error" in text for text in said.values()] == [False, True, True]
    assert all("3 stretches" in text and "4 turns in a row" in text for text in said.values())
    assert "1 stretch of" in rules(FaultSettings(FaultMode.E1, 1, 1))
