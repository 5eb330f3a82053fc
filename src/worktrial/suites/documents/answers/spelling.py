"""Equality of texts, apart from case, punctuation and articles; one spelling of ranges."""

import re

from worktrial.grading.written.spelling import one_spelling

_PARENTHESES = re.compile(r"\([^()]*\)")
_NO_WORD = re.compile(r"[^\w%$€£¥+/&.-]+|(?<!\w)[.-]|[.-](?!\w)")
_ARTICLE = re.compile(r"^(?:the|a|an) ")
_RANGE = re.compile(
    r"(?<![\w.,/-])(?!\d+-\d+/\d)"
    r"(?:between (?P<from>\d(?:[\d,.]*\d)?%?) and|(?:from )?(?P<first>\d(?:[\d,.]*\d)?%?) ?(?:--?|to|through))"
    r" ?(?=\d)",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^(?:(?:the )?(?:final )?answer is|it (?:is|was)|this (?:is|was))\b:? *", re.IGNORECASE)


def plain_label(text: str) -> str:
    """`text` as labels are compared: lower case, no punctuation around words, no leading article."""
    words = _NO_WORD.sub(" ", one_spelling(text).casefold().replace("'", "").replace("&", " and "))
    return _ARTICLE.sub("", " ".join(words.split()))


def same_text(gold: str, given: str) -> bool:
    """Whether both are the same text, in full or apart from what stands in parentheses ("(OASI)")."""
    if plain_label(gold) == plain_label(given):
        return True
    short = plain_label(_outside(gold))
    return bool(short) and short == plain_label(_outside(given))


def without_lead(text: str) -> str:
    """`text` without "the answer is", "it was" at its beginning."""
    return _LEAD.sub("", text, count=1)


def has_range(text: str) -> bool:
    """Whether `text` (spelled as `one_spelling` does) names a range of numbers."""
    return _RANGE.search(text) is not None


def one_range(text: str) -> str:
    """`text` with each of its ranges as "15 to 20"."""
    return _RANGE.sub(lambda found: f"{found['from'] or found['first']} to ", text)


def _outside(text: str) -> str:
    return _PARENTHESES.sub(" ", text)
