"""Scores of one archive against tables whose truth is known, each by itself and all together."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from lab.scoring.cells import F1, CellScore, best_match
from lab.scoring.lookup import LookUp, LookUpOutcome, look_up_all
from lab.scoring.numbers import Recall, Trust, numbers_in, recall, true_numbers, trust
from lab.scoring.truth import TruthTable
from worktrial.archive.pages import LOW_CONFIDENCE, PageContent, Table
from worktrial.errors import DataError


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
        return Recall(self.outcomes[LookUpOutcome.RIGHT], len(self.look_ups)).share

    @property
    def outcomes(self) -> Counter[LookUpOutcome]:
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


class Pages(Protocol):
    """The part of an archive that is needed here."""

    def page(self, document: str, number: int) -> PageContent:
        """One page; a `DataError` when there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Summary:
    """Several tables together. Shares are means over tables, so that a large table counts like a small one."""

    name: str
    tables: int
    cell_f1: float
    cell_f1_strict: float
    value_found: float
    in_tables: float
    on_page: float | None
    """Mean over all text of the page; None when no table's page text was given."""
    trust: Trust


def score_archive(archive: Pages, truths: Sequence[TruthTable]) -> tuple[TableScore, ...]:
    """Score each true table on its page. A page that the archive does not have scores 0 and says why.

    Raises:
        DataError: the archive has none of the pages.
    """
    scores = tuple(_score(archive, truth) for truth in truths)
    if scores and all(score.trouble is not None for score in scores):
        raise DataError(scores[0].truth.doc, str(scores[0].trouble), "The archive has no page with a true table")
    return scores


def _score(archive: Pages, truth: TruthTable) -> TableScore:
    try:
        page = archive.page(truth.doc, truth.pdf_page)
    except DataError as e:
        return score_table(truth, (), page_text="", trouble=str(e))
    return score_table(truth, page.tables, page_text=page.text)


def summaries(scores: Sequence[TableScore]) -> tuple[Summary, ...]:
    """One for each kind of page, in order of appearance, and one for all where there are several kinds."""
    kinds = list(dict.fromkeys(score.truth.kind for score in scores))
    groups = [(kind or "unnamed", [s for s in scores if s.truth.kind == kind]) for kind in kinds]
    if len(groups) > 1:
        groups.append(("all", list(scores)))
    return tuple(_summary(name, group) for name, group in groups)


def _summary(name: str, scores: Sequence[TableScore]) -> Summary:
    on_page = [score.numbers_on_page.share for score in scores if score.numbers_on_page is not None]
    return Summary(
        name=name,
        tables=len(scores),
        cell_f1=_mean(score.cell_f1 for score in scores),
        cell_f1_strict=_mean(score.cell_f1_strict for score in scores),
        value_found=_mean(score.value_found for score in scores),
        in_tables=_mean(score.numbers_in_tables.share for score in scores),
        on_page=_mean(on_page) if on_page else None,
        trust=sum((score.trust for score in scores), Trust()),
    )


def as_row(score: TableScore) -> dict[str, Any]:
    """One table as a JSON object, with the look-ups that failed."""
    trust, cells = score.trust, score.cells
    return {
        "id": score.truth.id,
        "doc": score.truth.doc,
        "pdf_page": score.truth.pdf_page,
        "kind": score.truth.kind,
        "table": score.table,
        "trouble": score.trouble,
        "cell_f1": score.cell_f1,
        "cell_f1_marks_kept": cells.plain.value,
        "cell_f1_strict": score.cell_f1_strict,
        "cell_precision": cells.unmarked.precision,
        "cell_recall": cells.unmarked.recall,
        "marks": Recall(cells.marks_right, cells.marks_true)._asdict(),
        "value_found": score.value_found,
        "look_ups": {outcome.value: count for outcome, count in sorted(score.outcomes.items())},
        "numbers_in_tables": score.numbers_in_tables._asdict(),
        "numbers_on_page": score.numbers_on_page._asdict() if score.numbers_on_page is not None else None,
        "numbers": {
            "read": trust.numbers,
            "wrong": trust.wrong,
            "flagged": trust.flagged,
            "wrong_flagged": trust.wrong_flagged,
        },
        "not_found": [
            {
                "row": one.row,
                "column": one.column,
                "label": one.label,
                "header": one.header,
                "value": one.value,
                "outcome": one.outcome.value,
                "got": one.got,
            }
            for one in score.look_ups
            if one.outcome != "right"
        ],
    }


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known) if known else 0.0
