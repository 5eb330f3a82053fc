"""The parts of a report's first page, in the order in which they are shown."""

from collections.abc import Iterator

from worktrial.reports.report import Report, Section
from worktrial.reports.sections.agreement import simulators_agree
from worktrial.reports.sections.effort import effort
from worktrial.reports.sections.hire import hire
from worktrial.reports.sections.industries import industries
from worktrial.reports.sections.leaderboard import leaderboard
from worktrial.reports.sections.published import published
from worktrial.reports.sections.robustness import funnel, robustness
from worktrial.reports.sections.runs import runs
from worktrial.suite import Suite, suite_of

__all__ = ["sections"]


def sections(report: Report) -> Iterator[Section]:
    """Every part that the runs of `report` give rise to."""
    for make in (leaderboard, hire, industries, robustness, funnel):
        yield from _if_any(make(report))
    suites = suites_of(report)
    for suite in suites:
        yield from suite.report_sections(report)
    yield from _if_any(simulators_agree(report))
    yield from _if_any(effort(report))
    yield from _if_any(published(report, suites))
    yield runs(report)


def suites_of(report: Report) -> list[Suite]:
    """Installed suites of the runs in `report`, by name."""
    names = sorted({run.run.manifest.suite for run in report.runs})
    return [suite for name in names if (suite := suite_of(name)) is not None]


def _if_any(section: Section | None) -> Iterator[Section]:
    if section is not None:
        yield section
