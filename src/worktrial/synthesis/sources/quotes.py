"""Whether a citation holds: the passage exists, and the words stand there."""

import re
import unicodedata

from worktrial.synthesis.artifacts import Citation
from worktrial.synthesis.sources.model import Passage
from worktrial.synthesis.sources.store import Sources

_HYPHENATED = re.compile(r"(?<=\w)-[ \t]*\n\s*(?=\w)")
_ALIKE = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "\u00ad": None})


def occurs(quote: str, text: str) -> bool:
    """Whether `quote` stands in `text`; white space, forms of quotation marks and dashes, and words that a line's
    end parts do not matter. An empty quote stands nowhere."""
    wanted = _plain(quote)
    return bool(wanted) and (wanted in _plain(text) or wanted in _plain(_HYPHENATED.sub("", text)))


def citation_problem(citation: Citation, sources: Sources) -> str | None:
    """What is wrong with a citation, or None."""
    passage: Passage | None = sources.passage(citation.source, citation.passage)
    place = f"{citation.source} {citation.passage}"
    if passage is None:
        return f"there is no passage {citation.passage!r} of a source {citation.source!r}"
    if not citation.quote.strip():
        return f"the citation of {place} has no quote"
    if not occurs(citation.quote, passage.text):
        return f"{citation.quote[:80]!r} does not stand in {place}; copy its words exactly"
    return None


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).translate(_ALIKE).split())
