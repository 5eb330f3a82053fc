"""The cheaper memory, with prompt caching."""

from itertools import pairwise
from statistics import median

import pytest
from tests.support.data import real_data_dir
from tests.workplaces.shop import CLOCK, SHOP

from worktrial.suites.occupations.tool_effects import with_judged_effects
from worktrial.workplaces import Memory, Workplace, load_workplaces
from worktrial.workplaces.simulator.memory_choice import memory_cost


def cheaper(workplace: Workplace, calls: int) -> Memory:
    return memory_cost(workplace, calls, prompt="full", clock=CLOCK).choice(None)


def test_a_history_is_cheaper_for_a_short_stay_and_a_ledger_for_a_long_one() -> None:
    assert cheaper(SHOP, 5) is Memory.HISTORY
    assert cheaper(SHOP, 200) is Memory.LEDGER
    costs = [memory_cost(SHOP, n, prompt="full", clock=CLOCK) for n in range(1, 200)]
    assert all(a.history < b.history and a.ledger < b.ledger for a, b in pairwise(costs))
    # The history grows with the square of the calls, the ledger does not.
    steps = [(b.history - a.history, b.ledger - a.ledger) for a, b in pairwise(costs)]
    assert steps[-1][0] > 3 * steps[0][0] and steps[-1][1] == pytest.approx(steps[0][1])


def test_a_history_that_might_outgrow_the_model_is_none_however_cheap() -> None:
    cost = memory_cost(SHOP, 5, prompt="full", clock=CLOCK)
    assert cost.history < cost.ledger and cost.choice(None) is Memory.HISTORY
    assert (cost.choice(cost.tokens), cost.choice(cost.tokens - 1)) == (Memory.HISTORY, Memory.LEDGER)
    assert cost.choice(128_000) is Memory.HISTORY, "a short stay fits into any large model"
    longer = memory_cost(SHOP, 20, prompt="full", clock=CLOCK)
    assert longer.tokens > cost.tokens + 15 * 728 / 3


@pytest.mark.real_data
def test_where_the_published_workplaces_break_even() -> None:
    library = load_workplaces(real_data_dir() / "occubench" / "world_model_configs", with_judged_effects)
    even = []
    for workplace in (library[name] for name in list(library)[::6]):
        # For up to four calls a ledger costs less, too: its system message is shorter.
        even.append(next(n for n in range(10, 150) if cheaper(workplace, n) is Memory.LEDGER))
        assert cheaper(workplace, even[-1] - 1) is Memory.HISTORY
        assert all(cheaper(workplace, n) is Memory.LEDGER for n in (even[-1] + 1, 2 * even[-1], 150))
    print(f"a ledger costs less from {median(even)} calls on (median; {min(even)} to {max(even)})")
    assert 25 <= median(even) <= 40
