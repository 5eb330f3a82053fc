import pytest

from worktrial.grading.bad_row import BadRow
from worktrial.language import JsonObject
from worktrial.suites.documents.answer_mode import AnswerMode
from worktrial.suites.documents.answer_rows import score_answer_row


def test_each_mode_scores_in_its_own_way() -> None:
    row: JsonObject = {"ground_truth": "5.2 billion", "predicted": "5,200 million"}
    official, strict = (score_answer_row(row, mode) for mode in AnswerMode)
    assert (official["score"], strict["score"]) == (0, 1)
    assert official["why"] and strict["why"]
    assert official["error"] is None and strict["error"] is None
    assert list(strict) == ["score", "why", "error"]


@pytest.mark.parametrize("mode", AnswerMode)
def test_the_row_s_tolerance_wins(mode: AnswerMode) -> None:
    row: JsonObject = {"ground_truth": "100", "predicted": "104"}
    assert score_answer_row(row, mode)["score"] == 0
    assert score_answer_row(row, mode, 0.05)["score"] == 1
    assert score_answer_row({**row, "tolerance": 0.01}, mode, 0.05)["score"] == 0
    assert score_answer_row({**row, "tolerance": None}, mode, 0.05)["score"] == 1


def test_the_row_s_unit_counts_in_strict_mode() -> None:
    row: JsonObject = {"ground_truth": "543", "predicted": "0.543 billion"}
    assert score_answer_row(row, AnswerMode.OURS)["score"] == 0
    assert score_answer_row({**row, "unit": "millions of dollars"}, AnswerMode.OURS)["score"] == 1


@pytest.mark.parametrize("mode", AnswerMode)
def test_numbers_are_taken_as_text_and_null_as_nothing(mode: AnswerMode) -> None:
    assert score_answer_row({"ground_truth": 5, "predicted": 5.0}, mode)["score"] == 1
    assert score_answer_row({"ground_truth": "5", "predicted": None}, mode)["score"] == 0
    assert score_answer_row({"ground_truth": None, "predicted": "5"}, mode)["score"] == 0


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({}, "ground_truth and predicted"),
        ({"ground_truth": "5"}, "ground_truth and predicted"),
        ({"ground_truth": "5", "predicted": ["5"]}, "predicted"),
        ({"ground_truth": True, "predicted": "5"}, "ground_truth"),
        ({"ground_truth": "5", "predicted": "5", "tolerance": "0.1"}, "tolerance"),
        ({"ground_truth": "5", "predicted": "5", "tolerance": True}, "tolerance"),
        ({"ground_truth": "5", "predicted": "5", "unit": 7}, "unit"),
    ],
)
def test_a_bad_row_names_the_field(row: JsonObject, field: str) -> None:
    with pytest.raises(BadRow, match=field):
        score_answer_row(row, AnswerMode.OURS)
