"""Long texts in pieces that a model can be shown a few of."""

import re

MOST = 1200
"""Characters of a passage: half a dozen of them leave room in a context of 8,000 tokens."""

# From the gentlest cut to the roughest; the last takes words apart only where nothing else is left.
_BETWEEN = (
    re.compile(r"\n[ \t]*(?:\n[ \t]*)+"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?。])\s+"),
    re.compile(r"\s+"),
)
_JOIN = ("\n\n", "\n", " ", " ")


def room(text: str) -> int:
    """Characters that a passage of this text may have: fewer where each takes up more tokens, as in Korean."""
    return MOST if sum(c < "\x80" for c in text) * 2 > len(text) else MOST // 2


def pieces(text: str, most: int = MOST) -> list[str]:
    """`text` in order, cut between paragraphs where that is possible, else lines, sentences, words.

    Nothing but white space is lost; no piece is blank or has more than `most` characters.
    """
    return _cut(text.strip(), most, 0)


def _cut(text: str, most: int, way: int) -> list[str]:
    if len(text) <= most:
        return [text] if text.strip() else []
    if way == len(_BETWEEN):
        return [text[i : i + most] for i in range(0, len(text), most)]
    found: list[str] = []
    open_to_more = False
    for part in map(str.rstrip, _BETWEEN[way].split(text)):
        if not part:
            continue
        if len(part) > most:
            found += _cut(part, most, way + 1)
            open_to_more = False
        elif open_to_more and len(found[-1]) + len(_JOIN[way]) + len(part) <= most:
            found[-1] += _JOIN[way] + part
        else:
            found.append(part)
            open_to_more = True
    return found
