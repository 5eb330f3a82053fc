"""What no text of an artifact may hold."""

import re

_ALWAYS = r"\b(?:TODO|TBD|FIXME)\b|lorem ipsum|\{\{.*?\}\}|\[(?:insert|your)\b[^\]]*\]"
# Rules may show a form in angle brackets; an assignment, a call or a rubric may not.
_BRACKETS = r"<(?:[a-z][a-z0-9]*[_ ])+[a-z0-9]+>"
_IN_RULES = re.compile(_ALWAYS, re.IGNORECASE | re.DOTALL)
_IN_TASK = re.compile(f"{_ALWAYS}|{_BRACKETS}", re.IGNORECASE | re.DOTALL)
_SHOWN = 60
# What a prompt shows in place of a text, handed back as it is.
_NOTHING = ("…", "...")


def unfilled(where: str, text: str, *, forms: bool = False) -> list[str]:
    """What in the text of a field stands for something that was to be filled in, each as a problem of `where`.

    Args:
        where: The field.
        text: Its text.
        forms: Whether it may show the form of something, as in `<order number>`.
    """
    found = dict.fromkeys(hit[0][:_SHOWN] for hit in (_IN_RULES if forms else _IN_TASK).finditer(text))
    if text.strip() in _NOTHING:
        found[text.strip()] = None
    return [f"{where}: {hit!r} stands for something that is not there; write it out" for hit in found]
