"""Typed answers: a quantity, a date, a text, or a list of these with labels."""

from collections.abc import Iterable
from dataclasses import dataclass

from worktrial.suites.documents.answers.characters import one_spelling
from worktrial.suites.documents.answers.dates import Date, read_date
from worktrial.suites.documents.answers.listing import labelled, split_list
from worktrial.suites.documents.answers.numerals import numerals
from worktrial.suites.documents.answers.quantities import Quantity, quantities
from worktrial.suites.documents.answers.units import Unit

Atom = Quantity | Date | str
_MARKS = " \t\n.,;:()[]{}\"'"


@dataclass(frozen=True, slots=True)
class Entry:
    """One value of a list, bound to its label where it has one."""

    label: str | None
    value: Atom


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of values. Their order counts unless they have labels and no brackets around them."""

    entries: tuple[Entry, ...]
    bracketed: bool

    @property
    def has_labels(self) -> bool:
        return any(entry.label is not None for entry in self.entries)

    @property
    def any_order(self) -> bool:
        """Whether the labels say everything: a list with labels, and no brackets that fix an order."""
        return not self.bracketed and all(entry.label is not None for entry in self.entries)


def read_gold(text: str, asked: Unit) -> Atom | Listing:
    """The type and value of a gold answer.

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


def _complete(entry: Entry) -> bool:
    return not isinstance(entry.value, str)


def read_entries(items: Iterable[str], asked: Unit) -> tuple[Entry, ...]:
    """The entries of a list; where texts and numbers alternate, each number is bound to its text."""
    read = [labelled(item) for item in items]
    return paired(tuple(Entry(item.label, read_atom(item.value, asked)) for item in read))


def paired(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    """`entries` with alternating texts and values bound to each other."""
    if len(entries) % 2 or any(entry.label is not None for entry in entries):
        return entries
    texts = [isinstance(entry.value, str) for entry in entries]
    for first in (0, 1):
        if all(is_text == (i % 2 == first) for i, is_text in enumerate(texts)):
            pairs = zip(entries[first::2], entries[1 - first :: 2], strict=True)
            return tuple(Entry(str(label.value), entry.value) for label, entry in pairs)
    return entries


def read_atom(text: str, asked: Unit) -> Atom:
    """What `text` is when it is one value and nothing besides; otherwise the text itself."""
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
