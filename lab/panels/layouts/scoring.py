"""Cell F1 of a whole page: its true tables paired with found ones, and whatever else was found counted as wrong."""

from collections.abc import Sequence

from lab.scoring.cells import F1, best_match
from lab.scoring.truth import TruthTable
from worktrial.archive.pages import Table


def page_score(truth: Sequence[TruthTable], found: Sequence[Table]) -> F1:
    """Score the tables of a page; a found table stands for one true table only."""
    pairs = []
    for t, table in enumerate(truth):
        for f, one in enumerate(found):
            match = best_match(table, [one])
            if match is not None:
                pairs.append((match.cells.unmarked.right, t, f))
    right, used_true, used_found = 0, set[int](), set[int]()
    for cells, t, f in sorted(pairs, key=lambda pair: (-pair[0], pair[1], pair[2])):
        if t not in used_true and f not in used_found:
            right += cells
            used_true.add(t)
            used_found.add(f)
    true = sum(text.strip() != "" for table in truth for row in table.grid for text in row)
    cells_found = sum(cell.text.strip() != "" for table in found for row in table.rows for cell in row)
    return F1(right, true, cells_found)
