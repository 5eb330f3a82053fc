"""The same table in other documents, by its name or its headings."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import pyarrow.parquet as pq

from worktrial.archive.meaning.periods import month_number
from worktrial.archive.store.parts import TABLES, StoredPart

_LEAST_HEADINGS = 4
"""Fewer headings in common may be those of many tables."""
_MOST_NAMES = 4
_MOST_ALIKE = 6
"""Names that share their headings; more are tables of one form, such as one for each province."""
_REMEMBERED = 4096
"""Titles and headings, which issue after issue prints again."""
_CODE = re.compile(r"^\s*(?:table\s+)?[A-Z]{1,5}(?:-[IVX]+)?-\d+[A-Za-z]?\b[\s.:—–-]*", re.IGNORECASE)
_TABLE = re.compile(r"^\s*table\b[\s\d.:—–-]*", re.IGNORECASE)
_CONTINUED = re.compile(r"[\s,.:;—–(-]*\bcon(?:t|tinued)?\b\.?\)?\s*$", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


class OtherPrintings(NamedTuple):
    """A table as other documents have it."""

    names: tuple[str, ...]
    """Titles unlike its own, the commonest first."""
    documents: int
    """Number of other documents that print it."""


def name_of(title: str) -> str:
    """A table's title without its code, `continued`, and what follows a dash or comma with a date."""
    return _CONTINUED.sub("", _TABLE.sub("", _CODE.sub("", title))).strip(" .,:;—–-")


@lru_cache(maxsize=_REMEMBERED)
def _key(title: str) -> str:
    """Words of a name; months, and all that is no word, tell issues apart and not tables."""
    words = (word.casefold() for word in _WORD.findall(name_of(title)))
    return " ".join(word for word in words if month_number(word) is None or word == "may")


@lru_cache(maxsize=_REMEMBERED)
def _form(headers: str) -> frozenset[str]:
    """Headings as words, without years and numbers of columns."""
    forms = (" ".join(_WORD.findall(line.casefold())) for line in headers.splitlines())
    return frozenset(form for form in forms if form)


class SameTables:
    """Tables of an archive that are the same in several documents.

    Two tables are the same where their titles have the same words, or where all their headings, at least four, are
    the same. Where many titles share their headings, the form is common to different tables and says nothing.

    Args:
        parts: documents of the archive.
    """

    def __init__(self, parts: Sequence[StoredPart]) -> None:
        self._titles: dict[str, Counter[str]] = defaultdict(Counter)
        self._documents: dict[str, set[str]] = defaultdict(set)
        forms: dict[frozenset[str], set[str]] = defaultdict(set)
        for part in parts:
            with pq.ParquetFile(part.folder / TABLES) as file:
                for batch in file.iter_batches(columns=["title", "headers"], use_threads=False):
                    for title, headers in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                        key = _key(title)
                        if not key:
                            continue
                        self._titles[key][name_of(title)] += 1
                        self._documents[key].add(part.record.name)
                        form = _form(headers)
                        if len(form) >= _LEAST_HEADINGS:
                            forms[form].add(key)
        self._alike = {form: frozenset(keys) for form, keys in forms.items() if 1 < len(keys) <= _MOST_ALIKE}
        self._known: dict[tuple[str, frozenset[str]], tuple[tuple[str, ...], frozenset[str]]] = {}

    def of(self, document: str, title: str, headers: str) -> OtherPrintings:
        """The table elsewhere.

        Args:
            document: that it is from.
            title: of the table.
            headers: of the table, a line each.
        """
        names, documents = self._others(_key(title), self._alike.get(_form(headers), frozenset()))
        return OtherPrintings(names, len(documents) - (document in documents))

    def _others(self, key: str, alike: frozenset[str]) -> tuple[tuple[str, ...], frozenset[str]]:
        """Names besides a key's own, and all documents that print it; worked out once for all issues."""
        if (key, alike) not in self._known:
            others = (alike | {key}) - {""}
            counts = Counter(
                {self._titles[o].most_common(1)[0][0]: len(self._documents[o]) for o in others - {key}}
            )
            names = tuple(name for name, _ in counts.most_common(_MOST_NAMES))
            self._known[key, alike] = names, frozenset().union(*(self._documents[one] for one in others))
        return self._known[key, alike]
