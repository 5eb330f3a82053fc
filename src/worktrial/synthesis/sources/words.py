"""The words of a text that say what it is about."""

import re
from functools import cache
from typing import Any

# Scripts that are not written with a space after each word, and Korean, where endings are part of the word.
_TOGETHER = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def content_words(text: str) -> list[str]:
    """Stems in reading order, function words left out; two characters each where words are not told by spaces."""
    found: list[str] = []
    text = _CAMEL.sub(" ", text.replace("_", " "))
    for run in _TOGETHER.findall(text):
        found += [run[i : i + 2] for i in range(len(run) - 1)] or [run]
    rest = _TOGETHER.sub(" ", text)
    return [word for word in _analyzer().analyze(rest) if word] + found


@cache
def _analyzer() -> Any:
    # Imported here: the index's library is loaded only where there is something to compare or to find.
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.simple())
    steps = (
        Filter.remove_long(60),
        Filter.lowercase(),
        Filter.stopword("english"),
        Filter.ascii_fold(),
        Filter.stemmer("english"),
    )
    for step in steps:
        builder = builder.filter(step)
    return builder.build()
