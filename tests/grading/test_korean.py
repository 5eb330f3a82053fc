"""Korean answers are read as a Korean office writes them: two hundred spellings, and the page's own list."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from tests.grading.cases import trajectory
from tests.grading.korean_spellings import HELD_BACK, TUNED_ON

from worktrial.grading.answer_checks import AnswerChoice, AnswerDate, AnswerMoney, AnswerNumber, AnswerTime, plain
from worktrial.grading.check import CheckResult, Facts
from worktrial.grading.written.amounts import stated_amounts, stated_numbers
from worktrial.grading.written.dates import dates
from worktrial.grading.written.times import times


def run(check: Any, answer: str) -> CheckResult:
    return check.run(Facts({}, {}, trajectory(answer=answer)))


def numbers_in(answer: str) -> set[float]:
    read = {round(float(one.values[0]), 6) for one in stated_numbers(plain(answer))}
    return {value for value in read if run(AnswerNumber(check="answer_number", value=value), answer).passed}


def won_in(answer: str) -> set[float]:
    read = {float(one.values[0]) for one in stated_amounts(plain(answer))}
    euros = [AnswerMoney(check="answer_money", value=value, currency="EUR") for value in read]
    assert not any(run(check, answer).passed for check in euros), "won pass as euros"
    return {
        value
        for value in read
        if run(AnswerMoney(check="answer_money", value=value, currency="KRW"), answer).passed
    }


def dates_in(answer: str) -> set[str]:
    answer = f"날짜: {answer}"  # digits alone do not tell that an answer is Korean
    read = {date(day.year or 2026, day.month, day.day) for one in dates(plain(answer)) for day in one.readings}
    return {str(day) for day in read if run(AnswerDate(check="answer_date", value=day), answer).passed}


def times_in(answer: str) -> set[str]:
    read = {one.time for one in times(plain(answer))}
    return {f"{at:%H:%M}" for at in read if run(AnswerTime(check="answer_time", value=at), answer).passed}


READERS: dict[str, Callable[[str], set[Any]]] = {
    "number": numbers_in,
    "won": won_in,
    "date": dates_in,
    "time": times_in,
}


def is_read(kind: str, answer: str, meaning: Any) -> bool:
    if kind == "said":
        word, said = meaning
        result = run(AnswerChoice(check="answer_choice", value="it", options={"it": (word,)}), answer)
        return result.passed is {"yes": True, "no": False, "undecided": None}[said]
    right = {round(one, 6) if isinstance(one, float) else one for one in meaning}
    return READERS[kind](answer) == right


@pytest.mark.parametrize(("kind", "answer", "meaning"), TUNED_ON)
def test_korean_is_read(kind: str, answer: str, meaning: Any) -> None:
    assert is_read(kind, answer, meaning)


@pytest.mark.parametrize(("kind", "answer", "meaning"), HELD_BACK)
def test_korean_that_was_held_back_is_read(kind: str, answer: str, meaning: Any) -> None:
    assert is_read(kind, answer, meaning)


@pytest.mark.parametrize(
    ("kind", "answer", "meaning"),
    [
        ("number", "이십삼일", [23]),
        ("number", "만 원이면 됩니다. 이만 마칩니다.", [10_000]),
        ("won", "12,000원이며 환불했습니다", [12_000]),
        ("date", "26.3.4(수)까지입니다", ["2026-03-04"]),
        ("time", "열다섯 개를 오후 12시 5분 전에서 옮김", ["12:05"]),
        ("time", "오후 12시 5분 전", ["11:55"]),
        ("said", "승인 요청을 보냈습니다.", ("승인", "undecided")),
        ("said", "승인 사유가 부족하지 않습니다.", ("승인", "undecided")),
        ("said", "최종미승인", ("승인", "undecided")),
        ("said", "승인하고 있지 않습니다.", ("승인", "undecided")),
        ("said", "승인했으며 문제는 없습니다.", ("승인", "yes")),
        ("said", "승인했고 반려하지 않았습니다.", ("승인", "yes")),
    ],
)
def test_what_korean_leaves_open_is_undecided(kind: str, answer: str, meaning: Any) -> None:
    assert is_read(kind, answer, meaning)


def test_a_word_and_its_denial_are_two_options() -> None:
    options = {"동의": ("동의",), "부동의": ("부동의", "동의하지 않")}
    for answer, said in (("부동의합니다.", "부동의"), ("동의합니다.", "동의")):
        for value in options:
            result = run(AnswerChoice(check="answer_choice", value=value, options=options), answer)
            assert result.passed is (value == said)
