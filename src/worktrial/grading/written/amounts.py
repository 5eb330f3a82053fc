"""Quantities and amounts of money that a text states, each with the values that it can mean."""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from worktrial.grading.written.form import ignoring_case
from worktrial.grading.written.numbers import WrittenNumber, numbers, possible_scales
from worktrial.grading.written.times import without_moments

_SIGN_OF = {
    **{"USD": "$", "CAD": "$", "AUD": "$", "SGD": "$", "HKD": "$", "NZD": "$", "EUR": "€", "GBP": "£"},
    **{"JPY": "¥", "CNY": "¥", "KRW": "₩"},
}
_NAMED = (
    ("€", r"€|eur(?:os?)?|유로"),
    ("$", r"\$|dollars?|달러|불(?![가-힣])"),
    ("₩", r"₩|won|원(?!칙|소|색|형|고|장|인)"),
    ("£", r"£|pounds?(?:\ssterling)?|quid|파운드"),
    ("¥", r"¥|yen|yuan|엔(?![가-힣])|엔(?=을|이|은|으|입|의)|위안"),
    *(
        (code, code)
        for code in ("USD", "CAD", "AUD", "SGD", "HKD", "NZD", "GBP", "JPY", "CNY", "KRW", "CHF", "SEK", "INR")
    ),
)
_CURRENCY = ignoring_case(
    r"\s?(?:(?:us|u\.s\.)\s?)?(?:"
    + "|".join(rf"(?P<c{i}>{words})" for i, (_, words) in enumerate(_NAMED))
    + r")(?![a-z])"
)
_PERCENT = ignoring_case(r"\s?(?:%(?!\s?p)|per\s?cent(?![a-z])|pct(?![a-z])|퍼센트|프로(?![가-힣]))")
_CENTS = re.compile(r"\s?(?:cents?(?![a-z])|센트|¢)", re.IGNORECASE)
_BETWEEN = re.compile(r",?\s?(?:and\s)?", re.IGNORECASE)
_LISTED = re.compile(r"(?<![\d.,])\d[\d.,]{0,24}(?:\s?/\s?\d[\d.,]{0,24}){2,}")
_BESIDE_WORDS = re.compile(r"(?<!\d)/|/(?!\d)")
_SPACED = re.compile(r"\d \d")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)(?![a-z])", re.IGNORECASE)


class StatedNumber(NamedTuple):
    """A number that a text states, and what it can mean."""

    start: int
    end: int
    """End of its percent sign or currency, where it has one."""
    values: tuple[Fraction, ...]
    """`12.5%` is 12.5 and 0.125, `(40.00)` is -40 and 40, `8/10` is 0.8 and 8; the plain reading first."""
    currency: str | None
    """The sign `$`, `€`, `£`, `¥`, `₩`, or else the code, where one is written."""
    percent: bool = False


def stated_numbers(text: str) -> list[StatedNumber]:
    """The quantities in `text` (spelled as `one_spelling` does), in reading order.

    Digits of dates, times of day, ordinals and identifiers are left out.
    """
    plain = without_moments(text)
    # "16.3/233.7/101.7" and "9 wells/45 tests" are lists, "8/10" is a fraction.
    for slashes in (_LISTED, _BESIDE_WORDS):
        plain = slashes.sub(lambda found: found[0].replace("/", " "), plain)
    return [one for number in numbers(plain) if not _is_label(number) for one in _stated(number, plain)]


def _is_label(number: WrittenNumber) -> bool:
    return number.named or _ORDINAL.match(number.touching) is not None


def _stated(number: WrittenNumber, text: str) -> Iterator[StatedNumber]:
    written = text[number.start : number.end]
    if _SPACED.search(written) and "/" not in written and not number.worded:
        # "lot 3 250": a space between digits may also lie between two numbers.
        for part in re.finditer(r"\d[\d.]*", written):
            value = Fraction(part[0].rstrip("."))
            yield StatedNumber(number.start + part.start(), number.start + part.end(), (value,), None)
    scales = possible_scales(number, text)
    end = number.end
    behind = _CURRENCY.match(text, _after_scale(text, end))
    currency = number.currency or (_code(behind) if behind else None)
    # "3m" are metres, or minutes; "$3m" and "5k" are scaled.
    scale = scales[-1] if currency or scales[-1] == 1000 or len(scales) == 1 else 1
    values = [number.value * scale]
    if number.parenthesised or number.loose_sign:
        values.append(-values[0])
    if number.over is not None:
        values.append(number.over)  # "8/10" points are 8 out of 10
    percent = _PERCENT.match(text, end)
    if percent:
        values += [value / 100 for value in values]
        end = percent.end()
    elif behind:
        end = behind.end()
    yield StatedNumber(number.start, end, tuple(values), currency, percent is not None)


_SCALE_WORD = re.compile(
    r"\s?(?:(?:hundred|thousand|million|billion|trillion)s?|mn|bn|[km](?=\s?[€$£]|\s?eur|\s?usd))(?![a-z])(?:\sof)?",
    re.I,
)


def _after_scale(text: str, end: int) -> int:
    found = _SCALE_WORD.match(text, end)
    return found.end() if found else end


def _code(found: re.Match[str]) -> str:
    return next(_NAMED[i][0] for i in range(len(_NAMED)) if found[f"c{i}"])


def stated_amounts(text: str, currency: str | None = None) -> list[StatedNumber]:
    """The numbers in `text` that can be an amount of money, in reading order.

    Percentages are none, nor are amounts in another currency. Cents behind them are added: `4 euros and 25 cents`.

    Args:
        text: As `one_spelling` spells it.
        currency: Code (ISO 4217) of the currency; None allows any. A number without currency may be in any, and `$`
            in whatever is called a dollar.
    """
    found = stated_numbers(text)
    amounts = []
    for i, one in enumerate(found):
        if one.percent or (currency and one.currency not in (None, currency, _SIGN_OF.get(currency))):
            continue
        amounts.append(one)
        cents = _CENTS.match(text, one.end)
        if cents:
            hundredth = tuple(value / 100 for value in one.values)
            amounts[-1] = one._replace(values=hundredth, end=cents.end())
            before = found[i - 1] if i else None
            if before and before.currency and _BETWEEN.fullmatch(text[before.end : one.start]):
                whole = before.values[0] + hundredth[0]
                amounts.append(StatedNumber(before.start, cents.end(), (whole,), before.currency))
    return amounts
