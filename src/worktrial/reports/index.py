"""The first page."""

from collections.abc import Sequence
from datetime import datetime

from markupsafe import Markup

from worktrial.reports.figures import number
from worktrial.reports.links import HOME
from worktrial.reports.page import render_page, template
from worktrial.reports.report import Report, Section

_SCRIPTS = ("figures.js", "leaderboard.js")


def render_index(report: Report, sections: Sequence[Section], made: datetime | None) -> str:
    """The first page: what the report is about, its contents, its sections."""
    body = template("index.html").render(
        title=report.title,
        runs=number(len(report.runs)),
        samples=number(sum(len(run.run.records) for run in report.runs)),
        suites=", ".join(dict.fromkeys(run.run.manifest.suite for run in report.runs)),
        made="" if made is None else f"{made:%d %B %Y, %H:%M} {made.tzname() or ''}".strip(),
        sections=sections,
    )
    return render_page(report.title, Markup(body), scripts=_SCRIPTS, styles=(), current=HOME, report=report)
