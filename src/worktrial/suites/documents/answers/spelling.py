"""One spelling for what looks the same, and when two texts are the same text."""

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


_PARENTHESES = re.compile(r"\([^()]*\)")
_NO_WORD = re.compile(r"[^\w%$€£¥+/&.-]+|(?<!\w)[.-]|[.-](?!\w)")
_ARTICLE = re.compile(r"^(?:the|a|an) ")
_LEAD = re.compile(r"^(?:(?:the )?(?:final )?answer is|it (?:is|was)|this (?:is|was))\b:? *", re.IGNORECASE)


def plain_label(text: str) -> str:
    """`text` as labels are compared: lower case, no punctuation around words, no leading article."""
    words = _NO_WORD.sub(" ", one_spelling(text).casefold().replace("'", "").replace("&", " and "))
    return _ARTICLE.sub("", " ".join(words.split()))


def same_text(gold: str, given: str) -> bool:
    """Whether both are the same text, in full or apart from what stands in parentheses ("(OASI)")."""
    if plain_label(gold) == plain_label(given):
        return True
    short = plain_label(_outside(gold))
    return bool(short) and short == plain_label(_outside(given))


def without_lead(text: str) -> str:
    """`text` without "the answer is", "it was" at its beginning."""
    return _LEAD.sub("", text, count=1)


def _outside(text: str) -> str:
    return _PARENTHESES.sub(" ", text)
