"""Figures that others published, beside one's own; never ranked or tested together."""

from collections.abc import Iterable

from markupsafe import Markup

from worktrial.reports.report import Report, Section
from worktrial.reports.sections.wording import joined, takeaway
from worktrial.suite import Suite


def published(report: Report, suites: Iterable[Suite]) -> Section | None:
    """Published figures for those of `suites` that have any; None where none has."""
    parts = [part for suite in suites for part in suite.published(report)]
    if not parts:
        return None
    first = takeaway(
        Markup(
            "Rows marked “not run here” are what others published of their own runs. They stand here for "
            "orientation, and take part in no ranking, recommendation or test."
        )
    )
    return Section("published", "What others published", joined([first, *parts]))
