"""The unit of a number: scale, percent and its relatives, currency, what is counted, and per what."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction

from worktrial.suites.documents.answers.numerals import CURRENCIES


class Share(StrEnum):
    """Ways to write a share or its change; none is silently taken for another."""

    PERCENT = "percent"
    POINTS = "percentage points"
    BASIS_POINTS = "basis points"
    FRACTION = "a fraction"


@dataclass(frozen=True, slots=True)
class Unit:
    """What a text says about the unit of its number; None is what it does not say."""

    scale: Fraction | None = None
    share: Share | None = None
    currency: str | None = None
    noun: str | None = None  # what is counted: "year", "bond"
    per: str | None = None

    @property
    def bare(self) -> bool:
        """Whether neither a scale nor a share is named."""
        return self.scale is None and self.share is None


_WORDS = {
    "hundred": 10**2,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
}
_LETTERS = {"k": 10**3, "m": 10**6, "mm": 10**6, "mn": 10**6, "mln": 10**6, "b": 10**9, "bn": 10**9, "t": 10**12}
_LETTERS["tn"] = 10**12
_PERCENT = {"%", "percent", "pct", "percentage"}
_POINTS = {"pp", "ppt", "ppts"}
_BASIS = {"bp", "bps"}
_MONEY = {"dollar": "$", "euro": "€", "pound": "£", "yen": "¥", **CURRENCIES}
_SKIPPED = {"of", "u.s", "us", "u.s.", "united", "states", "nominal", "current", "constant", "the", "as"}
# After these, prose goes on about something else.
_PROSE = frozenset(
    re.findall(
        r"[a-z]+",
        "a an and are at because be been but by compared during for from had has have higher in is it its less"
        " lower more on only or since than that then there this to total up was were when where which while with",
    )
)
_WORD = re.compile(r"[%$€£¥¢/]|[A-Za-z][A-Za-z.'-]*")
_CLAUSE_END = re.compile(r"[,;:\n]|\.(?:\s|$)")
_SCALE_WORD = re.compile(rf"\b({'|'.join(_WORDS)})s?\b", re.IGNORECASE)
_FRACTION = re.compile(
    r"\bas an? (?:decimal )?(?:fraction|decimal|proportion|ratio)\b|\((?:fraction|decimal)\)", re.IGNORECASE
)


def unit_after(text: str) -> Unit:
    """The unit that follows a number, `text` being what comes right after it."""
    if _FRACTION.search(text):
        return Unit(share=Share.FRACTION)
    clause = _CLAUSE_END.split(text, maxsplit=1)[0]
    unit, words = Unit(), _WORD.findall(clause)
    touching = re.match(r"[ -]?[A-Za-z]{1,3}\b", clause) is not None
    for i, word in enumerate(words):
        known = _with(unit, word, words[i + 1 : i + 2], letter=touching and i == 0)
        if known is not None:
            unit = known
        elif word == "/" or word.lower() == "per":
            return replace(unit, per=singular(words[i + 1])) if i + 1 < len(words) else unit
        elif word.lower() in _PROSE:
            return unit
        elif word.lower() not in _SKIPPED and singular(word) not in ("point", "cent"):
            return replace(unit, noun=unit.noun or singular(word))
    return unit


def _with(unit: Unit, word: str, following: list[str], *, letter: bool) -> Unit | None:
    """`unit` with what `word` adds to it; None when it is no word of a unit."""
    low, after = singular(word), singular(following[0]) if following else ""
    if low in _WORDS or (letter and low in _LETTERS):
        return replace(unit, scale=(unit.scale or 1) * Fraction(_WORDS.get(low) or _LETTERS[low]))
    if low in _BASIS or (low == "basi" and after == "point"):
        return replace(unit, share=Share.BASIS_POINTS)
    if low in _POINTS or (low in _PERCENT and after == "point"):
        return replace(unit, share=Share.POINTS)
    if low in _PERCENT or (low == "per" and after == "cent"):
        return replace(unit, share=Share.PERCENT)
    if low in ("cent", "¢") and unit.share is None:
        return replace(unit, scale=(unit.scale or 1) * Fraction(1, 100), currency=unit.currency or "$")
    if low in _MONEY:
        return replace(unit, currency=_MONEY[low])
    return None


def asked_unit(text: str) -> Unit:
    """A unit as a question or a data file names it: "millions of dollars", "percent", "a fraction"."""
    low = text.strip().lower()
    if low in ("fraction", "decimal", "a fraction", "proportion", "a decimal"):
        return Unit(share=Share.FRACTION)
    return unit_after(" " + text)


def scales_named(text: str) -> set[Fraction]:
    """The scales that `text` names as whole words, wherever they stand ("in millions: 543")."""
    return {Fraction(_WORDS[found[1].lower()]) for found in _SCALE_WORD.finditer(text)}


def singular(word: str) -> str:
    """`word` in lower case, without a plural s or a final stop."""
    low = word.lower().rstrip(".")
    return low[:-1] if len(low) > 3 and low.endswith("s") and not low.endswith("ss") else low
