"""What an answer states, and what it only seems to state."""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from tests.support import spellings
from tests.support.growth import growth

from worktrial.grading.state_checks import Check, CheckResult, run_checks
from worktrial.workplaces import Trajectory

CHECKS: TypeAdapter[Any] = TypeAdapter(Check)


def judged(check: dict[str, Any], answer: str) -> CheckResult:
    given = CHECKS.validate_python(check)
    (result,) = run_checks([given], initial_state={}, final_state={}, trajectory=Trajectory(answer=answer))
    return result


TIME = {"check": "answer_time", "value": "2025-10-21T14:50"}
RIGHT_TIMES = [
    "The next update is due at 2025-10-21T14:50.",
    *(
        "14:50",
        "2:50pm",
        "2:50 p.m.",
        "2.50 pm",
        "02:50 PM",
        "14h50",
        "1450 hrs",
        "14:50:00",
        "(14:50)",
        "**14:50**",
    ),
    *(
        "오후 2:50",
        "오후 2시 50분에",
        "14시50분",
        "오후 두 시 오십 분",
        "낮 2시 50분",
        "2025년 10월 21일(화) 오후 2시 50분",
    ),
    *(
        "2:50 in the afternoon",
        "this afternoon at 2:50 pm",
        "14:50 on 21 October",
        "Oct 21, 2:50 PM",
        "다음 공지14:50",
    ),
    *("from 2:20 to 2:50 pm", "between 14:20 and 14:50", "오후 2시 20분부터 2시 50분까지", "오후 2:20~2:50"),
    *(
        "not before 14:50",
        "no later than 14:50",
        "14:50 (not 15:50)",
        "10/21/2025 14:50",
        "2025-10-21T14:50:00+09:00",
    ),
    "14:50 rather than 15:00",
]
WRONG_TIMES = [
    *(
        "14:51",
        "2:50",
        "2:50 am",
        "오전 2시 50분",
        "02:50",
        "14.50",
        "14:50:30",
        "4:50 pm",
        "14:5",
        "114:50",
        "2시간 50분",
    ),
    *(
        "2025-10-22T14:50",
        "2025-10-22 14:50",
        "14:50 on 22 October",
        "October 22 at 2:50 pm",
        "10월 22일 오후 2시 50분",
    ),
    *(
        "not 14:50",
        "14:50이 아니라 15:50",
        "instead of 14:50 it is 15:50",
        "14:50 or 15:50",
        "either 2:50 pm or 3:50 pm",
    ),
    *("오후 2시 50분 또는 오후 3시 50분", "in 14 or 50 minutes", "$14,50", "noon", "", "14-50", "P-14:500"),
]


@pytest.mark.parametrize("answer", RIGHT_TIMES)
def test_times(answer: str) -> None:
    result = judged(TIME, answer)
    assert result.passed, result


@pytest.mark.parametrize("answer", WRONG_TIMES)
def test_other_times(answer: str) -> None:
    result = judged(TIME, answer)
    assert not result.passed, result


def test_a_time_without_date_may_be_of_any_day() -> None:
    anytime = {"check": "answer_time", "value": "03:27"}
    for answer in ("2025-10-22T03:27", "3:27", "새벽 3시 27분", "밤 10:12~3:27", "오후 10시 12분부터 3시 27분까지"):
        assert judged(anytime, answer).passed, answer
    for answer in ("3:27 pm", "오후 3:27", "from 1:00 to 3:27 pm"):
        assert not judged(anytime, answer).passed, answer
    assert judged({"check": "answer_time", "value": "00:54"}, "12:54 a.m.").passed
    assert judged({"check": "answer_time", "value": "00:00"}, "자정까지").passed
    assert judged({"check": "answer_time", "value": "12:00"}, "at noon").passed


DATE = {"check": "answer_date", "value": "2025-05-19"}
RIGHT_DATES = [
    *(
        "2025-05-19",
        "by 2025/05/19",
        "2025.05.19",
        "2025. 5. 19.",
        "20250519",
        "19 May 2025",
        "May 19th",
        "the 19th of May",
    ),
    *(
        "May 19, 2025",
        "19-May-2025",
        "Monday, 19 May",
        "5월 19일까지",
        "5월19일",
        "2025년 5월 19일",
        "'25년 5월 19일",
    ),
    *("05/19/2025", "19/05/2025", "5/19/25", "19.05.2025", "까지5/19입니다", "2025-05-19T00:00", "(2025-05-19)"),
]
WRONG_DATES = [
    *(
        "2025-05-18",
        "2024-05-19",
        "May 19, 2024",
        "May 2025",
        "2025년 5월 9일",
        "19 June 2025",
        "5.19",
        "5-19",
        "May 190",
    ),
    *(
        "not 2025-05-19",
        "2025-05-19 or 2025-05-20",
        "5월 19일이 아니라 5월 20일",
        "19",
        "2025",
        "",
        "at least 19 may be",
    ),
]


@pytest.mark.parametrize("answer", RIGHT_DATES)
def test_dates(answer: str) -> None:
    result = judged(DATE, answer)
    assert result.passed, result


@pytest.mark.parametrize("answer", WRONG_DATES)
def test_other_dates(answer: str) -> None:
    result = judged(DATE, answer)
    assert not result.passed, result


def test_an_order_of_numbers_is_never_guessed() -> None:
    june = {"check": "answer_date", "value": "2025-06-05"}
    may = {"check": "answer_date", "value": "2025-05-06"}
    for check in (june, may):
        result = judged(check, "It is due on 05/06/2025.")
        assert not result.passed and "can be" in result.why
    # What the author says decides; so does a date of the same answer that has one reading only.
    assert judged({**june, "order": "day_first"}, "due on 05/06/2025").passed
    assert not judged({**may, "order": "day_first"}, "due on 05/06/2025").passed
    assert judged({**may, "order": "month_first"}, "due on 05/06/2025").passed
    assert judged(may, "Asked on 04/17/2025, due on 05/06/2025.").passed
    assert judged(june, "Asked on 17/04/2025, due on 05/06/2025.").passed
    # In Korean the month comes first, and the year before it.
    assert judged(may, "기한은 5/6입니다").passed
    assert judged(may, "기한은 25.05.06입니다").passed
    # An order that the calendar forbids is no order.
    assert judged({**DATE, "order": "day_first"}, "05/19/2025").passed


EUROS = {"check": "answer_money", "value": 1234.5, "currency": "EUR"}
RIGHT_MONEY = [
    *(
        "€1,234.50",
        "1234.5",
        "1.234,50 €",
        "EUR 1 234,50",
        "1'234.50 euros",
        "1,234.50유로",
        "1234.50 EUR",
        "€ 1,234.50",
    ),
    *("1,234 euros and 50 cents", "1,234유로 50센트", "(1,234.50)", "1.2345 thousand euros", "１，２３４.５０유로"),
    *("1천 234.5유로", "not 1,000 but 1,234.50 euros", "it owes **€1,234.50**"),
]
WRONG_MONEY = [
    *(
        "€1,234.51",
        "$1,234.50",
        "1,234.50 dollars",
        "1,234.50원",
        "₩1,234.50",
        "1,234.50 %",
        "€1,234.50 million",
        "1,2345",
    ),
    *("1,234 euros", "€12,345.0", "-€1,234.50", "E-1234.50", "€1,234.50 or €1,334.50", "not 1,234.50", "", "1.234"),
]


@pytest.mark.parametrize("answer", RIGHT_MONEY)
def test_money(answer: str) -> None:
    result = judged(EUROS, answer)
    assert result.passed, result


@pytest.mark.parametrize("answer", WRONG_MONEY)
def test_other_money(answer: str) -> None:
    result = judged(EUROS, answer)
    assert not result.passed, result


def test_korean_amounts() -> None:
    for written in (
        "12,000원",
        "₩12,000",
        "1만 2천원",
        "1만2천 원",
        "1만 2,000원",
        "12천원",
        "만 이천 원"[2:] and "12,000 won",
    ):
        assert judged(
            {"check": "answer_money", "value": 12000, "currency": "KRW"}, f"비용은 {written}입니다"
        ).passed
    for written in ("1만 2백원", "12,000달러", "1만 2천 1백원", "12만원"):
        assert not judged({"check": "answer_money", "value": 12000, "currency": "KRW"}, f"비용은 {written}").passed


@pytest.mark.parametrize(
    ("value", "right", "wrong"),
    [
        (
            8,
            ["8 days", "eight days", "8일", "여덟 건", "8/10 points", "**8**", "8.0", "(8)"],
            ["18", "80", "A8", "#8", "8th"],
        ),
        (
            8,
            ["8 chargeable days"],
            ["8 or 9 days", "8일 또는 9일", "not 8", "8이 아니라 9", "2025-08-08", "8:08", "8 million"],
        ),
        (24, ["twenty-four", "스물네 개", "24웰"], ["24,5", "124", "2024-01-01", "24:00", "x24"]),
        (-40, ["-40", "−40.00", "minus 40", "(40.00)", "마이너스 40"], ["R-40", "40", "1-40", "a - 40"]),
        (0.125, ["12.5%", "0.125", ".125", "1/8", "⅛", "12.5퍼센트"], ["12.5", "1.25%", "8/1"]),
        (
            3168,
            ["3,168", "3 168", "three thousand one hundred and sixty-eight", "삼천백육십팔 개"],
            ["3.168", "31,68"],
        ),
        (1.5, ["1½", "1 1/2", "1,5", "one point five"], ["15", "1.5 thousand", "v1.5.2"]),
        (3, ["세 개", "three lots"], ["third", "이 세상", "section 3rd"]),
        (1, ["one order"], ["no one", "this one", "one of them", "for everyone"]),
        (70461, ["70,461", "7만 461", "70461건"], ["7만 4,61", "704.61", "7만461천"]),
    ],
)
def test_numbers(value: float, right: list[str], wrong: list[str]) -> None:
    check = {"check": "answer_number", "value": value}
    for answer in right:
        assert judged(check, f"It is {answer}.").passed, judged(check, f"It is {answer}.")
    for answer in wrong:
        assert not judged(check, f"It is {answer}.").passed, judged(check, f"It is {answer}.")


@pytest.mark.parametrize(
    ("value", "right", "wrong"),
    [
        (
            "R-905",
            [
                "R-905",
                "r-905",
                "R905",
                "R 905",
                "R\u2011905",
                "`R-905`",
                "R_905",
                "R-904–R-905",
                "R-905는",
                "R-904/R-905",
            ],
            [
                "R-9051",
                "PR-905",
                "X-R-905",
                "R-905-B",
                "R-95",
                "R-906 instead of R-905",
                "R-905 or R-906",
                "R-905가 아니라",
                "905",
                "r 905",
            ],
        ),
        (
            "A2",
            ["A2", "a2", "A-2", "bed A2.", "A2로"],
            ["A21", "AA2", "A-21", "a 2 hour delay", "A 2 hour delay", "A2-7", "A4 instead of A2"],
        ),
        (
            "3.8.0",
            ["3.8.0", "v3.8.0", "V3.8.0", "3.8.0입니다", "(3.8.0)"],
            ["13.8.0", "3.8.0.1", "3.8.01", "3.8", "3-8-0", "3.8.0-rc1"],
        ),
        ("SEV1", ["SEV1", "SEV 1", "Sev-1", "sev1"], ["SEV11", "SEV2", "sev 1"]),
        ("CSC-210", ["CSC-210", "CSC 210", "CSC210", "csc-210"], ["CSC-210-B", "CSC-2100", "CSC-211"]),
    ],
)
def test_ids(value: str, right: list[str], wrong: list[str]) -> None:
    check = {"check": "answer_id", "value": value}
    for answer in right:
        assert judged(check, f"It is {answer}").passed, judged(check, f"It is {answer}")
    for answer in wrong:
        assert not judged(check, f"It is {answer}").passed, judged(check, f"It is {answer}")


def test_names_of_a_thing_stand_for_its_id() -> None:
    check = {"check": "answer_id", "value": "CSC-210-B", "names": ["section B"]}
    assert judged(check, "She is in Section  B.").passed
    assert not judged(check, "She is in section BB.").passed
    assert not judged(check, "She is in section A instead of section B.").passed


CHOICE = {
    "check": "answer_choice",
    "value": "passed",
    "options": {
        "passed": ["passed", "pass", "met", "통과", "충족"],
        "failed": ["failed", "fails", "breached", "미달"],
    },
}


@pytest.mark.parametrize(
    "answer", ["It passed.", "**Passed**", "1.25: met; no test failed", "통과했습니다", "It did not fail: pass"]
)
def test_choices(answer: str) -> None:
    assert judged(CHOICE, answer).passed, judged(CHOICE, answer)


@pytest.mark.parametrize(
    "answer",
    [
        "It did not pass.",
        "It failed.",
        "passed or failed",
        "The ratio is not met",
        "통과하지 못했습니다",
        "미충족",
        "",
        "surpassed",
    ],
)
def test_other_choices(answer: str) -> None:
    assert not judged(CHOICE, answer).passed, judged(CHOICE, answer)


def test_phrases() -> None:
    answer = "Bed **A21** is free for 3.50; the cure\nperiod ends on May 19."
    for check, passed in [
        ({"check": "answer_mentions", "any_of": ["A2"]}, False),
        ({"check": "answer_mentions", "any_of": ["a21"]}, True),
        ({"check": "answer_mentions", "any_of": ["3"]}, False),
        ({"check": "answer_mentions", "any_of": ["50"]}, False),
        ({"check": "answer_mentions", "any_of": ["3.50"]}, True),
        ({"check": "answer_mentions", "any_of": ["cure period"]}, True),
        ({"check": "answer_mentions", "any_of": ["May 1", "1 May"]}, False),
        ({"check": "answer_lacks", "any_of": ["A2"]}, True),
        ({"check": "answer_lacks", "any_of": ["may 19"]}, False),
    ]:
        assert judged(check, answer).passed is passed, check


def test_a_result_says_what_was_read() -> None:
    assert judged(TIME, "at 15:50 and 2:50").why == "it states 15:50, 02:50"
    assert judged(TIME, "14:50 on 22 October").why == "it states 14:50 of 10-22"
    assert judged(DATE, "on 05/06/2025").why == "it states a date that can be 2025-05-06 or 2025-06-05"
    assert judged(EUROS, "$1,234.50").why == "it states no number"
    assert judged(TIME, "not 14:50").why == "it denies it: 'not 14:50'"
    assert judged(TIME, "14:50 or 15:50").why == "it leaves it open: '14:50 or 15:50'"
    assert judged({"check": "answer_id", "value": "R-905"}, "R-906").why == "it states R-906"


@pytest.mark.parametrize(
    ("check", "said"),
    [
        ({"check": "answer_time", "value": 890}, "put the time in quotes"),
        ({"check": "answer_time", "value": "2:50 pm"}, "write '14:50'"),
        ({"check": "answer_time", "value": "2025-10-21T14:50Z"}, "time zone"),
        ({"check": "answer_date", "value": "19 May"}, "write 2025-05-19"),
        ({"check": "answer_date", "value": "2025-05-19", "order": "american"}, "month_first"),
        ({"check": "answer_money", "value": 1, "currency": "€"}, "write EUR"),
        ({"check": "answer_money", "value": 1, "tolerance": -1}, "greater than or equal"),
        ({"check": "answer_id", "value": ""}, "such as R-905"),
        (
            {"check": "answer_choice", "value": "passd", "options": {"passed": ["passed"]}},
            "none of the options passed",
        ),
        ({"check": "answer_choice", "value": "passed", "options": {"passed": []}}, "at least 1"),
        ({"check": "answer_mentions", "any_of": []}, "at least 1"),
        ({"check": "answer_mentions", "any_of": [" "]}, "pattern"),
        ({"check": "answer_text", "value": "x"}, "answer_time"),
    ],
)
def test_checks_that_cannot_be_read(check: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        CHECKS.validate_python(check)


MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2029, 12, 31)).map(
    lambda t: t.replace(second=0, microsecond=0)
)
LANGUAGES = st.sampled_from(["en", "ko"])
SENTENCES = {"en": "The truck leaves {}, as agreed.", "ko": "출발은 {}이며, 합의된 대로입니다."}


@given(MOMENTS, st.integers(1, 1439), LANGUAGES)
def test_any_time_is_read_and_no_other(at: datetime, minutes: int, language: str) -> None:
    other = at + timedelta(minutes=minutes)
    for written in spellings.times(at, language):
        answer = SENTENCES[language].format(written)
        assert judged({"check": "answer_time", "value": f"{at:%Y-%m-%dT%H:%M}"}, answer).passed, answer
        assert not judged({"check": "answer_time", "value": f"{other:%Y-%m-%dT%H:%M}"}, answer).passed, answer


@given(st.dates(date(2020, 1, 1), date(2029, 12, 31)), st.integers(1, 200), LANGUAGES)
def test_any_date_is_read_and_no_other(day: date, days: int, language: str) -> None:
    other = day + timedelta(days=days)
    for written in spellings.dates(day, language):
        answer = SENTENCES[language].format(written)
        check = {"check": "answer_date", "order": "month_first"}
        assert judged({**check, "value": str(day)}, answer).passed, answer
        assert not judged({**check, "value": str(other)}, answer).passed, answer


@given(
    st.decimals(min_value=Decimal("0.01"), max_value=10**9, places=2), LANGUAGES, st.sampled_from(["EUR", "USD"])
)
def test_any_amount_is_read_and_no_other(amount: Decimal, language: str, currency: str) -> None:
    check = {"check": "answer_money", "currency": currency}
    for written in spellings.numbers(amount, currency, language):
        answer = SENTENCES[language].format(written)
        assert judged({**check, "value": float(amount)}, answer).passed, answer
        assert not judged({**check, "value": float(amount) + 0.01}, answer).passed, answer
        if "(" not in written:  # which may be a minus, or a remark
            assert not judged({**check, "value": -float(amount)}, answer).passed, answer


@given(st.integers(0, 10**7), LANGUAGES)
def test_any_count_is_read_and_no_other(count: int, language: str) -> None:
    for written in spellings.numbers(Decimal(count), None, language):
        answer = SENTENCES[language].format(written)
        assert judged({"check": "answer_number", "value": count}, answer).passed, answer
        assert not judged({"check": "answer_number", "value": count + 1}, answer).passed, answer


EVERY = [
    *(TIME, DATE, EUROS, CHOICE, {"check": "answer_number", "value": 8}, {"check": "answer_id", "value": "R-905"}),
    {"check": "answer_mentions", "any_of": ["a"]},
]


@given(st.text() | st.text(alphabet="0123456789:,./- ()$€월일시분년만천원pmaotr한", max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    for check in EVERY:
        judged(check, text)


@pytest.mark.parametrize(
    "piece", ["one 1 ", "14:51 ", "5/6/2025 ", "(5 ", "1/2/", "1234567890", "1 234 ", "R-906 or "]
)
def test_long_answers_take_no_time(piece: str) -> None:
    def read(length: int) -> None:
        for check in EVERY:
            judged(check, (piece * length)[:length])

    # Four times the length: 16 for its square.
    assert growth(read, 5_000) < 9
