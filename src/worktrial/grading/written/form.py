"""Ways of writing something, compiled when a text first shows a sign of them.

With Korean syllables among what is looked for, a pattern takes milliseconds to compile, and most answers are in one
language and state numbers only.
"""

import re
from collections.abc import Iterator
from functools import cached_property


class WrittenForm:
    """A way of writing something, whatever the case.

    Args:
        pattern: Regular expression.
        sign: A short one that is found within every match.
    """

    def __init__(self, pattern: str, sign: str = "") -> None:
        self._source = pattern
        self._sign = re.compile(sign, re.IGNORECASE)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self._source, re.IGNORECASE)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches in `text`, in reading order."""
        return self.pattern.finditer(text) if self._sign.search(text) else iter(())
