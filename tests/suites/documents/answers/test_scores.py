import json

import pytest
from tests.support.data import real_data_dir

from worktrial.suites.documents.answers import (
    TOLERANCES,
    Answer,
    AnswerMode,
    agreement,
    our_score,
    question_unit,
    tolerance_curve,
)

ANSWERS = [
    Answer("100", "100"),
    Answer("100", "100.1"),
    Answer("100", "104"),
    Answer("100", "about 100"),
    Answer("5.2 billion", "5,200 million"),
    Answer("Ohio", "Texas"),
]


def test_the_curve_counts_both_scores_at_each_tolerance() -> None:
    points = tolerance_curve(ANSWERS)
    assert tuple(point.tolerance for point in points) == TOLERANCES == (0, 0.001, 0.01, 0.05)
    assert [(point.published, point.ours) for point in points] == [(2, 2), (3, 3), (3, 3), (4, 4)]
    assert points[0].rate(AnswerMode.PUBLISHED) == pytest.approx(1 / 3)
    assert {point.answers for point in points} == {6}


def test_the_curve_of_nothing_has_no_rate() -> None:
    assert [point.rate(AnswerMode.OURS) for point in tolerance_curve([])] == [None] * 4


def test_disagreements_are_listed_with_both_reasons() -> None:
    found = agreement(ANSWERS)
    assert (found.both_right, found.both_wrong, found.answers) == (1, 3, 6)
    [published], [ours] = found.only_published, found.only_ours
    assert (published.index, ours.index) == (3, 4)
    assert "hedged" in published.ours.why
    assert "million" in ours.published.why
    assert found.rate == pytest.approx(4 / 6)


def test_agreement_on_nothing_is_full() -> None:
    assert agreement([]).rate == 1


@pytest.mark.parametrize(
    ("question", "unit"),
    [
        ("What were receipts in 1940, in millions of nominal dollars?", "millions of dollars"),
        ("By how many billions of dollars did it rise?", "billions of dollars"),
        ("The table is in thousands of dollars. Give the sum in millions of dollars.", "millions of dollars"),
        ("What percentage of receipts (in millions) came from customs?", "percent"),
        ("What was the percent change?", "percent"),
        ("By how many percentage points did the share rise?", "percentage points"),
        ("Give the share of notes as a decimal.", "a fraction"),
        ("What is the slope in millions of dollars per year?", "millions of dollars per year"),
        ("Which state had the largest collections?", None),
    ],
)
def test_the_unit_that_a_question_asks_for(question: str, unit: str | None) -> None:
    assert question_unit(question) == unit


@pytest.mark.real_data
def test_units_of_real_questions_and_their_own_answers() -> None:
    text = (real_data_dir() / "officeqa" / "truth" / "questions.jsonl").read_text(encoding="utf-8")
    for question in map(json.loads, text.strip().split("\n")):
        if question["kind"] != "list":
            assert question_unit(question["question"]) == question["unit"]
        assert our_score(question["answer"], question["answer"], unit=question["unit"]).score == 1
