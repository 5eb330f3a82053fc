"""The published tables are carried over whole, and come out of our formulas."""

import json
from itertools import combinations
from statistics import fmean
from typing import Any

import pytest
from tests.support.data import real_data_dir

from worktrial.statistics import CompletionRate, order_agreement, robustness
from worktrial.suites.occupations.published import published_occubench

PUBLISHED = published_occubench()
TASKS = 382
# 77 % of 32 tasks is no whole number of passes.
NOT_WHOLE = "GPT-5.2"
# The figure is of 14 agents: all of table 2 but this one.
NOT_IN_FIGURE_12 = "GPT-5.2"
SPELT = {"Biz": "Business", "Hlth": "Health"}


def _whole(share: float, n: int, decimals: int) -> list[int]:
    """Numbers of passes in `n` that are published as `share`."""
    half = 0.5 * 10**-decimals + 1e-9
    return [k for k in range(n + 1) if abs(100 * k / n - 100 * share) <= half]


def test_whose_figures_these_are() -> None:
    assert "2604.10866" in PUBLISHED.source
    assert PUBLISHED.licence == "CC BY 4.0"
    assert PUBLISHED.tasks == TASKS
    assert any("read off" in note for note in PUBLISHED.notes)


def test_counts_are_the_only_ones_that_are_printed_so() -> None:
    for row in PUBLISHED.completion:
        assert _whole(row.rate, TASKS, 1) == [row.passed], row.model
        for industry, share in row.industries.items():
            options = _whole(share, PUBLISHED.industries[industry], 0)
            found = row.counts[industry]
            assert options == ([] if found is None else [found.passed]), (row.model, industry)


def test_fourteen_of_fifteen_rows_add_up() -> None:
    not_whole = []
    for row in PUBLISHED.completion:
        counts = {industry: count for industry, count in row.counts.items() if count is not None}
        if len(counts) < 10:
            not_whole.append(row.model)
            continue
        overall = sum(counts.values(), CompletionRate())
        assert (overall.passed, overall.of_all.n) == (row.passed, TASKS), row.model
        assert round(overall.of_all.share or 0, 3) == row.rate
    assert not_whole == [NOT_WHOLE]


def test_fifteen_averages_are_weighted_by_instances() -> None:
    assert len(PUBLISHED.completion) == 15
    for row in PUBLISHED.completion:
        weighted = sum(PUBLISHED.industries[i] * share for i, share in row.industries.items()) / TASKS
        # Rounding of ten cells to whole percents; the row that is not whole is off by one task's worth more.
        assert weighted == pytest.approx(row.rate, abs=0.007 if row.model == NOT_WHOLE else 0.003), row.model


def test_nine_robustness_scores() -> None:
    assert len(PUBLISHED.robustness) == 9
    scores = {row.model: round(robustness(row.rates), 2) for row in PUBLISHED.robustness}
    assert scores == {row.model: row.robustness for row in PUBLISHED.robustness}
    # The rates of the table are whole passes, too.
    assert all(len(_whole(share, TASKS, 1)) == 1 for row in PUBLISHED.robustness for share in row.rates.values())


def test_three_agreements_between_simulators() -> None:
    found = {}
    for a, b in combinations(next(iter(PUBLISHED.simulators.values())), 2):
        one, other = ({agent: row[s] for agent, row in PUBLISHED.simulators.items()} for s in (a, b))
        agreement = order_agreement(one, other)
        assert agreement.pairs == 28
        found[a, b] = agreement.agreed
    assert found == {
        ("gemini-3-flash", "qwen3.5-plus"): 24,
        ("gemini-3-flash", "gpt-5.2"): 21,
        ("qwen3.5-plus", "gpt-5.2"): 23,
    }


def test_ten_industry_means() -> None:
    agents = [row.counts for row in PUBLISHED.completion if row.model != NOT_IN_FIGURE_12]
    assert len(agents) == 14
    means = {}
    for industry in PUBLISHED.industry_means:
        counts = [count for row in agents if (count := row[industry]) is not None]
        # Each agent counts the same, however many tasks it has.
        means[industry] = round(fmean(count.of_all.share or 0 for count in counts), 3)
    assert means == PUBLISHED.industry_means


def test_the_tables_agree_with_each_other() -> None:
    clean = {row.model: row.rate for row in PUBLISHED.completion}
    worst = {row.model: row.rates["E3"] for row in PUBLISHED.robustness}
    assert {row.model: row.rates["E0"] for row in PUBLISHED.robustness}.items() <= clean.items()
    assert {agent: row["gemini-3-flash"] for agent, row in PUBLISHED.simulators.items()}.items() <= clean.items()
    # Two faults of two calls is the setting of table 3; both sweeps go through it.
    for sweep in (PUBLISHED.fault_count, PUBLISHED.fault_duration):
        assert all(row[2] == worst[agent] and list(row) == [1, 2, 3, 4] for agent, row in sweep.items())
    assert all(row["high"] == clean[agent] for agent, row in PUBLISHED.effort.items())
    assert [row.rate for row in PUBLISHED.completion] == sorted(clean.values(), reverse=True)


@pytest.mark.real_data
def test_the_figures_are_those_that_were_collected() -> None:
    theirs: dict[str, Any] = json.loads((real_data_dir() / "published" / "occubench.json").read_text("utf-8"))
    full = {
        short: next(name for name in PUBLISHED.industries if name.startswith(SPELT.get(short, short)))
        for short in theirs["category_n"]
    }
    assert {full[short]: n for short, n in theirs["category_n"].items()} == PUBLISHED.industries
    assert list(theirs["table2_E0"]) == [row.model for row in PUBLISHED.completion]
    for row, printed in zip(PUBLISHED.completion, theirs["table2_E0"].values(), strict=True):
        assert (100 * row.rate, row.passed) == (pytest.approx(printed["overall_pct"]), printed["overall_passes"])
        for short, cell in printed["by_category"].items():
            count = row.counts[full[short]]
            assert 100 * row.industries[full[short]] == pytest.approx(cell["pct"])
            assert (count and count.passed) == (cell["passes"] or None)
    # The other tables shorten some names; their order is the same.
    for ours, name in (
        ({row.model: {**row.rates, "R": row.robustness / 100} for row in PUBLISHED.robustness}, "table3"),
        (PUBLISHED.simulators, "table4_simulators"),
        (PUBLISHED.effort, "fig7_effort"),
    ):
        _same(ours, theirs[name])
    _same(PUBLISHED.fault_count, theirs["fig4"]["E3_fault_count(duration=2)"])
    _same(PUBLISHED.fault_duration, theirs["fig4"]["E3_fault_duration(count=2)"])
    _same({"": PUBLISHED.industry_means}, {"": theirs["fig12_industry_avg_14_models"]})


def _same(ours: Any, theirs: Any) -> None:
    for row, printed in zip(ours.values(), theirs.values(), strict=True):
        assert [str(key) for key in row] == list(printed)
        assert [100 * value for value in row.values()] == pytest.approx(list(printed.values()))
