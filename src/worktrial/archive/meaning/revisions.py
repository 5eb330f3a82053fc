"""The same figure in several issues: what each printed, and where they differ."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from worktrial.archive.address import Address
from worktrial.archive.meaning.cells import column_periods, stub_of
from worktrial.archive.meaning.headers import header_paths
from worktrial.archive.meaning.marks import split_marks
from worktrial.archive.meaning.periods import Period, period_of
from worktrial.archive.meaning.rows import row_labels
from worktrial.archive.meaning.units import Unit, units
from worktrial.archive.meaning.value import value_of
from worktrial.archive.tables import Table

_TABLE_NUMBER = re.compile(
    r"^\s*table\s+(?P<number>[a-z]{1,5}\s*[-–—]\s*[\w.]+|\d+[a-z]?)\s*[.:]?\s*[-–—]*\s*", re.IGNORECASE
)
_CONTINUED = re.compile(r"\bcontinued\b|[-–—,(\s]+con(?:t(?:'?d)?)?\b\.?\)?\s*$", re.IGNORECASE)
_PRINTED_NUMBER = re.compile(r"\(\d{1,3}\)\s*$")
_WORD = re.compile(r"[^\W_]+")
_BOTH_ROUNDED = 0.51


class SeriesPoint(NamedTuple):
    """One figure of one series in one issue."""

    series: tuple[str, ...]
    """Title, then headings and labels that are not times: normalised, so that issues agree."""
    period: Period
    unit: Unit | None
    as_of: str
    """The issue's date, such as `1941-01`; sorts by time."""
    address: Address
    value: float
    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class RevisionLink:
    """The same (series, period, fiscal or calendar, unit) in several issues."""

    points: tuple[SeriesPoint, ...]
    """In order of issue."""

    @property
    def changes(self) -> tuple[tuple[SeriesPoint, SeriesPoint], ...]:
        """Neighbouring issues that print different values: a revision, or a misreading in one of the two."""
        pairs = zip(self.points, self.points[1:], strict=False)
        return tuple((a, b) for a, b in pairs if abs(a.value - b.value) > _rounding(a, b))


def points_of(table: Table, document: str, as_of: str) -> Iterator[SeriesPoint]:
    """The dated figures of one table.

    Args:
        table: with its title and unit.
        document: its name, for the addresses.
        as_of: the issue's date as sortable text; without one nothing can be linked.
    """
    headers, labels, column_units = header_paths(table), row_labels(table), units(table)
    stub, by_column = stub_of(table, headers), column_periods(table, headers)
    title = series_words(table.title)
    columns = [_names(path, by_column[c] is not None) for c, path in enumerate(headers)]
    for r in range(table.header_rows, len(table.rows)):
        own = period_of(labels[r], stub=stub)
        names = _names(labels[r], own is not None)
        for c in range(table.label_columns, len(table.rows[r])):
            cell = table.rows[r][c]
            period, number = own or by_column[c], value_of(cell.text).number
            if period is None or number is None:
                continue
            series = (title, *columns[c], *names)
            place = Address(document, table.page, table.number, r, c)
            yield SeriesPoint(
                series, period, column_units[c], as_of, place, number, cell.text, float(cell.confidence)
            )


def link_revisions(points: Iterable[SeriesPoint]) -> tuple[RevisionLink, ...]:
    """Link what several issues print of the same thing.

    A figure that one issue prints twice with different values is left out there: which one is meant is unknown.
    """
    groups: defaultdict[object, list[SeriesPoint]] = defaultdict(list)
    for point in points:
        if point.as_of and point.series[0]:
            groups[point.series, str(point.period), point.unit].append(point)
    links = (RevisionLink(_one_an_issue(group)) for group in groups.values())
    return tuple(link for link in links if len(link.points) > 1)


def series_words(text: str) -> str:
    """A title or label as issues agree on it: no table number, `continued`, marks, case or punctuation."""
    named = _CONTINUED.sub(" ", _TABLE_NUMBER.sub("", text))
    body = split_marks(_PRINTED_NUMBER.sub("", named).strip()).body
    words = _WORD.findall(body.casefold())
    return " ".join(words)


def _names(path: Sequence[str], dated: bool) -> tuple[str, ...]:
    """The steps that name the series; those that name the time are its period."""
    words = (series_words(text) for text in path if not (dated and _is_time(text)))
    return tuple(word for word in words if word)


def _is_time(text: str) -> bool:
    # A year is lent to texts that have none, such as a month below it.
    return period_of((text,)) is not None or period_of(("2000", text)) != period_of(("2000",))


def _one_an_issue(group: Sequence[SeriesPoint]) -> tuple[SeriesPoint, ...]:
    issues: defaultdict[tuple[str, str], list[SeriesPoint]] = defaultdict(list)
    for point in group:
        issues[point.as_of, point.address.document].append(point)
    chosen = (found[0] for found in issues.values() if len({point.value for point in found}) == 1)
    return tuple(sorted(chosen, key=lambda point: (point.as_of, point.address)))


def _rounding(a: SeriesPoint, b: SeriesPoint) -> float:
    """One issue may print fewer digits than another."""
    digits = min(value_of(point.text).decimals for point in (a, b))
    same = value_of(a.text).decimals == value_of(b.text).decimals
    return 0.0 if same else _BOTH_ROUNDED * 10.0**-digits
