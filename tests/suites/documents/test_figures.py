"""Figures of one run."""

from pathlib import Path

import pytest
from rich.table import Table
from tests.suites.documents.runs import store

from worktrial.statistics import agresti_coull
from worktrial.suites.documents.figures import document_figures
from worktrial.suites.documents.tables import document_tables


def test_both_scores_at_every_tolerance(tmp_path: Path) -> None:
    near = {"published": {"0": 0.0, "0.001": 0.0, "0.01": 1.0, "0.05": 1.0}}
    run = store(tmp_path / "r", {"A": True, "B": False, "C": None, "D": False}, measures={"B": near})
    figures = document_figures(run)
    assert figures is not None and (figures.samples, figures.condition, figures.setup) == (3, "E0", "archive")
    published, ours = (row.shares for row in figures.curve)
    assert [share.value for share in published.values()] == [1 / 3, 1 / 3, 2 / 3, 2 / 3]
    assert [share.value for share in ours.values()] == [1 / 3] * 4
    assert published[0.0].interval == pytest.approx(agresti_coull(1, 3))
    assert figures.failures == {"unknown": 2} and figures.causes == {"other": 2}
    assert [(b.low, b.count) for b in figures.ratios] == [(2.0, 2)]
    assert figures.retrieval is None


def test_repeats_of_a_question_belong_together(tmp_path: Path) -> None:
    run = store(tmp_path / "r", {"A": [True] * 20, "B": [False] * 20})
    figures = document_figures(run)
    assert figures is not None
    share = figures.curve[0].shares[0.0]
    # Wilson's interval for 20 of 40 would be 0.35 to 0.65: but these are two questions, not forty.
    assert share.value == 0.5 and share.interval is not None
    assert share.interval.low < 0.01 and share.interval.high > 0.99
    assert (share.samples, share.questions) == (40, 2)
    one = document_figures(store(tmp_path / "one", {"A": [True, False]}))
    assert one is not None
    alone = one.curve[0].shares[0.0].interval
    assert alone is not None and alone.low < 0.06 and alone.high > 0.94


def test_what_a_constant_gets_is_printed_beside_the_score(tmp_path: Path) -> None:
    right, wrong = (dict.fromkeys(("0", "0.001", "0.01", "0.05"), score) for score in (1.0, 0.0))
    lucky = {"constant": {"published": right, "ours": wrong}}
    unlucky = {"constant": {"published": wrong, "ours": wrong}}
    run = store(tmp_path / "r", {"A": False, "B": True}, measures={"A": lucky, "B": unlucky})
    figures = document_figures(run)
    assert figures is not None
    assert {row.scorer: row.constant[0.0].value for row in figures.curve} == {"published": 0.5, "ours": 0.0}
    assert [row.shares[0.0].value for row in figures.curve] == [0.5, 0.5]
    shown = next(table for table in document_tables(run) if isinstance(table, Table))
    assert list(shown.columns[0].cells) == ["published", "ours", "published: a constant", "ours: a constant"]


def test_where_the_scorers_disagree(tmp_path: Path) -> None:
    zero = dict.fromkeys(("0", "0.001", "0.01", "0.05"), 0.0)
    only_ours = {"published": zero, "published_why": "not a direct answer"}
    run = store(tmp_path / "r", {"A": True, "B": True}, measures={"B": only_ours})
    figures = document_figures(run)
    assert figures is not None
    [one] = figures.disagreements
    assert (one.sample, one.accepted_by, one.why) == ("B", "ours", "not a direct answer")


def test_what_was_found_and_opened(tmp_path: Path) -> None:
    def told(recall: float, first: int | None, found: float) -> dict[str, object]:
        return {
            "retrieval": {
                "gold_pages": ["d:1"],
                "opened": [],
                "searches": 1,
                "page_recall": recall,
                "seen_recall": recall,
                "ever_opened": first is not None,
                "first_open": first,
                "search_recall": {"1": found, "5": 1.0},
            }
        }

    seen = {"A": told(1.0, 1, 1.0), "B": told(0.5, 4, 0.0), "C": told(0.0, None, 0.5)}
    run = store(tmp_path / "r", {"A": True, "B": False, "C": False, "D": True}, measures=seen)
    figures = document_figures(run)
    assert figures is not None and figures.retrieval is not None
    retrieval = figures.retrieval
    assert (retrieval.samples, retrieval.page_recall, retrieval.first_open) == (3, 0.5, 2.5)
    assert retrieval.ever_opened.value == pytest.approx(2 / 3)
    assert retrieval.search_recall == {1: 0.5, 5: 1.0}


def test_nothing_valid(tmp_path: Path) -> None:
    assert document_figures(store(tmp_path / "r", {"A": None})) is None
