"""The published figures are carried over whole and hang together."""

import json
from itertools import groupby
from typing import Any

import pytest
from tests.support.data import real_data_dir

from worktrial.suites.documents.published import PublishedAnswers, published_officeqa

PUBLISHED = published_officeqa()
# Printed for 133 questions, of which it is no whole number of answers.
NOT_WHOLE = {("pro", "Claude Opus 4.5"), ("pro", "Gemini 3.1 Pro Preview")}


def test_whose_figures_these_are() -> None:
    assert "databricks/officeqa" in PUBLISHED.source
    assert "CC BY-SA 4.0" in PUBLISHED.licence
    assert PUBLISHED.questions == {"full": 246, "pro": 133, "pro_v2": 90}


def test_figures_are_whole_answers() -> None:
    odd = set()
    for row in PUBLISHED.rows:
        n = PUBLISHED.questions[row.questions]
        for share in row.shares.values():
            # Most are printed to a tenth, some to a hundredth of a percent.
            half = 0.0005 if row.setting != "pages_pdf_web" else 0.00005
            if row.questions != "full" and all(abs(k / n - share) > half + 1e-9 for k in range(n + 1)):
                odd.add((row.questions, row.model))
    assert odd == NOT_WHOLE


def test_the_best_comes_first_and_tolerance_helps() -> None:
    for _, group in groupby(PUBLISHED.rows, lambda row: (row.questions, row.setting)):
        exact = [row.shares[0.0] for row in group]
        assert exact == sorted(exact, reverse=True)
    for row in PUBLISHED.rows:
        assert all(0 <= share <= 1 for share in row.shares.values())
        by_tolerance = [row.shares[tolerance] for tolerance in sorted(row.shares)]
        assert by_tolerance == sorted(by_tolerance)
    assert len(PUBLISHED.rows) == len({(row.questions, row.setting, row.model) for row in PUBLISHED.rows}) == 31


@pytest.mark.real_data
def test_the_figures_are_those_that_were_collected() -> None:
    theirs: dict[str, Any] = json.loads((real_data_dir() / "published" / "officeqa.json").read_text("utf-8"))
    assert PUBLISHED.questions.items() <= theirs["questions"].items()
    for questions in ("pro", "pro_v2"):
        wanted = _figures(theirs[f"{questions}_agent_harness_percent_at_zero_tolerance"])
        assert _exact(questions, "agent_pdf") == pytest.approx(wanted)
    pages = theirs["pro_oracle_pages_web_percent"]
    for row in _rows("pro", "pages_pdf_web"):
        wanted = dict(zip(pages["tolerances"], pages[row.model], strict=True))
        assert {t: 100 * share for t, share in row.shares.items()} == pytest.approx(wanted)
    blog = theirs["full_blog_percent"]
    for kind, key in (("agent", "agent_pdf_to_parsed"), ("pages", "oracle_pdf_to_parsed")):
        for at, form in enumerate(("pdf", "parsed")):
            wanted = {model: pair[at] for model, pair in blog[key].items()}
            assert _exact("full", f"{kind}_{form}") == pytest.approx(wanted)


def _rows(questions: str, setting: str) -> list[PublishedAnswers]:
    return [row for row in PUBLISHED.rows if (row.questions, row.setting) == (questions, setting)]


def _exact(questions: str, setting: str) -> dict[str, float]:
    return {row.model: 100 * row.shares[0.0] for row in _rows(questions, setting)}


def _figures(table: dict[str, Any]) -> dict[str, float]:
    return {model: value for model, value in table.items() if model != "source"}
