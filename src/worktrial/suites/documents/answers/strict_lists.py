"""Whether an answer gives a gold list: every value, in order, bound to its label.

An answer's commas may separate or group digits (`8, 152,260`), and a label may stand before its value, behind it,
or as an item of its own, so the items are matched to the gold entries by dynamic programming over (entry, piece).
"""

import re

from worktrial.suites.documents.answers.answers import Atom, Entry, Listing
from worktrial.suites.documents.answers.dates import read_date
from worktrial.suites.documents.answers.labels import plain_label, same_text
from worktrial.suites.documents.answers.listing import Labelled, Split, labelled, split_list
from worktrial.suites.documents.answers.quantities import Quantity
from worktrial.suites.documents.answers.strict_values import Wanted, value_difference

_PLAIN = re.compile(r"[\d,.]+")
_LONGEST_LABEL = 4  # pieces: a label with commas in it


def list_difference(gold: Listing, answer: str, wanted: Wanted) -> str | None:
    """How `answer` differs from a gold list, in words; None when it gives that list."""
    splits = [split_list(answer)]
    with_and = split_list(answer, at_and=True)
    if with_and != splits[0]:
        splits.append(with_and)
    furthest = 0
    for split in splits:
        matched = _matched_in_order(gold, split, wanted)
        if matched is None:
            return None
        furthest = max(furthest, matched)
    if gold.any_order and any(_in_any_order(gold, split, wanted) for split in splits):
        return None
    if furthest == len(gold.entries):
        return f"the answer has more than the {furthest} entries"
    missing = gold.entries[furthest]
    label = f'"{missing.label}": ' if missing.label is not None else ""
    return f"entry {furthest + 1} of {len(gold.entries)} ({label}{missing.value}) is not where it should be"


def _matched_in_order(gold: Listing, split: Split, wanted: Wanted) -> int | None:
    """How many gold entries are there in order before something else; None when the list is the gold one."""
    entries, pieces = gold.entries, len(split.pieces)
    reached: list[set[int]] = [{0}] + [set() for _ in entries]
    flat = not gold.has_labels
    for i in range(len(entries)):
        for start in reached[i]:
            for used, end in _steps(entries[i : i + 2], split, start, wanted, flat=flat):
                reached[i + used].add(end)
    if pieces in reached[-1]:
        return None
    return max(i for i, ends in enumerate(reached) if ends)


def _steps(due: tuple[Entry, ...], split: Split, start: int, wanted: Wanted, *, flat: bool) -> set[tuple[int, int]]:
    """The (entries matched, end piece) of every way to match the first entry that is due, from piece `start` on."""
    if start == len(split.pieces):
        return set()
    entry, steps = due[0], set()
    for end in split.ends(start):
        item = split.item(start, end)
        if end > start + 1 and not _as_long(entry.value, item):
            continue
        parts = labelled(item)
        if _one_item(entry, item, parts, wanted):
            steps.add((1, end))
        # The gold list is flat, [1913, 12,601.26], and the answer binds: "1913: 12,601.26".
        if flat and parts.label is not None and _both(due, parts, wanted):
            steps.add((2, end))
        if entry.label is not None and _is(entry, item, wanted):
            steps |= {(1, after) for after in _label_ends(entry.label, split, end)}
    if entry.label is not None:
        for middle in _label_ends(entry.label, split, start):
            steps |= {
                (1, end)
                for end in (split.ends(middle) if middle < len(split.pieces) else ())
                if _is(entry, split.item(middle, end), wanted)
            }
    return steps


def _both(due: tuple[Entry, ...], parts: Labelled, wanted: Wanted) -> bool:
    return len(due) == 2 and _is(due[0], str(parts.label), wanted) and _is(due[1], parts.value, wanted)


def _as_long(value: Atom, item: str) -> bool:
    """Whether joined digits can be that number at all; spares reading every way to join a long run of them."""
    if not isinstance(value, Quantity) or not _PLAIN.fullmatch(item):
        return True
    digits = sum(map(str.isdigit, item.partition(".")[0]))
    return any(abs(len(str(abs(int(number)))) - digits) <= 1 for number in (value.number, value.value))


def _one_item(entry: Entry, item: str, parts: Labelled, wanted: Wanted) -> bool:
    if entry.label is None:
        # A label that the gold list does not have is no error: "slope = 1.5".
        return _is(entry, item, wanted) or (parts.named and _is(entry, parts.value, wanted))
    return parts.label is not None and same_label(entry.label, parts.label) and _is(entry, parts.value, wanted)


def _is(entry: Entry, text: str, wanted: Wanted) -> bool:
    # A label before the number in one item would be prose to `value_difference`; here it is another value.
    if isinstance(entry.value, Quantity) and labelled(text).label is not None:
        return False
    return value_difference(entry.value, text, wanted) is None


def _label_ends(label: str, split: Split, start: int) -> list[int]:
    ends = range(start + 1, min(len(split.pieces), start + _LONGEST_LABEL) + 1)
    return [end for end in ends if same_label(label, ",".join(split.pieces[start:end]))]


def same_label(gold: str, given: str) -> bool:
    """Whether both name the same thing: the same text, or the same date."""
    date = read_date(gold)
    if date is not None and (other := read_date(given.strip())) is not None:
        return date.same(other)
    return same_text(gold, given)


def _in_any_order(gold: Listing, split: Split, wanted: Wanted) -> bool:
    given = {plain_label(parts.label): parts for parts in map(labelled, split.items()) if parts.label is not None}
    if len(given) != len(split.items()) or len(given) != len(gold.entries):
        return False
    return all(
        entry.label is not None
        and (parts := given.get(plain_label(entry.label))) is not None
        and _is(entry, parts.value, wanted)
        for entry in gold.entries
    )
