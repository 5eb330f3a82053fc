"""Whether a text asserts what stands in it: not where it denies it, nor where it leaves the choice open."""

import re

from worktrial.grading.written.form import WrittenForm, ignoring_case

_WORD = "at|on|in|by|to|from|the|a|an|any|be|been|is|was|yet|have|has|had"
_NOT = "isn't|wasn't|aren't|weren't|doesn't|didn't|don't|won't|cannot|can't|hasn't|haven't"
_OPENED = r"[\"'($€£¥₩*]*$"
_CONTRASTED_BEFORE = re.compile(
    rf"\b(?:rather\sthan|instead\sof|(?:is|was|are|were)\snot|isn't|wasn't|aren't|weren't)\s(?:(?:{_WORD})\s){{0,2}}{_OPENED}",
    re.IGNORECASE,
)
_DENIED_BEFORE = re.compile(
    rf"\b(?:not|never|no\slonger|neither|nor|rather\sthan|instead\sof|{_NOT})\s(?:(?:{_WORD})\s){{0,2}}{_OPENED}",
    re.IGNORECASE,
)
_DENIED_VALUE = ignoring_case(
    r"[\"'*)]*(?:\s?[가-힣]{0,4}?(?:이|가|은|는|도|를|을)?\s?(?:아니|아닌|아닙|말고|대신)"
    r"|(?:은|는|이|가)\s(?:틀[렸린리]|잘못)"
    r"|\s(?:is|was|would\sbe)\s(?:wrong|incorrect|not\s(?:right|correct))\b)"
)
_DENIED_WORD_BEFORE = re.compile(
    r"(?:\b(?:no|without|none\sof\sthe)\s(?:\w+\s)?|\bnon-|\bwould\s(?:have\s)?|(?<![가-힣])[미불비부]|(?:또는|혹은|아니면|거나)\s?)[\"'*]*$",
    re.IGNORECASE,
)
_DENIED_WORD_AFTER = WrittenForm(
    rf"""(?x)
    ["'*)]*
    (?:(?:\s(?!(?:and|but|so|because|as|which|that|it)\b)\w+)?\s
       (?:(?:is|was|are|were|does|did|do|has|have|had|will|would|can|could|be)\s(?:not|never|no\slonger)\b|(?:{_NOT})\b)
      |[가-힣]{{0,3}}?\s?(?:하|되|시키|받|드리|주)?지(?:는|도|를)?\s?(?:않|못)
      |[가-힣]{{0,2}}?\s?못\s?[했하합함]
      |[가-힣]{{0,3}}?(?:이|가|은|는)?\s?(?:아니|아닌|아닙|없)
      |[가-힣]{{0,3}}?\s?[가-힣]{{1,3}}\s수(?:가|는|도)?\s?없
      |(?:[가-힣]{{1,2}}|하기|되기|받기|하기[가는])?\s?(?:어렵|어려|곤란|힘들|불가|불허|보류|유보|거절|거부|취소|미정|말고|대신|여부)
      |[은는이가을를]?\s?(?:반려|안\s?[되됩돼된했합함하해]|못\s?[되됩받]|또는|혹은|아니면|이?거나|이나\s)
      |[할될일]지\b)
    """
)
_DOUBT_BEFORE = re.compile(r"[가-힣][미불비부]$")
_DOUBT_AFTER = WrittenForm(
    r"(?:[을를은는이가의]?\s?(?:요청|신청|예정|대기|검토|필요)|(?=\s?[가-힣])(?:(?!고\s(?!있)|며\s|지만|으나|는데)[^.,!?;:\n()/-]){0,30}?"
    r"(?:지(?:는|도)?\s?[않못]|없[었는다습음어]|아니|아닌|아닙|불가|어렵|보류))"
)
_CLAUSE_BEFORE = re.compile(r"(?:^|[.,!?;:\n(]|\b(?:but|however|and|so)\b)(?=[^.,!?;:\n(]*$)", re.IGNORECASE)
_DENIED_IN_CLAUSE = re.compile(
    r"\b(?:not(?!\sonly)|never|no|nothing|neither|nor|without|cannot|whether|unable)\b|n't\b", re.IGNORECASE
)
_OR = re.compile(
    r"(?P<unit>[^\n,;:()]{0,24}?),?\s?(?:\bor\b|또는|혹은|아니면|이?나(?=\s)|이?거나)\s?(?:(?:at|on|by|the|maybe|perhaps)\s){0,2}",
    re.IGNORECASE,
)
_FAR = 60  # characters before and after that are looked at


def _before(pattern: re.Pattern[str], text: str, start: int) -> bool:
    return pattern.search(text, max(0, start - _FAR), start) is not None


def denied_value(text: str, start: int, end: int) -> bool:
    """Whether a number, a time or a date is denied: `not 8`, `8이 아니라`, `8 is wrong`.

    `not until 14:50` and `no later than 14:50` deny nothing.
    """
    return _before(_DENIED_BEFORE, text, start) or _DENIED_VALUE.match(text, end) is not None


def denied_name(text: str, start: int, end: int) -> bool:
    """Whether a name or an id stands for another: `instead of R-905`, `is not R-905`, `R-905가 아니라`.

    It may also be what is told of: `accepted R-904, not R-905 (too late)`.
    """
    return _before(_CONTRASTED_BEFORE, text, start) or _DENIED_VALUE.match(text, end) is not None


def denied_word(text: str, start: int, end: int) -> bool:
    """Whether a word is denied, or only supposed: `did not pass`, `no test failed`, `would have failed`."""
    before = _before(_DENIED_BEFORE, text, start) or _before(_DENIED_WORD_BEFORE, text, start)
    return before or _DENIED_WORD_AFTER.pattern.match(text, end) is not None


def doubtful_word(text: str, start: int, end: int) -> bool:
    """Whether Korean around a word, which does not plainly deny it, may do so: `승인 요청`."""
    return _before(_DOUBT_BEFORE, text, start) or _DOUBT_AFTER.pattern.match(text, end) is not None


def denied_phrase(text: str, start: int, end: int) -> bool:
    """Whether a phrase stands under a denial or a question in its part of a sentence.

    `cannot say whether anything will be paid`, `is not one that counts as lost`.
    """
    begins = [found.end() for found in _CLAUSE_BEFORE.finditer(text, 0, start)]
    before = text[max(begins, default=0) : start][-_FAR:]
    return _DENIED_IN_CLAUSE.search(before) is not None or denied_word(text, start, end)


def alternatives(text: str, end: int, start: int) -> bool:
    """Whether what ends at `end` and what begins at `start` are offered as a choice: `8 or 9 days`, `8일 또는 9일`.

    `95 minutes or 1 hour 35` says one thing twice: both have units, and not the same.
    """
    between = _OR.fullmatch(text, end, start)
    if between is None:
        return False
    unit = between["unit"].strip(" *\"'.").casefold()
    behind = text[start : start + _FAR].casefold()
    return not unit or re.match(r"[\W\d]*" + re.escape(unit), behind) is not None
