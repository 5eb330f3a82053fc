"""Clauses that contradict each other: of the same subject, with different numbers."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import msgspec

from worktrial.errors import DataError, SettingError, option
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.numbers import ClauseNumber
from worktrial.synthesis.sources.store import content_words

_ALIKE_ELSEWHERE, _ALIKE_HERE = 0.5, 0.8
"""Share of common words from which on two clauses are of one subject: in two documents, and in the same one, where
neighbours speak of neighbouring things in the same words."""
_FEWEST_WORDS = 3
_SHOWN = 8
_GLUE = frozenset([
    "about", "after", "all", "also", "ani", "befor", "can", "dure", "each", "everi", "from",
    "has", "have", "its", "least", "less", "may", "more", "most", "must", "onli", "shall",
    "should", "than", "until", "when", "where", "which", "while", "within", "without",
])  # fmt: skip
"""Stems of words that many clauses have, whatever their subject."""


class Contradiction(NamedTuple):
    """Two clauses that cannot both hold."""

    one: Clause
    other: Clause

    def __str__(self) -> str:
        return "\n".join(
            f"  {clause.id} ({clause.document}, section {clause.section}): “{clause.quote}”" for clause in self
        )


def contradictions(clauses: Sequence[Clause]) -> list[Contradiction]:
    """Pairs of clauses with the same subject and different numbers of the same unit.

    None are a clause and its exception (`overrides`), and what applies in situations that are said in other words.
    """
    words = {clause.id: _words(clause) for clause in clauses}
    return [
        Contradiction(one, other)
        for one, other in combinations([clause for clause in clauses if clause.numbers], 2)
        if one.id not in other.overrides
        and other.id not in one.overrides
        and _differ(one.numbers, other.numbers)
        and _alike(words[one.id], words[other.id])
        >= (_ALIKE_HERE if one.document == other.document else _ALIKE_ELSEWHERE)
    ]


def settled(clauses: Sequence[Clause], precedence: Sequence[str]) -> tuple[list[Clause], list[Clause]]:
    """The clauses that hold, and those that another document overrules: one that counts before it in `precedence`.

    Raises:
        SettingError: a document is not there.
        DataError: clauses contradict each other, and precedence does not decide which holds. Both are shown.
    """
    documents = list(dict.fromkeys(clause.document for clause in clauses))
    if strange := [name for name in precedence if name not in documents]:
        what = f"{option('precedence')} {', '.join(strange)}: no clause is from such a document"
        raise SettingError(f"{what}; there are {', '.join(documents)}")
    rank = {name: place for place, name in enumerate(precedence)}
    overruled: dict[str, Clause] = {}
    open_ones: list[Contradiction] = []
    for pair in contradictions(clauses):
        places = [rank.get(clause.document, len(rank)) for clause in pair]
        if places[0] == places[1]:
            open_ones.append(pair)
        else:
            loser = pair.one if places[0] > places[1] else pair.other
            overruled[loser.id] = loser
    open_ones = [pair for pair in open_ones if not overruled.keys() & {pair.one.id, pair.other.id}]
    if open_ones:
        raise DataError("clauses.yaml", _told(open_ones), _fix(open_ones))
    holding = [
        msgspec.structs.replace(clause, overrides=[id for id in clause.overrides if id not in overruled])
        for clause in clauses
        if clause.id not in overruled
    ]
    return holding, list(overruled.values())


def _told(pairs: Sequence[Contradiction]) -> str:
    shown = "\n\n".join(map(str, pairs[:_SHOWN]))
    more = f"\n\n  and {len(pairs) - _SHOWN} more pairs" if len(pairs) > _SHOWN else ""
    counted = "a pair of clauses contradicts" if len(pairs) == 1 else f"{len(pairs)} pairs of clauses contradict"
    return f"{counted} each other:\n\n{shown}{more}\n"


def _fix(pairs: Sequence[Contradiction]) -> str:
    documents = dict.fromkeys(clause.document for pair in pairs for clause in pair)
    edit = "remove one, or name the other in its `overrides` where it is an exception to it"
    if len(documents) < 2:
        return f"In clauses.yaml {edit}"
    first = f"{option('precedence')} {','.join(documents)}"
    return f"Say which document counts first, as with {first}; or in clauses.yaml {edit}"


def _words(clause: Clause) -> frozenset[str]:
    units = {word for number in clause.numbers for word in content_words(number.unit)}
    said = content_words(f"{clause.quote} {clause.applies_when}")
    return frozenset(word for word in said if word not in units | _GLUE and not word.isdigit())


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    common = len(one & other)
    return common / len(one | other) if common >= _FEWEST_WORDS else 0.0


def _differ(some: Iterable[ClauseNumber], others: Iterable[ClauseNumber]) -> bool:
    """Whether they have a unit in common, and no number of it."""
    mine, theirs = _by_unit(some), _by_unit(others)
    return any(not mine[unit] & theirs[unit] for unit in mine.keys() & theirs.keys())


def _by_unit(numbers: Iterable[ClauseNumber]) -> dict[str, set[str]]:
    values: dict[str, set[str]] = {}
    for number in numbers:
        values.setdefault(number.unit.removesuffix("s"), set()).add(number.value)
    return values
