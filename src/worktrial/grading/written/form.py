"""Ways of writing something, compiled when a text first shows a sign of them.

Some take milliseconds to compile, and most answers are in one language and state numbers only.
"""

import re
from collections.abc import Iterator
from functools import cached_property

_SYLLABLES = re.compile(r"\[\^?[가ㄱ]-힣\]")


def ignoring_case(pattern: str) -> re.Pattern[str]:
    """Compile a pattern for whatever case.

    Korean has none; where that is not said, Python asks each of its thousands of syllables for its other case.
    """
    return re.compile(_SYLLABLES.sub(r"(?-i:\g<0>)", pattern), re.IGNORECASE)


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
        return ignoring_case(self._source)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches in `text`, in reading order."""
        return self.pattern.finditer(text) if self._sign.search(text) else iter(())
