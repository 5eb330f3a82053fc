"""Harder questions: restated series, other units, footnotes, scans, figures that are absent, issues that differ."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from lab.generate.calendar import Period, PeriodKind, month_year
from lab.generate.issue import Issue
from lab.generate.printed import Chart, ChartKind, Heading, digits
from lab.generate.questions.question import (
    CellUsed,
    Difficulty,
    DraftQuestion,
    Kind,
    Source,
    Words,
    decimals_of,
    shown,
)
from lab.generate.questions.within import OneTable
from lab.generate.world import vocabulary

OR_ABSENT = " If that issue does not print it, answer “absent”."
"""Added to questions that can be answered, too, so that it tells nothing."""


_SCALES = {"thousands": 1, "millions": 1000}


class _Restated(NamedTuple):
    """A figure that several issues print, not all alike."""

    sources: tuple[Source, ...]
    rows: tuple[int, ...]
    column: int

    @property
    def values(self) -> list[Fraction]:
        found = [s.number(r, self.column) for s, r in zip(self.sources, self.rows, strict=True)]
        return [value for value in found if value is not None]

    @property
    def cells(self) -> tuple[CellUsed, ...]:
        return tuple(s.cell(r, self.column) for s, r in zip(self.sources, self.rows, strict=True))


def _restated(issues: Sequence[Sequence[Source]]) -> Iterator[_Restated]:
    """Figures for months that every one of the issues prints in a table of the same name."""
    first, *others = issues
    for source in first:
        same = [next((o for o in other if o.table.name == source.table.name), None) for other in others]
        every = [source, *(one for one in same if one is not None)]
        if len(every) < len(issues) or not all(one.over_time for one in every):
            continue
        rows = [{s.table.rows[i].period: i for i in s.rows(PeriodKind.MONTH)} for s in every]
        for period in set(rows[0]).intersection(*rows[1:]):
            for column, head in enumerate(source.table.columns):
                if all(len(s.table.columns) > column and s.table.columns[column].path == head.path for s in every):
                    found = _Restated(tuple(every), tuple(one[period] for one in rows), column)
                    if len(found.values) == len(every) and len(set(found.values)) > 1:
                        yield found


def _drawn(found: Iterator[_Restated], dice: np.random.Generator) -> _Restated | None:
    every = sorted(found, key=lambda one: (one.sources[0].place, one.rows, one.column))
    return every[int(dice.integers(len(every)))] if every else None


def restated(issues: Sequence[Sequence[Source]], dice: np.random.Generator) -> DraftQuestion | None:
    """Ask how far apart the figures for one month are that several issues print."""
    one = _drawn(_restated(issues), dice)
    if one is None:
        return None
    words = Words(one.sources[-1], one.column, Difficulty.EASY)
    *some, last = (source.issue.name for source in one.sources)
    unit = "percentage points" if words.unit == "percent" else words.unit
    text = (
        f"The table “{words.source.table.name}” gives a figure for {words.what} {words.at(_period(one))} in "
        f"{', '.join(some)} and {last} of the {vocabulary().bulletin}, not always the same. By how much does the "
        f"highest of them exceed the lowest, in {unit}?"
    )
    decimals = decimals_of([cell.text for cell in one.cells])
    value = max(one.values) - min(one.values)
    return DraftQuestion(text, shown(value, decimals), Kind.RESTATED, unit, Difficulty.HARD, decimals, one.cells)


def latest(issues: Sequence[Sequence[Source]], dice: np.random.Generator) -> DraftQuestion | None:
    """Ask for a figure as the last of several issues has it, and name none of them."""
    found = (one for one in _restated(issues) if one.values[0] != one.values[-1])
    one = _drawn(found, dice)
    if one is None:
        return None
    words = Words(one.sources[-1], one.column, Difficulty.EASY)
    text = (
        f"In its table “{words.source.table.name}” the {vocabulary().bulletin} gives a figure for {words.what} "
        f"{words.at(_period(one))} more than once. What is it in the last issue that prints it, in {words.unit}?"
    )
    decimals = decimals_of([one.cells[-1].text])
    # The last issue's comes first: it is the answer.
    cells = tuple(reversed(one.cells))
    answer = shown(one.values[-1], decimals)
    return DraftQuestion(text, answer, Kind.LATEST, words.unit, Difficulty.HARD, decimals, cells)


def disagreeing(issues: Sequence[Sequence[Source]], dice: np.random.Generator) -> DraftQuestion | None:
    """Ask for the months for which two issues disagree."""
    changed: dict[tuple[object, int], list[_Restated]] = {}
    for one in _restated(issues):
        changed.setdefault((one.sources[0].place, one.column), []).append(one)
    few = [found for _, found in sorted(changed.items(), key=str) if 2 <= len(found) <= 5]
    if not few:
        return None
    found = sorted(few[int(dice.integers(len(few)))], key=lambda one: _period(one).last)
    words = Words(found[0].sources[0], found[0].column, Difficulty.EASY)
    before, after = (source.issue.name for source in found[0].sources)
    text = (
        f"The table “{words.source.table.name}” is printed both in {before} and in {after} of the "
        f"{vocabulary().bulletin}. For which of the months that both of them print do they give different figures "
        f"for {words.what}? List months with their years in order of time, separated by semicolons."
    )
    answer = "; ".join(month_year(_period(one).last) for one in found)
    cells = tuple(cell for one in found for cell in one.cells)
    return DraftQuestion(text, answer, Kind.DISAGREEING, "months", Difficulty.HARD, 0, cells)


def other_units(sources: Sequence[Source], dice: np.random.Generator) -> DraftQuestion | None:
    """Ask for the share of a province in a total that another table prints in another unit."""
    pairs = [
        (small, large, row)
        for small in sources if small.of_regions
        for large in sources if large.over_time
        for row in large.rows(PeriodKind.FISCAL)
        if large.table.columns[-1].total
        and str(_at(large, row).year) in small.table.name
        and large.table.columns[-1].unit != small.table.columns[-1].unit
        and large.table.name.startswith("Receipts")
    ]  # fmt: skip
    if not pairs:
        return None
    small, large, row = pairs[int(dice.integers(len(pairs)))]
    of_table, last = len(large.table.columns) - 1, len(small.table.columns) - 1
    provinces = [
        i for i, one in enumerate(small.table.rows) if one.path[0] != one.path[-1] and small.number(i, last)
    ]
    whole = large.number(row, of_table)
    if not provinces or not whole:
        return None
    province = int(dice.choice(provinces))
    scales = [_SCALES[one.table.columns[-1].unit.split()[0]] for one in (small, large)]
    part = small.number(province, last)
    assert part is not None
    words, other = Words(small, last, Difficulty.EASY), Words(large, of_table, Difficulty.EASY)
    text = (
        f"{words.where}, what percentage of the {other.what} that the table “{large.table.name}” of the same issue "
        f"gives {other.at(_at(large, row))} is {words.what} of “{small.table.rows[province].path[-1]}”, rounded to "
        "2 decimals (halves away from zero)?"
    )
    cells = (small.cell(province, last), large.cell(row, of_table))
    answer = shown(100 * part * Fraction(*scales) / whole, 2)
    return DraftQuestion(text, answer, Kind.OTHER_UNITS, "percent", Difficulty.HARD, 2, cells)


def by_footnote(source: Source, dice: np.random.Generator) -> DraftQuestion | None:
    """Ask for a figure of the column that has a footnote, which alone names it."""
    noted = [
        (column, note.partition(" ")[2])
        for column, mark in enumerate(_marks(source.table.headings))
        for note in source.table.notes
        if mark and note.split(" ")[0].strip("/") == mark.strip("/")
    ]
    rows = source.rows(PeriodKind.MONTH) if source.over_time else []
    if not noted or not rows:
        return None
    column, note = noted[int(dice.integers(len(noted)))]
    row = int(dice.choice(rows))
    value = source.number(row, column)
    if value is None:
        return None
    words = Words(source, column, Difficulty.EASY)
    text = (
        f"{words.where}, the heading of one column refers to the footnote “{note}” What is given in that column "
        f"{words.at(_at(source, row))}, in {words.unit}?"
    )
    cell = source.cell(row, column)
    decimals = decimals_of([cell.text])
    return DraftQuestion(
        text, shown(value, decimals), Kind.FOOTNOTE, words.unit, Difficulty.HARD, decimals, (cell,)
    )


def bars_apart(issue: Issue, dice: np.random.Generator) -> DraftQuestion | None:
    """Ask for the difference of two bars of a chart."""
    charts = [
        (page, number, block)
        for page, content in enumerate(issue.pages, 1)
        for number, block in enumerate((b for b in content.blocks if isinstance(b, Chart)), 1)
        if block.kind is ChartKind.BARS and len(block.values) > 2
    ]
    if not charts:
        return None
    page, number, chart = charts[int(dice.integers(len(charts)))]
    early, late = sorted(dice.choice(len(chart.values), 2, replace=False).tolist())
    text = (
        f"In the chart “{chart.title}” in {issue.name} of the {vocabulary().bulletin}, by how much does the bar of "
        f"fiscal year {chart.labels[late]} exceed that of fiscal year {chart.labels[early]}, in "
        f"{chart.unit.lower()}? Give a negative number if it is lower."
    )
    cells = tuple(
        CellUsed(
            f"{issue.document}:{page}:c{number}", issue.document, page, i, 0, (chart.labels[i],), (chart.title,),
            digits(chart.values[i], 0),
        )
        for i in (late, early)
    )  # fmt: skip
    answer = digits(chart.values[late] - chart.values[early], 0)
    return DraftQuestion(text, answer, Kind.CHART, chart.unit.lower(), Difficulty.HARD, 0, cells)


def on_scan(source: Source, dice: np.random.Generator) -> DraftQuestion | None:
    """Ask for one figure of a page that is a picture."""
    asked = OneTable(source, dice, Difficulty.HARD).lookup() if source.over_time else None
    return asked and replace(asked, question=asked.question + OR_ABSENT, kind=Kind.SCAN, difficulty=Difficulty.HARD)


def absent(source: Source, dice: np.random.Generator) -> DraftQuestion | None:
    """Ask for a month that the table does not print: one after its last, or before its first."""
    rows = source.rows(PeriodKind.MONTH) if source.over_time else []
    if len(rows) < 3:
        return None
    column = int(dice.integers(len(source.table.columns)))
    first, last = _at(source, rows[0]).first, _at(source, rows[-1]).last
    months = [*range(first - 30, first - 3), last + 1, last + 2]
    when = int(dice.choice(months))
    words = Words(source, column, Difficulty.EASY)
    at = words.at(Period(PeriodKind.MONTH, when, when))
    text = f"{words.where}, what is given for {words.what} {at}, in {words.unit}?{OR_ABSENT}"
    # Where one has to look to know that it is not there.
    cell = source.cell(rows[-1 if when > last else 0], column)
    return DraftQuestion(text, "absent", Kind.ABSENT, words.unit, Difficulty.HARD, 0, (cell,))


def _marks(headings: Sequence[Heading]) -> list[str]:
    """The footnote mark of each column that has one of its own."""
    marks = []
    for heading in headings:
        marks += _marks(heading.children) if heading.children else [heading.mark]
    return marks


def _at(source: Source, row: int) -> Period:
    period = source.table.rows[row].period
    assert period is not None
    return period


def _period(one: _Restated) -> Period:
    return _at(one.sources[0], one.rows[0])
