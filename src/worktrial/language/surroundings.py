"""Surroundings of a tag in a text, which tell whether it is meant or only mentioned."""

import re
from bisect import bisect_left
from functools import cached_property

from worktrial.language.extract import NotOneObject, json_parts

_FENCE = re.compile(r"`{3,}|^ {0,3}~{3,}", re.MULTILINE)
_INLINE = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]+\1(?!`)")
_OPENS_QUOTE, _CLOSES_QUOTE = "\"'`“‘«(*_", "\"'`”’»)*_"
_PAUSES = ".,;:!?"
_ENDS_SENTENCE = '.!?。！？…}])>"”'


class Surroundings:
    """Code, JSON and sentences of a text; each is looked for when it is first asked about."""

    def __init__(self, content: str) -> None:
        self._content = content

    def is_quoted(self, at: int, since: int = 0) -> bool:
        """Whether `at` is within code or within a JSON value."""
        return self.is_code(at, since) or _within(self._json, at)

    def is_code(self, at: int, since: int = 0) -> bool:
        """Whether `at` is in inline code, or in a fence that begins behind `since`.

        A fence without an end is none: thoughts often break off within one.
        """
        if _within(self._inline, at):
            return True
        earlier, before = bisect_left(self._fences, since), bisect_left(self._fences, at)
        return (before - earlier) % 2 == 1 and (len(self._fences) - earlier) % 2 == 0

    def is_in_a_sentence(self, at: int) -> bool:
        """Whether `at` stands behind words on its line that no stop ends, or right behind an opening quote."""
        before = at
        while before > 0 and self._content[before - 1] in " \t":
            before -= 1
        if before == 0:
            return False
        last = self._content[before - 1]
        return last in _OPENS_QUOTE if before == at else last not in "\n" + _ENDS_SENTENCE

    def sentence_goes_on(self, at: int) -> bool:
        """Whether a word in small letters, a pause, a closing quotation mark or nothing at all follows at `at`."""
        after = at
        while after < len(self._content) and self._content[after] in " \t":
            after += 1
        if after == len(self._content):
            return True
        next_one = self._content[after]
        if after == at:
            return next_one in _PAUSES + _CLOSES_QUOTE
        return next_one.isalpha() and not next_one.isupper()

    def line_end(self, at: int) -> int:
        """Position of the next line break, or of the end."""
        end = self._content.find("\n", at)
        return len(self._content) if end < 0 else end

    @cached_property
    def _fences(self) -> list[int]:
        if "```" not in self._content and "~~~" not in self._content:
            return []
        return [fence.start() for fence in _FENCE.finditer(self._content)]

    @cached_property
    def _inline(self) -> list[tuple[int, int]]:
        if "`" not in self._content:
            return []
        return [code.span() for code in _INLINE.finditer(self._content)]

    @cached_property
    def _json(self) -> list[tuple[int, int]]:
        spans: list[tuple[int, int]] = []
        try:
            spans.extend((part.start, part.end) for part in json_parts(self._content))
        except NotOneObject:
            # Made to break a reader; what was found so far counts.
            return spans
        return spans


def _within(spans: list[tuple[int, int]], at: int) -> bool:
    number = bisect_left(spans, (at, at)) - 1
    return number >= 0 and at < spans[number][1]
