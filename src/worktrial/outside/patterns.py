"""Regular expressions of somebody else, searched in time linear in the text."""

from collections.abc import Callable
from functools import lru_cache

from pydantic_core import SchemaError, SchemaValidator, core_schema


class BadPattern(ValueError):
    """No regular expression of an engine without backtracking; the message names it and says why."""


# A compiled pattern may take 10 MB, the engine's own bound.
@lru_cache(maxsize=64)
def linear_search(pattern: str) -> Callable[[object], bool]:
    """Whether a text holds a match of `pattern`, as a function of the text.

    The engine has no backtracking: no pattern takes longer than its size times the text's length.

    Raises:
        BadPattern: it is none, needs look-around or back-references, or is too large.
    """
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex")).isinstance_python
    except SchemaError as e:
        said = " ".join(str(e).split()).removeprefix('Error building "str" validator: SchemaError: ')
        shown = pattern if len(pattern) <= 200 else f"{pattern[:199]}…"
        raise BadPattern(f"{shown!r} is no regular expression without look-around ({said[-300:]})") from None
