"""Meaning of digital tables: is a value found by row and column, and do unit and period say what the page says?"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from lab.scoring.lookup import Finder, LookUpOutcome, outcome_of
from worktrial.archive.meaning.cells import CellRecord, cells_of
from worktrial.archive.meaning.value import value_of
from worktrial.archive.pages import Cell, PageContent, Table
from worktrial.errors import DataError

Told = Literal["right", "unknown", "wrong"]
"""Whether what a cell says of itself is what the page says."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TrueColumn(_Strict):
    """A column of a table as a person reads it."""

    path: tuple[str, ...]
    unit: str | None = None
    period: str | None = None


class TrueRow(_Strict):
    """Row with its parents, and its figures below the columns that are asked for."""

    path: tuple[str, ...]
    values: tuple[str, ...]
    period: str | None = None
    periods: tuple[str, ...] = ()
    units: tuple[str, ...] = ()


class TrueTable(_Strict):
    """Part of a table; see the README beside the files."""

    title: str
    columns: tuple[TrueColumn, ...]
    rows: tuple[TrueRow, ...]
    unit: str = ""
    period: str = ""

    @model_validator(mode="after")
    def _fits(self) -> "TrueTable":
        wide = len(self.columns)
        for row in self.rows:
            if {len(row.values), len(row.periods) or wide, len(row.units) or wide} != {wide}:
                raise ValueError(f"row {' > '.join(row.path)!r} has not one value for each of {wide} columns")
            for text in filter(None, row.values):
                if value_of(text).number is None:
                    raise ValueError(f'{text!r} in row {" > ".join(row.path)!r} is no number; write ""')
        return self

    def figures(self) -> Iterator["_Figure"]:
        """Figures with everything that the page says of them."""
        for row in self.rows:
            for c, (column, text) in enumerate(zip(self.columns, row.values, strict=True)):
                if not text:
                    continue
                own = row.units[c] if row.units else column.unit
                when = row.periods[c] if row.periods else row.period
                when = column.period if when is None else when
                yield _Figure(
                    row.path,
                    column.path,
                    value_of(text).number or 0.0,
                    self.unit if own is None else own,
                    self.period if when is None else when,
                )


class TruePage(_Strict):
    """What is asked of one page."""

    tables: tuple[TrueTable, ...]


class _Figure(NamedTuple):
    row: tuple[str, ...]
    column: tuple[str, ...]
    value: float
    unit: str
    period: str


class MeaningLookUp(NamedTuple):
    """One figure asked for by its row and column."""

    table: str
    row: tuple[str, ...]
    column: tuple[str, ...]
    outcome: LookUpOutcome
    got: tuple[str, ...]
    unit: tuple[Told, str, str]
    """Verdict, the page's and ours; `unknown` where the figure was not found."""
    period: tuple[Told, str, str]


def read_meanings(folder: Path) -> dict[str, TruePage]:
    """Truth of each page, by the page's name.

    Raises:
        DataError: a file is not as the README says.
    """
    pages = {}
    for file in sorted(folder.glob("*.yaml")):
        try:
            pages[file.stem] = TruePage.model_validate(_texts(file))
        except (OSError, yaml.YAMLError) as e:
            raise DataError(file, f"cannot be read: {e}") from e
        except ValidationError as e:
            first = e.errors()[0]
            raise DataError(f"{file}: {'.'.join(map(str, first['loc']))}", first["msg"]) from e
    if not pages:
        raise DataError(folder, "holds no PAGE.yaml", "Write one as the README of the panel says")
    return pages


def _texts(file: Path) -> object:
    # Without types: 1997-03-31 is what is printed, and no date.
    return yaml.load(file.read_text("utf-8"), yaml.BaseLoader)


def page_of(name: str, folders: Sequence[Path]) -> PageContent:
    """Read the page of a truth file: a PDF of that name, or a page of a document.

    Raises:
        DataError: no folder has it.
    """
    document, _, number = name.rpartition("_page_")
    for folder in folders:
        alone, within = folder / f"{name}.pdf", folder / f"{document}.pdf"
        if alone.is_file():
            return _read(alone, 1)
        if within.is_file():
            return _read(within, int(number))
    raise DataError(name, f"no PDF of it in {', '.join(map(str, folders))}")


def _read(path: Path, number: int) -> PageContent:
    from contextlib import closing

    from worktrial.archive.producers.files import ReadSettings
    from worktrial.archive.producers.pdf import PdfReader

    with closing(PdfReader(path, ReadSettings())) as reader:
        return reader.read(number)


def look_up_meanings(truth: TruePage, page: PageContent) -> list[MeaningLookUp]:
    """Ask a page for every figure of its truth."""
    found = []
    for table in truth.tables:
        figures = list(table.figures())
        ordered = _likeliest_first([figure.value for figure in figures], page.tables)
        readers = [
            (Finder(own), {(c.row_no, c.column_no): c for c in cells_of(own, "", text=page.text)})
            for own in ordered
        ]
        for figure in figures:
            cells: tuple[Cell, ...] = ()
            records: dict[tuple[int, int], CellRecord] = {}
            for finder, records in readers:  # noqa: B007 - the records of the table that answers are kept
                cells = finder.cells(figure.row, figure.column)
                if cells:
                    break
            outcome = outcome_of(figure.value, [cell.text for cell in cells])
            record = records[cells[0].row, cells[0].column] if outcome is LookUpOutcome.RIGHT else None
            unit, period = (record.unit, record.period) if record is not None else ("", "")
            found.append(
                MeaningLookUp(
                    table.title,
                    figure.row,
                    figure.column,
                    outcome,
                    tuple(cell.text for cell in cells),
                    (_told(figure.unit, unit), figure.unit, unit),
                    (_told(figure.period, period), figure.period, period),
                )
            )
    return found


def _likeliest_first(values: Sequence[float], tables: Sequence[Table]) -> list[Table]:
    """Tables by how many of the figures they hold."""
    wanted = Counter(values)

    def held(table: Table) -> int:
        numbers = (value_of(cell.text).number for row in table.rows for cell in row)
        return (wanted & Counter(number for number in numbers if number is not None)).total()

    return sorted(tables, key=held, reverse=True)


def _told(true: str, ours: str) -> Told:
    if not ours and true:
        return "unknown"
    return "right" if true.casefold() == ours.casefold() else "wrong"
