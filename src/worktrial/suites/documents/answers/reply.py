"""Answer within a reply, and whether it commits itself; for our score.

The answer is, in this order:

1. what the last `<FINAL_ANSWER>` pair holds. After a tag that is opened later and never closed there is no answer:
   it was cut off;
2. what follows the last line that starts with "Answer:", "Final answer:" or "The answer is": the rest of that line,
   or, when it has none, the lines up to the next empty one;
3. the last line, or, when that is an item of a bulleted or numbered list, the whole list.

Emphasis, code marks, quotes around the whole and a full stop at the end are no part of an answer. Hedges, ranges,
alternatives and negations are no answer at all.
"""

import re

from worktrial.suites.documents.answers.published import final_answer

_TAG = re.compile(r"<(?P<close>/?)FINAL_ANSWER>", re.IGNORECASE)
_MARKER = re.compile(
    r"^[ \t>#*_]*(?:the[ \t]+)?(?:final[ \t]+)?answer[ \t*_]*(?:\bis\b[ \t]*:?|[:=])[ \t*_]*",
    re.IGNORECASE | re.MULTILINE,
)
_BULLET = re.compile(r"^\s*(?:[-*•‣◦]|\d{1,3}[.)])\s+")
_BOXED = re.compile(r"^\$*\\boxed\{([^{}]*)\}\$*$")
_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"))
_MARKS = ("**", "__", "`", "*")


def our_final_answer(reply: str) -> str | None:
    """The answer in `reply`; None when its final tag is never closed, and "" when it has none."""
    tags = list(_TAG.finditer(reply))
    if tags and not tags[-1]["close"]:
        return None
    if any(not tag["close"] for tag in tags):
        return unwrapped(final_answer(reply))
    markers = list(_MARKER.finditer(reply))
    if markers:
        return unwrapped(_after_marker(reply[markers[-1].end() :]))
    return unwrapped(_last_line(reply))


def without_bullet(line: str) -> str:
    """A line of a list without its bullet or number."""
    return _BULLET.sub("", line, count=1)


def unwrapped(answer: str) -> str:
    """`answer` without emphasis, code marks, a box, quotes around the whole, and a full stop at the end."""
    if answer.isalnum():
        return answer
    before = None
    while before != answer:
        before = answer
        answer = answer.strip().replace("\\$", "$").replace("\\%", "%")
        answer = _BOXED.sub(r"\1", answer)
        # Not "No." of "No. 5", nor "U.S.": a full stop after a letter and a full stop stays.
        if answer.endswith(".") and "." not in answer[-3:-1]:
            answer = answer[:-1].rstrip()
        for mark in _MARKS:
            answer = _inside(answer, mark, mark)
        for left, right in _QUOTES:
            answer = _inside(answer, left, right)
    return answer


def _inside(answer: str, left: str, right: str) -> str:
    wrapped = len(answer) > len(left) + len(right) and answer.startswith(left) and answer.endswith(right)
    inner = answer[len(left) : -len(right)] if wrapped else answer
    # "a" and "b": these are two quotations, not one around the whole.
    return answer if left in inner or right in inner else inner


def _after_marker(rest: str) -> str:
    line, _, below = rest.partition("\n")
    return line if line.strip(" \t*_") else re.split(r"\n[ \t]*\n", below.lstrip("\n"), maxsplit=1)[0]


def _last_line(reply: str) -> str:
    lines = reply.strip().splitlines()
    if not lines:
        return ""
    first = len(lines) - 1
    while first > 0 and _BULLET.match(lines[first]) and _BULLET.match(lines[first - 1]):
        first -= 1
    return "\n".join(lines[first:])


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
    """Way in which `answer` avoids to commit itself, in words; None when it does not.

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
