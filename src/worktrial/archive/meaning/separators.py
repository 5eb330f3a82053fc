"""Separators of thousands and of decimals on a page, by evidence: 12,345 is twelve thousand or twelve and a bit."""

import re
from collections.abc import Iterable
from enum import StrEnum

_SPACES = " \u00a0\u202f\u2009"
_AROUND = re.compile(rf"^[\s$£€¥+(\[<>~-]*|[\s%‰)\]*{_SPACES}]*$")
_ENGLISH = re.compile(r"\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:,\d{3}){2,}|\d*\.(?:\d\d?|\d{4,})")
_CONTINENTAL = re.compile(
    rf"\d{{1,3}}(?:[.'’{_SPACES}]\d{{3}})+,\d+|\d{{1,3}}(?:\.\d{{3}}){{2,}}|\d+,(?:\d\d?|\d{{4,}})"
)
# The commonest words that one of the two kinds of language has, and the other has not.
_ENGLISH_WORDS = re.compile(r"\b(?:the|of|and|for|from|with|by|or|is|are|other|than|this|at)\b", re.IGNORECASE)
_CONTINENTAL_WORDS = re.compile(
    r"\b(?:der|die|das|und|den|von|für|mit|im|zum|nach|le|la|les|et|du|des|aux|dans|pour|el|los|las|y|del|por|con"
    r"|il|della|di|e|het|een|van|voor|och|av|som|do|da|dos)\b",
    re.IGNORECASE,
)
_CLEARLY = 4
"""Times as much evidence for one as for the other that decides: recognition mixes up commas and points."""
_LEAST_AGAINST_WORDS = 5
"""Numbers that must speak, and none against them, before a page in English is taken to print decimal commas."""


class Separators(StrEnum):
    """Meaning of a comma and a point in a number."""

    ENGLISH = "english"
    """1,204.50"""
    CONTINENTAL = "continental"
    """1.204,50 and 1 204,50"""
    UNKNOWN = "unknown"
    """Nothing on the page tells; 12,345 has no value there."""


def separators_of(cells: Iterable[str], text: str) -> Separators:
    """Decide from a page's numbers, and from its language where they say nothing or contradict each other.

    Args:
        cells: Texts of the cells of its tables.
        text: All its text.
    """
    english = continental = 0
    for cell in cells:
        number = _AROUND.sub("", cell)
        english += _ENGLISH.fullmatch(number) is not None
        continental += _CONTINENTAL.fullmatch(number) is not None
    abroad = len(_CONTINENTAL_WORDS.findall(text)) > len(_ENGLISH_WORDS.findall(text))
    if not abroad:
        certain = continental >= _LEAST_AGAINST_WORDS and not english
        return Separators.CONTINENTAL if certain else Separators.ENGLISH
    if continental > _CLEARLY * english:
        return Separators.CONTINENTAL
    return Separators.ENGLISH if english > _CLEARLY * continental else Separators.UNKNOWN
