"""Likely cause of a wrong number: from its ratio to the gold number, its digits, and nearby cells."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from fractions import Fraction

from worktrial.grading.written.spelling import one_spelling
from worktrial.suites.documents.answers.dates import without_dates
from worktrial.suites.documents.answers.gold import read_atom
from worktrial.suites.documents.answers.numerals import numerals
from worktrial.suites.documents.answers.ours import our_score
from worktrial.suites.documents.answers.quantities import NumberUnit, Quantity, asked_unit, quantities, shown
from worktrial.suites.documents.answers.reply import our_final_answer, unwrapped

_CLOSE = Fraction(5, 10_000)  # a ratio this near to a power of ten is that power: later rounding does not hide it


class Cause(StrEnum):
    """Likeness of a wrong number to the gold one."""

    NEIGHBOUR_ROW = "neighbour_row"
    NEIGHBOUR_COLUMN = "neighbour_column"
    ADJACENT_YEAR = "adjacent_year"
    FISCAL_CALENDAR = "fiscal_calendar"
    REVISION = "revision"
    OTHER_CELL = "other_cell"  # another candidate that the caller named
    SIGN = "sign"
    THOUSANDS = "times_1000"
    MILLIONS = "times_1000000"
    HUNDRED = "times_100"  # a percent for a fraction or the other way round
    POWER_OF_TEN = "power_of_ten"
    TRANSPOSITION = "transposition"
    OCR_DIGIT = "ocr_digit"
    ONE_DIGIT = "one_digit"
    LOST_DIGIT = "lost_digit"
    ROUNDING = "rounding"
    OTHER = "other"
    NO_NUMBER = "no_number"


@dataclass(frozen=True, slots=True)
class AnswerDiagnosis:
    """The likeliest cause of a wrong number.

    Attributes:
        cause: The likeliest cause.
        why: In words, for the report.
        ratio: Given over gold number, negative where the sign is wrong; None where one is missing or the gold
            number is 0.
    """

    cause: Cause
    why: str
    ratio: float | None = None


def diagnose(
    ground_truth: str,
    predicted: str,
    *,
    unit: str | None = None,
    candidates: Mapping[str, float] | None = None,
) -> AnswerDiagnosis | None:
    """Why an answer to a numeric question is wrong; None when it is right, or when the gold answer is no number.

    Causes are tried from the most to the least specific: a candidate's value, a power of ten, a sign, the digits.

    Args:
        ground_truth: The gold answer, one number.
        predicted: The whole reply.
        unit: The unit that the question asks for, as for `our_score`.
        candidates: Values that the archive holds near the gold one, in the unit of the gold answer as written.
            A name that begins with a `Cause` and a colon ("adjacent_year: 1939", "revision: March 1941") gives that
            cause, any other name `OTHER_CELL`.
    """
    asked = asked_unit(unit) if unit else NumberUnit()
    gold = read_atom(unwrapped(one_spelling(ground_truth)), asked)
    if not isinstance(gold, Quantity) or our_score(ground_truth, predicted, unit=unit).score:
        return None
    given = _given(our_final_answer(predicted) or "", asked)
    if given is None:
        return AnswerDiagnosis(Cause.NO_NUMBER, "the answer has no number, or several")
    ratio = float(given.value / gold.value) if gold.value else None
    scale = gold.unit.scale or 1
    for name, value in (candidates or {}).items():
        if given.value == Fraction(str(value)) * scale:
            return AnswerDiagnosis(_named(name), f"{shown(given.number)} is the value of {name}", ratio)
    return AnswerDiagnosis(*_cause(gold, given), ratio)


def _given(answer: str, asked: NumberUnit) -> Quantity | None:
    text = one_spelling(answer)
    rest = without_dates(text)
    found = quantities(rest if numerals(rest) else text)
    return found[0].asked_in(asked) if len(found) == 1 else None


def _named(name: str) -> Cause:
    head = name.partition(":")[0].strip()
    return Cause(head) if head in Cause.__members__.values() else Cause.OTHER_CELL


def _cause(gold: Quantity, given: Quantity) -> tuple[Cause, str]:
    wanted, found = abs(gold.value), abs(given.value)
    if wanted == found:
        if gold.value == given.value:
            return Cause.OTHER, "the number is right, its unit or its certainty is not"
        return Cause.SIGN, "the sign is wrong"
    power = _power_of_ten(wanted, found)
    if power is not None:
        cause = {2: Cause.HUNDRED, 3: Cause.THOUSANDS, 6: Cause.MILLIONS}.get(abs(power), Cause.POWER_OF_TEN)
        return cause, f"too {'large' if power > 0 else 'small'} by a factor of {10 ** abs(power):,}"
    if _rounded_like(abs(gold.number), abs(given.number)):
        return Cause.ROUNDING, "the gold number, rounded to fewer digits"
    unlike = Cause.OTHER, f"{shown(given.number)} is not {shown(gold.number)}"
    return _digit_error(abs(gold.number), abs(given.number)) or unlike


def _power_of_ten(wanted: Fraction, found: Fraction) -> int | None:
    if not wanted or not found:
        return None
    ratio = found / wanted
    power = len(str(int(ratio))) - 1 if ratio >= 1 else -len(str(int(1 / ratio)))
    for near in (power - 1, power, power + 1):
        if near and abs(ratio / Fraction(10) ** near - 1) <= _CLOSE:
            return near
    return None


# Pairs that recognition of worn or typewritten print mixes up.
_ALIKE = {
    frozenset(pair) for pair in ("06", "08", "09", "14", "17", "27", "35", "38", "49", "56", "58", "68", "69", "89")
}
_MOST_PLACES = 12


def _digit_error(gold: Fraction, given: Fraction) -> tuple[Cause, str] | None:
    """The single slip between the digits of `gold` and `given`, both positive; None when there is more than one."""
    places = max(_places(gold), _places(given))
    wanted, found = _digits(gold, places), _digits(given, places)
    if len(wanted) == len(found):
        return _same_length(wanted, found)
    longer, shorter = sorted((wanted, found), key=len, reverse=True)
    if len(longer) == len(shorter) + 1 and len(shorter) > 1:
        for i, digit in enumerate(longer):
            if longer[:i] + longer[i + 1 :] == shorter:
                done = "lost" if longer == wanted else "added"
                return Cause.LOST_DIGIT, f"a {digit} is {done}"
    return None


def _same_length(wanted: str, found: str) -> tuple[Cause, str] | None:
    wrong = [i for i, (a, b) in enumerate(zip(wanted, found, strict=True)) if a != b]
    if len(wrong) == 1:
        a, b = wanted[wrong[0]], found[wrong[0]]
        kind = Cause.OCR_DIGIT if frozenset((a, b)) in _ALIKE else Cause.ONE_DIGIT
        return (kind, f"{b} for {a}, every other digit is right") if len(wanted) > 1 else None
    if len(wrong) == 2 and wrong[1] == wrong[0] + 1:
        i = wrong[0]
        if wanted[i : i + 2] == found[i : i + 2][::-1]:
            return Cause.TRANSPOSITION, f"{found[i : i + 2]} for {wanted[i : i + 2]}"
    return None


def _rounded_like(gold: Fraction, given: Fraction) -> bool:
    """Whether `given` is `gold` rounded (half up) to the digits that `given` has, at least two of them."""
    places, significant = _places(given), len(str(given.numerator if given.denominator == 1 else "").rstrip("0"))
    if given.denominator == 1 and significant >= 2:
        # 12,300 may be rounded to hundreds.
        step = Fraction(10) ** (len(str(given.numerator)) - significant)
    elif given.denominator > 1:
        step = Fraction(1, 10**places)
    else:
        return False
    rounded = Decimal(str(float(gold / step))).quantize(Decimal(1), ROUND_HALF_UP)
    return gold != given and Fraction(rounded) * step == given


def _places(number: Fraction) -> int:
    """Decimal places that write `number` exactly, or as many as are looked at."""
    return next((n for n in range(_MOST_PLACES) if (number * 10**n).denominator == 1), _MOST_PLACES)


def _digits(number: Fraction, places: int) -> str:
    return str(int(number * 10**places))


# Narrow around 1, where rounding and neighbouring cells lie, and around the powers of ten that scale errors give.
_EDGES = (
    *(0.0, 5e-7, 2e-6, 5e-4, 2e-3, 5e-3, 2e-2, 0.1, 0.5, 0.8, 0.95, 0.99, 0.999),
    *(1.001, 1.01, 1.05, 1.25, 2.0, 10.0, 50.0, 200.0, 500.0, 2e3, 5e5, 2e6, float("inf")),
)


@dataclass(frozen=True, slots=True)
class RatioBin:
    """Ratios from `low` (inclusive) to `high` (exclusive)."""

    low: float
    high: float
    count: int

    @property
    def label(self) -> str:
        """Name of the bin for tables."""
        if self.high <= 0:
            return "opposite sign"
        return f"≥ {self.low:g}" if self.high == float("inf") else f"{self.low:g} to {self.high:g}"


def ratio_histogram(ratios: Iterable[float]) -> tuple[RatioBin, ...]:
    """Counts of `ratios` (given over gold number, of wrong answers) in fixed bins, the negative ones first."""
    counts = [0] * len(_EDGES)
    for ratio in ratios:
        counts[min(bisect_right(_EDGES, ratio), len(_EDGES) - 1)] += 1
    lows = (float("-inf"), *_EDGES)
    return tuple(RatioBin(low, high, count) for low, high, count in zip(lows, _EDGES, counts, strict=False))
