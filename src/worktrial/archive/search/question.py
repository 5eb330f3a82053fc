"""From a question in natural language to the words to search for."""

import re
from importlib.resources import files
from typing import NamedTuple

from worktrial.archive.meaning.months import month_number
from worktrial.archive.search.entry import as_printed, whole_numbers

# Function words, and what questions ask with; the rest is left to the rarity of each word in the archive.
_STOP = frozenset(files("worktrial.archive.search").joinpath("stop_words.txt").read_text("utf-8").split())
_WORD = re.compile(r"[^\W_]+")
_PHRASE = re.compile(r'"([^"]{2,200})"')
_DATE = re.compile(r"\b(?P<month>[^\W\d_]{3,9})\.?,?\s+(?:of\s+)?(?P<year>1[789]\d\d|20\d\d)\b")
_JOINED = re.compile(
    r"(?:\s*,\s*|\s+)?(?:(?:and|or|to|through|with|versus|vs\.?)\s+)?(?:the\s+|in\s+the\s+)?", re.IGNORECASE
)
# What follows a date when it names an issue, unless the archive's own titles follow.
_ISSUE_WORDS = frozenset(
    [
        "issue",
        "issues",
        "edition",
        "editions",
        "bulletin",
        "bulletins",
        "report",
        "reports",
        "publication",
        "number",
    ]
)
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
    words = dict.fromkeys(word for word in _words(rest) if word not in _STOP)
    if not words and not issues:
        # Nothing but function words: better those than nothing.
        words = dict.fromkeys(_words(text))
    years = dict.fromkeys(int(year) for year in _YEAR.findall(rest))
    return Question(tuple(words), tuple(_PHRASE.findall(text)), tuple(issues), tuple(years))


def _words(text: str) -> list[str]:
    return [as_printed(word) for word in _WORD.findall(whole_numbers(text).casefold())]


def _issues(text: str, names: frozenset[str]) -> tuple[list[str], str]:
    """The issues that are named, and the text without them."""
    named: dict[str, None] = {}
    kept: list[str] = []
    end = 0
    for run in _runs(text):
        after = list(_WORD.finditer(text.casefold(), run[-1].end(), run[-1].end() + 60))[:3]
        naming = [m for m in after if m[0] in _ISSUE_WORDS or m[0] in names]
        if not naming:
            continue
        named |= dict.fromkeys(f"{date['year']}-{month_number(date['month']):02}" for date in run)
        kept.append(text[end : run[0].start()])
        # What every document is called says nothing about which page.
        end = max(m.end() for m in naming)
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
