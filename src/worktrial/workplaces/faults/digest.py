"""A short name for the content of an observation, equal wherever the content is."""

import json
from hashlib import sha256

from worktrial.language import JsonValue


def digest(content: JsonValue) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of `content` as canonical JSON.

    Canonical: keys sorted, no white space, UTF-8. The order of keys says nothing in JSON, so it changes
    nothing; the order of a list does. Storing the content as JSON and reading it back leaves it the same.
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    # A lone surrogate is legal in a JSON string and has no UTF-8 of its own.
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
