"""Rounding as reports do it. Python's `round` rounds halves to even, and works on binary fractions.

>>> from rounding import both, half_up, half_even
>>> half_up("2.675", 2), half_even("2.665", 2)
(Decimal('2.68'), Decimal('2.66'))
>>> half_up(1250, -2), half_even(1250, -2)
(Decimal('1300'), Decimal('1200'))
>>> both(2.5)
Rounded(half_up=Decimal('3'), half_even=Decimal('2'))
"""

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import NamedTuple, SupportsFloat

Number = str | int | Decimal | Fraction | SupportsFloat
_EXACT = Context(prec=400, Emin=-999_999, Emax=999_999)


class Rounded(NamedTuple):
    """One number, rounded both ways."""

    half_up: Decimal
    half_even: Decimal


def half_up(number: Number, digits: int = 0) -> Decimal:
    """Round; a half goes away from zero: 2.5 to 3, -2.5 to -3.

    Args:
        number: a float counts as what it prints as, so 2.675 is 2.675 and not the binary fraction just below it;
            a string may hold separators of thousands.
        digits: after the decimal point; negative ones round to tens, hundreds, …
    """
    return _rounded(number, digits, ROUND_HALF_UP)


def half_even(number: Number, digits: int = 0) -> Decimal:
    """Round; a half goes to the even neighbour: 2.5 to 2, 3.5 to 4. Otherwise like `half_up`."""
    return _rounded(number, digits, ROUND_HALF_EVEN)


def both(number: Number, digits: int = 0) -> Rounded:
    """Round both ways, to see whether it matters."""
    return Rounded(half_up(number, digits), half_even(number, digits))


def _rounded(number: Number, digits: int, rule: str) -> Decimal:
    exact = _decimal(number)
    if not exact.is_finite():
        raise ValueError(f"{number!r} cannot be rounded")
    rounded = exact.quantize(Decimal(1).scaleb(-digits), rounding=rule, context=_EXACT)
    # 1300, not 1.3E+3.
    return rounded.quantize(Decimal(1), context=_EXACT) if digits < 0 else rounded


def _decimal(number: Number) -> Decimal:
    if isinstance(number, Decimal):
        return number
    if isinstance(number, bool):
        raise TypeError("True and False are not numbers to round")
    if isinstance(number, Fraction):
        return _EXACT.divide(Decimal(number.numerator), Decimal(number.denominator))
    text = number.replace(",", "").strip() if isinstance(number, str) else str(number)
    try:
        return Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{number!r} is not a number") from None
