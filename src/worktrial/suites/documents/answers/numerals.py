"""Numbers in answers: of those that are written, the ones that an exact score takes for what they seem."""

import re
from functools import lru_cache

from worktrial.grading.written.numbers import WrittenNumber, numbers

# Units that may follow a number without a space: "5M" and "5bps" are numbers, "10th" and "4x" are none.
_GLUED = re.compile(
    r"(?:[kmbt]|mm|ml?n|[bt]n|bps?|pp|pct|per\s?cent|(?:hundred|thousand|[mbtr]+illion)s?|usd|eur|gbp|jpy|dollars?)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=512)  # reading one answer asks for the same few texts again and again
def numerals(text: str) -> tuple[WrittenNumber, ...]:
    """The numbers in `text` (spelled as `one_spelling` does), in reading order.

    Left out, on purpose: decimal commas and Indian groups, ratios of decimals, numbers in words, the second part
    of a range, and what is followed at once by a word that is no unit.
    """
    return tuple(number for number in numbers(text) if _as_it_seems(number, text))


def _as_it_seems(number: WrittenNumber, text: str) -> bool:
    if number.worded or number.other_groups or number.after_hyphen:
        return False
    if number.over is not None and "." in text[number.start : number.end]:
        return False
    return not number.touching or _GLUED.match(text, number.end) is not None
