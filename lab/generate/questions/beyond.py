"""Questions on other tables than those over time, on charts, and on two issues."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from lab.generate.calendar import PeriodKind
from lab.generate.issue import Issue
from lab.generate.printed import Chart, ChartKind, Role, digits
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
from lab.generate.world import vocabulary


def lookup_by_label(source: Source, dice: np.random.Generator) -> DraftQuestion | None:
    """A cell of a table whose rows are names under headings."""
    column = int(dice.integers(len(source.table.columns)))
    rows = [i for i, row in enumerate(source.table.rows) if row.role is Role.ITEM and source.number(i, column)]
    if not rows:
        return None
    row = int(dice.choice(rows))
    words, path = Words(source, column, Difficulty.EASY), source.table.rows[row].path
    label = f"“{path[-1]}” under “{path[-2]}”"
    if len(path) > 2:
        label += f" ({path[0].lower()})"
    text = f"{words.where}, what is given in the column {words.what} for {label}, in {words.unit}?"
    cell = source.cell(row, column)
    number = source.number(row, column)
    assert number is not None
    decimals = decimals_of([cell.text])
    return DraftQuestion(text, shown(number, decimals), Kind.LOOKUP, words.unit, Difficulty.EASY, decimals, (cell,))


def provinces_above(source: Source, dice: np.random.Generator) -> DraftQuestion | None:
    """Provinces of one region that collected more than a round sum."""
    column = int(dice.integers(len(source.table.columns)))
    region = tuple(vocabulary().regions)[int(dice.integers(len(vocabulary().regions)))]
    rows = [
        i for i, row in enumerate(source.table.rows)
        if row.role is Role.ITEM and row.path[0] == region and source.number(i, column) is not None
    ]  # fmt: skip
    figures = {i: source.number(i, column) or Fraction() for i in rows}
    ranked = sorted(figures.values(), reverse=True)
    if len(ranked) < 5:
        return None
    above, below = ranked[2], ranked[3]
    step = 10 ** max(0, len(str(int(above - below))) - 1)
    limit = (int(below) // step + 1) * step
    if not below < limit < above:
        return None
    words = Words(source, column, Difficulty.EASY)
    text = (
        f"{words.where}, which provinces of {region} have more than {limit:,} {words.unit} in the column "
        f"{words.what}? List them in alphabetical order, separated by semicolons."
    )
    answer = "; ".join(sorted(source.table.rows[i].path[-1] for i, value in figures.items() if value > limit))
    cells = tuple(source.cell(i, column) for i in rows)
    return DraftQuestion(text, answer, Kind.LIST, "provinces", Difficulty.EASY, 0, cells)


def on_chart(issue: Issue, dice: np.random.Generator) -> DraftQuestion | None:
    """A value that only a chart gives."""
    charts = [
        (page, number, block)
        for page, content in enumerate(issue.pages, 1)
        for number, block in enumerate((b for b in content.blocks if isinstance(b, Chart)), 1)
        if block.kind is ChartKind.BARS
    ]
    if not charts:
        return None
    page, number, chart = charts[int(dice.integers(len(charts)))]
    value = int(dice.integers(len(chart.values)))
    unit = chart.unit.lower()
    text = (
        f"According to the chart “{chart.title}” in {issue.name} of the {vocabulary().bulletin}, what is given for "
        f"fiscal year {chart.labels[value]}, in {unit}?"
    )
    answer = digits(chart.values[value], 0)
    cell = CellUsed(
        f"{issue.document}:{page}:c{number}", issue.document, page, value, 0, (chart.labels[value],),
        (chart.title,), answer,
    )  # fmt: skip
    return DraftQuestion(text, answer, Kind.CHART, unit, Difficulty.HARD, 0, (cell,))


def revised(before: Sequence[Source], after: Sequence[Source], dice: np.random.Generator) -> DraftQuestion | None:
    """Ask by how much a later issue changes a figure of an earlier one."""
    pairs = [(a, b) for a in before for b in after if a.table.name == b.table.name and a.over_time and b.over_time]
    changed = []
    for a, b in pairs:
        rows = {row.period: i for i, row in enumerate(a.table.rows) if row.period is not None}
        for j, row in enumerate(b.table.rows):
            if row.period not in rows or row.period is None or row.period.kind is PeriodKind.TRANSITION:
                continue
            for column in range(min(len(a.table.columns), len(b.table.columns))):
                old, new = a.number(rows[row.period], column), b.number(j, column)
                same = a.table.columns[column].path == b.table.columns[column].path
                if same and old != new and None not in (old, new):
                    changed.append((a, b, rows[row.period], j, column))
    if not changed:
        return None
    a, b, i, j, column = changed[int(dice.integers(len(changed)))]
    old, new = a.number(i, column), b.number(j, column)
    period = b.table.rows[j].period
    assert old is not None and new is not None and period is not None
    words = Words(b, column, Difficulty.EASY)
    unit = "percentage points" if words.unit == "percent" else words.unit
    text = (
        f"The table “{b.table.name}” gives a figure for {words.what} {words.at(period)} both in {a.issue.name} and "
        f"in {b.issue.name} of the {vocabulary().bulletin}. By how much is the one in the later issue higher, in "
        f"{unit}? Give a negative number if it is lower."
    )
    cells = (b.cell(j, column), a.cell(i, column))
    decimals = decimals_of([cell.text for cell in cells])
    return DraftQuestion(text, shown(new - old, decimals), Kind.REVISION, unit, Difficulty.HARD, decimals, cells)
