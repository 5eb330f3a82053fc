"""Wrong values: plausible neighbours of a value, from the same workplace."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.faults.draws import Chance, below
from worktrial.workplaces.tools import Tool

Values = Mapping[str, Sequence[JsonValue]]
"""Plain values of a document by the name of their field."""

_LETTERS, _DIGITS = re.compile(r"[^\W\d_]+"), re.compile(r"\d+")
_NUMBER = re.compile(r"(?<![\w.,:-])\d+(?:\.\d+)?(?![\w:-]|[.,]\d)")
# A longer text is not mistaken for another one.
_LONGEST = 60


def neighbour(
    field: str,
    value: JsonValue,
    known: Callable[[str], Sequence[Values]],
    tools: Sequence[Tool],
    rng: Chance,
    apart: set[str],
) -> JsonValue:
    """Another value that could stand in the place of `value`; None where there is none.

    In this order: a value that the same field has elsewhere, of the same shape where there is one; a choice that a
    tool's schema names for it; a text of the same shape in any field (an identifier, a date); the number with two
    digits in each other's place; the opposite of a truth value. In a long text one number is another of the text's
    numbers.

    Args:
        field: Name of the field that holds it.
        value: Text, number or truth value.
        known: Function that gives the values of observations and of the workplace's state, newest first: of those
            that may have a field of this name, or of all for "".
        tools: The workplace's tools.
        rng: Draws among several.
        apart: Values, as text, that would give the fault away.
    """
    if isinstance(value, bool):
        return not value
    if not isinstance(value, str | int | float):
        return None
    if isinstance(value, str) and len(value) > _LONGEST:
        return _misprinted(value, rng)
    kind = type(value)
    own = [other for values in known(field) for other in values.get(field, ())]
    for tool in tools:
        if field in tool.choices:
            own += tool.choices[field]
    alike = {str(other): other for other in own if type(other) is kind and other != value}
    here = {text: other for text, other in alike.items() if text not in apart}
    shape = _shape(value) if here else None
    same_shape = [other for other in here.values() if shape is not None and _shape(other) == shape]
    found = same_shape or list(here.values()) or _alike(field, value, known, apart)
    if found:
        return found[below(rng, len(found))]
    return None if isinstance(value, str) else _transposed(value, rng)


def _alike(
    field: str, value: JsonValue, known: Callable[[str], Sequence[Values]], apart: set[str]
) -> list[JsonValue]:
    """Texts of the same pattern in other fields."""
    pattern = _pattern(value)
    if pattern is None:
        return []
    others = (own for values in known("") for name, own in values.items() if name != field)
    texts = dict.fromkeys(o for own in others for o in own if isinstance(o, str) and o != value)
    return [text for text in texts if text not in apart and _pattern(text) == pattern]


def _shape(value: JsonValue) -> str | None:
    """Pattern of a text with digits, such as `A-9` for an id or `9-9-9` for a date; None for any other value."""
    if not isinstance(value, str) or not _DIGITS.search(value):
        return None
    return _DIGITS.sub("9", _LETTERS.sub("A", value))


def _pattern(value: JsonValue) -> str | None:
    """Pattern of a text with digits that keeps the letters, such as `Q-9`; None for any other value."""
    return _DIGITS.sub("9", value) if isinstance(value, str) and _DIGITS.search(value) else None


def _misprinted(text: str, rng: Chance) -> str | None:
    numbers = list(_NUMBER.finditer(text))
    others = [(one, other[0]) for one in numbers for other in numbers if one[0] != other[0]]
    if not others:
        return None
    # Of about the same size where there is one: 12 for 10, rather than 2025.
    alike = [pair for pair in others if len(pair[0][0]) == len(pair[1])]
    found = alike or others
    at, new = found[below(rng, len(found))]
    return text[: at.start()] + new + text[at.end() :]


def _transposed(number: float, rng: Chance) -> JsonValue:
    text = f"{number:.15g}"
    if "e" in text:
        return None
    pairs = [n for n in range(len(text) - 1) if text[n : n + 2].isdigit() and text[n] != text[n + 1]]
    # A leading nought would make it another kind of number.
    pairs = [n for n in pairs if text[n + 1] != "0" or (n > 0 and text[n - 1] not in "-")]
    if not pairs:
        return None
    at = pairs[below(rng, len(pairs))]
    swapped = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return float(swapped) if isinstance(number, float) else int(swapped)


def plain_values(document: JsonValue) -> Values:
    """Every plain value in `document`, but null."""
    found: dict[str, list[JsonValue]] = {}
    left: list[tuple[str, JsonValue]] = [("", document)]
    while left:
        field, value = left.pop()
        if isinstance(value, dict):
            left.extend(value.items())
        elif isinstance(value, list):
            left.extend((field, item) for item in value)
        elif value is not None:
            found.setdefault(field, []).append(value)
    return found


def replaced(value: JsonValue, field: str, old: JsonValue, new: JsonValue) -> JsonValue:
    """`value` with `new` for `old` wherever the field `field` holds it."""
    if isinstance(value, dict):
        return {
            key: new
            if key == field and type(inner) is type(old) and inner == old
            else replaced(inner, field, old, new)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [replaced(item, field, old, new) for item in value]
    return value


def in_place(value: JsonObject, path: Sequence[str | int], new: JsonValue) -> None:
    """Put `new` at `path` of `value`."""
    owner: JsonValue = value
    for step in path[:-1]:
        owner = owner[step]
    owner[path[-1]] = new


def places(value: JsonValue, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], JsonValue]]:
    """Every plain value that stands in a field, with the way to it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*path, index))
    elif path and isinstance(path[-1], str):
        yield path, value
