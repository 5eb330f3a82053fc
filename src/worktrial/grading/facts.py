"""Facts in answers and states: texts that are mentioned, numbers as people write them, values at a JSON pointer."""

import re
import unicodedata
from decimal import Decimal
from typing import Final

from worktrial.language import JsonValue


def mentioned(phrase: str, text: str) -> bool:
    """Whether `text` contains `phrase` as whole words.

    Case, runs of white space, Unicode compatibility forms and markdown emphasis do not matter.
    """
    wanted, given = _plain(phrase), _plain(text)
    if not wanted:
        return False
    # ASCII boundaries: "A2" is not in "A21", but a Korean particle may follow it directly.
    return re.search(rf"(?<![a-z0-9_]){re.escape(wanted)}(?![a-z0-9_])", given) is not None


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("*", "").replace("`", "")
    return " ".join(folded.split())


# Dates and clock times hold digits that are no quantities.
_DATE_OR_TIME = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?)?|\b\d{1,2}:\d{2}(?::\d{2})?\b")
_CURRENCY = r"(?:[$€£¥₩]|\b(?:USD|EUR|GBP|JPY|CNY|KRW|CHF|CAD|AUD|US\$))"
_NUMBER = re.compile(
    rf"""
    (?P<open>\(\s*)?                              # accounting style: (1,234.00) is negative
    (?<![A-Za-z0-9_.,\#])(?<![A-Za-z][-‐‑])       # not inside a word or an identifier such as P-104
    (?P<sign>[-−–+])?
    (?:{_CURRENCY}\s?)?
    (?P<inner>[-−])?
    (?P<digits>\d{{1,3}}(?:[,'’\u00a0\u2009\u202f]\d{{3}})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
    (?P<percent>\s?(?:%|percent\b|per\ cent\b))?
    (?P<close>\s*\))?
    """,
    re.VERBOSE,
)


def numbers_in(text: str) -> list[Decimal]:
    """Every quantity that `text` states, in reading order.

    Thousands separators, currency signs and codes before the number, Unicode minus signs and parentheses for
    negatives are understood; digits of dates, clock times and identifiers are left out. Where writing is
    ambiguous both readings are listed: `12.5%` as 12.5 and 0.125, `(40.00)` as -40 and 40.
    """
    found: list[Decimal] = []
    for match in _NUMBER.finditer(_DATE_OR_TIME.sub(" ", text)):
        value = Decimal(re.sub(r"[^\d.]", "", match["digits"]))
        if (match["sign"] or match["inner"] or "+") != "+":
            value = -value
        readings = [value]
        if match["open"] and match["close"]:
            readings.insert(0, -value)
        found += readings
        if match["percent"]:
            found += [reading / 100 for reading in readings]
    return found


ABSENT: Final = object()
"""Result of `at` where there is nothing; JSON's own null is a value."""

_HALF_A_CENT = 0.005


def at(value: JsonValue, pointer: str) -> JsonValue:
    """The value at a JSON Pointer (RFC 6901), or `ABSENT`."""
    from jsonpointer import JsonPointerException, resolve_pointer

    try:
        return resolve_pointer(value, pointer)
    except JsonPointerException:
        return ABSENT


def matches(found: JsonValue, wanted: JsonValue, *, exactly: bool = False) -> bool:
    """Whether `found` has at least what `wanted` asks for.

    Objects may have further fields unless `exactly`; lists must agree item by item; a number matches within
    half a cent, so 12.5, 12.50 and 12.499999 are one amount; a boolean is never a number.
    """
    if isinstance(wanted, dict):
        if not isinstance(found, dict) or not wanted.keys() <= found.keys():
            return False
        if exactly and wanted.keys() != found.keys():
            return False
        return all(matches(found[key], value, exactly=exactly) for key, value in wanted.items())
    if isinstance(wanted, list):
        return (
            isinstance(found, list)
            and len(found) == len(wanted)
            and all(matches(f, w, exactly=exactly) for f, w in zip(found, wanted, strict=True))
        )
    if _is_number(wanted):
        return _is_number(found) and abs(found - wanted) < _HALF_A_CENT
    return type(found) is type(wanted) and bool(found == wanted)


def changed_pointers(before: JsonValue, after: JsonValue, pointer: str = "") -> list[str]:
    """Pointers of the smallest parts that differ; an item added to a list has its own."""
    if isinstance(before, dict) and isinstance(after, dict):
        changed: list[str] = []
        for key in before | after:
            changed += changed_pointers(
                before.get(key, ABSENT), after.get(key, ABSENT), f"{pointer}/{_escape(key)}"
            )
        return changed
    if isinstance(before, list) and isinstance(after, list):
        changed = []
        for index in range(max(len(before), len(after))):
            changed += changed_pointers(
                before[index] if index < len(before) else ABSENT,
                after[index] if index < len(after) else ABSENT,
                f"{pointer}/{index}",
            )
        return changed
    same = before is after or (
        (type(before) is type(after) or (_is_number(before) and _is_number(after))) and (before == after)
    )
    return [] if same else [pointer]


def under(pointer: str, prefix: str) -> bool:
    """Whether `pointer` is `prefix` or lies below it."""
    return pointer == prefix or pointer.startswith(prefix.rstrip("/") + "/")


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
