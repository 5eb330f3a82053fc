"""Sums that a text says are paid, told from those that it only names: limits, values, what was paid before."""

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from worktrial.grading.check import HALF_A_CENT, near

_FAR = 90
_CLAUSES = re.compile(
    r"[.!?](?=\s|$)|[;\n]|,?\s\b(?:but|however|although|though|because|since|while|whereas)\b|,\s(?:and|so)\b"
    r"|지만|으나",
    re.IGNORECASE,
)
_AUXILIARY = r"is|are|was|were|be|been|being|will|shall|has|have|had"
_LIGHT = re.compile(
    rf"""(?x) (?: [\s:=*|"'()\[\]\#$€£¥₩_-]
       | (?i:\b(?:{_AUXILIARY}|not|never|yet|now|today|hereby|therefore|also|only|just|exactly|fully|the|a|an|this
       |that|it|you|your|him|her|them|us|me|to|back|out|in|full|of|for|on|sum|amount|total|orders?|ordered|made|done|due
       |claim|customer|sender|recipient|claimant|account|crowns?|euros?|dollars?|won)\b)
       | \([^()\d]{{1,40}}\) | [A-Za-z]{{1,8}}-?\d[\d-]*\b | \d{{4}}-\d\d-\d\d | \b[A-Z][a-z]+\b )*"""
)
_LIGHT_BEFORE = re.compile(
    rf"""(?x) (?: [\s*"'(|_-] | ,\s
       | (?i:\b(?:{_AUXILIARY}|not|never|yet|now|today|hereby|therefore|also|only|to|ordered|for|us|which|that|we|i
       |crowns?|euros?|dollars?|won)\b)
       | [가-힣]{{1,3}}\s | 크라운[을를이가은는]?\s? )*"""
)
_STATED_AS_DONE = re.compile(rf"\b(?:{_AUXILIARY})\b", re.IGNORECASE)
_NEGATOR = re.compile(
    r"\b(?:not(?!\sonly)|never|no|nothing|none|nobody|neither|nor|without|cannot|unable|refus\w+|declin\w+|reject\w+"
    r"|stop\w*)\b|n't\b",
    re.IGNORECASE,
)
_NEGATED_AFTER = re.compile(
    rf"\s?(?:(?:{_AUXILIARY}|can|could|would|does|did)\s)?(?:not\b|never\b|nothing\b|n't\b|refus|declin|reject|exclud|"
    r"impossible|out of the question)|[^.;,\n]{0,12}?(?:않|못|없|불가|아니)",
    re.IGNORECASE,
)
_SUPPOSED = re.compile(
    r"\b(?:if|unless|would|could|might|may|should|whether|once|until|when|only|needs?|needed|requires?|required|"
    r"awaits?|awaiting|pending|waits?|waiting|after)\b|려면|경우|때까지|필요|대기",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:already|earlier|previous(?:ly)?|before|had|former(?:ly)?|first)\b|이미|앞서|이전|기존", re.IGNORECASE
)
_DATED = re.compile(r"\s(?:(?:out|back)\s)?on\s(?:the\s)?(?:\d|[A-Z][a-z]+\s\d)")
_LIMIT = re.compile(
    r"\b(?:above|below|over|under|exceed\w*|beyond|up to|at most|more than|less than|limit(?: of)?)\s"
    r"(?:the\s)?[$€£¥₩]?$|한도\s?$",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:refus|reject|declin|den(?:y|ied|ies)\b|turn(?:ed)?\sdown)|거절|거부|기각|반려", re.IGNORECASE
)
_PROMISED_BEFORE = re.compile(
    rf"\b(?:we|i|you|they|he|she)\b[^,:]{{0,40}}$|\b(?:{_AUXILIARY})\s(?:now\s|also\s|being\s)?$|'ll\s$",
    re.IGNORECASE,
)
_PROMISED_AFTER = re.compile(
    r"\s(?:will|shall|has|have|was|were|is|are)\b|[^.;,\n]{0,8}(?:습니다|합니다|됩니다|겠)", re.IGNORECASE
)
_OF_THIS = re.compile(r"\b(?:you|your|it|this|will|shall)\b|'ll\b", re.IGNORECASE)
_INFINITIVE = re.compile(r"\bto\s$", re.IGNORECASE)
_LINKED = re.compile(
    r"(?:\s?[A-Za-z$€£]{1,12}){0,5}?\s?(?P<by>\+|-|=|\bplus\b|\band\b|\bminus\b|\bless\b|더하기|빼기)"
    r"\s?(?:(?:the|of|a|deductible|postage|fee)\s){0,4}[$€£¥₩]?",
    re.IGNORECASE,
)
_MINUS = ("-", "minus", "less", "빼기")
_GOES_OVER = re.compile(
    r"\b(?:you|he|she|they)(?:'ll|\s(?:will|shall|are to|is to))?(?:\s(?:now|therefore|also|hereby))?"
    r"\s(?:receive|get)s?\b"
    r"|\bwe(?:'ll|\s(?:will|shall|can|do))?(?:\s(?:now|therefore|also|hereby))?\s"
    r"(?:refund|reimburse|compensate|credit|remit|award|grant|send)(?:\s(?:you\s)?(?:with|back)\b)?"
    rf"|(?<!\bto\s)\b(?:{_AUXILIARY})\s(?:refunded|reimbursed|credited|remitted|awarded|granted)\b"
    r"|(?:환불|배상|보상|송금|입금)(?=[하해됩되드])",
    re.IGNORECASE,
)
"""Money that goes over, in words of any desk; said of other things as well, so they count beside a sum alone."""

Sum = tuple[int, int, Fraction]
"""Place where a sum begins, place where it ends, and its value."""


class _Verb(NamedTuple):
    """A word of paying, and what the text does with it."""

    start: int
    end: int
    negated: bool
    clause: str
    sentence: str
    is_of_sums: bool
    """Whether it tells of money only where a sum stands beside it."""


def mispaid(text: str, sums: Sequence[Sum], wanted: Sequence[float], paying: Sequence[str]) -> str:
    """Fault of a text in what it says is paid; "" where there is none.

    A sum is said to be paid where a word of paying stands beside it with nothing but light words between: `we pay
    you 183.57`, `183.57 crowns were paid`; not in `payments above 800.00`. What is denied, supposed or was paid
    earlier does not count. `You will receive 183.57` says so on any desk. Where no sum is said to be paid, the
    first one is taken to be.

    Args:
        text: As `one_spelling` spells it.
        sums: Sums that it states, in reading order.
        wanted: Sums that are paid; none, or 0, where nothing is.
        paying: Words that say so, such as `pay`, `paid`, `transfer`; endings like -s and -ment may follow.
    """
    due = [value for value in wanted if value]
    told: list[Fraction] = []
    denied: list[Fraction] = []
    others: list[Fraction] = []  # told as paid, and not wanted
    alone = []  # words of paying that are said of no sum
    for verb in _verbs(text, paying):
        about = _paid_by(verb, text, sums, due)
        if not about and not verb.is_of_sums:
            alone.append(verb)
        for value in about:
            (denied if verb.negated else told).append(value)
            if verb.negated or _is(value, due) or not value:
                continue
            if not due and _DATED.match(text, verb.end):
                continue  # what was paid on some day was paid earlier
            if not _EARLIER.search(verb.sentence) and not _SUPPOSED.search(verb.clause):
                others.append(value)
    # Where the right sum comes first, the next explain it: "the lowest, 120.00, is paid, less 10.00".
    if others and not (told and _is(told[0], due)):
        return f"it says that {float(others[0]):.2f} is paid"
    if not due:
        promise = next((verb for verb in alone if _is_promise(verb, text)), None)
        return f"it promises to pay: {' '.join(promise.clause.split())!r}" if promise else ""
    first = next(
        (
            i
            for i, (start, _, sum) in enumerate(sums)
            if sum and not _LIMIT.search(text[max(0, start - 24) : start])
        ),
        None,
    )
    stops = _stops(text)
    for one in due:
        if any(_is(value, [one]) for value in told):
            continue
        beside = {_around(stops, start) for start, _, value in sums if _is(value, [one])}
        is_refused = any(_REFUSAL.search(text, *sentence) for sentence in beside)
        is_refused |= any(verb.negated and begin <= verb.start < end for verb in alone for begin, end in beside)
        if is_refused or any(_is(value, [one]) for value in denied):
            return f"it does not say that {one:.2f} is paid, but that something is not"
        if len(due) == 1 and first is not None and not _is(_worked_out(text, sums, first, due)[0], [one]):
            return f"it does not say that {one:.2f} is paid"
    return ""


def _is(value: Fraction, values: Sequence[float]) -> bool:
    return any(near(float(value), one, HALF_A_CENT) for one in values)


@lru_cache(maxsize=64)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    latin = "|".join(sorted((re.escape(word) for word in words if word.isascii()), key=len, reverse=True))
    other = "|".join(re.escape(word) for word in words if not word.isascii())
    parts = (
        [rf"(?<![A-Za-z])(?P<un>un|non-)?(?:{latin})(?:s|d|ed|ing|ments?|able|back)?(?![A-Za-z])"] if latin else []
    )
    return re.compile("|".join([*parts, *([rf"(?P<off>[미불]\s?)?(?:{other})"] if other else [])]), re.IGNORECASE)


def _verbs(text: str, paying: Sequence[str]) -> Iterator[_Verb]:
    marks = [0, *(found.end() for found in _CLAUSES.finditer(text)), len(text)]
    stops = _stops(text)
    own = list(_pattern(tuple(paying)).finditer(text))
    taken = {place for found in own for place in range(*found.span())}
    further = [found for found in _GOES_OVER.finditer(text) if taken.isdisjoint(range(*found.span()))]
    for found in (*own, *further):
        begin, end = _around(marks, found.start())
        before, after = text[begin : found.start()], text[found.end() : end]
        # "I found no trace and paid" denies the trace.
        near_before = re.split(r"\band\b|\bso\b|,", before)[-1][-_FAR:]
        groups = found.groupdict()
        negated = bool(
            groups.get("un") or groups.get("off") or _NEGATOR.search(near_before) or _NEGATED_AFTER.match(after)
        )
        sentence = text[slice(*_around(stops, found.start()))]
        yield _Verb(found.start(), found.end(), negated, text[begin:end], sentence, found in further)


def _stops(text: str) -> list[int]:
    """Places at which sentences begin, and the end."""
    return [0, *(found.end() for found in re.finditer(r"[.!?](?=\s|$)|\n", text)), len(text)]


def _around(marks: Sequence[int], at: int) -> tuple[int, int]:
    return next((begin, end) for begin, end in pairwise(marks) if begin <= at < end)


def _paid_by(verb: _Verb, text: str, sums: Sequence[Sum], due: Sequence[float]) -> list[Fraction]:
    """The sums that a word of paying is about; one for a sum that is worked out, `290.42 + 8.40`."""
    after = next((index for index, one in enumerate(sums) if one[0] >= verb.end), None)
    before = next((index for index in reversed(range(len(sums))) if sums[index][1] <= verb.start), None)
    found = None
    if after is not None and _LIGHT.fullmatch(text, verb.end, sums[after][0]):
        found = after
    # What stands in brackets is closed with them.
    if (
        before is not None
        and text[sums[before][1] - 1] != ")"
        and _LIGHT_BEFORE.fullmatch(text, sums[before][1], verb.start)
    ):
        gap = text[sums[before][1] : verb.start]
        # "553.10 crowns paid (494.70 and postage)" is about the first, "declared 183.57, paid 169.65" is not.
        if found is None or _STATED_AS_DONE.search(gap) or "(" in text[verb.end : sums[found][0] + 1]:
            found = before
            # "290.42 + 8.40 are paid": from the first of them on.
            while found and _LINKED.fullmatch(text, sums[found - 1][1], sums[found][0]):
                found -= 1
    return [] if found is None else _worked_out(text, sums, found, due)


def _worked_out(text: str, sums: Sequence[Sum], first: int, due: Sequence[float]) -> list[Fraction]:
    values = [sums[first][2]]
    whole = values[0]
    for one, two in pairwise(sums[first:]):
        linked = _LINKED.fullmatch(text, one[1], two[0])
        if linked is None:
            break
        if linked["by"] == "=":
            return [two[2]]
        values.append(two[2])
        whole += -two[2] if linked["by"].lower() in _MINUS else two[2]
    return [whole] if _is(whole, due) else [one for one in values if not _is(one, due)] or values[:1]


def _is_promise(verb: _Verb, text: str) -> bool:
    """Whether a text says that something is or will be paid, of which it gives no sum."""
    if (
        verb.negated
        or _SUPPOSED.search(verb.clause)
        or _EARLIER.search(verb.sentence)
        or _REFUSAL.search(verb.clause)
    ):
        return False
    # "We pay for goods that were lost" tells of the rules.
    if _NEGATOR.search(verb.clause) or not (_OF_THIS.search(verb.clause) or not verb.clause.isascii()):
        return False
    before = text[max(0, verb.start - _FAR) : verb.start]
    if _INFINITIVE.search(before):
        return False
    return bool(_PROMISED_BEFORE.search(before) or _PROMISED_AFTER.match(text, verb.end))
