"""Recommendations whom to hire: overall and by industry, and how sure that is."""

from collections.abc import Mapping

from markupsafe import Markup

from worktrial.reports.figures import NONE, dollars
from worktrial.reports.html import Value, link, table
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, Section
from worktrial.reports.sections.grouping import Board, boards
from worktrial.reports.sections.verdicts import in_words, short
from worktrial.reports.sections.wording import (
    NOTHING,
    caveat,
    counted,
    estimate_cell,
    heading,
    joined,
    listed,
    points,
    strong,
    takeaway,
    under,
)
from worktrial.results.boards import (
    Basis,
    Contender,
    Recommendation,
    recommend,
    recommend_by,
)
from worktrial.statistics import Conclusion


def hire(report: Report) -> Section | None:
    """Section that says whom to hire; None for a report that is about no agent."""
    found = boards(report)
    if not found:
        return None
    parts: list[Markup] = []
    for board in found:
        if len(found) > 1:
            parts.append(heading(board.title))
        parts += _board(board, recommend(board.stored, board.condition))
    return Section("hire", "Whom to hire", joined(parts))


def _board(board: Board, overall: Recommendation) -> list[Markup]:
    parts = [takeaway(in_words(overall, board))]
    if not overall.contenders:
        return parts
    parts += [_contenders(overall, board), caveat(_overall_caveat(overall, board))]
    by_industry = recommend_by(board.stored, board.condition)
    if len(by_industry) > 1:
        parts += [_industries(by_industry, board), caveat(_industry_caveat(by_industry))]
    return parts


def _contenders(found: Recommendation, board: Board) -> Markup:
    rows = [_contender(contender, found, board) for contender in found.contenders]
    cost = "Cost per task" if found.basis is not Basis.TRIAL else "Cost per task, simulator and judge included"
    headers = [
        "Agent",
        "Completed",
        "Passed only by the best / only by this one",
        "Against the best, in points",
        "Finding",
        cost,
    ]
    return table(f"The candidates beside the best: {board.title}", headers, rows)


_SAID = {
    Conclusion.BETTER: "better",
    Conclusion.WORSE: "worse",
    Conclusion.AS_GOOD: "as good",
    Conclusion.UNKNOWN: "not enough to tell",
}


def _contender(contender: Contender, found: Recommendation, board: Board) -> list[Value | str | Markup]:
    run = board.of(contender.run)
    condition = {"condition": board.condition}
    against = contender.against_best
    split, by, said = Value(NONE, NOTHING), Value(NONE, NOTHING), "the best here"
    if against is not None:
        split = Value(f"{against.only_first} / {against.only_second}", against.only_first - against.only_second)
        said = _SAID[against.conclusion]
        if against.difference is not None:
            by = Value(points(against.difference.value, against.difference.interval), against.difference.value)
    name = strong(run.name) if contender.run is found.hire else run.name
    return [
        Value(name, run.name, samples_href(run.slug, condition)),
        estimate_cell(
            contender.rate,
            href=samples_href(run.slug, {**condition, "outcome": "pass"}),
            counts=f"{contender.passed} of {contender.samples}",
        ),
        split,
        by,
        said,
        Value(dollars(contender.cost), NOTHING if contender.cost is None else contender.cost),
    ]


def _industries(found: Mapping[str, Recommendation], board: Board) -> Markup:
    rows: list[list[Value | str | Markup]] = []
    for industry, recommendation in found.items():
        tags = {"condition": board.condition, "category": industry}
        if not recommendation.contenders:
            nothing = Value(NONE, NOTHING)
            rows.append([industry, NONE, short(recommendation, board), NONE, nothing, NONE, nothing])
            continue
        best = recommendation.contenders[0]
        run = board.of(best.run)
        rows.append(
            [
                industry,
                _hired(recommendation, board, tags),
                short(recommendation, board),
                link(run.name, samples_href(run.slug, tags)),
                estimate_cell(best.rate, href=samples_href(run.slug, {**tags, "outcome": "pass"})),
                _equals(recommendation, board),
                Value(str(best.samples), best.samples, samples_href(run.slug, tags)),
            ]
        )
    headers = [
        "Industry",
        "Hire",
        "Finding",
        "Most completed",
        "Its rate",
        "As good as all others",
        "Samples",
    ]
    return table(f"By industry or kind of task: {board.title}", headers, rows)


def _equals(found: Recommendation, board: Board) -> Markup | str:
    names = [board.of(candidate.run).name for candidate in found.candidates]
    return listed(names) if names else "nobody is shown to be"


def _hired(found: Recommendation, board: Board, tags: Mapping[str, str]) -> Markup | str:
    if found.hire is None:
        return NONE
    run = board.of(found.hire)
    return link(strong(run.name), samples_href(run.slug, tags))


def _overall_caveat(found: Recommendation, board: Board) -> Markup:
    best = found.contenders[0]
    tested = [contender.against_best for contender in found.contenders if contender.against_best is not None]
    said = [
        Markup(
            "On work like this: compared on the {} that all of them tried{}, each with the others, by Tango’s "
            "score interval of a paired difference, which knows what tasks share a scenario. “As good” is no worse "
            "by {:g} points or more. The intervals against the best hold together for all agents, at 95%; those "
            "of the rates hold one by one."
        ).format(counted(best.samples, "sample"), under(board.condition), found.margin * 100)
    ]
    if most := max((contest.left_out for contest in tested), default=0):
        said.append(
            Markup(
                "Samples without a verdict count as not completed in the rates; a test leaves them out (up to {})."
            ).format(most)
        )
    if found.not_shared:
        said.append(Markup("{} not tried by all of them are left out.").format(counted(found.not_shared, "sample")))
    if found.references:
        names = [strong(board.of(run).name) for run in found.references]
        said.append(Markup("Reference agents are no candidates: {}.").format(listed(names)))
    if found.repeated:
        names = [strong(board.of(run).name) for run in found.repeated]
        said.append(
            Markup("Of an agent that ran more than once its largest run counts, not {}.").format(listed(names))
        )
    if found.left_out:
        names = [strong(board.of(run).name) for run in found.left_out]
        verb = "was" if len(names) == 1 else "were"
        said.append(Markup("{} tried less than half of the tasks and {} left out.").format(listed(names), verb))
    if found.basis is None:
        said.append(Markup("What a task costs is not known of all of them, so cost decides nothing here."))
    elif found.basis is Basis.AGENT:
        said.append(Markup("Costs are those of the agent’s own requests."))
    return Markup(" ").join(said)


def _industry_caveat(found: Mapping[str, Recommendation]) -> Markup:
    return Markup(
        "All {} rows are one family of comparisons at 95%, so a row with few tasks shows only large differences, "
        "and most rows cannot tell. Rows help each other as far as the agents are shown to differ by as much in "
        "all of them (partial pooling), and no further: an agent that is bad at one kind of work is not made good "
        "there by the others. Among agents that are as good the cheaper one is named, where it is clearly cheaper."
    ).format(len(found))
