"""Words that stand for something an author was to fill in."""

import re

_ALWAYS = re.compile(
    r"\b(?:TODO|TBD|FIXME)\b|\blorem ipsum\b|\{\{.*?\}\}|\[(?:insert|your|placeholder|fill in|to be)\b[^\]]*\]"
    r"|<(?:insert|your|placeholder|fill in|to be|todo)\b[^<>]*>",
    re.IGNORECASE | re.DOTALL,
)
# Rules and descriptions may show a form in angle brackets; what is handed to an agent or a judge may not.
_IN_TASK = re.compile(r"<[A-Za-z][A-Za-z0-9]*(?:[ _-][A-Za-z0-9]+)+>|<[A-Z][A-Z0-9]+>")


def left_over(text: str, *, forms: bool = False) -> list[str]:
    """Every place-holder in a text, once each.

    Args:
        text: Any.
        forms: Whether it may show the form of something, as in `<order number>`.
    """
    patterns = (_ALWAYS,) if forms else (_ALWAYS, _IN_TASK)
    return list(dict.fromkeys(hit[0] for pattern in patterns for hit in pattern.finditer(text)))
