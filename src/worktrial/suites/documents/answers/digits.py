"""How the digits of two numbers differ: one misread, two swapped, one lost, or only rounded."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import NamedTuple

# Pairs that recognition of worn or typewritten print mixes up.
_ALIKE = {
    frozenset(pair) for pair in ("06", "08", "09", "14", "17", "27", "35", "38", "49", "56", "58", "68", "69", "89")
}
_MOST_PLACES = 12


class DigitError(NamedTuple):
    """How the digits differ."""

    kind: str
    why: str


def digit_error(gold: Fraction, given: Fraction) -> DigitError | None:
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
                return DigitError("lost_digit", f"a {digit} is {done}")
    return None


def _same_length(wanted: str, found: str) -> DigitError | None:
    wrong = [i for i, (a, b) in enumerate(zip(wanted, found, strict=True)) if a != b]
    if len(wrong) == 1:
        a, b = wanted[wrong[0]], found[wrong[0]]
        kind = "ocr_digit" if frozenset((a, b)) in _ALIKE else "one_digit"
        return DigitError(kind, f"{b} for {a}, every other digit is right") if len(wanted) > 1 else None
    if len(wrong) == 2 and wrong[1] == wrong[0] + 1:
        i = wrong[0]
        if wanted[i : i + 2] == found[i : i + 2][::-1]:
            return DigitError("transposition", f"{found[i : i + 2]} for {wanted[i : i + 2]}")
    return None


def rounded_like(gold: Fraction, given: Fraction) -> bool:
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
