"""Typed transforms for `FaultySession`: how an archive quietly says less, or something wrong.

A page is missing, a table is cut, an older issue is served, a digit is misread; beside the transforms that degrade
any answer.

Pictures are left alone: nothing can be taken out of them.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING

from worktrial.language import JsonObject, JsonValue
from worktrial.suites.documents.question import DocumentQuestion, GoldPage
from worktrial.suites.documents.trace import place, places, queried_by
from worktrial.workplaces.faults import TRANSFORMS, Context, Needed, Transform
from worktrial.workplaces.faults.counts import recounted
from worktrial.workplaces.faults.draws import Chance
from worktrial.workplaces.faults.transforms import emptied

if TYPE_CHECKING:
    from worktrial.archive import Archive


class DocumentFault(StrEnum):
    """Kind of an implicit fault of the archive's answers."""

    PAGE_MISSING = "page_missing"
    TABLE_CUT = "table_cut"
    STALE_REVISION = "stale_revision"
    DIGIT_MISREAD = "digit_misread"


# Where things are said and how far to trust them, not what they say: a change would only lead to another page.
_ADDRESSES = frozenset(
    {"document", "page", "pages", "table", "tables", "cell", "issue", "row", "score", "line", "trust"}
)
_COUNTS = frozenset({"rows", "columns", "header_rows", "label_columns", "total", "width", "height", "confidence"})
_TABLE_ROWS = frozenset({"body", "rows"})
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")
_YEAR = re.compile(r"(?:1[789]|20)\d\d")
# Digits that recognition takes for each other, both ways.
_ALIKE = {
    "0": "68",
    "1": "74",
    "2": "7",
    "3": "85",
    "4": "19",
    "5": "36",
    "6": "058",
    "7": "12",
    "8": "3069",
    "9": "48",
}
_TABLE_LINE = re.compile(r"^\s*\|.*\|\s*$")
_LEAST_ROWS = 3


def document_transforms(archive: "Archive | None") -> Mapping[str, Transform]:
    """Transforms of an answer of the tools, by kind.

    Args:
        archive: Where earlier issues are looked up; None leaves these out.
    """
    own: dict[str, Transform] = {
        DocumentFault.PAGE_MISSING: miss_page,
        DocumentFault.TABLE_CUT: cut_table,
        DocumentFault.DIGIT_MISREAD: misread_digit,
    }
    if archive is not None:
        own[DocumentFault.STALE_REVISION] = _stale_revision(archive)
    return {kind: _unless_picture(transform) for kind, transform in {**own, **TRANSFORMS}.items()}


def needs_of(question: DocumentQuestion) -> Needed:
    """Needs of a question: its answer, the printed figures behind it, and the pages that they stand on."""
    figures = (figure.text for figure in question.figures)
    return Needed(question.answer, *figures, *map(named, question.pages))


def named(page: GoldPage) -> str:
    """Name of a page among what a question needs; none is the beginning of another's."""
    return f"[{page}]"


def miss_page(observation: JsonObject, rng: Chance, context: Context) -> JsonObject | None:
    """Drop one page: all of a page that was read, or the first page of a list.

    Where damage is aimed, the first page in the list that the answer needs.
    """
    first = next(places(observation), None)
    if first is None:
        return None
    if context.needed is not None:
        first = next((p for p in places(observation) if context.needed.value(named(p))), first)
    if place(observation) == first:
        gone = {key: emptied(value) for key, value in observation.items() if not _is_place(key, value)}
        return _if_changed(observation, {**observation, **gone})
    return _if_changed(observation, _filtered(observation, lambda item: place(item) != first))


def cut_table(observation: JsonObject, rng: Chance, context: Context) -> JsonObject | None:
    """Cut tables after their first rows: rows of a list, and lines of a table in Markdown.

    Where damage is aimed, before the first row that the answer needs, if the cut leaves that in. The number of rows
    beside them stays true, unless the damage is to be silent.
    """
    share = 1 / 3 + rng.random() / 3

    def rows_left(rows: Sequence[JsonValue]) -> int:
        left = int(share * len(rows))
        if context.needed is not None:
            left = next((n for n, row in enumerate(rows[:left]) if context.needed.any_of("", row)), left)
        return max(_LEAST_ROWS, left)

    def cut(key: str, value: JsonValue) -> JsonValue:
        if isinstance(value, list) and key in _TABLE_ROWS:
            return value[: rows_left(value)]
        return _cut_lines(value, rows_left) if isinstance(value, str) and not _is_place(key, value) else value

    degraded = {key: cut(key, value) for key, value in observation.items()}
    if context.silent:
        recounted(observation, degraded)
    return _if_changed(observation, degraded)


def misread_digit(observation: JsonObject, rng: Chance, context: Context) -> JsonObject | None:
    """Misread one digit of one figure for another that looks like it, wherever the answer shows the figure.

    Where damage is aimed, of a figure that the answer needs.
    """
    figures = sorted({number for text in _texts(observation) for number in _figures(text)})
    if not figures:
        return None
    if context.needed is not None:
        figures = [figure for figure in figures if context.needed.value(figure)] or figures
    figure = figures[int(rng.random() * len(figures))]
    digits = [i for i, c in enumerate(figure) if c.isdigit()]
    at = digits[int(rng.random() * len(digits))]
    alike = _ALIKE[figure[at]]
    wrong = figure[:at] + alike[int(rng.random() * len(alike))] + figure[at + 1 :]
    return _if_changed(observation, _replaced(observation, {figure: wrong}))


def _stale_revision(archive: "Archive") -> Transform:
    def serve(observation: JsonObject, rng: Chance, context: Context) -> JsonObject | None:
        """Figures as an earlier issue printed them, where it printed others."""
        older: dict[str, str] = {}
        with closing(archive.connection()) as connection:
            queried = (cell[:2] for cell in queried_by(observation))
            for page in dict.fromkeys([*places(observation), *queried]):
                older |= dict(connection.execute(_EARLIER, page).fetchall())
        return _if_changed(observation, _replaced(observation, older)) if older else None

    return serve


# The same row, column and period of the table with the same title; the last issue before this one counts.
_EARLIER = """
SELECT now.text, arg_max(before.text, was.issue)
FROM cells AS now
JOIN documents AS here ON here.document = now.document
JOIN tables AS t ON t.document = now.document AND t.page = now.page AND t.table_no = now.table_no
JOIN cells AS before ON before.label = now.label AND before.header = now.header AND before.period = now.period
    AND before.document <> now.document AND before.value IS NOT NULL AND before.value <> now.value
JOIN documents AS was ON was.document = before.document AND was.issue < here.issue AND was.issue <> ''
JOIN tables AS s ON s.document = before.document AND s.page = before.page AND s.table_no = before.table_no
    AND s.title = t.title
WHERE now.document = ? AND now.page = ? AND now.value IS NOT NULL AND NOT now.is_header AND now.period <> ''
GROUP BY now.text
"""


def _replaced(observation: JsonObject, figures: Mapping[str, str]) -> JsonValue:
    """`observation` with whole figures replaced, in texts and where they are numbers."""
    numbers = {text.replace(",", ""): new.replace(",", "") for text, new in figures.items()}

    def swap(value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            return {name: inner if _is_place(name, inner) else swap(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [swap(inner) for inner in value]
        if isinstance(value, str):
            return _NUMBER.sub(lambda m: figures.get(m[0], m[0]), value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            new = numbers.get(f"{value:.15g}")
            return value if new is None else _as_number(new, value)
        return value

    return swap(observation)


def _as_number(text: str, like: float) -> JsonValue:
    try:
        return float(text) if isinstance(like, float) else int(text)
    except ValueError:
        return like


def _figures(text: str) -> Iterator[str]:
    for number in _NUMBER.findall(text):
        if sum(c.isdigit() for c in number) >= 3 and not _YEAR.fullmatch(number):
            yield number


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield f"{value:.15g}"
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not _is_place(key, inner):
                yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _cut_lines(text: str, rows_left: Callable[[Sequence[str]], int]) -> str:
    """`text` without the later lines of every Markdown table in it."""
    lines: list[str] = []
    for is_table, group in groupby(text.split("\n"), lambda line: _TABLE_LINE.match(line) is not None):
        found = list(group)
        lines += found[: rows_left(found)] if is_table else found
    return "\n".join(lines)


def _filtered(value: JsonValue, keep: Callable[[JsonValue], bool]) -> JsonValue:
    if isinstance(value, dict):
        return {key: _filtered(inner, keep) for key, inner in value.items()}
    if isinstance(value, list):
        return [_filtered(inner, keep) for inner in value if keep(inner)]
    return value


def _is_place(key: str, value: JsonValue) -> bool:
    return key in _ADDRESSES or (key in _COUNTS and isinstance(value, int | float))


def _unless_picture(transform: Transform) -> Transform:
    def degrade(observation: JsonObject, rng: Chance, context: Context) -> JsonObject | None:
        return None if _has_picture(observation) else transform(observation, rng, context)

    return degrade


def _has_picture(value: JsonValue) -> bool:
    return any(text.startswith("(picture ") for text in _texts(value))


def _if_changed(observation: JsonObject, degraded: JsonValue) -> JsonObject | None:
    assert isinstance(degraded, dict), "an object stays an object"
    return degraded if degraded != observation else None
