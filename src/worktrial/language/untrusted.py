"""Text from models, endpoints and data files, made safe to print."""

import json
import unicodedata

# Control, format (among them those that reverse the reading direction) and unassigned characters, and the
# two separators that break lines. Spaces of other scripts stay.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def printable(text: object) -> str:
    """`text` with every character replaced that could steer the terminal instead of being shown."""
    shown = str(text)
    if shown.isprintable():
        return shown
    return "".join(c if _is_shown(c) else "�" for c in shown)


def printable_json(text: str) -> str:
    """JSON with the same characters escaped, so that it still says the same."""
    return "".join(c if _is_shown(c) else json.dumps(c)[1:-1] for c in text)


def _is_shown(c: str) -> bool:
    return c in "\n\t" or unicodedata.category(c) not in _UNSEEN
