"""The published tables come out of our formulas."""

import json
from itertools import combinations
from typing import Any

import pytest
from tests.support.data import real_data_dir

from worktrial.statistics import CompletionRate, Profile, mean_profile, order_agreement, robustness

pytestmark = pytest.mark.real_data

TASKS = 382
# 77 % of 32 tasks is no whole number of passes.
NOT_WHOLE = "GPT-5.2"
# The figure is of 14 agents: all of table 2 but this one. It spells the industries out.
NOT_IN_FIGURE_12 = "GPT-5.2"
SPELT = {"Biz": "Business", "Hlth": "Health"}


@pytest.fixture(scope="module")
def published() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((real_data_dir() / "published" / "occubench.json").read_text("utf-8"))
    return found


def _whole(percent: float, n: int, decimals: int) -> list[int]:
    """Numbers of passes in `n` that are published as `percent`."""
    half = 0.5 * 10**-decimals + 1e-9
    return [k for k in range(n + 1) if abs(100 * k / n - percent) <= half]


def _rows(published: dict[str, Any]) -> dict[str, dict[str, list[int]]]:
    """Agent to industry to the possible numbers of passes, from the printed percentages alone."""
    return {
        agent: {c: _whole(cell["pct"], published["category_n"][c], 0) for c, cell in row["by_category"].items()}
        for agent, row in published["table2_E0"].items()
    }


def _profile(counts: dict[str, int], n: dict[str, int]) -> Profile:
    return Profile({c: CompletionRate(k, n[c] - k) for c, k in counts.items()})


def test_fourteen_of_fifteen_rows_are_whole_passes_that_add_up(published: dict[str, Any]) -> None:
    n = published["category_n"]
    assert sum(n.values()) == TASKS
    not_whole = []
    for agent, cells in _rows(published).items():
        # No industry has as many as 100 tasks, so a percentage stands for one number at most.
        if any(len(options) != 1 for options in cells.values()):
            not_whole.append(agent)
            continue
        overall = _profile({c: options[0] for c, options in cells.items()}, n).overall
        printed = published["table2_E0"][agent]["overall_pct"]
        assert overall.of_all.share is not None
        assert (overall.of_all.n, round(100 * overall.of_all.share, 1)) == (TASKS, printed), agent
    assert not_whole == [NOT_WHOLE]


def test_fifteen_averages_are_weighted_by_instances(published: dict[str, Any]) -> None:
    n = published["category_n"]
    for agent, row in published["table2_E0"].items():
        assert _whole(row["overall_pct"], TASKS, 1) == [row["overall_passes"]], agent
        cells = {c: cell["pct"] for c, cell in row["by_category"].items()}
        weighted = sum(n[c] * pct for c, pct in cells.items()) / TASKS
        # Rounding of ten cells to whole percents; the row that is not whole is off by one task's worth more.
        assert weighted == pytest.approx(row["overall_pct"], abs=0.7 if agent == NOT_WHOLE else 0.3), agent
    assert len(published["table2_E0"]) == 15


def test_nine_robustness_scores(published: dict[str, Any]) -> None:
    table = published["table3"]
    assert len(table) == 9
    scores = {agent: robustness(row) for agent, row in table.items()}
    assert {agent: round(r, 2) for agent, r in scores.items()} == {agent: row["R"] for agent, row in table.items()}
    # The rates of the table are whole passes, too.
    for row in table.values():
        for mode in ("E0", "E1", "E2", "E3"):
            assert len(_whole(row[mode], TASKS, 1)) == 1


def test_three_agreements_between_simulators(published: dict[str, Any]) -> None:
    table = published["table4_simulators"]
    simulators = list(next(iter(table.values())))
    found = {}
    for a, b in combinations(simulators, 2):
        one, other = ({agent: row[s] for agent, row in table.items()} for s in (a, b))
        agreement = order_agreement(one, other)
        assert agreement.pairs == 28
        found[a, b] = agreement.agreed
    assert found == {
        ("gemini-3-flash", "qwen3.5-plus"): 24,
        ("gemini-3-flash", "gpt-5.2"): 21,
        ("qwen3.5-plus", "gpt-5.2"): 23,
    }


def test_ten_industry_means(published: dict[str, Any]) -> None:
    n = published["category_n"]
    rows = {agent: cells for agent, cells in _rows(published).items() if agent != NOT_IN_FIGURE_12}
    means = mean_profile(_profile({c: k for c, (k,) in cells.items()}, n) for cells in rows.values())
    printed = published["fig12_industry_avg_14_models"]
    assert (len(rows), len(means), len(printed)) == (14, 10, 10)
    for short, share in means.items():
        (name,) = (full for full in printed if full.startswith(SPELT.get(short, short)))
        assert round(100 * share, 1) == printed[name], name
