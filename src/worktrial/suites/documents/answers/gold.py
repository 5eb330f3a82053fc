"""Gold answers as typed values: a quantity, a date, a text, or a list of these with labels."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from worktrial.grading.written.spelling import one_spelling
from worktrial.suites.documents.answers.dates import Date, read_date, without_dates
from worktrial.suites.documents.answers.numerals import numerals
from worktrial.suites.documents.answers.quantities import NumberUnit, Quantity, quantities, unit_after
from worktrial.suites.documents.answers.reply import unwrapped, without_bullet

_PAIRS = {"[": "]", "(": ")", "{": "}"}
_QUOTES = "\"'"
_THREE = re.compile(r"\d{3}(?!\d)")
_GROUPED = re.compile(r"[-+($€£¥ ]*[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?[%) ]*")
_LABEL_VALUE = re.compile(r"(?P<label>.*?[^\s:=])\s*(?::|=>?|->)\s*(?P<value>\S.*)", re.DOTALL)
_LABEL_IN_BRACKETS = re.compile(r"(?P<label>[^()]*\w[^()]*?)\s*\((?P<value>[^()]*\d[^()]*)\)")
_LETTER = re.compile(r"[^\W\d_]")
_MAY_BE_LABELLED = re.compile(r"[^\W\d_]|[:=>(\[]")
_AND = re.compile(r"\s+(?:and|&)\s+", re.IGNORECASE)
_LEADING_AND = re.compile(r"^\s*(?:and|&)\s+", re.IGNORECASE)
_MOST_GROUPS = 6  # an item continues over at most so many commas


class Split(NamedTuple):
    """The pieces of a list between its separators.

    At a comma that may also be a thousands separator, pieces may be joined again: `joins[i]` says whether piece `i`
    may belong to the number before it.
    """

    pieces: tuple[str, ...]
    joins: tuple[bool, ...]
    suffix: str  # a unit behind the brackets, for every item
    bracketed: bool
    sure: bool  # brackets, semicolons or line breaks: certainly a list

    def item(self, start: int, end: int) -> str:
        """Pieces `start` to `end` (exclusive) as one item."""
        item = unwrapped(",".join(self.pieces[start:end]))
        return f"{item} {self.suffix}" if self.suffix else item

    def ends(self, start: int) -> range:
        """Pieces (exclusive) at which an item that begins with piece `start` may end."""
        end = start + 1
        while end < len(self.pieces) and self.joins[end] and end - start < _MOST_GROUPS:
            end += 1
        return range(start + 1, end + 1)

    def items(self) -> tuple[str, ...]:
        """The items, with one reading of the commas, as gold lists need it.

        Where some commas are followed by a space, only those separate; otherwise a body that is one well-grouped
        number is that number, and any other comma separates.
        """
        spaced = any(piece[:1] == " " for piece in self.pieces[1:])
        join = spaced or _GROUPED.fullmatch(",".join(self.pieces)) is not None
        starts = [i for i, joins in enumerate(self.joins) if not (join and joins)]
        return tuple(self.item(start, end) for start, end in pairwise([*starts, len(self.pieces)]))


class LabelledItem(NamedTuple):
    """An item: the text of its value, and of its label if it has one."""

    label: str | None
    value: str
    named: bool  # the label is set off by a colon, an equals sign or brackets around the pair


def split_list(text: str, *, at_and: bool = False) -> Split:
    """The pieces of `text` (spelled as `one_spelling` does).

    Args:
        text: The list.
        at_and: Whether "and" separates, too. Between commas, an "and" that begins an item is dropped in any case.
    """
    body, suffix, bracketed = _body(text)
    for separator in "\n;|":
        if len(parts := _outermost(body, separator)) > 1:
            pieces = [without_bullet(part).strip(" ,") for part in parts if part.strip()]
            return Split(tuple(pieces), (False,) * len(pieces), suffix, bracketed, sure=True)
    parts = _outermost(body, ",")
    if len(parts) > 1 and not parts[-1].strip():
        parts.pop()
    parts = [_LEADING_AND.sub(" ", part) for part in parts]
    joins = [
        i > 0 and _THREE.match(part) is not None and parts[i - 1][-1:].isdigit() for i, part in enumerate(parts)
    ]
    if at_and:
        split = [_AND.split(part) for part in parts]
        joins = [
            joined and first for joined, pieces in zip(joins, split, strict=True) for first in _only_first(pieces)
        ]
        parts = [piece for pieces in split for piece in pieces]
    return Split(tuple(parts), tuple(joins), suffix, bracketed, sure=bracketed)


def _only_first(pieces: list[str]) -> list[bool]:
    return [i == 0 for i in range(len(pieces))]


def labelled(item: str) -> LabelledItem:
    """The label and value of `Ohio: 1.5`, `Ohio = 1.5`, `(Ohio, 1.5)`, `Ohio (1.5)`, `Ohio, 1.5`, `Ohio 1.5`."""
    item = unwrapped(item)
    date = read_date(item)
    if not _MAY_BE_LABELLED.search(item) or (date is not None and date.year is not None):
        return LabelledItem(None, item, False)
    inner = item[1:-1] if item[:1] in ("(", "[") and item[-1:] == _PAIRS[item[0]] else None
    if inner is not None and len(pair := re.split(r",\s", inner)) == 2:
        return LabelledItem(unwrapped(pair[0]), unwrapped(pair[1]), True)
    if (found := _LABEL_VALUE.fullmatch(item)) and not re.search(r"\d:\d", item):
        return LabelledItem(unwrapped(found["label"]), unwrapped(found["value"]), True)
    if (found := _LABEL_IN_BRACKETS.fullmatch(item)) and len(numerals(found["value"])) == 1:
        return LabelledItem(unwrapped(found["label"]), found["value"].strip(), True)
    if len(pair := re.split(r",\s", item)) == 2 and numerals(pair[1]) and _LETTER.search(pair[0]):
        return LabelledItem(unwrapped(pair[0]), unwrapped(pair[1]), True)
    figures = numerals(item)
    if len(figures) == 1 and _LETTER.search(label := item[: figures[0].start]):
        return LabelledItem(unwrapped(label.strip(" -,")), item[figures[0].start :], False)
    return LabelledItem(None, item, False)


def _body(text: str) -> tuple[str, str, bool]:
    """Text inside the list's brackets, the unit behind them, and whether there are brackets."""
    text, suffix, bracketed = text.strip(), "", False
    while (span := _bracket(text)) is not None:
        start, end = span
        before, after = text[:start].strip(), without_dates(text[end:]).strip()
        # "Slope, intercept: [1, 2]" and "[1, 2] million" are lists; "f[1] = 2" is not.
        if (before and before[-1] not in ":=") or re.search(r"\d", before + after) or len(after) > 40:
            break
        unit = unit_after(" " + after)
        if unit != NumberUnit(noun=unit.noun):
            suffix = after.strip(" .")
        text, bracketed = text[start + 1 : end - 1].strip(), True
    return text, suffix, bracketed


def _bracket(text: str) -> tuple[int, int] | None:
    """Place of the only outermost square brackets, or of round or curly ones around the whole of a list."""
    spans, depth, start = [], 0, 0
    for i, character in enumerate(text):
        if character == "[":
            start, depth = (i, 1) if depth == 0 else (start, depth + 1)
        elif character == "]" and depth:
            depth -= 1
            if depth == 0:
                spans.append((start, i + 1))
    if len(spans) == 1:
        return spans[0]
    if not spans and text[:1] in ("(", "{") and text[-1:] == _PAIRS[text[0]]:
        inner = text[1:-1]
        if not set(inner) & set("(){}") and len(_outermost(inner, ",")) > 1 and not _GROUPED.fullmatch(inner):
            return 0, len(text)
    return None


def _outermost(text: str, separator: str) -> list[str]:
    """`text` split at the separators that stand in no brackets and no quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for i, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in _QUOTES and (i == 0 or not text[i - 1].isalnum()) and character in text[i + 1 :]:
            quote = character
        elif character in _PAIRS:
            depth += 1
        elif character in _PAIRS.values():
            depth = max(0, depth - 1)
        elif character == separator and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return parts


Atom = Quantity | Date | str
_MARKS = " \t\n.,;:()[]{}\"'"


@dataclass(frozen=True, slots=True)
class ListEntry:
    """One value of a list, bound to its label where it has one."""

    label: str | None
    value: Atom


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of values. Their order counts unless they have labels and no brackets around them."""

    entries: tuple[ListEntry, ...]
    bracketed: bool

    @property
    def has_labels(self) -> bool:
        """Whether any value has a label."""
        return any(entry.label is not None for entry in self.entries)

    @property
    def any_order(self) -> bool:
        """Whether the labels say everything: a list with labels, and no brackets that fix an order."""
        return not self.bracketed and all(entry.label is not None for entry in self.entries)


def read_gold(text: str, asked: NumberUnit) -> Atom | Listing:
    """Read the type and value of a gold answer.

    Args:
        text: The gold answer.
        asked: The unit that the question asks for; fills in what the gold answer leaves out.
    """
    spelled = one_spelling(text)
    atom = read_atom(spelled, asked)
    if not isinstance(atom, str):
        return atom
    for at_and in (False, True):
        split = split_list(spelled, at_and=at_and)
        entries = read_entries(split.items(), asked)
        # "Trinidad and Tobago", "Washington, D.C." are single texts.
        if entries and ((split.sure and not at_and) or all(_complete(entry) for entry in entries)):
            return Listing(entries, split.bracketed)
    return atom


def _complete(entry: ListEntry) -> bool:
    return not isinstance(entry.value, str)


def read_entries(items: Iterable[str], asked: NumberUnit) -> tuple[ListEntry, ...]:
    """The entries of a list; where texts and numbers alternate, each number is bound to its text."""
    read = [labelled(item) for item in items]
    return paired(tuple(ListEntry(item.label, read_atom(item.value, asked)) for item in read))


def paired(entries: tuple[ListEntry, ...]) -> tuple[ListEntry, ...]:
    """`entries` with alternating texts and values bound to each other."""
    if len(entries) % 2 or any(entry.label is not None for entry in entries):
        return entries
    texts = [isinstance(entry.value, str) for entry in entries]
    for first in (0, 1):
        if all(is_text == (i % 2 == first) for i, is_text in enumerate(texts)):
            pairs = zip(entries[first::2], entries[1 - first :: 2], strict=True)
            return tuple(ListEntry(str(label.value), entry.value) for label, entry in pairs)
    return entries


def read_atom(text: str, asked: NumberUnit) -> Atom:
    """Value that `text` is when it is one value and nothing besides; otherwise the text itself."""
    stripped = text.strip(" \t\n")
    date = read_date(stripped)
    if date is not None and not (date.only_a_year and date.fiscal is None):
        return date
    quantity = whole_quantity(stripped)
    return stripped if quantity is None else quantity.asked_in(asked)


def whole_quantity(text: str) -> Quantity | None:
    """The quantity that `text` is, when it holds one number, its unit, and nothing before it."""
    found = numerals(text)
    if len(found) != 1 or text[: found[0].start].strip(_MARKS):
        return None
    [quantity] = quantities(text)
    noun = quantity.unit.noun
    behind = text[found[0].end :]
    tail = behind.lower().split()
    # "5 years" is a quantity; "5 of the twelve banks" and "5-10" are texts.
    if len(tail) > 6 or any(map(str.isdigit, behind)) or (noun is not None and not (tail and noun in tail[-1])):
        return None
    return quantity
