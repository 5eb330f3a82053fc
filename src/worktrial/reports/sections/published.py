"""Figures that others published, beside one's own; never ranked or tested together."""

from markupsafe import Markup

from worktrial.reports.report import Report, Section
from worktrial.reports.sections.grouping import suites_of
from worktrial.reports.sections.wording import joined, takeaway


def published(report: Report) -> Section | None:
    """Published figures for the suites in the report that have any; None where none has."""
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
