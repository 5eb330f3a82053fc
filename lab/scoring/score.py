"""One true table against what an archive holds of its page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lab.scoring.cells import F1, CellScore, best_match
from lab.scoring.lookup import Found, LookUp, look_up_all
from lab.scoring.numbers import Recall, numbers_in, recall, true_numbers
from lab.scoring.trust import Trust, trust
from lab.scoring.truth import TruthTable
from worktrial.archive.pages import LOW_CONFIDENCE, Table


@dataclass(frozen=True, slots=True)
class TableScore:
    """Measures of how well one table was found."""

    truth: TruthTable
    table: int | None
    """The number of the found table that stands for it; None when no table of the page shares a cell with it."""
    cells: CellScore
    look_ups: tuple[LookUp, ...]
    numbers_in_tables: Recall
    """Recall of the true numbers of two or more digits, in the tables of the page."""
    numbers_on_page: Recall | None
    """The same over all text of the page; None when that was not given."""
    trust: Trust
    trouble: str | None = None
    """Why there was nothing to score, where the page could not be had."""

    @property
    def cell_f1(self) -> float:
        """The headline: apart from white space, kinds of dashes, leader dots and footnote marks."""
        return self.cells.unmarked.value

    @property
    def cell_f1_strict(self) -> float:
        """Every character but white space."""
        return self.cells.strict.value

    @property
    def value_found(self) -> float:
        """Share of the true numbers that a look-up by row labels and headings returns."""
        return Recall(self.outcomes[Found.RIGHT], len(self.look_ups)).share

    @property
    def outcomes(self) -> Counter[Found]:
        """Number of look-ups by their outcome."""
        return Counter(one.outcome for one in self.look_ups)


def score_table(
    truth: TruthTable,
    tables_of_the_page: Sequence[Table],
    *,
    page_text: str | None = None,
    low: float = LOW_CONFIDENCE,
    trouble: str | None = None,
) -> TableScore:
    """Score the tables found on a page against one true table, which may be a part of one of them.

    Args:
        truth: the table as it is printed.
        tables_of_the_page: all tables found on its page.
        page_text: all text of the page, for the recall of numbers over it.
        low: a confidence below this is a flag.
        trouble: why there are no tables, to be kept with the score.
    """
    match = best_match(truth, tables_of_the_page)
    wanted = true_numbers(truth)
    if match is None:
        cells = _nothing_found(truth)
        ordered: Sequence[Table] = tables_of_the_page
    else:
        cells = match.cells
        ordered = [match.table, *(table for table in tables_of_the_page if table is not match.table)]
    in_tables = numbers_in(cell.text for table in tables_of_the_page for row in table.rows for cell in row)
    return TableScore(
        truth=truth,
        table=match.table.number if match is not None else None,
        cells=cells,
        look_ups=look_up_all(truth, ordered),
        numbers_in_tables=recall(wanted, in_tables),
        numbers_on_page=recall(wanted, numbers_in([page_text])) if page_text is not None else None,
        trust=trust(match, low) if match is not None else Trust(),
        trouble=trouble,
    )


def _nothing_found(truth: TruthTable) -> CellScore:
    none = F1(0, sum(text.strip() != "" for row in truth.grid for text in row), 0)
    return CellScore(none, none, none, 0, 0)
