"""One budget of bytes and values for JSON that comes from outside: of a sample, or a suite's answer."""

import re
from dataclasses import dataclass

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
MOST_VALUES = 2_000_000
"""Most values and keys of one JSON document."""


def holds_more_values(data: bytes, most: int) -> bool:
    """Whether a JSON text has more than `most` values and keys, told without reading it.

    Values within each other are counted by their brackets, the others by commas and colons.
    """
    # A value takes two characters with its comma.
    return len(data) > 2 * most and any(
        sum(map(data.count, marks)) > most and sum(map(_STRING.sub(b"", data).count, marks)) > most
        for marks in ((b",", b":"), (b"[", b"{"))
    )


_SHORT = 1 << 12  # bytes


@dataclass(slots=True)
class JsonBudget:
    """Bytes and values that may come through one door, whatever the number of messages."""

    room: int
    values: int = MOST_VALUES
    is_spent: bool = False
    """Whether something was refused."""

    def fits(self, data: bytes) -> bool:
        """Whether a JSON text is within what is left; what is not ends the budget."""
        self.is_spent = self.is_spent or len(data) > self.room or holds_more_values(data, self.values)
        return not self.is_spent

    def take(self, data: bytes) -> bool:
        """Take a JSON text off what is left; returns whether it fits."""
        # Most are short: looking closer would cost more than to make the call.
        size = len(data)
        is_short = size < _SHORT < self.room and self.values > _SHORT and not self.is_spent
        if not is_short and not self.fits(data):
            return False
        self.room -= size
        self.values -= data.count(b",")
        return True
