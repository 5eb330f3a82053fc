"""Whether a text asserts what stands in it: not where it denies it, nor where it leaves the choice open."""

import re

_FILLERS = (
    r"(?:(?:at|on|in|by|to|from|the|a|an|any|be|been|is|was|equal\sto|yet|have|has|had|bed|lot|section|machine)\s)"
)
_DENIED_BEFORE = re.compile(
    rf"(?:\b(?:not|never|no\slonger|neither|nor|rather\sthan|instead\sof|isn't|wasn't|aren't|weren't|doesn't|didn't|don't|"
    rf"won't|cannot|can't|hasn't|haven't)\s{_FILLERS}{{0,2}}|\b(?:no|without)\s|\bnon-)[\"'($€£¥₩*]*$",
    re.IGNORECASE,
)
_NONE_OF = re.compile(r"\b(?:no|none\sof\sthe)\s\w+\s$", re.IGNORECASE)
_DENIED_VALUE = re.compile(
    r"[\"'*)]*\s?[가-힣]{0,4}?(?:이|가|은|는|도|를|을)?\s?(?:아니|아닌|아닙)|[\"'*)]*\s(?:is|was|would\sbe)\s(?:wrong|incorrect|not\s(?:right|correct))\b",
    re.IGNORECASE,
)
_DENIED_WORD = re.compile(
    r"[\"'*)]*(?:\s(?!(?:and|but|so|because|as|which|that|it)\b)\w+)?\s(?:(?:is|was|are|were|does|did|do|has|have|had|will|would|can|could|be)\s(?:not|never|no\slonger)\b"
    r"|(?:isn't|wasn't|aren't|weren't|doesn't|didn't|don't|won't|hasn't|can't)\b|cannot\b)"
    r"|[가-힣]{0,3}?\s?(?:하|되|시키|받)?지(?:는|도|를)?\s?(?:않|못)|[가-힣]{0,2}?\s?못\s?했|[가-힣]{0,3}?(?:이|가|은|는)?\s?(?:아니|아닌|아닙|없)",
    re.IGNORECASE,
)
_OR = re.compile(
    r"(?P<unit>[^\n,;:()]{0,24}?)[,]?\s?(?:\bor\b|또는|혹은|아니면)\s?(?:(?:at|on|by|the|maybe|perhaps)\s){0,2}",
    re.IGNORECASE,
)


def denied_before(text: str, start: int) -> bool:
    """Whether the words before `start` deny what begins there: `not 14:50`, `instead of R-905`, `non-compliant`.

    `not until 14:50` and `no later than 14:50` deny nothing.
    """
    return _DENIED_BEFORE.search(text, max(0, start - 60), start) is not None


def denied_value(text: str, start: int, end: int) -> bool:
    """Whether a value (a number, a time, an id) is denied: `not 8`, `8이 아니라`, `8 is wrong`."""
    return denied_before(text, start) or _DENIED_VALUE.match(text, end) is not None


def denied_word(text: str, start: int, end: int) -> bool:
    """Whether a word is denied: `did not pass`, `no test failed`, `cash is not required`, `통과하지 못했다`."""
    korean_no = text[start - 1 : start] in ("미", "불", "비") and "가" <= text[start] <= "힣"
    none = _NONE_OF.search(text, max(0, start - 60), start) is not None
    return korean_no or none or denied_before(text, start) or _DENIED_WORD.match(text, end) is not None


def alternatives(text: str, end: int, start: int) -> bool:
    """Whether what ends at `end` and what begins at `start` are offered as a choice: `8 or 9 days`, `8일 또는 9일`.

    `95 minutes or 1 hour 35` says one thing twice: both have units, and not the same.
    """
    between = _OR.fullmatch(text, end, start)
    if between is None:
        return False
    unit = between["unit"].strip(" *\"'.").casefold()
    return not unit or re.match(r"[\W\d]*" + re.escape(unit), text[start:].casefold()) is not None
