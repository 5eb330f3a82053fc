"""The parts of a report's first page, in the order in which they are shown."""

from collections.abc import Callable

from worktrial.reports.report import Report, Section
from worktrial.reports.sections.effort import effort
from worktrial.reports.sections.funnel import funnel
from worktrial.reports.sections.hire import hire
from worktrial.reports.sections.industries import industries
from worktrial.reports.sections.leaderboard import leaderboard
from worktrial.reports.sections.published import published
from worktrial.reports.sections.robustness import robustness
from worktrial.reports.sections.runs import runs
from worktrial.reports.sections.simulator import simulator
from worktrial.suites.documents.report import documents
from worktrial.suites.orchestration.report import orchestration

SECTIONS: tuple[Callable[[Report], Section | None], ...] = (
    leaderboard,
    hire,
    industries,
    robustness,
    funnel,
    documents,
    orchestration,
    simulator,
    effort,
    published,
    runs,
)

__all__ = ["SECTIONS"]
