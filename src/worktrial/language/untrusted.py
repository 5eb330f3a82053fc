"""Text from models, endpoints and data files, made safe to print, to send and to quote."""

import json
import re
import unicodedata
from hashlib import blake2b

# Control, format (among them those that reverse the reading direction) and unassigned characters, and the
# two separators that break lines. Spaces of other scripts stay.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


# Letters and marks of other categories that show nothing: fillers, joiners, variation selectors.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


def printable(text: object) -> str:
    """`text` with every character replaced that could steer the terminal instead of being shown."""
    shown = str(text)
    if shown.isascii() and shown.isprintable():
        return shown
    return "".join(c if _is_shown(c) else "�" for c in shown)


def printable_json(text: str) -> str:
    """JSON with the same characters escaped, so that it still says the same."""
    return "".join(c if _is_shown(c) else json.dumps(c)[1:-1] for c in text)


def plain_name(text: str, *, otherwise: str) -> str:
    """`text` as a name that any path may hold, of at most 60 characters; `otherwise` where nothing is left."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-.")[:60] or otherwise


def _is_shown(c: str) -> bool:
    return c in "\n\t" or (unicodedata.category(c) not in _UNSEEN and not _BLANK.match(c))


def encodable(text: str) -> str:
    r"""`text` with lone surrogates, which models produce by broken escapes, spelled out as `\udXXX`.

    Inside a JSON string that spelling is the character's own escape.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def mark(data: str, *, purpose: str = "", digits: int = 20) -> str:
    """Hexadecimal digits that do not occur in `data`: the same for the same data, unknown before it exists.

    The mark is a digest of what it encloses, so whoever writes the data would have to find text that
    contains its own digest; should that ever happen, the digest is taken again.

    Args:
        data: What is marked.
        purpose: Tells several marks of the same data apart; up to 64 bytes.
        digits: Length, up to 20.
    """
    encoded = data.encode()
    digest = blake2b(encoded, digest_size=10, key=purpose.encode())
    while (found := digest.hexdigest()[:digits]) in data:
        digest = blake2b(encoded, digest_size=10, key=digest.digest())
    return found
