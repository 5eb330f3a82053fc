"""Wordings of cases side by side: requests that give their refusal away, and texts of different outcomes."""

import re
from collections.abc import Iterable, Mapping, Sequence

from worktrial.finding import Finding
from worktrial.synthesis.compose.atoms import ATOMS_FILE, AtomName, situation_of
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.texts import OutcomeText, outcome_texts
from worktrial.synthesis.gates.work import Call
from worktrial.synthesis.together import together
from worktrial.workplaces.executable.atoms import Situation

CHECK = "telegraphed-refusal"
DRAWS = 8
"""Situations of each atom that are looked at."""
MORE_DRAWS = 24
"""Situations of each atom that are looked at as well before a request is held against it."""
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
    starts = [await door.start(seed + draw) for draw in range(DRAWS)]

    async def drawn(first: int, most: int) -> list[tuple[str, Situation]]:
        draws = [(name, draw) for name in atoms for draw in range(first, first + most)]
        # Side by side, since each by itself would be waited for.
        cases = await together(
            *(situation_of(door, name, starts[n % DRAWS], f"{seed}/{name}/{n}") for name, n in draws)
        )
        return [(name, case) for (name, _), case in zip(draws, cases, strict=True) if case is not None]

    cases = await drawn(0, DRAWS)
    if not _giving_away(cases, cases, languages):
        return []
    # A wording that is granted may be one of several, and not have come up so far.
    return _giving_away(cases, [*cases, *await drawn(DRAWS, MORE_DRAWS)], languages)


def _giving_away(
    asked: Sequence[tuple[str, Situation]], known: Sequence[tuple[str, Situation]], languages: Sequence[str]
) -> list[Finding]:
    """Findings on the refused cases of `asked`, held against those of `known` that are granted."""
    findings: dict[str, Finding] = {}
    for language in languages:
        granted = {case.request.get(language, "") for _, case in known if not case.refusal}
        words = {text: _words(text) for text in sorted(granted)}
        for name, case in asked:
            text = case.request.get(language, "")
            own = _words(text)
            if case.refusal and name not in findings and _likeness(own, [*words.values()]) < SHARED:
                nearest = max(words, key=lambda other: len(own & words[other]), default="")
                what = f"{name}: what it asks ({language}) is worded as nothing that can be granted: “{text}”"
                beside = f" (nearest to it is “{nearest}”)" if nearest else ""
                fix = "Ask for it in the words of an atom that grants the same, so that only looking up tells"
                findings[name] = Finding(CHECK, name, ATOMS_FILE, "request", what + beside, fix)
    return [*findings.values()]


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
