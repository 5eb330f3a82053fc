"""Trust cards of the suites in a report, from the runs in it."""

from markupsafe import Markup

from worktrial.reports.report import Report, Section
from worktrial.reports.sections.grouping import suites_of
from worktrial.reports.sections.wording import caveat, joined, takeaway
from worktrial.results.card import cards_of
from worktrial.results.writing import to_html


def trust_cards(report: Report) -> Section | None:
    """Section with the card of each suite; None where there are only audits."""
    cards = cards_of([run.run for run in report.runs], suites_of(report))
    if not cards:
        return None
    told = ", ".join(f"{card.measured} of {len(card.lines)} for {card.suite}" for card in cards)
    first = Markup("Points that figures of these runs answer: {}.").format(told)
    more = "By these runs alone. worktrial validate SUITE --card runs reference agents, gates and lints as well."
    tables = (to_html(card.table(), sortable=False) for card in cards)
    return Section("trust", "Trust", joined([takeaway(first), *tables, caveat(more)]))
