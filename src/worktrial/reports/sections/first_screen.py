"""The first screen: the answer, every agent as a bar, and what breaks the work."""

from markupsafe import Markup

from worktrial.engine.stored import agent_of
from worktrial.grading import Outcome
from worktrial.reports.charts import Bar, bars
from worktrial.reports.figures import dollars, percent, percent_interval
from worktrial.reports.html import link
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun
from worktrial.reports.sections.breakers import breakers
from worktrial.reports.sections.grouping import Board, boards
from worktrial.reports.sections.verdicts import in_words, only_references
from worktrial.reports.sections.wording import counted, joined, points, strong, under
from worktrial.results.boards import (
    Basis,
    Contest,
    HireConclusion,
    Recommendation,
    Row,
    is_reference,
    offers,
    recommend,
    row,
    versus,
)
from worktrial.statistics import Conclusion
from worktrial.suite import suite_of

_SAID = {
    HireConclusion.BETTER: "Better",
    HireConclusion.AS_GOOD: "As good",
    HireConclusion.UNKNOWN: "Not enough to tell",
    HireConclusion.NOTHING_PASSED: "Nothing completed",
    HireConclusion.NOTHING_SHARED: "Nothing in common",
    HireConclusion.ALONE: "One agent",
}
_KIND = {Outcome.PASS: "ceiling, no model", Outcome.FAIL: "floor, no model"}


def first_screen(report: Report) -> Markup:
    """The answer of every group of comparable runs; "" for a report that is about no agent.

    Groups in which only reference agents worked come in a sentence where others have an agent.
    """
    found = [(board, recommend(board.stored, board.condition)) for board in boards(report)]
    referees = [board for board, recommendation in found if only_references(recommendation, board)]
    shown = [pair for pair in found if pair[0] not in referees] or found
    parts = [_board(report, board, recommendation, alone=len(shown) == 1) for board, recommendation in shown]
    if referees and len(shown) < len(found):
        names = ", ".join(board.title for board in referees)
        parts.append(
            Markup('<p class="note">Only reference agents worked on {}: see the leaderboard below.</p>').format(
                names
            )
        )
    return joined(parts)


def _board(report: Report, board: Board, found: Recommendation, *, alone: bool) -> Markup:
    rows = {run.slug: row(run.run, board.condition) for run in board.runs}
    title = Markup("") if alone else Markup("<h2>{}</h2>\n").format(board.title)
    label = "In short" if alone else f"In short: {board.title}"
    parts = [
        Markup('<p class="finding">{}</p>').format(_finding(found, board)),
        Markup('<p class="answer">{}</p>').format(_answer(found, board, rows)),
        *(Markup('<p class="quiet-text">{}</p>').format(detail) for detail in _details(found, board)),
        _chart(board, rows),
        breakers(board, _subjects(found, board, rows)),
    ]
    if len(board.runs) > 1:
        parts.append(Markup("<p>{}</p>").format(link("What that rests on", report.page_of("hire"))))
    return Markup('{}<div class="brief" role="region" aria-label="{}">\n{}\n</div>').format(
        title, label, joined(part for part in parts if part)
    )


def _finding(found: Recommendation, board: Board) -> str:
    return "Reference agents only" if only_references(found, board) else _SAID[found.finding]


def _subjects(found: Recommendation, board: Board, rows: dict[str, Row]) -> list[ReportRun]:
    """Runs to say of what breaks them: the agents, the best first; reference agents where there is nobody else."""
    ranked = sorted(board.runs, key=lambda run: -(rows[run.slug].of_all.value or 0.0))
    agents = [run for run in ranked if not is_reference(run.run)]
    if found.hire is not None:
        agents.sort(key=lambda run: run.run is not found.hire)
    return agents or ranked


def _answer(found: Recommendation, board: Board, rows: dict[str, Row]) -> Markup:
    agents = [run for run in board.runs if not is_reference(run.run)]
    if found.finding is not HireConclusion.ALONE or len(agents) != 1:
        return in_words(found, board)
    own = rows[agents[0].slug]
    if own.of_all.value is None:
        return in_words(found, board)
    return Markup("{} completes {} of {}{}; on work like this, {}.").format(
        strong(agents[0].name),
        percent(own.of_all.value),
        counted(own.n, "sample"),
        under(board.condition),
        percent_interval(own.of_all.interval),
    )


def _details(found: Recommendation, board: Board) -> list[Markup]:
    """The difference that decides, or what a single agent is measured by."""
    margin = f"“As good” is no worse by {found.margin * 100:g} points or more."
    if len(found.contenders) > 1:
        second = found.contenders[1]
        contest = second.against_best
        if contest is None or contest.difference is None:
            return []
        said = Markup("{} beside {}: {}. {}").format(
            strong(board.of(second.run).name),
            strong(board.of(found.contenders[0].run).name),
            points(contest.difference.value, contest.difference.interval),
            margin,
        )
        return [said]
    agents = [run for run in board.runs if not is_reference(run.run)]
    if len(agents) != 1:
        return []
    measured = [
        _beside(run, contest, found.margin)
        for run in board.runs
        if run is not agents[0] and (contest := versus(run.run, agents[0].run, board.condition)) is not None
    ]
    return [said for said in measured if said] or [
        Markup("There is nobody to compare with: run a second agent, or a reference agent, on the same tasks.")
    ]


def _beside(reference: ReportRun, contest: Contest, margin: float) -> Markup:
    if contest.difference is None:
        return Markup("")
    said = {
        Conclusion.BETTER: "better than it",
        Conclusion.WORSE: "worse than it",
        Conclusion.AS_GOOD: f"as good, within {margin * 100:g} points",
        Conclusion.UNKNOWN: "not enough to tell which is better",
    }[contest.conclusion]
    return Markup("Beside the reference agent {} ({}): {}, {}.").format(
        strong(reference.name),
        _kind(reference),
        points(contest.difference.value, contest.difference.interval),
        said,
    )


def _kind(run: ReportRun) -> str:
    suite = suite_of(run.run.manifest)
    agent = suite.reference_agents.get(agent_of(run.run.manifest) or "") if suite is not None else None
    return "reference, no model" if agent is None or agent.must is None else _KIND.get(agent.must, "reference")


def _chart(board: Board, rows: dict[str, Row]) -> Markup:
    known, basis = offers([found for found in rows.values() if found.n])
    costs = {id(offer.row): dollars(offer.cost) for offer in known}
    ranked = sorted(board.runs, key=lambda run: -(rows[run.slug].of_all.value or 0.0))
    drawn = [_bar(board, run, rows[run.slug], costs.get(id(rows[run.slug]), "")) for run in ranked]
    whose = {
        Basis.AGENT: "; cost a task, of the agent’s own requests",
        Basis.TRIAL: "; cost a task, simulator and judge included",
        None: "",
    }[basis]
    tried = "" if len({rows[run.slug].n for run in board.runs}) < 2 else "; of the samples that each tried"
    return bars(f"Completed{under(board.condition)}, with 95% intervals{tried}{whose}: {board.title}", drawn)


def _bar(board: Board, run: ReportRun, found: Row, cost: str) -> Bar:
    reference = is_reference(run.run)
    return Bar(
        run.name,
        found.of_all.value,
        found.of_all.interval,
        samples_href(run.slug, {"condition": board.condition}),
        note=_kind(run) if reference else "",
        aside=cost,
        is_reference=reference,
    )
