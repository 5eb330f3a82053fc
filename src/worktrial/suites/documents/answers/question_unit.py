"""The unit that a question asks for, where it says so."""

import re

_SCALED = re.compile(
    r"\b(?:in|of|many|by|to the nearest)\s+(?:the\s+nearest\s+)?(?P<scale>thousand|million|billion|trillion)s?\b"
    r"(?:\s+of)?(?P<money>(?:\s+(?:nominal|current|constant|u\.?s\.?|united states))*\s+dollars?)?"
    r"(?P<per>\s+per\s+\w+)?",
    re.IGNORECASE,
)
_POINTS = re.compile(r"\bpercentage points?\b", re.IGNORECASE)
_BASIS = re.compile(r"\bbasis points?\b", re.IGNORECASE)
_FRACTION = re.compile(r"\bas an? (?:decimal )?(?:fraction|decimal|proportion)\b", re.IGNORECASE)
_PERCENT = re.compile(
    r"\b(?:what|which|how many|as an?|in|by what|the)\s+percent(?:age)?\b(?!\s+points?)|\bpercent(?:age)? change\b",
    re.IGNORECASE,
)


def question_unit(question: str) -> str | None:
    """The unit in which `question` wants its number ("millions of dollars", "percent"); None when it is silent.

    What is asked for usually stands last, and a table's unit may be quoted before it, so the last mention counts;
    a question that asks for a share asks for it whatever unit its parts are in.
    """
    for pattern, unit in (
        (_POINTS, "percentage points"),
        (_BASIS, "basis points"),
        (_FRACTION, "a fraction"),
        (_PERCENT, "percent"),
    ):
        if pattern.search(question):
            return unit
    mentions = list(_SCALED.finditer(question))
    if not mentions:
        return None
    found = mentions[-1]
    money = " of dollars" if found["money"] else ""
    return f"{found['scale'].lower()}s{money}{(found['per'] or '').lower()}"
