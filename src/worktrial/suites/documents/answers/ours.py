"""Our own score: the answer must be the gold answer as a typed value, and must commit itself to it.

What counts:

- Quantities are exact numbers with units. Scales convert (5.2 billion is 5,200 million); a scale that only one side
  has is a difference, unless the question's unit says so (`unit`). A percent is never converted into a fraction
  unless both say what they are. Another currency, another thing counted, percentage points for percent: wrong.
- The tolerance is relative to the gold number and inclusive. Dates are exact, and so are gold answers that look
  like a year.
- In a list, every value must be there, in order, and bound to its label. Lists of labelled values without brackets
  may come in any order.
- Texts are equal apart from case, punctuation, articles, the way to write a range, and what stands in parentheses.
- A number in brackets right behind a date or another number belongs to it, and is not negative.
- Hedges, ranges, alternatives and negations do not count, nor do several numbers that differ.

An answer's commas may separate or group digits (`8, 152,260`), and a label may stand before its value, behind it,
or as an item of its own, so list items are matched to the gold entries by dynamic programming over (entry, piece).
"""

import re
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from worktrial.grading.written.spelling import one_spelling
from worktrial.suites.documents.answers.dates import Date, dates, read_date, without_dates
from worktrial.suites.documents.answers.gold import (
    Atom,
    LabelledItem,
    ListEntry,
    Listing,
    Split,
    labelled,
    read_gold,
    split_list,
)
from worktrial.suites.documents.answers.graded import AnswerScore
from worktrial.suites.documents.answers.numerals import numerals
from worktrial.suites.documents.answers.quantities import NumberUnit, Quantity, asked_unit, difference, quantities
from worktrial.suites.documents.answers.reply import evasion, our_final_answer, unwrapped
from worktrial.suites.documents.answers.spelling import has_range, one_range, plain_label, same_text, without_lead

LONGEST_ANSWER = 2_000  # characters; hundreds of numbers fit
LONGEST_GOLD = 4_000


def our_score(ground_truth: str, predicted: str, tolerance: float = 0.0, *, unit: str | None = None) -> AnswerScore:
    """Score 1.0 when the answer is the gold answer as a typed value, otherwise 0.0.

    Args:
        ground_truth: The gold answer.
        predicted: The whole reply.
        tolerance: Allowed relative error of quantities, 0 to 1, inclusive.
        unit: The unit that the question asks for ("millions of dollars", "percent"): it belongs to every number, on
            either side, that names no scale and no percent of its own.
    """
    if not 0 <= tolerance <= 1:
        return AnswerScore.wrong(f"a tolerance of {tolerance} is not between 0 and 1")
    gold_text = unwrapped(one_spelling(ground_truth))
    if not gold_text:
        return AnswerScore.wrong("there is no gold answer")
    if len(gold_text) > LONGEST_GOLD:
        return AnswerScore.wrong(f"the gold answer has more than {LONGEST_GOLD:,} characters")
    found = our_final_answer(predicted)
    if found is None:
        return AnswerScore.wrong("the answer is cut off: its final tag is never closed")
    if not found:
        return AnswerScore.wrong("the answer is empty")
    if len(found) > LONGEST_ANSWER:
        return AnswerScore.wrong(f"the answer has more than {LONGEST_ANSWER:,} characters")
    answer = unwrapped(without_lead(one_spelling(found)))
    if has_range(gold_text) and not dates(gold_text):
        gold_text, answer = one_range(gold_text), one_range(answer)
    evaded = evasion(answer, without_dates(answer), gold_text, date_asked=bool(dates(gold_text)))
    if evaded:
        return AnswerScore.wrong(evaded)
    asked = asked_unit(unit) if unit else NumberUnit()
    gold = read_gold(gold_text, asked)
    wanted = ComparisonTerms(asked, Fraction(str(tolerance)))
    differs = list_difference if isinstance(gold, Listing) else value_difference
    why = differs(gold, answer, wanted)  # type: ignore[arg-type]  # each gets its own kind of gold
    return AnswerScore.right(_agrees(tolerance)) if why is None else AnswerScore.wrong(why)


def _agrees(tolerance: float) -> str:
    return f"the gold answer, within {tolerance:.4g} of it" if tolerance else "the gold answer"


_DIGIT = re.compile(r"\d")


class ComparisonTerms(NamedTuple):
    """Unit asked for and tolerance, which every comparison of one answer shares."""

    asked: NumberUnit
    tolerance: Fraction


def value_difference(gold: Atom, answer: str, wanted: ComparisonTerms) -> str | None:
    """Difference of `answer` from one gold value, in words; None when it gives that value.

    Args:
        gold: The gold value.
        answer: The answer, spelled as `one_spelling` does. Prose around a single number, and dates that only say
            what period it is about, are allowed.
        wanted: The unit asked for, and the tolerance.
    """
    if isinstance(gold, Quantity):
        return _quantity_difference(gold, answer, wanted)
    if isinstance(gold, Date):
        return _date_difference(gold, answer)
    return None if same_text(gold, answer) else f'"{_short(answer)}" is not "{_short(gold)}"'


def _quantity_difference(gold: Quantity, answer: str, wanted: ComparisonTerms) -> str | None:
    given = [one.date for one in dates(answer)]
    rest = without_dates(answer)
    if gold.year and given:
        other = next((date for date in given if not date.only_a_year or date.year != gold.number), None)
        if other is not None or not numerals(rest):
            return None if other is None else f"{other} is not {gold.number}"
    if not numerals(rest):
        if any(not date.only_a_year or date.fiscal is not None for date in given):
            return f"{given[0]} is a date, the gold answer is a number"
        rest = answer
    found = quantities(rest)
    if not found:
        return "the answer has no number"
    if _DIGIT.search(_without_numbers(rest)):
        return "the answer has digits that are no well-formed number"
    differences = [_best_difference(gold, quantity, wanted) for quantity in _as_meant(found, rest)]
    wrong = [why for why in differences if why is not None]
    if wrong and len(found) > 1:
        return f"the answer has {len(found)} numbers that are not all the gold one"
    return wrong[0] if wrong else None


def _without_numbers(text: str) -> str:
    kept, end = [], 0
    for numeral in numerals(text):
        kept.append(text[end : numeral.start])
        end = numeral.end
    return " ".join([*kept, text[end:]])


def _as_meant(found: list[Quantity], text: str) -> list[Quantity]:
    """`found`, in which a number in brackets behind another one, "5,200 million (5.2 billion)", is not negative."""
    marks = numerals(text)
    return [
        replace(quantity, number=-quantity.number) if i and mark.parenthesised else quantity
        for i, (quantity, mark) in enumerate(zip(found, marks, strict=True))
    ]


def _best_difference(gold: Quantity, given: Quantity, wanted: ComparisonTerms) -> str | None:
    why = difference(gold, given.asked_in(wanted.asked), wanted.tolerance)
    # "$543,000,000" where millions of dollars are asked for names dollars, and may mean them.
    if why is not None and wanted.asked.scale and given.unit.bare and given.unit.currency:
        full = replace(given, unit=replace(given.unit, scale=Fraction(1)))
        return None if difference(gold, full, wanted.tolerance) is None else why
    return why


def _date_difference(gold: Date, answer: str) -> str | None:
    whole = read_date(answer)
    found = [whole] if whole is not None else [one.date for one in dates(answer)]
    if not found:
        return f"the answer has no date, the gold answer is {gold}"
    if len(found) > 1:
        return f"the answer has {len(found)} dates"
    if whole is None and numerals(without_dates(answer)):
        return "the answer has numbers besides the date"
    return None if gold.same(found[0]) else f"{found[0]} is not {gold}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."


_PLAIN = re.compile(r"[\d,.]+")
_LONGEST_LABEL = 4  # pieces: a label with commas in it


def list_difference(gold: Listing, answer: str, wanted: ComparisonTerms) -> str | None:
    """Difference of `answer` from a gold list, in words; None when it gives that list."""
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


def _matched_in_order(gold: Listing, split: Split, wanted: ComparisonTerms) -> int | None:
    """Number of gold entries that are there in order before something else; None when the list is the gold one."""
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


def _steps(
    due: tuple[ListEntry, ...], split: Split, start: int, wanted: ComparisonTerms, *, flat: bool
) -> set[tuple[int, int]]:
    """Entries matched and end piece of every way to match the first entry that is due, from piece `start` on."""
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


def _both(due: tuple[ListEntry, ...], parts: LabelledItem, wanted: ComparisonTerms) -> bool:
    return len(due) == 2 and _is(due[0], str(parts.label), wanted) and _is(due[1], parts.value, wanted)


def _as_long(value: Atom, item: str) -> bool:
    """Whether joined digits can be that number at all; spares reading every way to join a long run of them."""
    if not isinstance(value, Quantity) or not _PLAIN.fullmatch(item):
        return True
    digits = sum(map(str.isdigit, item.partition(".")[0]))
    return any(abs(len(str(abs(int(number)))) - digits) <= 1 for number in (value.number, value.value))


def _one_item(entry: ListEntry, item: str, parts: LabelledItem, wanted: ComparisonTerms) -> bool:
    if entry.label is None:
        # A label that the gold list does not have is no error: "slope = 1.5".
        return _is(entry, item, wanted) or (parts.named and _is(entry, parts.value, wanted))
    return parts.label is not None and same_label(entry.label, parts.label) and _is(entry, parts.value, wanted)


def _is(entry: ListEntry, text: str, wanted: ComparisonTerms) -> bool:
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


def _in_any_order(gold: Listing, split: Split, wanted: ComparisonTerms) -> bool:
    given = {plain_label(parts.label): parts for parts in map(labelled, split.items()) if parts.label is not None}
    if len(given) != len(split.items()) or len(given) != len(gold.entries):
        return False
    return all(
        entry.label is not None
        and (parts := given.get(plain_label(entry.label))) is not None
        and _is(entry, parts.value, wanted)
        for entry in gold.entries
    )
