"""The parts of a report's first page, in the order in which they are shown."""

from collections.abc import Iterator

from worktrial.reports.report import Report, Section
from worktrial.reports.sections.agreement import simulators_agree
from worktrial.reports.sections.effort import effort
from worktrial.reports.sections.grouping import suites_of
from worktrial.reports.sections.hire import hire
from worktrial.reports.sections.industries import industries
from worktrial.reports.sections.leaderboard import leaderboard
from worktrial.reports.sections.published import published
from worktrial.reports.sections.robustness import funnel, robustness
from worktrial.reports.sections.runs import runs

__all__ = ["sections"]


def sections(report: Report) -> Iterator[Section]:
    """Every part that the runs of `report` give rise to."""
    for make in (leaderboard, hire, industries, robustness, funnel):
        yield from _if_any(make(report))
    for suite in suites_of(report):
        yield from suite.report_sections(report)
    yield from _if_any(simulators_agree(report))
    yield from _if_any(effort(report))
    yield from _if_any(published(report))
    yield runs(report)


def _if_any(section: Section | None) -> Iterator[Section]:
    if section is not None:
        yield section
