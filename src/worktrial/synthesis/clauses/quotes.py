"""Quotes in a section: found word for word whatever the white space, and which of its sentences none covers."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from worktrial.synthesis.clauses.clause import IN_A_SENTENCE, quote_problem
from worktrial.synthesis.clauses.numbers import clause_numbers
from worktrial.synthesis.clauses.sections import HandbookSection

_ALIKE = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "‑": "-", "‐": "-", "−": "-"})
_UNSEEN = frozenset("*`\u00ad\u200b\u200c\u200d\u2060\ufeff")
_HYPHENATED = re.compile(r"(?<=\w)-[ \t]*\n\s*(?=\w)")
_ENDS = " .,;:!?\"'()[]|…。"
_ITEM = re.compile(r"\n[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]")
_BEGUN = re.compile(r"(?:^|\n|\||[,;:]\s+|\n[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t])[ \t*`]*$")
_OVER = re.compile(r"[ \t*`]*(?:$|\n|\||[,;.](?!\d))")
_ELIDED = re.compile(r"\.\.\.|…|\[\.\.\.\]")
_SENTENCE = re.compile(r"(?<=[.!?。])\s+(?=\S)|\n\s*\n|\n(?=[ \t]*(?:[-*+•|]|\d{1,3}[.)][ \t]))")
_BINDING = re.compile(
    r"\b(?:must|shall|may|never|only|not|no|nothing|nobody|none|cannot|need|needs|required|requires|always|unless|except|before|after|until"
    r"|at\s(?:least|most)|refused?|forbidden|allowed)\b|않|없|해야|하여야|금지|만\s|경우|이내|이상|이하|초과|미만",
    re.IGNORECASE,
)


class QuotePlace(NamedTuple):
    """Place of a quote in a section."""

    quote: str
    """The section's own words there, white space normalised."""
    page: int | None
    start: int
    end: int
    """Offsets in the section's text."""


class NotQuoted(ValueError):
    """A quote that cannot be used; the message says why, in words that its author can use."""


def place_of(quote: str, section: HandbookSection) -> QuotePlace:
    """The place where a quote stands. White space, emphasis, forms of dashes and capitals do not matter.

    Raises:
        NotQuoted: it does not stand there, is too short or too long, leaves words out, or runs over several
            items of a list.
    """
    text = section.text
    wanted = "".join(letter for letter, _ in _plain(unicodedata.normalize("NFKC", quote), ())).strip(_ENDS)
    span = _span(wanted, text, ()) or _span(wanted, text, _HYPHENATED.finditer(text)) if wanted else None
    if span is None:
        why = "; it leaves words out, so quote one stretch of them" if _ELIDED.search(quote) else ""
        raise NotQuoted(f"{_short(quote)} does not stand in section {section.number}{why}")
    start, end = span
    found = text[start:end]
    if _ITEM.search(found):
        raise NotQuoted(f"{_short(quote)} runs over several items of a list; quote each by itself")
    said = " ".join(found.split())
    if problem := quote_problem(said):
        raise NotQuoted(f"{_short(quote)}: {problem}")
    if len(said.split()) < IN_A_SENTENCE and not _is_whole(text, start, end):
        where = "a whole cell of a table, or item of a list"
        raise NotQuoted(
            f"{_short(quote)}: fewer than {IN_A_SENTENCE} words are a quote only where they are {where}"
        )
    return QuotePlace(said, _page(section, start), start, end)


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether a stretch of a text is all that stands in a cell of a table or in an item of a list."""
    return _BEGUN.search(text[:start]) is not None and _OVER.match(text, end) is not None


def uncovered(section: HandbookSection, places: Iterable[QuotePlace]) -> list[str]:
    """Sentences, rows and list items that no quote touches, though they hold a number or a word that binds."""
    taken = [(place.start, place.end) for place in places]
    return [
        " ".join(sentence.split())
        for start, sentence in _sentences(section.text)
        if not any(begin < start + len(sentence) and start < end for begin, end in taken)
        and (_BINDING.search(sentence) or clause_numbers(sentence))
        and quote_problem(" ".join(sentence.split())) is None
    ]


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for cut in (*_SENTENCE.finditer(text), None):
        end = cut.start() if cut else len(text)
        if text[start:end].strip():
            yield start, text[start:end]
        start = cut.end() if cut else end


def _page(section: HandbookSection, start: int) -> int | None:
    at = 0
    for part in section.parts:
        # As `HandbookSection.text` joins them.
        at += len(part.text) + 2
        if start < at:
            return part.page
    return section.parts[-1].page


def _span(wanted: str, text: str, dropped: Iterable[re.Match[str]]) -> tuple[int, int] | None:
    """Offsets of the words `wanted` in `text`, left out what is `dropped`."""
    letters = list(_plain(text, dropped))
    plain, at = [letter for letter, _ in letters], [i for _, i in letters]
    found = "".join(plain).find(wanted)
    if found < 0:
        return None
    end = found + len(wanted)
    # A quote ends with a word; half of one is none.
    if end < len(plain) and plain[end - 1].isalnum() and plain[end].isalnum() and plain[end].isascii():
        return None
    if found and plain[found].isalnum() and plain[found - 1].isalnum() and plain[found].isascii():
        return None
    last = at[end - 1] + 1
    # The full stop belongs to it, and emphasis that ends with it.
    while last < len(text) and text[last] in "*`.%)":
        last += 1
    first = at[found]
    while first and text[first - 1] in "*`(":
        first -= 1
    return first, last


def _plain(text: str, dropped: Iterable[re.Match[str]]) -> Iterator[tuple[str, int]]:
    """Letters by which texts are compared, and the place of each in the text; left out is what is `dropped`."""
    skip = {i for match in dropped for i in range(*match.span())}
    before = " "
    for i, letter in enumerate(text):
        if i in skip or letter in _UNSEEN:
            continue
        for one in unicodedata.normalize("NFKC", letter).translate(_ALIKE).casefold():
            one = " " if one.isspace() else one
            if one != " " or before != " ":
                yield one, i
            before = one


def _short(quote: str) -> str:
    said = " ".join(quote.split())
    return repr(said if len(said) <= 120 else f"{said[:120]}…")
