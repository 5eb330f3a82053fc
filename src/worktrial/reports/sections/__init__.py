"""The parts of a report, in the order in which they are shown."""

from collections.abc import Iterator

from markupsafe import Markup

from worktrial.reports.report import Report, Section
from worktrial.reports.sections.card import trust_cards
from worktrial.reports.sections.duties import duties
from worktrial.reports.sections.effort import effort
from worktrial.reports.sections.first_screen import first_screen
from worktrial.reports.sections.grouping import suites_of
from worktrial.reports.sections.industries import industries
from worktrial.reports.sections.leaderboard import leaderboard
from worktrial.reports.sections.robustness import robustness
from worktrial.reports.sections.runs import runs
from worktrial.reports.sections.wording import joined, takeaway

__all__ = ["first_screen", "published", "sections"]


def sections(report: Report) -> Iterator[Section]:
    """Every part that the runs of `report` give rise to."""
    for make in (leaderboard, industries, robustness, duties):
        yield from _if_any(make(report))
    for suite in suites_of(report):
        yield from suite.report_sections(report)
    yield from _if_any(effort(report))
    yield from _if_any(published(report))
    yield from _if_any(trust_cards(report))
    yield runs(report)


def published(report: Report) -> Section | None:
    """Published figures for the suites in the report that have any; None where none has.

    They stand beside one's own, and are never ranked or tested together.
    """
    parts = [part for suite in suites_of(report) for part in suite.published(report)]
    if not parts:
        return None
    first = takeaway(
        Markup(
            "Rows marked “not run here” are what others published of their own runs. They stand here for "
            "orientation, and take part in no ranking, recommendation or test."
        )
    )
    return Section("published", "What others published", joined([first, *parts]))


def _if_any(section: Section | None) -> Iterator[Section]:
    if section is not None:
        yield section
