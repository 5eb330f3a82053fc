"""The published figures are carried over whole and hang together."""

import json
from statistics import fmean

import pytest
from tests.support.data import real_data_dir

from worktrial.suites.orchestration.figures.published import METRICS, published_orchestration

LANGUAGES = ("EN", "KO")


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_average_is_the_mean_of_its_three(language: str) -> None:
    table = published_orchestration(language)
    assert len(table.rows) == 14
    assert "kakao/OrchestrationBench" in table.source
    for row in table.rows:
        assert row.figures.keys() == set(METRICS)
        assert all(0 <= value <= 1 for value in row.figures.values())
        # All four were rounded to a hundredth of a percent.
        mean = fmean(row.figures[metric] for metric in METRICS[1:])
        assert row.figures["average"] == pytest.approx(mean, abs=1.01e-4), row.model


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_best_comes_first(language: str) -> None:
    rows = published_orchestration(language).rows
    averages = [row.figures["average"] for row in rows]
    assert averages == sorted(averages, reverse=True)
    assert len({row.model for row in rows}) == len(rows)


@pytest.mark.real_data
def test_the_figures_are_those_that_were_collected() -> None:
    text = (real_data_dir() / "published" / "orchestrationbench.json").read_text(encoding="utf-8")
    columns, *collected = json.loads(text)["readme"]
    theirs = {row[0]: dict(zip(columns, row, strict=True)) for row in collected}
    columns_of = {"average": "avg", "plan": "plan", "call_refuse": "call_reject", "function_call": "fc"}
    for language in LANGUAGES:
        rows = published_orchestration(language).rows
        assert {row.model for row in rows} == theirs.keys()
        for row in rows:
            wanted = {m: theirs[row.model][f"{c}_{language.lower()}"] / 100 for m, c in columns_of.items()}
            assert row.figures == pytest.approx(wanted), row.model
