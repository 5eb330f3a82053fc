"""Spreadsheets and separated values: a sheet is a page or several, its blocks of cells are tables."""

import csv
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from worktrial.archive.producers.files import ReadSettings
from worktrial.archive.producers.flow import (
    MOST_CELLS,
    FlowReader,
    PageEdge,
    Paragraph,
    Piece,
    bounded_zip,
    is_table,
    shaped,
)
from worktrial.archive.producers.parsed import decoded_text
from worktrial.errors import DataError, extra

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

_DELIMITERS = ",;\t|"
_SAMPLE = 64 << 10
_MERGED = re.compile(rb'<mergeCell\s[^>]*ref="([A-Z]{1,3})(\d+):([A-Z]{1,3})(\d+)"')
_NO_RESULT = re.compile(rb"</f>\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>|<f[^>]*/>\s*</c>")
_PLACES = re.compile(r"[#0?][#0?,.]*")
_QUOTED = re.compile(r'\\.|_.|\*.|"([^"]*)"|\[(?!\$)[^\]]*\]')
_CURRENCY = re.compile(r"\[\$([^\]-]*)[^\]]*\]|([$£€¥₩])")
_GROUPED = re.compile(r"\d{1,3}\.\d{3}")


_Place = tuple[int, int]
"""Row and column, from 1."""


class _Shown(NamedTuple):
    text: str
    currency: str


class WorkbookReader(FlowReader):
    """Reads Excel workbooks by the results that are stored in them; no formula is computed."""

    def __init__(self, path: Path, settings: ReadSettings) -> None:
        trouble = _trouble(path)
        with extra("office", "Reading spreadsheets"):
            import openpyxl
        with warnings.catch_warnings():
            # What it warns of (drawings, validation, extensions) is nothing that an archive keeps.
            warnings.simplefilter("ignore")
            # As a file: it refuses paths without the usual ending, as they have behind the wall.
            with path.open("rb") as file:
                book = openpyxl.load_workbook(file, data_only=True, keep_links=False)
        super().__init__(_of_book(book.worksheets), path, trouble)


class SeparatedReader(FlowReader):
    """Reads separated values; what separates them is told by the file."""

    def __init__(self, path: Path, settings: ReadSettings) -> None:
        text, trouble = decoded_text(path)
        rows: list[list[str]] = []
        cells = 0
        try:
            for row in csv.reader(text.splitlines(keepends=True), _dialect(text)):
                cells += max(len(row), 1)
                if cells > MOST_CELLS:
                    trouble = f"only the first {len(rows):,} rows are read: at most {MOST_CELLS:,} cells are"
                    break
                rows.append(row)
        except csv.Error as error:
            raise DataError(path, f"is no table of separated values ({error})", "Leave it out") from None
        super().__init__(_blocks(rows), path, trouble)


def _dialect(text: str) -> type[csv.Dialect]:
    sample = text[:_SAMPLE]
    try:
        return csv.Sniffer().sniff(sample[: sample.rfind("\n") + 1] or sample, _DELIMITERS)
    except csv.Error:
        return csv.excel


def _trouble(path: Path) -> str | None:
    """Doubts about a workbook, before anything makes objects of it.

    Raises:
        DataError: a merged cell or the whole is too large.
    """
    missing = 0
    with bounded_zip(path) as packed:
        for name in packed.namelist():
            if not name.startswith("xl/worksheets/") or not name.endswith(".xml"):
                continue
            told = packed.read(name)
            missing += len(_NO_RESULT.findall(told))
            for left, top, right, bottom in _MERGED.findall(told):
                if (int(bottom) - int(top) + 1) * (_letters(right) - _letters(left) + 1) > MOST_CELLS:
                    what = f"{name}: a merged cell covers more than {MOST_CELLS:,} cells"
                    raise DataError(path, what, "Leave it out")
    if not missing:
        return None
    return (
        f"{missing:,} formulas have no stored result and are blank here; open and save it in a spreadsheet program"
    )


def _letters(name: bytes) -> int:
    number = 0
    for letter in name:
        number = number * 26 + letter - 64
    return number


def _of_book(sheets: "Iterable[Worksheet]") -> Iterator[Piece]:
    left = MOST_CELLS
    for sheet in sheets:
        # Its own store: what it iterates over is as wide and high as the farthest cell, however few there are.
        cells: Mapping[_Place, Any] = sheet._cells
        yield PageEdge()
        yield Paragraph(str(sheet.title), heading=True)
        shown = {place: _shown(cell.value, cell.number_format) for place, cell in cells.items()}
        for merged in sheet.merged_cells.ranges:
            top = shown.get((merged.min_row, merged.min_col))
            if top is not None and top.text:
                rows = range(merged.min_row, merged.max_row + 1)
                shown |= {(r, c): top for r in rows for c in range(merged.min_col, merged.max_col + 1)}
        filled = {place: cell for place, cell in shown.items() if cell.text}
        left -= len(filled)
        if left < 0:
            yield Paragraph(f"(not read: more than {MOST_CELLS:,} cells)")
            return
        yield from _of_sheet(filled)


def _of_sheet(filled: Mapping[_Place, _Shown]) -> Iterator[Piece]:
    """Blocks of a sheet; columns that are empty throughout are left out, empty rows part blocks."""
    columns = {c: n for n, c in enumerate(sorted({c for _, c in filled}))}
    rows: dict[int, list[str]] = {}
    signs: dict[int, set[str]] = {}
    for (r, c), cell in sorted(filled.items()):
        row = rows.setdefault(r, [])
        row += [""] * (columns[c] - len(row)) + [cell.text]
        if cell.currency:
            signs.setdefault(r, set()).add(cell.currency)
    block: list[list[str]] = []
    money: set[str] = set()
    last = 0
    for r in sorted(rows):
        if r > last + 1 and block:
            yield from _blocks(block, money)
            block, money = [], set()
        block.append(rows[r])
        money |= signs.get(r, set())
        last = r
    yield from _blocks(block, money)


def _blocks(rows: Sequence[Sequence[str]], money: Iterable[str] = ()) -> Iterator[Piece]:
    """Rows parted at empty ones; single texts before and after a block of columns are paragraphs."""
    block: list[Sequence[str]] = []
    for row in [*rows, ()]:
        if any(text.strip() for text in row):
            block.append(row)
        elif block:
            yield from _block(block, set(money))
            block = []


def _block(rows: Sequence[Sequence[str]], money: set[str]) -> Iterator[Piece]:
    single = [len({text for text in row if text.strip()}) == 1 for row in rows]
    first = next((n for n, alone in enumerate(single) if not alone), len(rows))
    end = next((n for n in range(len(rows), 0, -1) if not single[n - 1]), first)
    # A last row with a label alone belongs to the table only where a figure could stand: as a note it does not.
    if not is_table(rows[first:end]):
        first = end = len(rows)
    yield from (Paragraph(_joined(row)) for row in rows[:first])
    if first < end:
        inner = rows[first:end]
        used = [c for c in range(max(map(len, inner))) if any(c < len(row) and row[c].strip() for row in inner)]
        grid = shaped([[row[c] if c < len(row) else "" for c in used] for row in inner])
        yield replace(grid, unit=money.pop()) if len(money) == 1 else grid
    yield from (Paragraph(_joined(row)) for row in rows[end:])


def _joined(row: Sequence[str]) -> str:
    return " ".join(dict.fromkeys(text.strip() for text in row if text.strip()))


def _shown(value: Any, number_format: str) -> _Shown:
    """A cell's text with all its digits, by what its format says of per cent, currency and scale."""
    if value is None:
        return _Shown("", "")
    if isinstance(value, bool):
        return _Shown(str(value).upper(), "")
    if isinstance(value, datetime | date | time):
        return _Shown(_date(value, number_format), "")
    if not isinstance(value, int | float):
        return _Shown(str(value), "")
    told = (number_format or "General").split(";")[0]
    sign = _CURRENCY.search(_QUOTED.sub(lambda m: m[1] or "", told))
    plain = _QUOTED.sub("", _CURRENCY.sub("", told))
    places = _PLACES.search(plain)
    thousands = len(places[0]) - len(places[0].rstrip(",")) if places else 0
    percent = plain.count("%")
    text = _digits(value * 100**percent / 1000**thousands if percent or thousands else value)
    return _Shown(text + "%" * percent, (sign[1] or sign[2] or "") if sign else "")


def _digits(value: float) -> str:
    """A number in full, without separators; fifteen digits, which is all that spreadsheets have."""
    if isinstance(value, int):
        return str(value)
    text = format(value, ".15g")
    if "e" in text:
        text = format(value, "f").rstrip("0").rstrip(".")
    # Three decimals could be thousands elsewhere; a fourth cannot.
    return f"{text}0" if _GROUPED.fullmatch(text.lstrip("-")) else text


def _date(value: datetime | date | time, number_format: str) -> str:
    if isinstance(value, datetime):
        if value.time() != time():
            return value.isoformat(" ", "minutes")
        value = value.date()
    if isinstance(value, time):
        return value.isoformat("minutes")
    told = _QUOTED.sub("", number_format).lower()
    if "y" in told and "d" not in told:
        return f"{value:%b %Y}" if "m" in told else f"{value:%Y}"
    return value.isoformat()
