"""Choice of the questions that are asked of an archive."""

from collections.abc import Callable, Collection, Sequence
from functools import lru_cache

import numpy as np

from lab.generate.issue import Issue, Outline, make_issue
from lab.generate.questions.beyond import lookup_by_label, on_chart, provinces_above, revised
from lab.generate.questions.harder import (
    absent,
    bars_apart,
    by_footnote,
    disagreeing,
    latest,
    on_scan,
    other_units,
    restated,
)
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
_HARDER_ROTA = (
    Kind.RESTATED, Kind.OTHER_UNITS, Kind.ABSENT, Kind.LATEST, Kind.CALENDAR_VS_FISCAL,
    Kind.FOOTNOTE, Kind.DISAGREEING, Kind.SCAN, Kind.CHART, Kind.RESTATED,
    Kind.OTHER_UNITS, Kind.LATEST, Kind.SCAN, Kind.ABSENT, Kind.FOOTNOTE,
    Kind.CALENDAR_VS_FISCAL, Kind.DISAGREEING, Kind.OTHER_UNITS, Kind.CHART, Kind.SCAN,
)  # fmt: skip
"""Kinds that ask for more than finding a figure."""
_PRINTED_FOR = 60
"""Months after which no issue prints a month any more."""
_TRIES = 400
_ISSUES_ASKED_ABOUT = 24
"""Most issues of a large archive that are asked about; each is made anew for its questions."""


def questions_about(
    world: World,
    outlines: Sequence[Outline],
    count: int,
    *,
    harder: bool = False,
    scanned: Collection[Outline] = (),
) -> list[Question]:
    """Different questions on an archive, of all kinds in turn; fewer than `count` where it gives no more.

    Args:
        world: what the figures are.
        outlines: issues of the archive.
        count: most questions.
        harder: kinds that ask for more than finding a figure.
        scanned: issues that are pictures, which harder questions ask about on purpose.
    """
    issues = _Issues(world, outlines, frozenset(scanned))
    rota, ask = (_HARDER_ROTA, _ask_harder) if harder else (_ROTA, _ask)
    asked: dict[str, DraftQuestion] = {}
    for number in range(count):
        for attempt in range(_TRIES):
            dice = world.dice("harder question" if harder else "question", number, attempt)
            one = ask(issues, rota[number % len(rota)], dice)
            if one is not None and one.question not in asked:
                asked[one.question] = one
                break
    width = max(3, len(str(count)))
    return [Question(f"H{n:0{width}d}", one) for n, one in enumerate(asked.values(), 1)]


class _Issues:
    def __init__(self, world: World, outlines: Sequence[Outline], scanned: frozenset[Outline]) -> None:
        dice = world.dice("issues asked about")
        few = min(_ISSUES_ASKED_ABOUT // 2, len(outlines) - 1)
        starts = dice.choice(len(outlines) - 1, few, replace=False).tolist()
        held = sorted({i for start in starts for i in (start, start + 1)})
        self._outlines = [outlines[i] for i in held]
        self._pairs = [(outlines[i], outlines[i + 1]) for i in held if i + 1 < len(outlines)]
        turns = [[one for one in outlines if one.turn == turn] for turn in sorted({o.turn for o in outlines})]
        self._turns = [turn for turn in turns if len(turn) > 1]
        issued = [outline.reported.issue for outline in outlines]
        ends = {turn[-1].turn: turn[-1].reported.issue for turn in self._turns}
        self._ended = [t for t in self._turns if not any(0 < i - ends[t[0].turn] <= _PRINTED_FOR for i in issued)]
        self._scanned = [outline for outline in outlines if outline in scanned]

        @lru_cache(maxsize=_ISSUES_ASKED_ABOUT)
        def made(outline: Outline) -> tuple[Issue, tuple[Source, ...]]:
            issue = make_issue(world, outline)
            return issue, tuple(Source(issue, place, table) for place, table in tables_of(issue))

        self._made = made

    def drawn(self, dice: np.random.Generator) -> tuple[Issue, tuple[Source, ...]]:
        return self._made(self._outlines[int(dice.integers(len(self._outlines)))])

    def scanned(self, dice: np.random.Generator) -> tuple[Source, ...]:
        if not self._scanned:
            return ()
        return self._made(self._scanned[int(dice.integers(len(self._scanned)))])[1]

    def together(self, dice: np.random.Generator, *, ended: bool = False) -> list[tuple[Source, ...]]:
        """Issues of a few months, which print much of the same; `ended`: and no later issue prints it again."""
        turns = self._ended if ended else self._turns
        turn = turns[int(dice.integers(len(turns)))] if turns else []
        return [self._made(outline)[1] for outline in turn]

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


def _ask_harder(issues: _Issues, kind: Kind, dice: np.random.Generator) -> DraftQuestion | None:
    if kind in (Kind.RESTATED, Kind.LATEST, Kind.DISAGREEING):
        together = issues.together(dice, ended=kind is Kind.LATEST)
        if len(together) < 2:
            return None
        if kind is Kind.DISAGREEING:
            return disagreeing(together[:2], dice)
        return (restated if kind is Kind.RESTATED else latest)(together, dice)
    issue, sources = issues.drawn(dice)
    if kind is Kind.CHART:
        return bars_apart(issue, dice)
    if kind is Kind.OTHER_UNITS:
        return other_units(sources, dice)
    if kind is Kind.SCAN:
        sources = issues.scanned(dice)
    if not sources:
        return None
    source = sources[int(dice.integers(len(sources)))]
    if kind is Kind.CALENDAR_VS_FISCAL:
        return OneTable(source, dice, Difficulty.HARD).calendar_vs_fiscal() if source.over_time else None
    one = {Kind.FOOTNOTE: by_footnote, Kind.SCAN: on_scan, Kind.ABSENT: absent}[kind]
    return one(source, dice)
