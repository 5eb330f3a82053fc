"""Two readings of one table: tables, rows and cells of the one beside those of the other."""

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from worktrial.archive.meaning.value import ValueKind, value_of
from worktrial.archive.pages import Cell, Table

_SAME_PAGE, _ANYWHERE = 0.2, 0.5
"""Share of the smaller table's texts that two tables need in common to be one: on the same page, and on any."""
_ALIGNED = 1_000
"""Rows of a table that are aligned by content; those of longer ones by their place."""

Row = tuple[Cell, ...]


def plain_text(cell: Cell) -> str:
    """The text of a cell without spaces."""
    return "".join(cell.text.split())


def same_value(x: Cell, y: Cell) -> bool:
    """Whether two cells print the same number, each in its way."""
    one, two = value_of(x.text), value_of(y.text)
    return one.kind is two.kind is ValueKind.NUMBER and one.number == two.number


def matched_tables(first: Sequence[Table], second: Sequence[Table]) -> list[tuple[Table | None, Table | None]]:
    """Tables of both in pairs, those with the most in common first; then those that are left."""
    words = [_texts(table) for table in first], [_texts(table) for table in second]
    having: dict[str, list[int]] = {}
    for j, texts in enumerate(words[1]):
        for text in texts:
            having.setdefault(text, []).append(j)
    likeness: list[tuple[float, int, int]] = []
    for i, texts in enumerate(words[0]):
        shared: Counter[int] = Counter()
        for text, count in texts.items():
            for j in having.get(text, ()):
                shared[j] += min(count, words[1][j][text])
        for j, count in shared.items():
            share = count / max(1, min(texts.total(), words[1][j].total()))
            if share >= (_SAME_PAGE if first[i].page == second[j].page else _ANYWHERE):
                likeness.append((-share - (first[i].page == second[j].page), i, j))
    pairs: dict[int, int] = {}
    for _, i, j in sorted(likeness):
        if i not in pairs and j not in pairs.values():
            pairs[i] = j
    alone = set(range(len(second))) - set(pairs.values())
    matched: list[tuple[Table | None, Table | None]] = [
        (table, second[pairs[i]] if i in pairs else None) for i, table in enumerate(first)
    ]
    return matched + [(None, second[j]) for j in sorted(alone)]


def _texts(table: Table) -> Counter[str]:
    return Counter(text for row in table.rows for cell in row if (text := plain_text(cell)))


def aligned_rows(first: Sequence[Row], second: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    """Rows of both in pairs, in order; an empty row where the other has none."""
    keys = [["\0".join(map(plain_text, row)) for row in rows] for rows in (first, second)]
    if max(len(first), len(second)) > _ALIGNED:
        most = max(len(first), len(second))
        yield from ((first[i] if i < len(first) else (), second[i] if i < len(second) else ()) for i in range(most))
        return
    for what, i0, i1, j0, j1 in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        if what == "equal":
            yield from zip(first[i0:i1], second[j0:j1], strict=True)
        else:
            yield from _nearest(list(first[i0:i1]), list(second[j0:j1]))


def _nearest(first: list[Row], second: list[Row]) -> Iterator[tuple[Row, Row]]:
    """Rows that are not equal, in pairs: in order where there are as many, else by the texts that they share."""
    if len(first) == len(second):
        yield from zip(first, second, strict=True)
        return
    rest = second
    for row in first:
        texts = {text for cell in row if (text := plain_text(cell))}
        shared = [len(texts & set(map(plain_text, other))) for other in rest]
        best = max(range(len(rest)), key=shared.__getitem__, default=None)
        if best is None or not shared[best]:
            yield row, ()
            continue
        yield from (((), other) for other in rest[:best])
        yield row, rest[best]
        rest = rest[best + 1 :]
    yield from (((), other) for other in rest)


def aligned_cells(first: Row, second: Row) -> Iterator[tuple[Cell | None, Cell | None]]:
    """Cells of two rows in pairs, by their place in rows of one length, else by their texts."""
    if len(first) == len(second):
        yield from zip(first, second, strict=True)
        return
    keys = [[plain_text(cell) for cell in row] for row in (first, second)]
    for _, i0, i1, j0, j1 in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        for n in range(max(i1 - i0, j1 - j0)):
            yield first[i0 + n] if i0 + n < i1 else None, second[j0 + n] if j0 + n < j1 else None
