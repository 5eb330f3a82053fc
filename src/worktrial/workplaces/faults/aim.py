"""Fields and values that a task needs: those that its plan, its rubric or its checks name."""

import re
from collections.abc import Iterable, Iterator

from worktrial.language import JsonValue
from worktrial.workplaces.faults.content import ABSENT, JsonDifference

_WORD = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
# A number that stands for itself: no part of a date, a time, an identifier or a longer number.
_FIGURE = re.compile(r"(?<![\w.,:/-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w:/-]|[.,]\d)")
_YEAR = re.compile(r"(?:1[789]|20)\d\d")
# Shorter words and smaller numbers are in every text.
_LEAST_WORD = 3
_LEAST_NUMBER = 10


class Needed:
    """Knowledge of what a task needs, read off the texts that say how it is done and judged."""

    def __init__(self, *texts: str) -> None:
        """Read `texts`: prose, or plans and checks as JSON."""
        self._text = "\n".join(texts).lower()
        self._words = frozenset(_WORD.findall(self._text))
        self._numbers = frozenset(_number(n) for n in _NUMBER.findall(self._text))

    def field(self, name: str) -> bool:
        """Whether the texts name this field, as `unit_price` or as `unit price`."""
        name = name.lower()
        if len(name) < _LEAST_WORD:
            return False
        return name in self._words or ("_" in name and name.replace("_", " ") in self._text)

    def value(self, value: JsonValue) -> bool:
        """Whether the texts hold this text or number, or a figure that this text shows."""
        if isinstance(value, bool) or value is None:
            return False
        if isinstance(value, str):
            return self._holds(value.lower()) or bool(self._figures(value))
        return isinstance(value, int | float) and abs(value) >= _LEAST_NUMBER and abs(value) in self._numbers

    def touched_by(self, differences: Iterable[JsonDifference]) -> bool:
        """Whether something that the texts name is among what an answer lacks or has otherwise."""
        return any(map(self._is_touched, differences))

    def _is_touched(self, difference: JsonDifference) -> bool:
        _, field, clean, degraded = difference
        if clean is ABSENT:
            return False
        if degraded is ABSENT:
            return self.any_of(field, clean)
        if isinstance(clean, list) and isinstance(degraded, list):
            return any(self.any_of("", item) for item in clean[len(degraded) :])
        if isinstance(clean, str) and isinstance(degraded, str) and not self.field(field):
            # Of a longer text, what is no more in it.
            return self._holds(clean.lower()) or bool(self._figures(clean) - self._figures(degraded))
        return clean != degraded and self.any_of(field, clean)

    def any_of(self, name: str, value: JsonValue) -> bool:
        """Whether the texts name this field, or something that `value` holds."""
        return self.field(name) or any(
            (field and self.field(field)) or self.value(v) for field, v in _inside(value)
        )

    def _holds(self, text: str) -> bool:
        # A plain word only as one: "low" is not in "workflow". In other scripts words run together.
        if text.isascii() and text.isalpha():
            return len(text) >= _LEAST_WORD and text in self._words
        return len(text) >= _LEAST_WORD and text in self._text

    def _figures(self, text: str) -> set[float]:
        """Figures of `text` that the texts hold, without years, which are everywhere."""
        found = (_number(figure) for figure in _FIGURE.findall(text) if not _YEAR.fullmatch(figure))
        return {figure for figure in found if figure >= _LEAST_NUMBER and figure in self._numbers}


def _number(text: str) -> float:
    return float(text.replace(",", ""))


def _inside(value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Every field with a plain value in `value`, and every plain item of a list under the name ""."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key, None
            yield from _inside(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _inside(inner)
    else:
        yield "", value
