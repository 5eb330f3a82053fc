"""Facts that a prompt shows of those recorded: what a call names, whole, and of the rest what there is room for."""

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from worktrial.language import JsonObject, JsonValue
from worktrial.workplaces.simulator.json_text import excerpt, json_text
from worktrial.workplaces.values import scalars

FACTS_SHOWN = 40_000
"""Characters of facts that a prompt shows by default, about 10,000 tokens."""

_KEYS_SHOWN = 2_000  # characters
_WORD = re.compile(r"\w{2,}")
_TELLING = re.compile(r"[\d/\\@_.-]")
_SHORTEST = 3  # characters


class ShownFacts(NamedTuple):
    """The recorded facts that a prompt shows."""

    text: str
    """A JSON object, or "" when there are none."""
    left_out: str
    """Keys of those that are recorded and not shown; "" when all are."""


def shown_facts(facts: Mapping[str, JsonValue], tool: str, arguments: JsonValue, room: int) -> ShownFacts:
    """The facts for a prompt: all while they fit, else those that the call names and the ones nearest to it.

    A call names a fact when an argument is the fact's key or one of its values, when the key and an argument
    contain one another, word for word, or when an argument that looks like an id or a path stands anywhere in it.
    Such facts are shown whole, however long. The others follow by how rare the words are that they share with the
    call (inverse document frequency), the newest first among equals, while there is room.

    Args:
        facts: The recorded facts, the latest last.
        tool: Name of the tool being called.
        arguments: Arguments of the call.
        room: Characters that there are for facts; what the call names may take more.
    """
    if not facts:
        return ShownFacts("", "")
    whole = json_text(dict(facts))
    if len(whole) <= room:
        return ShownFacts(whole, "")
    texts = {key: json_text({key: value}) for key, value in facts.items()}
    given = [text.lower() for text in _scalars(arguments) if text.strip()]
    chosen = {key for key, value in facts.items() if _is_named(key, value, texts[key], given)}
    room -= sum(len(texts[key]) for key in chosen)
    for key in _by_nearness(texts, " ".join([tool, *given])):
        if key not in chosen and len(texts[key]) <= room:
            room -= len(texts[key])
            chosen.add(key)
    shown: JsonObject = {key: value for key, value in facts.items() if key in chosen}
    left_out: list[JsonValue] = [key for key in facts if key not in chosen]
    return ShownFacts(
        json_text(shown) if shown else "", excerpt(json_text(left_out), _KEYS_SHOWN) if left_out else ""
    )


def _is_named(key: str, value: JsonValue, text: str, given: list[str]) -> bool:
    name, said = key.lower(), text.lower()
    leaves = {leaf.lower() for leaf in _scalars(value)}
    for argument in given:
        if argument == name or argument in leaves or _stands_in(name, argument) or _stands_in(argument, name):
            return True
        telling = len(argument) >= _SHORTEST and _TELLING.search(argument)
        if telling and _stands_in(json_text(argument)[1:-1], said):
            return True
    return False


def _stands_in(part: str, whole: str) -> bool:
    """Whether `part` stands in `whole` as words of its own; a letter or two say nothing, a number does."""
    return (len(part) >= _SHORTEST or part.isdigit()) and part in whole and _bounded(part).search(whole) is not None


@lru_cache(maxsize=1024)
def _bounded(part: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(part)}(?!\w)")


def _by_nearness(texts: Mapping[str, str], call: str) -> list[str]:
    """Keys of all facts, the nearest to the call first."""
    words = {key: set(_WORD.findall(text.lower().replace("_", " "))) for key, text in texts.items()}
    frequency = Counter(word for found in words.values() for word in found)
    weight = {
        word: math.log(1 + len(texts) / frequency[word])
        for word in _WORD.findall(call.lower().replace("_", " "))
        if word in frequency
    }
    newest_first = list(texts)[::-1]
    # Summed in the call's own order: the order of a set would make equal sums differ.
    return sorted(newest_first, key=lambda key: -sum(w for word, w in weight.items() if word in words[key]))


def _scalars(value: JsonValue) -> list[str]:
    """Texts and numbers at any depth, as text."""
    return [str(one) for one in scalars(value) if isinstance(one, str | int | float) and not isinstance(one, bool)]
