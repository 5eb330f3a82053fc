from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from worktrial.suites.documents.answers import Cause, diagnose, ratio_histogram

CASES = [
    ("2,602", "2,602,000", Cause.THOUSANDS),
    ("2,602", "2.602", Cause.THOUSANDS),
    ("2,602", "2.602 million", Cause.THOUSANDS),
    ("543 million", "543", Cause.MILLIONS),
    ("0.125", "12.5", Cause.HUNDRED),
    ("12.5%", "0.125", Cause.HUNDRED),
    ("2,602", "26,020", Cause.POWER_OF_TEN),
    ("2,602", "-2,602", Cause.SIGN),
    ("-52.6%", "52.6%", Cause.SIGN),
    ("2,602", "2,802", Cause.OCR_DIGIT),
    ("2,602", "2,672", Cause.ONE_DIGIT),
    ("2,602", "2,062", Cause.TRANSPOSITION),
    ("36.3", "33.6", Cause.TRANSPOSITION),
    ("12,602", "1,602", Cause.LOST_DIGIT),
    ("1,602", "16,702", Cause.LOST_DIGIT),
    ("2,602.47", "2,602.5", Cause.ROUNDING),
    ("12,345", "12,300", Cause.ROUNDING),
    ("2,602", "about 2,602", Cause.OTHER),
    ("2,602", "1,111", Cause.OTHER),
    ("5", "7", Cause.OTHER),
    ("2,602", "none", Cause.NO_NUMBER),
    ("2,602", "2,602 and 3", Cause.NO_NUMBER),
]


@pytest.mark.parametrize(("gold", "answer", "cause"), CASES)
def test_what_a_wrong_number_looks_like(gold: str, answer: str, cause: Cause) -> None:
    found = diagnose(gold, answer)
    assert found is not None
    assert (found.cause, bool(found.why)) == (cause, True)


def test_right_answers_and_gold_answers_without_a_number_have_no_diagnosis() -> None:
    assert diagnose("5.2 billion", "5,200 million") is None
    assert diagnose("Ohio", "Texas") is None
    assert diagnose("[1, 2]", "[2, 1]") is None


def test_a_wrong_sign_beside_another_cause_is_kept() -> None:
    found = diagnose("2,602", "-2,602,000")
    assert found is not None
    assert (found.cause, found.ratio) == (Cause.THOUSANDS, -1000)


@pytest.mark.parametrize(
    "cause",
    [Cause.NEIGHBOUR_ROW, Cause.NEIGHBOUR_COLUMN, Cause.ADJACENT_YEAR, Cause.FISCAL_CALENDAR, Cause.REVISION],
)
def test_a_value_from_the_archive_is_named(cause: Cause) -> None:
    candidates = {"adjacent cell": 99.0, f"{cause}: October 1940": 2802.0}
    found = diagnose("2,602", "2,802", unit="millions of dollars", candidates=candidates)
    assert found is not None
    assert found.cause == cause
    assert "October 1940" in found.why


def test_candidates_are_in_the_unit_of_the_gold_answer() -> None:
    found = diagnose("5.2 billion", "4,900 million", candidates={"neighbour_row: total": 4.9})
    assert found is not None and found.cause is Cause.NEIGHBOUR_ROW
    other = diagnose("5.2 billion", "4,900 million", candidates={"the line below": 4.9})
    assert other is not None and other.cause is Cause.OTHER_CELL


@given(st.integers(101, 10**9), st.sampled_from([3, 6]))
def test_every_scale_error_is_found(number: int, power: int) -> None:
    assume(number % 10)
    cause = {3: Cause.THOUSANDS, 6: Cause.MILLIONS}[power]
    for gold, answer in ((number, number * 10**power), (number * 10**power, number)):
        found = diagnose(f"{gold:,}", f"{answer:,}")
        assert found is not None and found.cause is cause


@given(st.integers(1000, 10**9), st.data())
def test_every_swap_of_neighbours_is_found(number: int, data: st.DataObject) -> None:
    digits = str(number)
    at = data.draw(st.integers(1, len(digits) - 2))
    swapped = digits[:at] + digits[at + 1] + digits[at] + digits[at + 2 :]
    assume(swapped != digits)
    found = diagnose(f"{number:,}", f"{int(swapped):,}")
    # "10" for "01" may also be the number rounded.
    assert found is not None and found.cause in (Cause.TRANSPOSITION, Cause.ROUNDING)


def test_ratios_are_counted_in_bins_that_set_scale_errors_apart() -> None:
    bins = ratio_histogram([1000, 1000.2, 0.001, -1, 1.002, 0.5, 1e9, 0])
    counted = {one.label: one.count for one in bins if one.count}
    assert counted == {
        "opposite sign": 1,
        "0 to 5e-07": 1,
        "0.0005 to 0.002": 1,
        "0.5 to 0.8": 1,
        "1.001 to 1.01": 1,
        "500 to 2000": 2,
        "≥ 2e+06": 1,
    }
    assert all(a.high == b.low for a, b in pairwise(bins))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
def test_every_ratio_is_in_one_bin(ratios: list[float]) -> None:
    bins = ratio_histogram(ratios)
    assert [one.count for one in bins] == [sum(one.low <= ratio < one.high for ratio in ratios) for one in bins]
