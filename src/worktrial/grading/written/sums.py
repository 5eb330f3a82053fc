"""Sums of money in a text: those that have to stand there, and any other beside them."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from worktrial.grading.check import HALF_A_CENT, near
from worktrial.grading.written.amounts import StatedNumber, stated_amounts
from worktrial.grading.written.claims import denied_value
from worktrial.grading.written.paid import mispaid

_CENTS = re.compile(r"[.,]\d{1,2}(?!\d)")
_TAKEN_OFF = re.compile(r"(?:minus|less|-)\s?", re.IGNORECASE)
_COINS = re.compile(
    r"\s?(?:(?:crown|credit|mark|franc|florin|peso|rupee|dinar|thaler|guilder)s?(?![a-z])|크라운|크로나|크레딧)",
    re.IGNORECASE,
)


def misstated(
    text: str,
    wanted: Sequence[float],
    beside: Sequence[float] = (),
    *,
    paying: Sequence[str] = (),
    pending: bool = False,
) -> str:
    """Fault of a text that has to state sums of money, and no other; "" where there is none.

    A number that is wanted counts however it is spelled. Another one counts as a sum where it has a currency or
    decimals; `21 days` and `2 boxes` are none. Zero is said in many ways, so it is neither asked for nor refused.

    Args:
        text: As `one_spelling` spells it.
        wanted: Sums that have to stand there.
        beside: Further ones that may.
        paying: Words that say of a sum that it is paid; with them only the wanted ones may be told so. None where
            that is not looked at.
        pending: Whether the wanted ones are not paid, so that none may be told so.
    """
    stated = [one for one in stated_amounts(text) if not denied_value(text, one.start, one.end)]
    for value in wanted:
        if value and not any(_is(one, [value]) for one in stated):
            return f"it does not state {value:.2f}"
    allowed = [*wanted, *beside, 0.0]
    sums = list(_sums(text, stated))
    strange = next((one for one in sums if not _is(one, allowed)), None)
    if strange is not None:
        return f"it also states {text[strange.start : strange.end]}"
    if not paying:
        return ""
    placed = [(one.start, one.end, abs(one.values[0])) for one in sums]  # "(290.42 + 8.40)" is no debt
    return mispaid(text, placed, () if pending else wanted, paying)


def sums_in(text: str) -> list[tuple[int, int, Fraction]]:
    """Sums of money in a text, spelled as `one_spelling` does: where each begins and ends, and its value."""
    return [(one.start, one.end, one.values[0]) for one in _sums(text, stated_amounts(text))]


def _sums(text: str, stated: Sequence[StatedNumber]) -> Iterator[StatedNumber]:
    for one in stated:
        around = (other for other in stated if other is not one)
        if any(other.start <= one.start and one.end <= other.end for other in around):
            continue  # the 4 and the 25 of "4 euros and 25 cents"
        if one.currency or _CENTS.search(text[one.start : one.end]) or _COINS.match(text, one.end):
            sign = _TAKEN_OFF.match(text, one.start, one.end)
            # "120.00 minus 10.00" names ten crowns, and no debt of ten.
            yield one if sign is None else one._replace(start=sign.end(), values=tuple(map(abs, one.values)))


def _is(one: StatedNumber, values: Sequence[float]) -> bool:
    return any(near(float(meant), value, HALF_A_CENT) for meant in one.values for value in values)
