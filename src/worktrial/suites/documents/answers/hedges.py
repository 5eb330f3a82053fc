"""Answers that do not commit themselves: hedges, ranges, alternatives, negations."""

import re

_HEDGED = (
    r"about|approx(?:imately|\.)?|roughly|nearly|almost|circa|ca\.|close to|somewhere"
    r"|(?:more|less|fewer|greater|lower|higher|larger|smaller) than|at (?:least|most)|up to"
    r"|no (?:more|less|fewer) than"
    r"|probably|perhaps|maybe|possibly|presumably|likely|might|may be|could be|(?:seems?|appears?) to be"
    r"|i (?:think|believe|guess|estimate|assume|suppose)|my (?:guess|estimate)"
    r"|best (?:guess|estimate)|estimated (?:at|to)"
    r"|or so|or thereabouts|give or take|plus or minus|ballpark|order of magnitude|unsure|uncertain|unclear"
)
_NEGATED = (
    r"not|no longer|never|neither|nor|none|cannot|can't|unable|isn't|wasn't|aren't|weren't|doesn't|didn't|don't"
    r"|won't|unknown|undetermined|unavailable|n/a|incorrect|wrong"
)
_SCALED = r"\d(?:[\d.,]*\d)?%?(?: ?(?:[kmbt]n?|hundred|thousand|million|billion|trillion|percent)s?\b)?"
_NUMBER = r"(?=,? (?:the )?[$€£¥(]*[-+]?\.?\d)"

_ANYWHERE = (
    ("is hedged", rf"(?<![\w-])(?:{_HEDGED})(?!\w)"),
    ("is negated", rf"(?<![\w-])(?:{_NEGATED})(?!\w)"),
    ("is hedged", r"[~≈∼≃≅±<>≤≥≲≳?]|\+/-|\d\+(?!\d)|\d-?ish\b"),
)
# Where dates were, there is nothing any more: "up 5 % over 1952" and "from 1953 to 1954" do not hedge.
_BESIDE_DATES = (
    # Only before a number: "the line above" is no hedge.
    ("is hedged", rf"\b(?:around|over|under|above|below|near|some|between|beyond|exceed(?:s|ing)){_NUMBER}"),
    ("gives alternatives", r"(?<![\w-])(?:either|or)(?!\w)"),
    ("gives a range", rf"\b(?:between|from) [$€£¥(]*-?{_SCALED}[%)]* (?:and|to)\b"),
    ("gives a range", rf"(?!\d+-\d+/\d)(?<![\w.,]){_SCALED} ?(?:--?|\.\.+|…|\bto\b|\bthrough\b) ?[($]*-?\.?\d"),
)
_AROUND_DATES = (("is hedged", r"\b(?:before|after|until|prior to|earlier than|later than|around|by)\b"),)


def _compiled(rules: tuple[tuple[str, str], ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((what, re.compile(pattern, re.IGNORECASE)) for what, pattern in rules)


_EVERYWHERE, _UNDATED, _DATED = _compiled(_ANYWHERE), _compiled(_BESIDE_DATES), _compiled(_AROUND_DATES)


def evasion(answer: str, undated: str, gold: str, *, date_asked: bool = False) -> str | None:
    """How `answer` avoids to commit itself, in words; None when it does not.

    A word or sign that the gold answer has too ("Under 1 year", "Not applicable", "5-10") is no evasion.

    Args:
        answer: The answer, spelled as `one_spelling` does.
        undated: The same without the dates in it.
        gold: The gold answer, spelled the same way.
        date_asked: Whether the gold answer has a date, so that "before March" is not "March".
    """
    for text, rules in ((answer, _EVERYWHERE), (undated, _UNDATED), (answer if date_asked else "", _DATED)):
        for what, pattern in rules:
            allowed = {found[0].casefold() for found in pattern.finditer(gold)}
            for found in pattern.finditer(text):
                if found[0].casefold() not in allowed:
                    return f'the answer {what}: "{found[0].strip()}"'
    return None
