"""Cells as rows for queries: number, unit, period; and the same figure in several issues."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from worktrial.archive.meaning.labels import header_paths, row_labels
from worktrial.archive.meaning.periods import Period, period_of
from worktrial.archive.meaning.value import split_marks, value_of
from worktrial.archive.pages import Address, Table

_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "hundred": 1e2, "cent": 1e-2}
_SCALE = re.compile(r"\b(hundred|thousand|million|billion|trillion)s?\b", re.IGNORECASE)
_PERCENT = re.compile(r"%|\bper\s?cent\b|\bpercent(?:age)?s?\b|\bpct\b", re.IGNORECASE)
_CURRENCIES = (
    ("cents", re.compile(r"\bcents\b", re.IGNORECASE)),
    ("dollars", re.compile(r"\$|\bdollars?\b|\bUSD\b", re.IGNORECASE)),
    ("euros", re.compile(r"€|\beuros?\b|\bEUR\b", re.IGNORECASE)),
    ("pounds", re.compile(r"£|\bpounds? sterling\b|\bGBP\b", re.IGNORECASE)),
)
_COUNTED = re.compile(
    r"\b(ounces|tons|tonnes|persons|employees|barrels|acres|square miles|hours|days|years|months|shares)\b",
    re.IGNORECASE,
)
_NUMBER_OF = re.compile(r"^(?:number|no\.)(?:\s+of\s+(?P<what>[a-z ]+))?$", re.IGNORECASE)
_INDEX = re.compile(r"\b(?:index|[12]\d{3}(?:-\d\d(?:\d\d)?)?\s*=\s*100)\b", re.IGNORECASE)
# A heading says its own unit only in these ways; other words in it are names.
_OWN_UNIT = re.compile(
    r"\(([^()]*)\)|\[([^\[\]]*)\]|\b(in (?:thousand|million|billion|trillion)s? of .*)$", re.IGNORECASE
)

PATH = " > "
"""Between the steps of a label or heading."""

_TABLE_NUMBER = re.compile(
    r"^\s*table\s+(?P<number>[a-z]{1,5}\s*[-–—]\s*[\w.]+|\d+[a-z]?)\s*[.:]?\s*[-–—]*\s*", re.IGNORECASE
)
_CONTINUED = re.compile(r"\bcontinued\b|[-–—,(\s]+con(?:t(?:'?d)?)?\b\.?\)?\s*$", re.IGNORECASE)
_PRINTED_NUMBER = re.compile(r"\(\d{1,3}\)\s*$")
_WORD = re.compile(r"[^\W_]+")
_BOTH_ROUNDED = 0.51


class ColumnUnit(NamedTuple):
    """A unit and how many of it one printed unit is."""

    measure: str
    """`dollars`, `percent`, `index`, `number`, `ounces`, …; empty where only the scale is told."""
    scale: float = 1.0
    """Printed numbers times this are in the measure."""

    def __str__(self) -> str:
        names = {scale: f"{name}s" for name, scale in _SCALES.items() if name != "cent"}
        scale = names.get(self.scale, "" if self.scale == 1 else f"{self.scale:g}")
        return " of ".join(part for part in (scale, self.measure) if part)


def parse_unit(text: str) -> ColumnUnit | None:
    """Read a unit as tables print it: `In millions of dollars`, `(percent)`, `Number`; None when it says none."""
    if _PERCENT.search(text):
        return ColumnUnit("percent")
    if _INDEX.search(text):
        return ColumnUnit("index")
    scale = _SCALE.search(text)
    factor = _SCALES[scale[1].lower()] if scale is not None else 1.0
    for name, pattern in _CURRENCIES:
        if pattern.search(text):
            return ColumnUnit("dollars", _SCALES["cent"]) if name == "cents" else ColumnUnit(name, factor)
    counted = _COUNTED.search(text)
    if counted is not None:
        return ColumnUnit(counted[1].lower(), factor)
    number = _NUMBER_OF.match(text.strip(" ()[]"))
    if number is not None:
        return ColumnUnit((number["what"] or "number").strip().lower(), factor)
    return ColumnUnit("", factor) if scale is not None else None


def units(table: Table) -> tuple[ColumnUnit | None, ...]:
    """The unit of each column: what its headings say, else what the table says; None where neither does."""
    general = parse_unit(table.unit) or _own(table.title)
    return tuple(_of_column(path, general) for path in header_paths(table))


def _of_column(path: Iterable[str], general: ColumnUnit | None) -> ColumnUnit | None:
    for heading in reversed(tuple(path)):
        unit = _own(heading)
        if unit is not None:
            told_scale = (
                general is not None and unit.measure and unit.scale == 1 and unit.measure == general.measure
            )
            return general if told_scale else _with_measure(unit, general)
    return general


def _own(heading: str) -> ColumnUnit | None:
    if _PERCENT.search(heading):
        return ColumnUnit("percent")
    if _NUMBER_OF.match(heading.strip()):
        return parse_unit(heading)
    told = [parse_unit(next(filter(None, found.groups()), "")) for found in _OWN_UNIT.finditer(heading)]
    return next((unit for unit in told if unit is not None), None)


def _with_measure(unit: ColumnUnit, general: ColumnUnit | None) -> ColumnUnit:
    """`(thousands)` in a table of dollars are thousands of dollars."""
    if unit.measure or general is None or general.measure in ("percent", "index"):
        return unit
    return ColumnUnit(general.measure, unit.scale)


class CellRecord(NamedTuple):
    """One row of an archive's `cells`."""

    document: str
    page: int
    table_no: int
    row_no: int
    column_no: int
    text: str
    value: float | None
    """Number in the printed unit; None in headers and labels and where there is no number."""
    label: str
    """The row's labels, parents first: `1940 > February`."""
    header: str
    """The column's headings, from the top: `Receipts > Customs`."""
    unit: str
    """Unit of the column, such as `millions of dollars` or `percent`; as printed where it is not understood."""
    period: str
    """`1940`, `FY1940`, `CY1940`, `FY1985-Q2`, `1940-02`, `2018-09-30`; empty where none is told."""
    confidence: float
    is_header: bool

    @property
    def address(self) -> Address:
        """Address of the cell."""
        return Address(self.document, self.page, self.table_no, self.row_no, self.column_no)


def cells_of(table: Table, document: str) -> Iterator[CellRecord]:
    """Every cell that says something, row by row."""
    headers, labels = header_paths(table), row_labels(table)
    header_texts, label_texts = [PATH.join(path) for path in headers], [PATH.join(path) for path in labels]
    unit_texts = [table.unit if unit is None else str(unit) for unit in units(table)]
    by_column = column_periods(table, headers)
    stub = stub_of(table, headers)
    for r, row in enumerate(table.rows):
        is_header = r < table.header_rows
        own = period_of(labels[r], stub=stub) if labels[r] else None
        for c, cell in enumerate(row):
            if not cell.text.strip():
                continue
            is_data = not is_header and c >= table.label_columns
            period = (own or by_column[c]) if is_data else None
            yield CellRecord(
                document,
                table.page,
                table.number,
                r,
                c,
                cell.text,
                value_of(cell.text).number if is_data else None,
                label_texts[r],
                header_texts[c],
                unit_texts[c] if c >= table.label_columns else "",
                "" if period is None else str(period),
                float(cell.confidence),
                is_header,
            )


def column_periods(table: Table, headers: Sequence[tuple[str, ...]]) -> list[Period | None]:
    """The period that each column's headings, or else the title, give to rows that tell none."""
    return [period_of((), path, title=table.title) for path in headers]


def stub_of(table: Table, headers: Sequence[tuple[str, ...]]) -> str:
    """The words above the labels, which often say what kind of years they are."""
    return " ".join(text for path in headers[: table.label_columns] for text in path)


class SeriesPoint(NamedTuple):
    """One figure of one series in one issue."""

    series: tuple[str, ...]
    """Title, then headings and labels that are not times: normalised, so that issues agree."""
    period: Period
    unit: ColumnUnit | None
    as_of: str
    """The issue's date, such as `1941-01`; sorts by time."""
    address: Address
    value: float
    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class RevisionLink:
    """Points of one series, period (fiscal or calendar) and unit in several issues."""

    points: tuple[SeriesPoint, ...]
    """The points, in order of issue."""

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
