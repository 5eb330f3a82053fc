"""What may have gone wrong with a wrong number: from the ratio to the gold number, its digits, and nearby cells."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from worktrial.suites.documents.answers.answers import read_atom
from worktrial.suites.documents.answers.characters import one_spelling
from worktrial.suites.documents.answers.dates import without_dates
from worktrial.suites.documents.answers.digits import digit_error, rounded_like
from worktrial.suites.documents.answers.final_answer import our_final_answer, unwrapped
from worktrial.suites.documents.answers.numerals import numerals
from worktrial.suites.documents.answers.quantities import Quantity, quantities, shown
from worktrial.suites.documents.answers.strict import our_score
from worktrial.suites.documents.answers.units import Unit, asked_unit

_CLOSE = Fraction(5, 10_000)  # a ratio this near to a power of ten is that power: later rounding does not hide it


class Cause(StrEnum):
    """What a wrong number looks like."""

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
class Diagnosis:
    """The likeliest cause of a wrong number.

    Attributes:
        cause: The likeliest cause.
        why: In words, for the report.
        ratio: Given over gold number; None where one is missing or the gold number is 0.
        opposite_sign: Whether the sign is wrong besides `cause`.
    """

    cause: Cause
    why: str
    ratio: float | None = None
    opposite_sign: bool = False


def diagnose(
    ground_truth: str,
    predicted: str,
    *,
    unit: str | None = None,
    candidates: Mapping[str, float] | None = None,
) -> Diagnosis | None:
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
    asked = asked_unit(unit) if unit else Unit()
    gold = read_atom(unwrapped(one_spelling(ground_truth)), asked)
    if not isinstance(gold, Quantity) or our_score(ground_truth, predicted, unit=unit).score:
        return None
    given = _given(our_final_answer(predicted) or "", asked)
    if given is None:
        return Diagnosis(Cause.NO_NUMBER, "the answer has no number, or several")
    ratio = float(given.value / gold.value) if gold.value else None
    scale = gold.unit.scale or 1
    for name, value in (candidates or {}).items():
        if given.value == Fraction(str(value)) * scale:
            return Diagnosis(_named(name), f"{shown(given.number)} is the value of {name}", ratio)
    opposite = gold.value * given.value < 0
    cause, why = _cause(gold, given)
    if opposite and cause is Cause.OTHER:
        opposite = False
    return Diagnosis(cause, why, ratio, opposite_sign=opposite and cause is not Cause.SIGN)


def _given(answer: str, asked: Unit) -> Quantity | None:
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
    if rounded_like(abs(gold.number), abs(given.number)):
        return Cause.ROUNDING, "the gold number, rounded to fewer digits"
    error = digit_error(abs(gold.number), abs(given.number))
    if error is not None:
        return Cause(error.kind), error.why
    return Cause.OTHER, f"{shown(given.number)} is not {shown(gold.number)}"


def _power_of_ten(wanted: Fraction, found: Fraction) -> int | None:
    if not wanted or not found:
        return None
    ratio = found / wanted
    power = len(str(int(ratio))) - 1 if ratio >= 1 else -len(str(int(1 / ratio)))
    for near in (power - 1, power, power + 1):
        if near and abs(ratio / Fraction(10) ** near - 1) <= _CLOSE:
            return near
    return None
