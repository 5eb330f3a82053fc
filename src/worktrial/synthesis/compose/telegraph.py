"""Wordings of cases side by side: requests that give their refusal away, and texts of different outcomes."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from worktrial.finding import Finding
from worktrial.synthesis.compose.atoms import ATOMS_FILE, AtomName, situation_of
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.texts import OutcomeText, outcome_texts
from worktrial.synthesis.gates.work import Call
from worktrial.synthesis.together import together

CHECK = "telegraphed-refusal"
DRAWS = 8
"""Situations of each atom that are looked at."""
_ID = re.compile(r"\S*\d\S*")
_WORD = re.compile(r"[^\W\d_]+")
SHARED = 0.6
"""Share of a refused request's words that a request which is granted must have."""


def masked(text: str) -> str:
    """A text without ids and numbers, which differ from case to case."""
    return " ".join(_ID.sub("#", text).casefold().split())


async def telegraphed(
    atoms: Mapping[str, AtomName], door: Door, languages: Sequence[str], seed: int = 0
) -> list[Finding]:
    """Atoms whose requests to be refused share too few words with any request that can be granted.

    An agent that reads `please make an exception` knows the answer before it has looked anything up.
    """
    requests: dict[bool, dict[str, list[dict[str, str]]]] = {True: defaultdict(list), False: defaultdict(list)}
    starts = [await door.start(seed + draw) for draw in range(DRAWS)]
    draws = [(name, draw) for name in atoms for draw in range(DRAWS)]
    # Side by side, since each by itself would be waited for.
    cases = await together(*(situation_of(door, name, starts[n], f"{seed}/{name}/{n}") for name, n in draws))
    for (name, _), found in zip(draws, cases, strict=True):
        if found is not None:
            requests[found.refusal][name].append(found.request)
    findings = []
    for name, refused in requests[True].items():
        for language in languages:
            granted = [_words(other.get(language, "")) for texts in requests[False].values() for other in texts]
            worst = min((_likeness(_words(text.get(language, "")), granted) for text in refused), default=1.0)
            if worst < SHARED:
                what = f"{name}: what it asks ({language}) is worded as nothing that can be granted"
                fix = "Ask for it in the words of an atom that grants the same, so that only looking up tells"
                findings.append(Finding(CHECK, name, ATOMS_FILE, "request", what, fix))
                break
    return findings


async def texts_of_atoms(atoms: Iterable[str], door: Door, seed: int = 0) -> list[OutcomeText]:
    """Texts that the cases of a workplace write, each with its outcome.

    Raises:
        DataError: an atom is at fault.
    """
    found: list[OutcomeText] = []
    state = await door.start(seed)
    for case in await together(*(situation_of(door, name, state, f"{seed}/{name}/texts") for name in atoms)):
        calls: list[Call] = [(step["call"], step.get("with", {})) for step in case.steps] if case else []
        found += [text for _, text in outcome_texts(door.artifact, calls)]
    return found


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(_ID.sub(" ", text).casefold()))


def _likeness(words: frozenset[str], others: Sequence[frozenset[str]]) -> float:
    if not words:
        return 1.0
    return max((len(words & other) / len(words) for other in others), default=0.0)
