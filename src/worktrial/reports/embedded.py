"""Data within a page, for its scripts."""

from typing import Any

import msgspec
from markupsafe import Markup

# Within an HTML script element the parser looks for tags and comments; as escapes of JSON these cannot occur.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def script_json(value: Any) -> str:
    """JSON that means the same within a script element and within a script."""
    return msgspec.json.encode(value).decode().translate(_ESCAPES)


def embedded(name: str, value: Any) -> Markup:
    """A block of data that a script finds by its id; the browser runs nothing in it."""
    return Markup('<script type="application/json" id="{}">{}</script>').format(name, Markup(script_json(value)))
