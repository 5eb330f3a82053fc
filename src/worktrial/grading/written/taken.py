"""Places of a text that are read already."""

import re


class TakenPlaces:
    """Places of a text that belong to something already."""

    def __init__(self, text: str) -> None:
        self._places = bytearray(len(text))

    def add(self, match: re.Match[str]) -> bool:
        """Take the place of a match; False where a part of it is taken."""
        start, end = match.span()
        if any(self._places[start:end]):
            return False
        self._places[start:end] = b"1" * (end - start)
        return True
