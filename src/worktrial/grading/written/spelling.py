"""One spelling for what looks the same: dashes, quotes, spaces, digits, fractions, powers."""

import re
import unicodedata

_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹣－"), "-")
_SUPERSCRIPTS = {ord(raised): plain for raised, plain in zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+", strict=True)}
_RAISED = re.compile(rf"[{''.join(map(chr, _SUPERSCRIPTS))}]+")
_FRACTION = re.compile(r"(\d?)([¼-¾⅐-⅞↉])")
_LINES = re.compile(r"[ \t\f\v]*\n\s*")
_SPACES = re.compile(r"[^\S\n]+")
_OTHER = str.maketrans({"٪": "%", "’": "'", "‘": "'", "“": '"', "”": '"', "⁄": "/", "∕": "/", "×": "x", "·": "*"})


def one_spelling(text: str) -> str:
    """`text` with one kind of dash, quote, space and digit; ½ as 1/2, 10⁶ as 10^6; line breaks are kept."""
    text = _FRACTION.sub(_written_out, text.translate(_INVISIBLE))
    # Before the compatibility form, which makes 106 of 10⁶.
    text = _RAISED.sub(lambda found: "^" + found[0].translate(_SUPERSCRIPTS), text)
    text = unicodedata.normalize("NFKC", text).translate(_DASHES).translate(_OTHER)
    return _SPACES.sub(" ", _LINES.sub("\n", text)).strip()


def _written_out(found: re.Match[str]) -> str:
    fraction = unicodedata.normalize("NFKC", found[2]).replace("⁄", "/")
    return f"{found[1]} {fraction}" if found[1] else fraction
