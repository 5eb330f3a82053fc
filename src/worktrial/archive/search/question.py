"""From a question in natural language to the words to search for."""

import re
from typing import NamedTuple

from worktrial.archive.meaning.months import month_number
from worktrial.archive.search.entry import plain_numbers

# Function words, and what questions ask with; the rest is left to the rarity of each word in the archive.
_STOP = frozenset(
    """a about above according after again all also am an and any are as at be because been before being below between
    both but by can could did do does doing during each every few for from further had has have having he her here him
    his how i if in into is it its itself just me more most my no nor not of off on once only or other our out over own
    please same she should so some such than that the their them then there these they this those through to too under
    until up upon us very was we were what when where which while who whom whose why will with within would you your
    answer calculate compute decimal decimals determine express expressed find give given list nearest place places
    print printed prints report reported respectively round rounded show shown shows state tell use used using value
    values figure figures number numbers many much table tables page pages""".split()
)
_WORD = re.compile(r"\d+(?:\.\d+)*|[^\W\d_]+")
_PHRASE = re.compile(r'"([^"]{2,200})"')
_DATE = re.compile(r"\b(?P<month>[^\W\d_]{3,9})\.?,?\s+(?:of\s+)?(?P<year>1[789]\d\d|20\d\d)\b")
_JOINED = re.compile(r"(?:\s*,\s*|\s+)?(?:(?:and|or|to|through|with|versus|vs\.?)\s+)?(?:the\s+|in\s+the\s+)?", re.IGNORECASE)
# What follows a date when it names an issue, unless the archive's own titles follow.
_ISSUE_WORDS = frozenset("issue issues edition editions bulletin bulletins report reports publication number".split())
_YEAR = re.compile(r"(?<!\d)(1[789]\d\d|20\d\d)(?!\d)")


class Question(NamedTuple):
    """What to search for."""

    words: tuple[str, ...]
    """Each once, in order; separators of thousands removed."""
    phrases: tuple[str, ...] = ()
    """What stood in quotes."""
    issues: tuple[str, ...] = ()
    """Issues that are named, such as `1939-02`, in order."""
    years: tuple[int, ...] = ()
    """Years that are mentioned otherwise."""


def read_question(text: str, names: frozenset[str] = frozenset()) -> Question:
    """Take a question apart.

    Args:
        text: a question, or just keywords.
        names: words of the documents' names; a date before one of them is a date of issue.
    """
    issues, rest = _issues(text, names)
    words = dict.fromkeys(w for w in _WORD.findall(plain_numbers(rest).casefold()) if w not in _STOP)
    if not words and not issues:
        # Nothing but function words: better those than nothing.
        words = dict.fromkeys(_WORD.findall(plain_numbers(text).casefold()))
    years = dict.fromkeys(int(year) for year in _YEAR.findall(rest))
    return Question(tuple(words), tuple(_PHRASE.findall(text)), tuple(issues), tuple(years))


def _issues(text: str, names: frozenset[str]) -> tuple[list[str], str]:
    """The issues that are named, and the text without them."""
    named: dict[str, None] = {}
    kept: list[str] = []
    end = 0
    for run in _runs(text):
        after = _WORD.findall(text[run[-1].end() : run[-1].end() + 60].casefold())[:3]
        if not any(word in _ISSUE_WORDS or word in names for word in after):
            continue
        named |= dict.fromkeys(f"{date['year']}-{month_number(date['month']):02}" for date in run)
        kept.append(text[end : run[0].start()])
        end = run[-1].end()
    return list(named), " ".join((*kept, text[end:]))


def _runs(text: str) -> list[list[re.Match[str]]]:
    """Dates that stand together: `March 2010 and June 2010`."""
    runs: list[list[re.Match[str]]] = []
    for date in _DATE.finditer(text):
        if month_number(date["month"]) is None:
            continue
        if runs and _JOINED.fullmatch(text, runs[-1][-1].end(), date.start()):
            runs[-1].append(date)
        else:
            runs.append([date])
    return runs
