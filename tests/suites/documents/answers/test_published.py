import json
from collections.abc import Callable
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.data import real_data_dir
from tests.support.growth import growth

from worktrial.suites.documents.answers import published_score
from worktrial.suites.documents.answers.published_reading import AnswerSegments, figures


@pytest.mark.real_data
def test_every_recorded_score_is_reproduced() -> None:
    text = (real_data_dir() / "oracles" / "answer_pairs.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.split("\n") if line]  # answers hold other line separators
    assert len(rows) == 4000
    other = [
        row
        for row in rows
        if published_score(row["ground_truth"] or "", row["predicted"] or "", row["tolerance"]).score
        != row["score"]
    ]
    assert other == []


RIGHT = [
    ("1,234", "1234"),
    ("1,234", "**1,234**"),
    ("1,234", "$1,234 in 1953"),  # a year besides is left out
    ("-5", "(5)"),
    ("543 million", "543"),  # a scale that is missing is no conflict
    ("543 million", "543 M"),
    ("100", "not 100"),
    ("5", "<FINAL_ANSWER>7</FINAL_ANSWER> <final_answer> 5 </final_answer>"),
    ("5", "<FINAL_ANSWER>7<FINAL_ANSWER>5</FINAL_ANSWER><FINAL_ANSWER>5</FINAL_ANSWER>"),
    ("March 1977", "in March 1977"),
    ("[8, 152,260]", "[8,152,260]"),
    ("[1, 2]", "Slope: [1, 2]"),
    ("1, 2", "2 and 1"),  # without brackets in any order
    ("New York", '"new york (state)"'),
    ("12.5%", "12.5 bps"),
]
WRONG = [
    ("", ""),
    ("5", ""),
    ("5", "5 and 6"),
    ("5", "5\n5"),
    ("5", "5" + " because" * 40),
    ("5", "<b>5</b>"),
    ("543 million", "543 billion"),
    ("5.2 billion", "5,200 million"),
    ("1,953", "in 1954"),
    ("March 1977", "1977"),
    ("March 1977", "April 1977"),
    ("[1, 2]", "[2, 1]"),
    ("[8, 152,260]", "[8,152,261]"),
    ("New York", "New York, NY"),
    ("New York", "New York 5"),
    ("5", "unable to determine 5"),
    ("(1,000)", "1,000"),
]


@pytest.mark.parametrize(("gold", "answer"), RIGHT)
def test_accepts(gold: str, answer: str) -> None:
    assert published_score(gold, answer).score == 1


@pytest.mark.parametrize(("gold", "answer"), WRONG)
def test_refuses_with_a_reason(gold: str, answer: str) -> None:
    graded = published_score(gold, answer)
    assert graded.score == 0
    assert graded.why


@pytest.mark.parametrize("tolerance", [-0.1, 1.01, float("nan")])
def test_nothing_is_right_at_a_tolerance_outside_of_0_to_1(tolerance: float) -> None:
    assert published_score("5", "5", tolerance).score == 0


def test_the_tolerance_is_relative_and_inclusive() -> None:
    assert published_score("100", "105", 0.05).score == 1
    assert published_score("100", "105.1", 0.05).score == 0
    assert published_score("0", "0.001", 1.0).score == 0


# Every split of a list, written out: what the dynamic programming must agree with.
def every_split(text: str, count: int) -> set[tuple[float, ...]]:
    chunks = text.split(",")
    found = set()
    for cuts in combinations(range(1, len(chunks)), count - 1):
        borders = [0, *cuts, len(chunks)]
        items = [",".join(chunks[a:b]) for a, b in pairwise(borders)]
        values = [number(item.strip()) for item in items]
        if None not in values:
            found.add(tuple(value for value in values if value is not None))
    return found


def number(item: str) -> float | None:
    whole, _, fraction = item.removeprefix("-").partition(".")
    groups = whole.split(",")
    grouped = len(groups) == 1 or (1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:]))
    if not grouped or not all(group.isdecimal() for group in groups) or not (fraction or "0").isdecimal():
        return None
    return None if "." in item and not fraction else float(item.replace(",", ""))


chunk = st.sampled_from(["1", "12", "123", "000", " 7", " 123", "123 ", "-5", "4.5", "123.25", "", "1234"])


@given(st.lists(chunk, min_size=2, max_size=9), st.integers(2, 5))
def test_a_list_can_be_split_exactly_as_when_every_split_is_written_out(chunks: list[str], count: int) -> None:
    body = ",".join(chunks).strip()
    expected = every_split(body, count)
    segments = AnswerSegments(body, count)
    assert segments.exist() == bool(expected)
    for values in expected:
        assert segments.fit(equal_to(values))
    assert not segments.fit(lambda _item, _value: False)


def equal_to(values: tuple[float, ...]) -> Callable[[int, float], bool]:
    return lambda item, value: value == values[item]


def test_a_list_that_can_be_split_in_countless_ways_takes_few_comparisons() -> None:
    compared = 0

    def count(_item: int, _value: float) -> bool:
        nonlocal compared
        compared += 1
        return True

    # 40 chunks into 20 items: about 7e10 ways.
    assert AnswerSegments(",".join(["123"] * 40), 20).fit(count)
    assert compared < 20 * 40 * 40


HOSTILE: dict[str, tuple[Callable[[int], tuple[str, str]], int]] = {
    "list": (lambda n: ("[" + ", ".join(["000"] * n) + "]", "[" + ",".join(["000"] * n) + "]"), 15),
    "gold list": (lambda n: ("[" + ", ".join(["123"] * n) + "]", "[" + ",".join(["123"] * 62) + "]"), 500),
    "gold run": (lambda n: ("[" + ",".join(["000"] * n) + ", 0]", "[" + ",".join(["000"] * 62) + "]"), 625),
    "commas": (lambda n: ("[1, 2]", "," * n), 2500),
    "short commas": (lambda n: ("[1, 2]", "," * n), 62),
    "brackets": (lambda n: ("[" * n + "(1" * n, "[" * n + "]" * n), 1250),
    "digits": (lambda n: ("9" * n, "9" * 250), 2500),
    "tags": (lambda n: ("5", "<FINAL_ANSWER>" * n + " " * 10 * n), 250),
}
"""Gold answer and answer of size n, and the smaller n."""


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answers_take_no_more_than_the_square_of_their_length(name: str) -> None:
    pair, n = HOSTILE[name]

    def score(size: int) -> None:
        for tolerance in (0.0, 1.0):
            assert published_score(*pair(size), tolerance).score in (0, 1)

    # Four times the length: 16 for its square, 64 for its cube, and no end for every way to split a list.
    assert growth(score, n) < 40


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text_gets_a_score(gold: str, answer: str) -> None:
    assert published_score(gold, answer).score in (0, 1)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=2, min_value=-(10**9), max_value=10**9))
def test_a_number_is_read_the_same_with_and_without_separators(value: object) -> None:
    assert (
        [one.value for one in figures(f"{value:,}")]
        == [one.value for one in figures(f"{value}")]
        == [float(str(value))]
    )
