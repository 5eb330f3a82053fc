"""Keeping keys out of everything that is written or shown."""

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterable
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

_NAME_OF_SECRET = re.compile(r"(?:key|token|secret|passw\w*|credentials?|authori[sz]ation)$", re.IGNORECASE)
LIKE_A_KEY = re.compile(r"(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}")
"""Letters and digits such as nothing but a key, or the number of a tenant, has in an address's path."""
HIDDEN = "[key]"
# No provider issues shorter keys, but servers of one's own are given words such as "none", "test" or
# "ollama"; hiding those would blot out ordinary text, and even the records' own fields.
SHORTEST_SECRET = 8


class Redactor:
    """Replaces known secrets in text and bytes."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: list[str] = []
        self._escaped: list[tuple[re.Pattern[str], re.Pattern[bytes]]] = []
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str) -> None:
        """Hide `secret`, also as JSON, Python, HTML and URLs spell it, and in capitals or none."""
        if len(secret) < SHORTEST_SECRET:
            return
        self._secrets = sorted({*self._secrets, *_spellings(secret)}, key=len, reverse=True)
        if json.dumps(secret) != f'"{secret}"' or not {"/", "'"}.isdisjoint(secret):
            pattern = _escaped(secret)
            found = re.compile(pattern, re.IGNORECASE), re.compile(pattern.encode(), re.IGNORECASE)
            self._escaped = sorted({*self._escaped, found}, key=lambda pair: len(pair[0].pattern), reverse=True)

    def with_named(self, value: Any, name: str = "") -> Any:
        """`value` without the texts that stand in it under a name such as `api_key`; they are hidden then."""
        if isinstance(value, dict):
            return {key: self.with_named(part, str(key)) for key, part in value.items()}
        if isinstance(value, list):
            return [self.with_named(part, name) for part in value]
        if not isinstance(value, str) or not _NAME_OF_SECRET.search(name):
            return value
        self.add(value)
        return HIDDEN

    def add_url(self, url: str) -> None:
        """Hide user, password, their Basic header, the query of `url`, each value of it, and keys in its path."""
        parts = urlsplit(url)
        user = parts.netloc.rpartition("@")[0]
        # `api-version=2026-01-01` is no secret, and its date may well stand in a task.
        values = [value for name, value in parse_qsl(parts.query) if "version" not in name]
        keys = [piece for piece in parts.path.split("/") if LIKE_A_KEY.search(piece)]
        for piece in (user, parts.password or "", parts.query, *values, *keys):
            self.add(piece)
            self.add(unquote(piece))
        for encoding in ("utf-8", "latin-1") if user else ():
            # Without its end, which is the same for many.
            self.add(b64encode(unquote(user).encode(encoding, "replace")).decode().rstrip("="))

    def text(self, text: str) -> str:
        """`text` with every secret replaced."""
        for pattern, _ in self._escaped:
            text = pattern.sub(HIDDEN, text)
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return text

    def bytes(self, data: bytes) -> bytes:
        """`data` (UTF-8) with every secret replaced."""
        for _, pattern in self._escaped:
            data = pattern.sub(HIDDEN.encode(), data)
        for secret in self._secrets:
            data = data.replace(secret.encode(), HIDDEN.encode())
        return data


def _spellings(secret: str) -> set[str]:
    """A secret as URLs and HTML spell it, and in capitals or none."""
    in_url = {quote(secret, safe=safe) for safe in ("", "/", _SUB_DELIMITERS, f"/{_SUB_DELIMITERS}")}
    in_url.add(quote_plus(secret))
    in_url |= {_PERCENT.sub(lambda found: found[0].lower(), one) for one in in_url}
    known = {secret, *in_url, html.escape(secret), html.escape(secret, quote=False)}
    return known | {one.lower() for one in known} | {one.upper() for one in known}


def _escaped(secret: str) -> str:
    """Pattern of a secret as JSON and `repr` spell it, each within the other as often as may be."""
    # Not before the first character: a long row of backslashes would be gone through from each of them.
    spelled = [_backslashed(secret[0], r"\\", "")]
    spelled += (_backslashed(c, r"\\+", r"\\*") for c in secret[1:])
    return "".join(spelled)


def _backslashed(c: str, itself: str, before: str) -> str:
    if c == "\\":
        return itself
    if c in "\"'/":
        return f"{before}{c}"
    if c.isascii():
        return re.escape(c)
    escapes = (one[1:-1].replace("\\", itself) for one in (json.dumps(c), ascii(c)))
    return f"(?:{'|'.join((re.escape(c), *escapes))})"


_PERCENT = re.compile("%[0-9A-F]{2}")
_SUB_DELIMITERS = "!$&'()*+,;=:"
"""Characters that stand for themselves in the user's part of an address (RFC 3986)."""
