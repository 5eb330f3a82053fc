"""Identification of the language of an instruction."""

import re
from collections.abc import Iterable
from functools import cache
from typing import Any

OFTEN = frozenset({"ar", "de", "en", "es", "fr", "id", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "vi", "zh"})
"""Languages that a text may be in though nobody asked for them: widely written, and hardly taken for each other."""
_LABEL = re.compile(r"\S*\d\S*|\b[A-Z][A-Z_-]+\b")


def known_languages() -> frozenset[str]:
    """Codes (ISO 639-1) of the languages that can be told from each other."""
    identifier = _identifier()
    identifier.set_languages(None)
    return frozenset(identifier.labels)


def language_of(text: str, among: Iterable[str]) -> str:
    """Code (ISO 639-1) of the language that a text is most likely in.

    Args:
        text: Any; ids and numbers count for no language.
        among: Codes that it may be beside those that are written often.

    Raises:
        ValueError: one of them is not known.
    """
    identifier = _identifier()
    wanted = {*among, *OFTEN}
    if wanted != set(identifier.labels):
        # Takes far longer than telling.
        identifier.set_languages(sorted(wanted))
    return str(identifier.classify(_LABEL.sub(" ", text))[0])


@cache
def _identifier() -> Any:
    # Imported here: the model takes half a second to load.
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)
