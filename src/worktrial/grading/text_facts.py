"""What an answer mentions."""

import re
import unicodedata


def mentioned(phrase: str, text: str) -> bool:
    """Whether `text` contains `phrase` as whole words.

    Case, runs of white space, Unicode compatibility forms and markdown emphasis do not matter.
    """
    wanted, given = _plain(phrase), _plain(text)
    if not wanted:
        return False
    # ASCII boundaries: "A2" is not in "A21", but a Korean particle may follow it directly.
    return re.search(rf"(?<![a-z0-9_]){re.escape(wanted)}(?![a-z0-9_])", given) is not None


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("*", "").replace("`", "")
    return " ".join(folded.split())
