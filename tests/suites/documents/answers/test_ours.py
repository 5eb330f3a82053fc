from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.growth import growth

from worktrial.suites.documents.answers import our_score

RIGHT = {
    "scales convert": [
        ("5.2 billion", "5,200 million"),
        ("5.2 billion", "$5,200,000,000"),
        ("543 million", "543m"),
        ("543 million", "543 (millions)"),
        ("543 million", "in millions of dollars: 543"),
        ("$1.5M", "1,500,000"),
        ("25 cents", "$0.25"),
    ],
    "signs": [
        ("-5", "(5)"),
        ("-5", "−5"),
        ("-5", "–5"),
        ("-5", "minus 5"),
        ("-5", "- 5"),
        ("-2,000", "$(2,000)"),
        ("-2,000", "($2,000)"),
        ("-250 million", "(250 million)"),
        ("0", "-0"),
        ("1953", "(1953)"),  # four bare digits in brackets are rather a year than a loss
    ],
    "notations": [
        ("0.5", "1/2"),
        ("0.5", "½"),
        ("3.5", "3½"),
        ("99.5", "99-16/32"),
        ("1200000", "1.2e6"),
        ("1200000", "1.2 × 10⁶"),
        ("1,234", "1 234"),
        ("1,234", "1'234"),
        ("12.0", "12"),
        (".5", "0.50"),
    ],
    "percent": [
        ("12.5%", "12.5 per cent"),
        ("12.5%", "12.5"),
        ("12.5", "12.5%"),
        ("12.5%", "0.125 as a fraction"),
        ("7.25 percent", "725 bps"),
        ("45%", "45% (1953)"),
    ],
    "what is around the number": [
        ("5", "It was 5."),
        ("1,234", "1,234 in fiscal year 1953"),
        ("1,234", "1953: 1,234"),
        ("3,127", "March 1971 (3,127)"),
        ("-3,127", "March 1971: (3,127)"),
        ("-3,127", "March 1971 (-3,127)"),
        ("-205", "December 2022; -205"),
        ("December 2022; -205", "Dec. 2022, -205"),
        ("December 2022; -205", "December 2022: -205"),
        ("March 1971, 3,127", "March 1971 (3,127)"),
        ("15 to 20 years", "15-20 years"),
        ("15-20 years", "between 15 and 20 years"),
        ("5% to 10%", "5%–10%"),
        ("5,200 million", "5,200 million (5.2 billion)"),
        ("-3.5%", "-3.5% increase from 1953 to 1954"),
        ("5 years", "5"),
    ],
    "dates": [
        ("1977", "in 1977"),
        ("1977", "FY1977"),
        ("March 1977", "Mar. 1977"),
        ("March 1977", "1977-03"),
        ("March 1977", "3/1977"),
        ("April 15, 2020", "15 April 2020"),
        ("April 15, 2020", "4/15/2020"),
        ("April 15, 2020", "April 15th, 2020 (Treasury Bulletin)"),
        ("fiscal year 1953", "FY 1953"),
        ("Q3 2001", "third quarter of 2001"),
        ("1953-54", "1953–1954"),
        ("May", "in May"),
    ],
    "lists": [
        ("[8, 152,260]", "[8,152,260]"),
        ("[8, 152,260]", "8 and 152,260"),
        ("[8, 152,260]", "Slope, intercept: [8, 152,260]"),
        ("[1, 2, 3]", "1, 2, and 3"),
        ("[1, 2, 3]", "1|2|3"),
        ("[-1, -2, -3]", "[-1, -2, -3]"),
        ("[1,950, 1,951]", '["1,950", "1,951"]'),
        ("[1.5, 2.5]", "slope=1.5, b=2.5"),
        ("[1.5 million, 2.5 million]", "[1.5, 2.5] million"),
        ("[0, 5]", "So:\n- 0\n- 5"),
        ("[100, 200]", "[100, 200] for 1953 and 1954"),
        ("Maine; New York", "Maine, New York"),
        ("Maine; New York; Ohio", "Maine, New York and Ohio"),
        ("[A, B]", "[a,b]"),
        ("May 1939; June 1940", "May 1939, June 1940"),
    ],
    "labels": [
        ("[Ohio, 1.5, Texas, 2.5]", "Ohio: 1.5; Texas: 2.5"),
        ("[Ohio, 1.5, Texas, 2.5]", "Ohio (1.5), Texas (2.5)"),
        ("[Ohio, 1.5, Texas, 2.5]", '{"Ohio": 1.5, "Texas": 2.5}'),
        ("[Ohio, 1.5, Texas, 2.5]", "<FINAL_ANSWER>Ohio 1.5\nTexas 2.5</FINAL_ANSWER>"),
        ("Ohio: 1.5; Texas: 2.5", "Texas: 2.5; Ohio: 1.5"),
        ("[Maine, 0.866]", "0.866, Maine"),
        ("[1913, 12,601.26]", "1913 (12,601.26)"),
        ("[(1950, 3.2), (1951, 4.1)]", "1950: 3.2, 1951: 4.1"),
        ("[Yes, 12.5%]", "Yes, 12.5%"),
    ],
    "texts": [
        ("Massachusetts", "**massachusetts**."),
        ("Old-Age (OASI) Trust Fund", "the Old‑Age Trust Fund"),
        ("Veterans' Administration", "Veterans’ Administration"),
        ("Trinidad and Tobago", "The answer is Trinidad & Tobago"),
        ("Under 1 year", "under 1 year"),  # the gold answer has the hedge, too
        ("5-10", "5-10"),
        ("No. 5", "No. 5"),
        ("10th", "10th"),
    ],
}
WRONG = {
    "scale": [
        ("5.2 billion", "5.2"),
        ("543", "543 million"),
        ("543 million", "543 billion"),
        ("543 million dollars", "€543 million"),
    ],
    "sign": [("5", "(5)"), ("5", "-5"), ("(1,000)", "1,000")],
    "percent": [
        ("12.5%", "0.125"),
        ("0.125", "12.5%"),
        ("7.25 percent", "7.25 percentage points"),
        ("7.25 percent", "7.25 bps"),
        ("$45", "45%"),
    ],
    "thing counted": [("5 years", "5 months"), ("5 million per year", "5 million per month")],
    "hedges": [
        ("5", f"{hedge}5")
        for hedge in (
            "about ",
            "approximately ",
            "~",
            "≈",
            "at least ",
            "more than ",
            "over ",
            ">",
            "probably ",
            "±",
        )
    ]
    + [("5", "5?"), ("5", "5+"), ("5", "5 or so"), ("5", "I think 5"), ("March 1977", "before March 1977")],
    "ranges and alternatives": [
        ("5", "5-10"),
        ("5", "5 to 10"),
        ("5", "between 5 and 10"),
        ("5", "5 or 6"),
        ("Ohio", "Ohio or Texas"),
        ("March 1977", "March 1977 and April 1977"),
    ],
    "negations": [("5", "not 5"), ("5", "it isn't 5"), ("Ohio", "not Ohio"), ("5", "unable to determine: 5")],
    "several numbers": [("5", "5 and 6"), ("5", "5, see page 12"), ("5", "2 + 3 = 5")],
    "malformed numbers": [
        ("1234", "1,2,34"),
        ("123456", "1,23,456"),
        ("5", "5x"),
        ("5", "5[1]"),
        ("2,103", "2,103,.31"),
        ("10", "10th"),
        ("5", "5²"),
    ],
    "dates": [
        ("March 1977", "1977"),
        ("March 1977", "March 15, 1977"),
        ("1977", "March 1977"),
        ("fiscal year 1953", "calendar year 1953"),
        ("Q3 2001", "Q2 2001"),
        ("1953-54", "1953"),
        ("15", "March 15"),
    ],
    "lists": [
        ("[1, 2]", "[2, 1]"),
        ("[1, 2]", "[1, 2, 3]"),
        ("[1, 2]", "1"),
        ("[1, 2]", "[1 2]"),
        ("[8, 152,260]", "[8,152,261]"),
        ("[1.5, 2.5]", "[1.5, 2.5] million"),
    ],
    "labels": [
        ("[Ohio, 1.5, Texas, 2.5]", "Ohio: 2.5; Texas: 1.5"),
        ("[Ohio, 1.5, Texas, 2.5]", "Texas: 2.5; Ohio: 1.5"),  # brackets fix the order
        ("Ohio: 1.5; Texas: 2.5", "Texas: 1.5; Ohio: 2.5"),
        ("[Ohio, 1.5, Texas, 2.5]", "1.5, 2.5"),
        ("[Massachusetts, 0.866]", "[Mass, 0.866]"),
        ("[Yes, 12.5%]", "No, 12.5%"),
    ],
    "texts": [("Ohio", "Ohio and Texas"), ("No", "Yes"), ("New York", "New Jersey"), ("12:30", "12.30")],
    "nothing there": [("5", ""), ("5", "none"), ("", "5"), ("5", "<FINAL_ANSWER></FINAL_ANSWER>5")],
}


def flat(cases: dict[str, list[tuple[str, str]]]) -> list[tuple[str, str]]:
    return [pair for pairs in cases.values() for pair in pairs]


@pytest.mark.parametrize(("gold", "answer"), flat(RIGHT))
def test_accepts(gold: str, answer: str) -> None:
    assert our_score(gold, answer).score == 1, our_score(gold, answer).why


@pytest.mark.parametrize(("gold", "answer"), flat(WRONG))
def test_refuses_with_a_reason(gold: str, answer: str) -> None:
    graded = our_score(gold, answer)
    assert graded.score == 0
    assert graded.why


@pytest.mark.parametrize("gold", sorted({gold for gold, _ in flat(RIGHT) + flat(WRONG) if gold}))
def test_a_gold_answer_is_right_itself(gold: str) -> None:
    assert our_score(gold, gold).score == 1, our_score(gold, gold).why


@pytest.mark.parametrize(
    ("answer", "unit", "score"),
    [
        ("543", "millions of dollars", 1),
        ("543 million", "millions of dollars", 1),
        ("0.543 billion", "millions of dollars", 1),
        ("$543,000,000", "millions of dollars", 1),
        ("543,000,000", "millions of dollars", 0),
        ("543 thousand", "millions of dollars", 0),
        ("543%", "millions of dollars", 0),
        ("543 million per month", "millions of dollars per year", 0),
        ("543%", "percent", 1),
        ("5.43", "percent", 0),
        ("5.43 as a fraction", "percent", 1),
        ("543%", "percentage points", 0),
        ("54300%", "a fraction", 1),
    ],
)
def test_the_unit_asked_for_belongs_to_numbers_without_one(answer: str, unit: str, score: int) -> None:
    assert our_score("543", answer, unit=unit).score == score


@pytest.mark.parametrize(
    ("gold", "answer", "tolerance", "score"),
    [
        ("100", "101", 0.01, 1),
        ("100", "101.01", 0.01, 0),
        ("0.3", "0.33", 0.1, 1),  # exact, although 0.1 is no binary fraction
        ("0", "0.0001", 1.0, 0),
        ("5.2 billion", "5,252 million", 0.01, 1),
        ("[100, 200]", "[101, 202]", 0.01, 1),
        ("1977", "1978", 0.05, 0),
        ("1,977", "1,978", 0.05, 1),
        ("March 1977", "March 1978", 0.05, 0),
        ("[1950, 3.2]", "[1951, 3.2]", 0.05, 0),
        ("9007199254740993", "9007199254740992", 0.0, 0),
        ("5", "5", -0.1, 0),
        ("5", "5", float("nan"), 0),
    ],
)
def test_tolerance(gold: str, answer: str, tolerance: float, score: int) -> None:
    assert our_score(gold, answer, tolerance).score == score


def test_a_year_that_is_asked_for_in_dollars_is_an_amount() -> None:
    assert our_score("1950", "1951", 0.01).score == 0
    assert our_score("1950", "1951", 0.01, unit="millions of dollars").score == 1


def test_reasons_can_be_read() -> None:
    assert "hedged" in our_score("5", "about 5").why
    assert "the scale does not" in our_score("5.2 billion", "5.2 million").why
    assert "entry 2 of 2" in our_score("[1, 2]", "[1, 3]").why
    assert "more than the 2" in our_score("[1, 2]", "[1, 2, 3]").why
    assert "never closed" in our_score("5", "<FINAL_ANSWER>5").why


HOSTILE: dict[str, tuple[Callable[[int], tuple[str, str]], int]] = {
    "the same list": (lambda n: ("[" + ",".join(["123"] * n) + "]",) * 2, 125),
    "and": (lambda n: ("[1, 2]", " and ".join(["1"] * n)), 82),
    "labels": (lambda n: ("[a, 1, b, 2]", ", ".join(["a: 1"] * n)), 82),
    "pairs": (
        lambda n: (
            "[" + ", ".join(f"S{i}, {i}" for i in range(n)) + "]",
            ", ".join(f"S{i}, {i}" for i in range(n)),
        ),
        50,
    ),
    "ranges": (lambda n: ("5", "from 1 " * n), 70),
    "numbers": (lambda n: ("5", "1 " * n), 250),
    "dates": (lambda n: ("March 1977", "March 1977 " * n), 45),
    "quotes": (lambda n: ("[1, 2]", " '" * n), 250),
    "commas": (lambda n: ("[1, 2]", "," * n), 500),
    "brackets": (lambda n: ("[" * n, "[" * n + "]" * n), 1250),
    "tags": (lambda n: ("5", "<FINAL_ANSWER>" * n), 250),
    "digits": (lambda n: ("9" * n, "9" * n), 500),
    "powers": (lambda n: ("1e" + "9" * n,) * 2, 250),
}
"""Gold answer and answer of size n, and the smaller n."""


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers_take_no_more_than_the_square_of_their_length(name: str) -> None:
    pair, n = HOSTILE[name]

    def score(size: int) -> None:
        assert our_score(*pair(size)).score in (0, 1)

    # Four times the length: 16 for its square, 64 for its cube.
    assert growth(score, n) < 40


def test_a_number_with_a_power_beyond_reason_is_scored() -> None:
    assert our_score("1e9999", "1e9999").score in (0, 1)


@given(st.text(max_size=40), st.text(max_size=40), st.sampled_from([None, "percent", "millions", "x"]))
def test_any_text_gets_a_score(gold: str, answer: str, unit: str | None) -> None:
    assert our_score(gold, answer, unit=unit).score in (0, 1)


numbers = st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**12), max_value=10**12)
WRITINGS = [
    lambda value: f"{value}",
    lambda value: f"{value:,}",
    lambda value: f"{value:,}".replace(",", " "),
    lambda value: f"{value:,}".replace(",", "'"),
    lambda value: f"{value:,}00",
    lambda value: f"  {value:,} ",
    lambda value: f"{value:,}.",
    lambda value: f"**{value:,}**",
    lambda value: f"{value:,}".replace("-", "−"),
    lambda value: f"${value:,}",
    lambda value: f"-${abs(value):,}" if value < 0 else f"+{value:,}",
    lambda value: f"({abs(value):,})" if value < 0 else f"$ {value:,}",
    lambda value: f"{value * 1000}e-3",
    lambda value: f"{value / 1000:f} thousand",
    lambda value: f"{value / 10**6:f} million dollars",
    lambda value: f"{int(value * 1000)}/1000" if value == int(value) else f"{value}",
    lambda value: f"<FINAL_ANSWER>{value:,}</FINAL_ANSWER>",
    lambda value: f"The sums are done.\nAnswer: {value:,}",
]


@given(numbers, st.sampled_from(range(len(WRITINGS))), st.sampled_from(range(len(WRITINGS) - 2)))
def test_a_number_is_itself_in_every_writing(value: object, first: int, second: int) -> None:
    answer, gold = WRITINGS[first](value), WRITINGS[second](value)
    assert our_score(gold, answer).score == 1, (gold, answer, our_score(gold, answer).why)


@given(numbers, numbers, st.sampled_from(range(len(WRITINGS))))
def test_another_number_is_not(value: object, other: object, writing: int) -> None:
    if Fraction(str(value)) != Fraction(str(other)):
        assert our_score(f"{value:,}", WRITINGS[writing](other)).score == 0


@given(st.lists(numbers, min_size=2, max_size=6), st.sampled_from([", ", "; ", "\n", " and ", "|"]))
def test_a_list_of_numbers_is_itself_with_every_separator(values: list[object], separator: str) -> None:
    gold = "[" + ", ".join(f"{value:,}" for value in values) + "]"
    answer = separator.join(f"{value:,}" for value in values)
    assert our_score(gold, f"<FINAL_ANSWER>{answer}</FINAL_ANSWER>").score == 1
