"""How the published OfficeQA scorer reads a text: its figures, their scale words, and the words that remain.

Everything odd here is the published scorer's and decides scores, so it stays: a scale word counts within 20
characters even when the window cuts it in half, every whole number from 1900 to 2100 is taken for a year, and a
comma belongs to a number only in well-formed groups of three.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

WINDOW = 20  # characters on either side of a figure in which a scale word counts
_CURRENCY = "$£€¥₹¢₩₽"
_PLAIN = r"(?:\d{1,3}(?:,\d{3})*|\d+)(?:\.\d+)?"
# The alternatives must stay in this order: "1234" within parentheses falls through to the second one.
_ACCOUNTING = re.compile(rf"\(\s*(?P<currency>[{_CURRENCY}])?\s*(?P<number>{_PLAIN})\s*\)")
_ANY_CURRENCY = re.compile(rf"[{_CURRENCY}]")
_GROUPED = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)")
_FIGURE = re.compile(r"-?\d+\.?\d*%?")
_SPACES = re.compile(r"\s+")
_SCALES = tuple(
    (name, re.compile(rf"\b(?:{name}s?{letter})\b"))
    for name, letter in (("trillion", ""), ("billion", "|b"), ("million", "|m"), ("thousand", "|k"))
)
_UNIT_WORD = re.compile(r"\b(?:(?:tr|b|m)illions?|thousands?|hundreds?|percent(?:age)?)\b")
_PERCENT_IN_WORD = re.compile(r"(?<=\w)%(?=\w)")
_NEITHER_WORD_NOR_SPACE = re.compile(r"[^\w\s]")
_LEAST_RESIDUE = 2  # characters; a shorter rest is no text


class Figure(NamedTuple):
    """A number in a text, and the scale word near it."""

    value: float
    scale: str | None


def tidy(text: str) -> str:
    """One kind of minus, single spaces."""
    return _SPACES.sub(" ", text.replace("−", "-")).strip()


def plain_figures(text: str) -> str:
    """`text` with accounting negatives written with a minus, and without currency signs."""
    return _ANY_CURRENCY.sub("", _ACCOUNTING.sub(_with_minus, text))


def _with_minus(found: re.Match[str]) -> str:
    number = found["number"]
    # "(1984)" is more often a year than a loss; "($1984)" is not.
    if found["currency"] is None and is_year(float(number.replace(",", ""))):
        return found[0]
    return f"-{number}"


def figures(text: str) -> list[Figure]:
    """The numbers of `text`, in reading order."""
    plain = _GROUPED.sub(lambda found: found[0].replace(",", ""), plain_figures(tidy(text)))
    return [
        Figure(
            float(found[0].rstrip("%")),
            _scale(plain[max(0, found.start() - WINDOW) : found.end() + WINDOW].lower()),
        )
        for found in _FIGURE.finditer(plain)
    ]


def _scale(window: str) -> str | None:
    return next((name for name, pattern in _SCALES if pattern.search(window)), None)


def is_year(value: float) -> bool:
    """Whether the scorer takes `value` for a year."""
    return 1900 <= value <= 2100 and value == int(value)


def without_years(found: Sequence[Figure], gold: Sequence[Figure], gold_text: str) -> list[Figure]:
    """`found` without probable years, unless the gold answer has one itself, or is one number with words."""
    keeps = any(is_year(figure.value) for figure in gold) or (len(gold) == 1 and has_words(gold_text))
    return list(found) if keeps else [figure for figure in found if not is_year(figure.value)]


def residue(text: str) -> str:
    """The words of `text` that are neither numbers nor unit words."""
    rest = _FIGURE.sub("", tidy(text).lower()).replace(",", "")
    rest = _PERCENT_IN_WORD.sub("", _UNIT_WORD.sub("", rest))
    return tidy(_NEITHER_WORD_NOR_SPACE.sub(" ", rest))


def has_words(text: str) -> bool:
    """Whether `text` says more than numbers and unit words."""
    return len(residue(text)) >= _LEAST_RESIDUE


def words_agree(gold_text: str, predicted: str) -> bool:
    """Whether one residue contains the other; a gold answer without words agrees with everything."""
    gold, found = residue(gold_text), residue(predicted)
    if len(gold) < _LEAST_RESIDUE:
        return True
    return len(found) >= _LEAST_RESIDUE and (gold in found or found in gold)


def bare_text(text: str) -> str:
    """A text answer as it is compared: lower case, no quotes around it, nothing in parentheses."""
    return _SPACES.sub(" ", _without_parentheses(text.strip().lower().strip('"').strip("'"))).strip()


def _without_parentheses(text: str) -> str:
    kept, at = [], 0
    while (start := text.find("(", at)) >= 0 and (end := text.find(")", start)) >= 0:
        kept.append(text[at:start])
        at = end + 1
    return "".join(kept) + text[at:]
