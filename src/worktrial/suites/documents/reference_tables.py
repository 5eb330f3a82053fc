"""Finding the table, the column and the rows that a question means, by their names."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from worktrial.suites.documents.reference_wording import Asked, When

_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"[^\W\d_]+|\b\d{4}\b")
"""Words and years, but no footnote marks and column numbers."""
_LOW = 0.72
"""Names less alike than this are not the same; a letter or two may be misread."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True, slots=True)
class FoundTable:
    """What the archive says of a table, without its figures."""

    document: str
    page: int
    number: int
    title: str
    columns: Mapping[int, str]
    """Heading path of each column that holds a number."""
    units: set[str]
    rows: Mapping[int, tuple[str, str]]
    """Label path and period of each row."""

    def rows_of(self, asked: Asked) -> list[int] | None:
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

    def fit(self, table: FoundTable, asked: Asked) -> float:
        """How well a table fits a question; only to be compared with that of others."""
        fit = 2 * _alike(asked.table, _named(table.title)) if asked.table else 0.0
        if asked.unit and any(unit and unit.split()[0] == asked.unit.split()[0] for unit in table.units):
            fit += 0.3
        return fit + max((self._likeness(path, table, asked) for path in table.columns.values()), default=0.0)

    def column(self, table: FoundTable, asked: Asked) -> int | None:
        """The column that fits best; the leftmost of equals."""
        ranked = [(self._likeness(path, table, asked), -number) for number, path in table.columns.items()]
        likeness, number = max(ranked, default=(0.0, 0))
        return -number if likeness > 0 else None

    def _likeness(self, path: str, table: FoundTable, asked: Asked) -> float:
        return self._to_headings(path, asked) if asked.headings else self._to_phrase(path, table, asked)

    def _to_headings(self, path: str, asked: Asked) -> float:
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

    def _to_phrase(self, path: str, table: FoundTable, asked: Asked) -> float:
        wanted, own = set(_stems(asked.phrase)), set(_stems(path))
        near = own | set(_stems(table.title))
        weights = {word: math.log(1 + self._columns / (1 + self._with_word[word])) for word in wanted | own}
        all_wanted = sum(weights[word] for word in wanted) or 1.0
        found = sum(weights[word] for word in wanted & near) / all_wanted
        beside = sum(weights[word] for word in own - wanted) / all_wanted
        return found - 0.3 * beside if wanted & own else 0.0


def _is_time(label: str, when: When) -> bool:
    years = re.findall(r"\b\d{4}\b", label)
    months = [word[:3].lower() for word in _WORD.findall(label) if word[:3].lower() in _MONTHS]
    if years[-1:] != [str(when.year)]:
        return False
    return not _WORD.findall(label) if when.month is None else months[-1:] == [_MONTHS[when.month - 1]]


def _named(title: str) -> str:
    """A title without the code of its table."""
    return re.sub(r"^table\s+\S+?[.—–-]+\s*", "", title, flags=re.IGNORECASE)


def _alike(one: str, other: str) -> float:
    """How alike two names are; 0 for those that are not the same name."""
    a, b = (" ".join(_NAME.findall(text.lower())) for text in (one, other))
    ratio = SequenceMatcher(None, a, b, autojunk=False).ratio() if a and b else 0.0
    return ratio if ratio >= _LOW else 0.0


def _stems(text: str) -> list[str]:
    """Words without their endings, roughly: `duties` and `duty`, `expenditures` and `expenditure`."""
    small = {"the", "of", "for", "and", "in", "on", "from", "than"}
    words = (word.lower() for word in _WORD.findall(text))
    return [re.sub(r"(ies|es|s|y)$", "", word) if len(word) > 3 else word for word in words if word not in small]
