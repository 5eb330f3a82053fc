"""Words of a judge that are not its own: they stand in the record that it was shown."""

import json
import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

from worktrial.language import JsonObject
from worktrial.language.untrusted import encodable

# Fewer characters, spaces aside, may be alike by chance.
_LEAST_QUOTE = 8
# Escapes at any depth, quotation marks, spaces, and characters without width, by which a copy may differ.
# A run of backslashes is taken at once and never given back, so that time is linear in the text.
_LOOSE = re.compile("""\\\\++(?:[nrt]|u[0-9a-f]{4})?|[\\\\\\s"'`\u00ad\u200b-\u200f\u2060-\u2064\ufeff]""")


@dataclass(frozen=True)
class ShownText:
    """Text that a judge was shown and did not write."""

    text: str

    @cached_property
    def _core(self) -> str:
        return _core(self.text)

    def holds_object(self, found: JsonObject, keys: tuple[str, ...]) -> bool:
        """Whether the object `found` stands in it as it is, or cut down to `keys`, these in any order.

        Spaces, quotation marks, case and escapes make no difference.
        """
        bare = {key: found[key] for key in keys if found.get(key) not in (None, "")}
        written = [found, *(dict(order) for order in permutations(bare.items()) if order)]
        return any(self._holds(encodable(json.dumps(each, ensure_ascii=False))) for each in written)

    def holds_reply(self, text: str, decision: str) -> bool:
        """Whether the reply `text` stands in it as a whole, or both give the key `decision` the same value."""
        reply = _core(text)
        said = (f"{decision}:{value}" for value in ("true", "false"))
        return self._holds(text) or any(part in reply and part in self._core for part in said)

    def _holds(self, words: str) -> bool:
        core = _core(words)
        return len(core) >= _LEAST_QUOTE and core in self._core


def _core(text: str) -> str:
    return _LOOSE.sub("", unicodedata.normalize("NFKC", text).casefold())
