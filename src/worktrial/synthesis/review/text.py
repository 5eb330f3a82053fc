"""Values as text for a page."""

import json
from typing import Any

LONGEST = 2_000
"""Characters of one text of a run: a task may have dozens of runs, each with dozens of calls."""


def pretty(value: Any) -> str:
    """A value as indented JSON; a text as itself."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)


def cut(text: str, most: int = LONGEST) -> str:
    """The beginning of a text, with a word on how much is left out."""
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most:,} more characters)"


# What a browser would drop, or what would break the page's encoding, is shown as a sign in its place.
_SIGNS = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"}
_SIGNS |= {0x7F: "\u2421"} | dict.fromkeys([*range(0x80, 0xA0), 0xFFFE, 0xFFFF], "\ufffd")


def visible(text: str) -> str:
    """The text with control characters as visible signs, and without halves of surrogate pairs."""
    return text.replace("\r\n", "\n").translate(_SIGNS).encode("utf-8", "replace").decode()
