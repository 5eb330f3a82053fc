"""What is printed adds up, changes from issue to issue only where it says so, and keeps its traps."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from lab.generate.calendar import FiscalCalendar, Period, PeriodKind, month
from lab.generate.printed import printed
from tests.lab.generate.made import archive

_NUMBER = re.compile(r"-?[\d,]+(\.\d+)?")


def number(text: str) -> float | None:
    text = text.removesuffix(" r")
    if text in ("-", "*"):
        return 0.0
    return float(text.replace(",", "")) if _NUMBER.fullmatch(text) else None


def paths(table: dict[str, Any]) -> list[tuple[str, ...]]:
    """Headings of each column without repeats, marks and numbers."""
    columns = zip(*table["grid"][: table["header_rows"]], strict=True)
    plain = ([re.sub(r"( \(\d+\)| \d/?)+$", "", text) for text in column] for column in columns)
    return [tuple(t for i, t in enumerate(column) if not i or column[i - 1] != t) for column in plain]


def totals(table: dict[str, Any]) -> Iterator[tuple[int, list[int]]]:
    """Columns named a total under a heading, with those that they add up."""
    heads = paths(table)
    for c, path in enumerate(heads):
        if path[-1] != "Total" or len(path) == 1:
            continue
        parts = [i for i in range(c) if heads[i][: len(path) - 1] == path[:-1]]
        inner = [i for i in parts if heads[i][-1] != "Total" or len(heads[i]) == len(path)]
        deeper_totals = {heads[i][:-1] for i in parts if heads[i][-1] == "Total"}
        if not any("Percent" in word for i in parts for word in heads[i]) and not deeper_totals:
            yield c, inner


def test_totals_add_up_but_for_rounding() -> None:
    checked = 0
    for table in archive().tables.values():
        exact = "thousands" in table["unit"]
        for c, parts in totals(table):
            for row in table["grid"][table["header_rows"] :]:
                figures = [number(row[i]) for i in (c, *parts)]
                if None in figures or not row[c]:
                    continue
                whole, *rest = (f or 0.0 for f in figures)
                off = 0.0 if exact else 0.5 * len(parts) + 0.5
                assert abs(sum(rest) - whole) <= off, (table["id"], row)
                checked += 1
    assert checked > 500


def test_regions_add_up_to_all_provinces() -> None:
    for table in (t for t in archive().tables.values() if "Receipts by Province" in t["title"]):
        rows = table["grid"][table["header_rows"] :]
        region, whole = [0.0] * 5, [0.0] * 5
        for label, *cells in rows:
            figures = [number(cell) for cell in cells]
            if None in figures:
                region = [0.0] * 5
            elif label.startswith("Total,"):
                assert figures == region
            elif label == "All provinces":
                assert figures == whole
            else:
                region = [a + (b or 0) for a, b in zip(region, figures, strict=True)]
                whole = [a + (b or 0) for a, b in zip(whole, figures, strict=True)]


def test_figures_differ_between_issues_exactly_where_a_mark_says_so() -> None:
    made = archive()
    documents = sorted({t["doc"] for t in made.tables.values()})
    changed = same = 0
    for before, after in pairwise(documents):
        old = {
            t["title"]: t for t in made.tables.values() if t["doc"] == before and "year or month" in t["grid"][0][0]
        }
        for table in (t for t in made.tables.values() if t["doc"] == after and t["title"] in old):
            then = dict(dated(old[table["title"]]))
            for key, row in dated(table):
                for a, b in zip(then.get(key, row)[1:], row[1:], strict=True):
                    if key not in then or "n.a." in (a, b):
                        continue
                    marked = b.endswith(" r")
                    assert (a.removesuffix(" r") != b.removesuffix(" r")) == marked, (table["id"], key, a, b)
                    changed, same = changed + marked, same + (not marked)
    assert changed > 50
    assert same > 5 * changed


def dated(table: dict[str, Any]) -> Iterator[tuple[tuple[str, str], list[str]]]:
    """Rows with year and month, whatever the style of the labels."""
    year = ""
    for row in table["grid"][table["header_rows"] :]:
        found = re.search(r"\d{4}", row[0])
        year = found[0] if found else year
        name = re.search(r"[A-Z][a-z]{2}", row[0])
        if any(row[1:]):
            yield (year, name[0] if name else ""), row


def test_the_fiscal_year_changes_once() -> None:
    calendar = FiscalCalendar(1960)
    assert calendar.fiscal_year(1960) == Period(PeriodKind.FISCAL, month(1959, 4), month(1960, 3))
    assert calendar.fiscal_year(1961) == Period(PeriodKind.FISCAL, month(1960, 10), month(1961, 9))
    periods = calendar.ending_by(month(1962, 1), 3)
    assert [p.kind for p in periods] == [
        PeriodKind.FISCAL,
        PeriodKind.FISCAL,
        PeriodKind.TRANSITION,
        PeriodKind.FISCAL,
    ]
    for a, b in pairwise(periods):
        assert a.last + 1 == b.first
    halves = [r[0] for t in archive().tables.values() for r in t["grid"] if r[0].startswith("Half-year")]
    assert halves


def test_a_series_changes_its_name() -> None:
    names = {cell.rstrip(" 0123456789/()") for t in archive().tables.values() for cell in t["grid"][0]}
    assert {"Posts and telegraphs", "Communications"} <= names


def test_looks_of_three_times() -> None:
    cells = [cell for t in archive().tables.values() for row in t["grid"] for cell in row]
    assert any(re.fullmatch(r"\d{4}-[A-Z]\w+", cell) for cell in cells)
    assert any(re.fullmatch(r"\d{4} - [A-Z]\w+", cell) for cell in cells)
    assert any(re.search(r"\w \d/$", cell) for cell in cells)
    depths = {t["header_rows"] for t in archive().tables.values()}
    assert {1, 2, 3, 4} & depths >= {2, 3, 4}


def test_printing_of_figures() -> None:
    assert printed(0, 1000) == "-"
    assert printed(499, 1000) == "*"
    assert printed(500, 1000) == "1"
    assert printed(-1_234_500, 1000) == "-1,235"
    assert printed(123_456, 100, 2) == "1,234.56"
