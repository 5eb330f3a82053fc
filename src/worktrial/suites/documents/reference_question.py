"""Questions of a generated archive, understood from their wording, and the cells that they mean."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from worktrial.suites.documents.answers.dates import MONTHS

_MONTHS = tuple(month.capitalize() for month in MONTHS)
_ISSUE = re.compile(rf"in the (?P<month>{'|'.join(_MONTHS)}) (?P<year>\d{{4}}) issue", re.IGNORECASE)
_TABLE = re.compile(r"^According to the table “(?P<name>[^”]+)”")
_PERIOD = rf"(?:in|at the end of) ((?:fiscal year|{'|'.join(_MONTHS)}) \d{{4}})"
_SPAN = rf"from ({'|'.join(_MONTHS)}) (\d{{4}}) to ({'|'.join(_MONTHS)}) (\d{{4}}) inclusive"
_COLUMN = re.compile(r"what is given in the column (?P<what>.+?) for (?P<label>“.+), in [\w ]+\?")
_LOOKUP = re.compile(rf"what is given for (?P<what>.+) {_PERIOD}, in [\w ]+\?")
_ADDED = re.compile(rf"what is the (sum|arithmetic mean) of the monthly figures for (?P<what>.+) {_SPAN}")
_DIFFERENCE = re.compile(rf"does the figure for (?P<what>.+) {_PERIOD} exceed the one {_PERIOD}")
_CHANGE = re.compile(rf"does the figure for (?P<what>.+) change from the one {_PERIOD} to the one {_PERIOD}")
_UNIT = re.compile(r", in (?P<unit>(?:millions|thousands|percent|thousand)[\w ]*)")
_DECIMALS = re.compile(r"rounded to (one|\d) decimals?")
_QUOTED = re.compile(r"“([^”]+)”")

Kind = Literal["lookup", "sum", "mean", "difference", "percent_change"]


@dataclass(frozen=True, slots=True)
class When:
    """A row by time: a month of a year, or a fiscal year."""

    year: int
    month: int | None = None


@dataclass(frozen=True, slots=True)
class QuestionMeaning:
    """Meaning of a question of the generator's."""

    kind: Kind
    issue: str
    """`March 1952`."""
    year_month: tuple[int, int]
    table: str
    """Name of the table as the question gives it; "" where it gives none."""
    headings: tuple[str, ...]
    """Quoted headings of the column, the lowest last."""
    phrase: str
    """The column in other words, where no headings are quoted."""
    rows: tuple[When, ...]
    """Rows in the order of the formula."""
    label: tuple[str, ...]
    """Quoted labels of the row, the lowest last, where it is not a time."""
    unit: str
    decimals: int | None
    """Decimal places of the answer; None for as many as the figures have."""

    def is_of_issue(self, document: str) -> bool:
        """Whether a document's name carries the issue's year and month."""
        numbers = [int(number) for number in re.findall(r"\d+", document)]
        return numbers[-2:] == list(self.year_month)


def parse(question: str) -> QuestionMeaning | None:
    """Understand a question; None for wordings that are not known."""
    issue = _ISSUE.search(question)
    kind, what, rows, label = _matched(question)
    if issue is None or kind is None:
        return None
    table, unit, decimals = _TABLE.match(question), _UNIT.search(question), _DECIMALS.search(question)
    quoted = _QUOTED.findall(what)
    return QuestionMeaning(
        kind=kind,
        issue=f"{issue['month']} {issue['year']}",
        year_month=(int(issue["year"]), _number(issue["month"])),
        table=table["name"] if table else "",
        headings=tuple(reversed(quoted)),
        phrase="" if quoted else what,
        rows=rows,
        label=label,
        unit=unit["unit"] if unit else "",
        decimals=None if decimals is None else 1 if decimals[1] == "one" else int(decimals[1]),
    )


def _matched(question: str) -> tuple[Kind | None, str, tuple[When, ...], tuple[str, ...]]:
    found = _COLUMN.search(question)
    if found is not None:
        return "lookup", found["what"], (), tuple(reversed(_QUOTED.findall(found["label"])))
    found = _LOOKUP.search(question)
    if found is not None:
        return "lookup", found["what"], (_when(found[2]),), ()
    found = _ADDED.search(question)
    if found is not None:
        first, last = _count(found[3], found[4]), _count(found[5], found[6])
        months = tuple(When(count // 12, count % 12 + 1) for count in range(first, last + 1))
        return "sum" if found[1] == "sum" else "mean", found["what"], months, ()
    found = _DIFFERENCE.search(question)
    if found is not None:
        return "difference", found["what"], (_when(found[2]), _when(found[3])), ()
    found = _CHANGE.search(question)
    if found is not None:
        return "percent_change", found["what"], (_when(found[3]), _when(found[2])), ()
    return None, "", (), ()


def _when(text: str) -> When:
    name, _, year = text.rpartition(" ")
    return When(int(year), None if name == "fiscal year" else _number(name))


def _count(name: str, year: str) -> int:
    return 12 * int(year) + _number(name) - 1


def _number(name: str) -> int:
    return _MONTHS.index(name.capitalize()) + 1


_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"[^\W\d_]+|\b\d{4}\b")
"""Words and years, but no footnote marks and column numbers."""
_LOW = 0.72
"""Names less alike than this are not the same; a letter or two may be misread."""
_SHORT_MONTHS = tuple(name[:3].lower() for name in _MONTHS)


@dataclass(frozen=True, slots=True)
class FoundTable:
    """Table of an archive without its figures: title, headings, labels."""

    document: str
    page: int
    number: int
    title: str
    columns: Mapping[int, str]
    """Heading path of each column that holds a number."""
    units: set[str]
    rows: Mapping[int, tuple[str, str]]
    """Label path and period of each row."""

    def rows_of(self, asked: QuestionMeaning) -> list[int] | None:
        """The rows that a question means, in its order; None where one is missing."""
        rows = [self._at(when) for when in asked.rows] if asked.rows else [self._labelled(asked.label)]
        found = [row for row in rows if row is not None]
        return found if len(found) == len(rows) else None

    def _at(self, when: When) -> int | None:
        period = f"{when.year}-{when.month:02d}" if when.month else f"FY{when.year}"
        told = [row for row, (_, own) in self.rows.items() if own == period]
        named = [row for row, (label, _) in self.rows.items() if _is_time(label, when)]
        return next(iter([*told, *named]), None)

    def _labelled(self, label: Sequence[str]) -> int | None:
        """The row whose label path is most like the one asked for."""
        best, found = 0.0, None
        for row, (path, _) in self.rows.items():
            parts = path.split(" > ")
            likes = [max(_alike(text, part) for part in parts) for text in label]
            if min(likes) and sum(likes) > best:
                best, found = sum(likes), row
        return found


class Tables:
    """The tables found for one question, compared."""

    def __init__(self, tables: Sequence[FoundTable]) -> None:
        """Learn which words are rare: they tell columns apart.

        Args:
            tables: all that may hold the answer.
        """
        paths = [path for table in tables for path in table.columns.values()]
        self._columns = len(paths)
        self._with_word = Counter(word for path in paths for word in set(_stems(path)))

    def fit(self, table: FoundTable, asked: QuestionMeaning) -> float:
        """Measure of how well a table fits a question; only to be compared with that of others."""
        fit = 2 * _alike(asked.table, _named(table.title)) if asked.table else 0.0
        if asked.unit and any(unit and unit.split()[0] == asked.unit.split()[0] for unit in table.units):
            fit += 0.3
        return fit + max((self._likeness(path, table, asked) for path in table.columns.values()), default=0.0)

    def column(self, table: FoundTable, asked: QuestionMeaning) -> int | None:
        """The column that fits best; the leftmost of equals."""
        ranked = [(self._likeness(path, table, asked), -number) for number, path in table.columns.items()]
        likeness, number = max(ranked, default=(0.0, 0))
        return -number if likeness > 0 else None

    def _likeness(self, path: str, table: FoundTable, asked: QuestionMeaning) -> float:
        return self._to_headings(path, asked) if asked.headings else self._to_phrase(path, table, asked)

    def _to_headings(self, path: str, asked: QuestionMeaning) -> float:
        *above, lowest = path.split(" > ")
        like = _alike(asked.headings[-1], lowest)
        if not like:
            return 0.0
        if len(asked.headings) > 1:
            # The heading right above counts for more than those that span it.
            parents = (_alike(asked.headings[0], h) * 0.9**i for i, h in enumerate(reversed(above)))
            return like + max(parents, default=0.0)
        # Of two columns of one name, the one that stands alone.
        return like + 1 / (1 + len(above))

    def _to_phrase(self, path: str, table: FoundTable, asked: QuestionMeaning) -> float:
        wanted, own = set(_stems(asked.phrase)), set(_stems(path))
        near = own | set(_stems(table.title))
        weights = {word: math.log(1 + self._columns / (1 + self._with_word[word])) for word in wanted | own}
        all_wanted = sum(weights[word] for word in sorted(wanted)) or 1.0
        found = sum(weights[word] for word in sorted(wanted & near)) / all_wanted
        beside = sum(weights[word] for word in sorted(own - wanted)) / all_wanted
        return found - 0.3 * beside if wanted & own else 0.0


def _is_time(label: str, when: When) -> bool:
    years = re.findall(r"\b\d{4}\b", label)
    months = [word[:3].lower() for word in _WORD.findall(label) if word[:3].lower() in _SHORT_MONTHS]
    if years[-1:] != [str(when.year)]:
        return False
    return not _WORD.findall(label) if when.month is None else months[-1:] == [_SHORT_MONTHS[when.month - 1]]


def _named(title: str) -> str:
    """A title without the code of its table."""
    return re.sub(r"^table\s+\S+?[.—–-]+\s*", "", title, flags=re.IGNORECASE)


def _alike(one: str, other: str) -> float:
    """Likeness of two names, 0-1; 0 for those that are not the same name."""
    a, b = (" ".join(_NAME.findall(text.lower())) for text in (one, other))
    ratio = SequenceMatcher(None, a, b, autojunk=False).ratio() if a and b else 0.0
    return ratio if ratio >= _LOW else 0.0


def _stems(text: str) -> list[str]:
    """Words without their endings, roughly: `duties` and `duty`, `expenditures` and `expenditure`."""
    small = {"the", "of", "for", "and", "in", "on", "from", "than"}
    words = (word.lower() for word in _WORD.findall(text))
    return [re.sub(r"(ies|es|s|y)$", "", word) if len(word) > 3 else word for word in words if word not in small]
