"""Pictures on their way to an agent that sees, and what is kept of them on record."""

import base64
import hashlib
import io
import re
from typing import TYPE_CHECKING

from worktrial.language import JsonObject, JsonValue

if TYPE_CHECKING:
    from PIL.Image import Image

_DATA = re.compile(r"data:image/[a-z+]+;base64,")


class Pictures:
    """Collects pictures until the agent is shown them, each once."""

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._handed_out = 0

    def add(self, picture: str) -> int:
        """Keep a picture (a `data:` address) for the agent; returns its number, from 1 on."""
        self._waiting.append(picture)
        return self._handed_out + len(self._waiting)

    def take(self) -> list[str]:
        """The pictures that have not been shown yet."""
        waiting, self._waiting = self._waiting, []
        self._handed_out += len(waiting)
        return waiting

    def taken_from(self, value: JsonObject) -> JsonObject:
        """`value` without pictures, which wait to be shown instead."""
        plain: JsonObject = self._without(value)
        return plain

    def _without(self, value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            return {key: self._without(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._without(inner) for inner in value]
        if isinstance(value, str) and _DATA.match(value):
            return f"(picture {self.add(value)}; it follows in the next message)"
        return value


def data_address(image: "Image") -> str:
    """A picture as a `data:` address; PNG, because JPEG blurs small figures."""
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=False)
    return f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def as_recorded(value: JsonValue) -> JsonValue:
    """`value` with its pictures replaced by their hashes: a record would grow by megabytes."""
    if isinstance(value, dict):
        return {key: as_recorded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_recorded(inner) for inner in value]
    if isinstance(value, str) and _DATA.match(value):
        return f"data:image (sha256 {hashlib.sha256(value.encode()).hexdigest()[:16]}, {len(value):,} characters)"
    return value
