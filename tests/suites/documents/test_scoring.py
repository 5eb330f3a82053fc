"""Both scores at every tolerance, their version, rows of a file, and the unit that a question asks for."""

import json
from hashlib import sha256

import pytest
from tests.support.data import real_data_dir

from worktrial.errors import BadRow
from worktrial.language import JsonObject
from worktrial.suites.documents.answers import AnswerPair, our_score, question_unit
from worktrial.suites.documents.choices import AnswerMode
from worktrial.suites.documents.question import DocumentQuestion
from worktrial.suites.documents.scoring import (
    SCORES,
    TOLERANCES,
    constant_measures,
    score_answer,
    score_answer_row,
    score_measures,
)

ANSWERS = [
    AnswerPair("100", "100"),
    AnswerPair("100", "100.1"),
    AnswerPair("100", "104"),
    AnswerPair("100", "about 100"),
    AnswerPair("5.2 billion", "5,200 million"),
    AnswerPair("Ohio", "Texas"),
]


def test_both_scores_are_measured_at_each_tolerance() -> None:
    measured = [score_measures(answer) for answer in ANSWERS]
    right = {
        mode: tuple(sum(one[mode][f"{at:g}"] for one in measured) for at in TOLERANCES)
        for mode in ("published", "ours")
    }
    assert TOLERANCES == (0, 0.001, 0.01, 0.05)
    assert right == {"published": (2, 3, 3, 4), "ours": (2, 3, 3, 4)}
    assert "hedged" in measured[3]["ours_why"]
    assert "million" in measured[4]["published_why"]


@pytest.mark.parametrize(
    ("text", "answer", "right"),
    [
        ("How much oats did Yarrow deliver in 1956?", "cannot be told", 1),
        ("How much oats did Yarrow deliver in 1956?", "1956", 0),
        ("For which of the years 1955, 1956 and 1957 do they disagree?", "1956; 1957", 1),
        ("For which of the years 1955, 1956 and 1957 do they disagree?", "1955", 0),
        ("For which years do they disagree?", "cannot be told", 1),
    ],
)
def test_what_is_said_without_any_document(text: str, answer: str, right: int) -> None:
    measured = constant_measures(DocumentQuestion("Q", text, answer))
    assert measured == {mode: {f"{at:g}": right for at in TOLERANCES} for mode in ("published", "ours")}


VERDICTS = {"answers-2": ("d9db03ce89fb", "bcadcb8f979d")}
"""Version of the scores to hashes of what they say: about the answers above, and about the recorded ones."""


def test_the_version_stands_for_its_verdicts() -> None:
    units = (None, "millions of dollars", "percent")
    said = [
        score_answer(AnswerPair(gold.ground_truth, reply.predicted, unit), mode, tolerance)
        for gold in ANSWERS
        for reply in ANSWERS
        for unit in units
        for mode in AnswerMode
        for tolerance in TOLERANCES
    ]
    told = sha256(json.dumps(said).encode()).hexdigest()[:12]
    # Another hash means other scores: raise the version, and never change an entry.
    assert VERDICTS[SCORES][0] == told


@pytest.mark.real_data
def test_the_version_stands_for_its_verdicts_on_recorded_answers() -> None:
    text = (real_data_dir() / "oracles" / "answer_pairs.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.split("\n") if line]
    said = [
        score_answer(
            AnswerPair(row["ground_truth"] or "", row["predicted"] or "", unit), mode, row["tolerance"]
        ).score
        for row in rows
        for unit in (None, "millions of dollars")
        for mode in AnswerMode
    ]
    told = sha256(bytes(map(int, said))).hexdigest()[:12]
    assert VERDICTS[SCORES][1] == told


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


def test_the_row_s_unit_counts_in_our_score() -> None:
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
