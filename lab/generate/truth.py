"""The printed tables as rows of the truth files."""

from collections.abc import Iterator
from typing import NamedTuple

from lab.generate.issue import Issue
from lab.generate.printed import Chart, ChartKind, PrintedTable, digits

Json = dict[str, object]


class Place(NamedTuple):
    """Place of a table."""

    document: str
    page: int
    """1-based PDF page."""
    number: int
    """1-based, among the tables of its page."""

    @property
    def id(self) -> str:
        """Id of the table, in all files."""
        return f"{self.document}:{self.page}:{self.number}"


def tables_of(issue: Issue) -> Iterator[tuple[Place, PrintedTable]]:
    """Every table with its place."""
    for page, content in enumerate(issue.pages, 1):
        for number, table in enumerate(content.tables, 1):
            yield Place(issue.document, page, number), table


def table_rows(issue: Issue, kind: str) -> list[Json]:
    """Rows of `tables.jsonl`."""
    return [_table_row(place, table, kind) for place, table in tables_of(issue)]


def chart_rows(issue: Issue, kind: str) -> list[Json]:
    """Rows of `charts.jsonl`: what the charts show, and whether its values are printed."""
    return [
        {
            "id": f"{issue.document}:{page}:c{number}",
            "doc": issue.document,
            "pdf_page": page,
            "title": chart.title,
            "unit": chart.unit,
            "kind": kind,
            "labels": list(chart.labels),
            "values": [digits(value, 0) for value in chart.values],
            "values_printed": chart.kind is ChartKind.BARS,
        }
        for page, content in enumerate(issue.pages, 1)
        for number, chart in enumerate((b for b in content.blocks if isinstance(b, Chart)), 1)
    ]


def _table_row(place: Place, table: PrintedTable, kind: str) -> Json:
    return {
        "id": place.id,
        "doc": place.document,
        "pdf_page": place.page,
        "title": table.title,
        "unit": table.unit,
        "kind": kind,
        "header_rows": table.header_rows,
        "row_label_cols": len(table.stub),
        "body_rows": len(table.rows),
        "columns": len(table.stub) + len(table.columns),
        "grid": table.grid,
        "notes": list(table.notes),
    }
