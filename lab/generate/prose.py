"""Pages of text, some with figures from the tables."""

from lab.generate.calendar import Period, PeriodKind, month_year, year_of
from lab.generate.catalogue import Measure, catalogue
from lab.generate.columns import sum_of
from lab.generate.printed import Prose, digits, rounded
from lab.generate.time_table import Reported, figures_of
from lab.generate.world import World, vocabulary

_SOURCES = ("the taxes on income", "customs", "the excise", "the posts", "crown lands")


def review(world: World, reported: Reported, number: int) -> Prose:
    """The Comptroller's remarks on the latest month; several in a long issue."""
    words, dice = vocabulary(), world.dice("review", reported.issue, number)
    receipts, receipts_before = _total(world, reported, sum_of(catalogue()["by_source"].columns))
    outlays, _ = _total(world, reported, sum_of(catalogue()["by_function"].columns))
    figures = {
        "month": month_year(reported.last),
        "before": month_year(reported.last - 1),
        "receipts": digits(receipts, 0),
        "outlays": digits(outlays, 0),
        "change": digits(abs(receipts - receipts_before), 0),
        "direction": "up" if receipts >= receipts_before else "down",
        "source": _SOURCES[int(dice.integers(len(_SOURCES)))],
        "region": tuple(words.regions)[int(dice.integers(len(words.regions)))],
        "province": words.provinces[int(dice.integers(len(words.provinces)))],
    }
    shown = words.review[:2] + [words.review[i] for i in sorted(dice.choice(range(2, len(words.review)), 4, False))]
    heading = f"Review of {month_year(reported.last)}" if not number else f"Remarks on the Returns, Part {number}"
    return Prose(heading, tuple(paragraph.format(**figures) for paragraph in shown))


def definitions(world: World, issue: int) -> Prose:
    """Prose on the words of the tables: the fiscal year above all. An issue knows nothing of later changes."""
    change = world.calendar.change
    known = {"change": change, "change_before": change - 1, "renamed": world.renamed}
    since = {
        "always": True,
        "before_change": issue <= world.calendar.transition.last,
        "after_change": issue > world.calendar.transition.last,
        "after_renaming": year_of(issue) >= world.renamed,
    }
    texts = (
        text.format(**known) for when, texts in vocabulary().definitions.items() if since[when] for text in texts
    )
    return Prose("Notes and Definitions", tuple(texts))


def _total(world: World, reported: Reported, terms: tuple[tuple[str, int], ...]) -> tuple[int, int]:
    """Totals of the last month and of the one before it, in millions."""
    months = [Period(PeriodKind.MONTH, when, when) for when in (reported.last, reported.last - 1)]
    now, before = figures_of(world, terms, months, Measure.FLOW, reported.issue)
    return rounded(now[0], 1000, 0), rounded(before[0], 1000, 0)
