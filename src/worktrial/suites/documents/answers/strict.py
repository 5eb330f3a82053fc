"""Our own score: the answer must be the gold answer as a typed value, and must commit itself to it.

What counts:

- Quantities are exact numbers with units. Scales convert (5.2 billion is 5,200 million); a scale that only one side
  has is a difference, unless the question's unit says so (`unit`). A percent is never converted into a fraction
  unless both say what they are. Another currency, another thing counted, percentage points for percent: wrong.
- The tolerance is relative to the gold number and inclusive. Dates are exact, and so are gold answers that look
  like a year.
- In a list, every value must be there, in order, and bound to its label. Lists of labelled values without brackets
  may come in any order.
- Texts are equal apart from case, punctuation, articles, and what stands in parentheses.
- Hedges, ranges, alternatives and negations do not count, nor do several numbers that differ.

Which part of a reply is its answer: `worktrial.suites.documents.answers.final_answer`.
"""

from fractions import Fraction

from worktrial.suites.documents.answers.answers import Listing, read_gold
from worktrial.suites.documents.answers.characters import one_spelling
from worktrial.suites.documents.answers.dates import dates, without_dates
from worktrial.suites.documents.answers.final_answer import our_final_answer, unwrapped
from worktrial.suites.documents.answers.graded import Graded
from worktrial.suites.documents.answers.hedges import evasion
from worktrial.suites.documents.answers.labels import without_lead
from worktrial.suites.documents.answers.strict_lists import list_difference
from worktrial.suites.documents.answers.strict_values import Wanted, value_difference
from worktrial.suites.documents.answers.units import Unit, asked_unit

LONGEST_ANSWER = 2_000  # characters; hundreds of numbers fit
LONGEST_GOLD = 4_000


def our_score(ground_truth: str, predicted: str, tolerance: float = 0.0, *, unit: str | None = None) -> Graded:
    """1.0 when the answer is the gold answer as a typed value, otherwise 0.0.

    Args:
        ground_truth: The gold answer.
        predicted: The whole reply.
        tolerance: Allowed relative error of quantities, 0 to 1, inclusive.
        unit: The unit that the question asks for ("millions of dollars", "percent"): it belongs to every number, on
            either side, that names no scale and no percent of its own.
    """
    if not 0 <= tolerance <= 1:
        return Graded.wrong(f"a tolerance of {tolerance} is not between 0 and 1")
    gold_text = unwrapped(one_spelling(ground_truth))
    if not gold_text:
        return Graded.wrong("there is no gold answer")
    if len(gold_text) > LONGEST_GOLD:
        return Graded.wrong(f"the gold answer has more than {LONGEST_GOLD:,} characters")
    found = our_final_answer(predicted)
    if found is None:
        return Graded.wrong("the answer is cut off: its final tag is never closed")
    if not found:
        return Graded.wrong("the answer is empty")
    if len(found) > LONGEST_ANSWER:
        return Graded.wrong(f"the answer has more than {LONGEST_ANSWER:,} characters")
    answer = unwrapped(without_lead(one_spelling(found)))
    evaded = evasion(answer, without_dates(answer), gold_text, date_asked=bool(dates(gold_text)))
    if evaded:
        return Graded.wrong(evaded)
    asked = asked_unit(unit) if unit else Unit()
    gold = read_gold(gold_text, asked)
    wanted = Wanted(asked, Fraction(str(tolerance)))
    differs = list_difference if isinstance(gold, Listing) else value_difference
    why = differs(gold, answer, wanted)  # type: ignore[arg-type]  # each gets its own kind of gold
    return Graded.right(_agrees(tolerance)) if why is None else Graded.wrong(why)


def _agrees(tolerance: float) -> str:
    return f"the gold answer, within {tolerance:.4g} of it" if tolerance else "the gold answer"
