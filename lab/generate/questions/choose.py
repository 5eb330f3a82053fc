"""Choice of the questions that are asked of an archive."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from lab.generate.issue import Issue, Outline, make_issue
from lab.generate.questions.beyond import lookup_by_label, on_chart, provinces_above, revised
from lab.generate.questions.question import Difficulty, DraftQuestion, Kind, Question, Source
from lab.generate.questions.within import OneTable
from lab.generate.truth import tables_of
from lab.generate.world import World

_ROTA = (
    Kind.LOOKUP, Kind.SUM, Kind.DIFFERENCE, Kind.PERCENT_CHANGE, Kind.LOOKUP,
    Kind.RATIO, Kind.REVISION, Kind.SUM, Kind.LIST, Kind.LOOKUP,
    Kind.CALENDAR_VS_FISCAL, Kind.SUM, Kind.CHART, Kind.LOOKUP, Kind.MEAN,
    Kind.DIFFERENCE, Kind.REGRESSION, Kind.SUM, Kind.LIST, Kind.LOOKUP,
)  # fmt: skip
"""Every kind appears in twenty questions."""
_TRIES = 400
_ISSUES_ASKED_ABOUT = 24
"""Most issues of a large archive that are asked about; each is made anew for its questions."""


def questions_about(world: World, outlines: Sequence[Outline], count: int) -> list[Question]:
    """Different questions on an archive, of all kinds in turn; fewer than `count` where it gives no more.

    Args:
        world: what the figures are.
        outlines: issues of the archive.
        count: most questions.
    """
    issues = _Issues(world, outlines)
    asked: dict[str, DraftQuestion] = {}
    for number in range(count):
        for attempt in range(_TRIES):
            dice = world.dice("question", number, attempt)
            one = _ask(issues, _ROTA[number % len(_ROTA)], dice)
            if one is not None and one.question not in asked:
                asked[one.question] = one
                break
    width = max(3, len(str(count)))
    return [Question(f"H{n:0{width}d}", one) for n, one in enumerate(asked.values(), 1)]


class _Issues:
    def __init__(self, world: World, outlines: Sequence[Outline]) -> None:
        dice = world.dice("issues asked about")
        few = min(_ISSUES_ASKED_ABOUT // 2, len(outlines) - 1)
        starts = dice.choice(len(outlines) - 1, few, replace=False).tolist()
        held = sorted({i for start in starts for i in (start, start + 1)})
        self._outlines = [outlines[i] for i in held]
        self._pairs = [(outlines[i], outlines[i + 1]) for i in held if i + 1 < len(outlines)]

        @lru_cache(maxsize=_ISSUES_ASKED_ABOUT)
        def made(outline: Outline) -> tuple[Issue, tuple[Source, ...]]:
            issue = make_issue(world, outline)
            return issue, tuple(Source(issue, place, table) for place, table in tables_of(issue))

        self._made = made

    def drawn(self, dice: np.random.Generator) -> tuple[Issue, tuple[Source, ...]]:
        return self._made(self._outlines[int(dice.integers(len(self._outlines)))])

    def neighbours(self, dice: np.random.Generator) -> tuple[tuple[Source, ...], tuple[Source, ...]]:
        before, after = self._pairs[int(dice.integers(len(self._pairs)))]
        return self._made(before)[1], self._made(after)[1]


def _ask(issues: _Issues, kind: Kind, dice: np.random.Generator) -> DraftQuestion | None:
    if kind is Kind.REVISION:
        return revised(*issues.neighbours(dice), dice)
    issue, sources = issues.drawn(dice)
    if kind is Kind.CHART:
        return on_chart(issue, dice)
    source = sources[int(dice.integers(len(sources)))]
    if source.over_time:
        difficulty = Difficulty.HARD if dice.random() < 0.4 else Difficulty.EASY
        ask: Callable[[], DraftQuestion | None] = getattr(
            OneTable(source, dice, difficulty), "list_of_falls" if kind is Kind.LIST else kind.value
        )
        return ask()
    if kind is Kind.LOOKUP:
        return lookup_by_label(source, dice)
    return provinces_above(source, dice) if kind is Kind.LIST and source.of_regions else None
