"""Verdicts, both scores, and why an answer is wrong."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.tiny_archive import tiny_archive, write_questions

from worktrial.archive.store.archive import Archive
from worktrial.grading import Outcome
from worktrial.suites.documents.choices import Setup
from worktrial.suites.documents.load import load_questions
from worktrial.suites.documents.question import DocumentQuestion, GoldFigure, GoldPage
from worktrial.suites.documents.scoring import SCORES, ScoreSettings
from worktrial.suites.documents.task import AnswerGrader
from worktrial.workplaces import Observation, Origin, StopReason, ToolCall, Trajectory

MARCH, APRIL = "harbor_bulletin_1951_03", "harbor_bulletin_1951_04"


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, DocumentQuestion]:
    folder: Path = tmp_path_factory.mktemp("questions")
    return {q.id: q for q in load_questions(write_questions(folder)).questions}


def _grader(setup: Setup = Setup.ARCHIVE, **settings: Any) -> AnswerGrader:
    return AnswerGrader(setup, ScoreSettings(**settings), Archive.open(tiny_archive()), {"questions": "q"})


def _did(answer: str, *pages: tuple[str, int], stop: StopReason = StopReason.ANSWERED) -> Trajectory:
    calls = [
        ToolCall(n, n, "read_page", {"document": d, "page": p}, Observation({"text": "…"}, Origin.EXECUTABLE))
        for n, (d, p) in enumerate(pages)
    ]
    return Trajectory(calls=calls, answer=answer, stop_reason=stop, turns=len(calls) + 1)


def test_a_right_answer(questions: dict[str, DocumentQuestion]) -> None:
    result = _grader()(questions["HB1"], _did("So <FINAL_ANSWER>4,385</FINAL_ANSWER>", (MARCH, 2)))
    assert result.outcome is Outcome.PASS
    measures = result.measures
    assert measures["published"] == measures["ours"] == {"0": 1.0, "0.001": 1.0, "0.01": 1.0, "0.05": 1.0}
    assert measures["failure"] is measures["diagnosis"] is None
    assert measures["retrieval"]["page_recall"] == 1
    assert measures["data_revision"] == {"questions": "q"} and measures["scorer_version"] == SCORES


@pytest.mark.parametrize(
    ("answer", "pages", "kind", "cause"),
    [
        ("4,389", [(MARCH, 2)], "wrong_revision", "revision"),
        ("4,385,000", [(MARCH, 2)], "unit", "times_1000"),
        ("4,120", [(MARCH, 2)], "retrieval", "adjacent_year"),
        ("3,502", [(MARCH, 2)], "retrieval", "neighbour_column"),
        ("9,999", [], "retrieval", "other"),
        ("4,300", [(APRIL, 2)], "retrieval", None),
        ("", [(MARCH, 2)], "no_answer", None),
        ("It cannot be determined.", [(MARCH, 2)], "no_answer", None),
        ("I went on, and on", [(MARCH, 2)], "no_answer", "no_number"),
        ("9,999", [(MARCH, 2)], "unknown", "other"),
    ],
)
def test_why_a_lookup_is_wrong(
    answer: str, pages: list[tuple[str, int]], kind: str, cause: str | None, questions: dict[str, DocumentQuestion]
) -> None:
    result = _grader()(questions["HB1"], _did(answer, *pages))
    assert result.outcome is Outcome.FAIL
    assert result.measures["failure"]["kind"] == kind, result.measures
    if cause is not None:
        assert result.measures["diagnosis"]["cause"] == cause
    assert (kind in result.reason) is (kind != "unknown")


def test_limits_come_first(questions: dict[str, DocumentQuestion]) -> None:
    result = _grader()(questions["HB1"], _did("", (MARCH, 2), stop=StopReason.TURN_LIMIT))
    assert result.measures["failure"]["kind"] == "budget"


def test_the_form_is_wrong_and_not_the_value(questions: dict[str, DocumentQuestion]) -> None:
    long = "The customs receipts were as follows.\n\n4,385"
    result = _grader()(questions["HB1"], _did(long, (MARCH, 2)))
    assert result.measures["failure"]["kind"] == "format"
    assert _grader(scorer="ours")(questions["HB1"], _did(long, (MARCH, 2))).outcome is Outcome.PASS


def test_the_tolerance_decides_only_the_verdict(questions: dict[str, DocumentQuestion]) -> None:
    strict, wide = _grader(), _grader(tolerance=0.01)
    trajectory = _did("4,380", (MARCH, 2))
    assert strict(questions["HB1"], trajectory).outcome is Outcome.FAIL
    result = wide(questions["HB1"], trajectory)
    assert result.outcome is Outcome.PASS
    assert result.measures["published"] == {"0": 0.0, "0.001": 0.0, "0.01": 1.0, "0.05": 1.0}


def _sum(*figures: str, kind: str = "sum") -> DocumentQuestion:
    page = GoldPage(MARCH, 2)
    return DocumentQuestion(
        id="S",
        text="What is the sum?",
        answer="716",
        documents=(MARCH,),
        pages=(page,),
        kind=kind,
        figures=tuple(GoldFigure(page, figure) for figure in figures),
    )


def test_what_was_made_of_the_figures_is_wrong() -> None:
    right = _sum("361", "355")
    assert _grader()(right, _did("9", (MARCH, 2))).measures["failure"]["kind"] == "formula"
    assert _grader()(right, _did("361", (MARCH, 2))).measures["failure"]["kind"] == "formula"
    assert _grader(Setup.ORACLE_PAGES)(right, _did("9")).measures["failure"]["kind"] == "formula"


def test_the_archive_misread_a_figure() -> None:
    found = _grader()(_sum("361", "356"), _did("9", (MARCH, 2))).measures["failure"]
    assert found["kind"] == "parse" and "356" in found["why"]


def test_what_stands_in_a_picture() -> None:
    assert _grader()(_sum(kind="chart"), _did("9", (MARCH, 2))).measures["failure"]["kind"] == "visual"


def test_the_year_is_of_the_other_kind() -> None:
    question = _sum("361", "355", kind="calendar_vs_fiscal")
    found = _grader()(question, _did("4,385", (MARCH, 2))).measures
    assert (found["failure"]["kind"], found["diagnosis"]["cause"]) == ("fiscal_calendar", "fiscal_calendar")


def test_reading_from_python_is_not_held_against_an_agent(questions: dict[str, DocumentQuestion]) -> None:
    trajectory = _did("9,999")
    shown = Observation({"value": "4385"}, Origin.EXECUTABLE)
    trajectory.calls.append(ToolCall(0, 0, "python", {"code": "rows('select 1')"}, shown))
    result = _grader()(questions["HB1"], trajectory)
    assert result.measures["failure"]["kind"] == "unknown"
    assert result.measures["retrieval"]["unrecorded"] is True


def test_without_an_archive(questions: dict[str, DocumentQuestion]) -> None:
    grader = AnswerGrader(Setup.CLOSED, ScoreSettings(), None, {})
    assert grader(questions["HB1"], _did("9,999")).measures["failure"]["kind"] == "unknown"
    assert grader(questions["HB3"], _did("Odda Fenwick")).outcome is Outcome.PASS
    assert grader(questions["HB3"], _did("Somebody")).measures["diagnosis"] is None
