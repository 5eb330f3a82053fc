"""The first screen: the conclusion, every agent as a bar, what breaks the work, and what all that rests on."""

from collections.abc import Iterator

from markupsafe import Markup

from worktrial.engine.stored import agent_of
from worktrial.grading import Outcome
from worktrial.reports.chart import Bar, bars
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun
from worktrial.reports.sections.breakers import breakers
from worktrial.reports.sections.grouping import Board, boards
from worktrial.reports.sections.wording import NOTHING, caveat, joined, points, under
from worktrial.results.boards import offers
from worktrial.results.conclusion import Rival, TrialConclusion, is_reference
from worktrial.results.figure import figures_of
from worktrial.results.writing import NONE, Content, ShownTable, Value, dollars, percent, to_html
from worktrial.suite import suite_of

_KIND = {Outcome.PASS: "ceiling, no model", Outcome.FAIL: "floor, no model"}


def first_screen(report: Report) -> Markup:
    """The conclusion about every group of comparable runs; "" for a report that is about no agent.

    Groups in which only reference agents worked come in a sentence where others have an agent.
    """
    found = boards(report)
    agents = [board for board in found if not all(is_reference(run) for run in board.stored)] or found
    parts = [_board(board, alone=len(agents) == 1) for board in agents]
    if names := ", ".join(board.title for board in found if board not in agents):
        said = Markup('<p class="note">Only reference agents worked on {}: see the leaderboard below.</p>')
        parts.append(said.format(names))
    return joined(parts)


def _board(board: Board, *, alone: bool) -> Markup:
    answer = board.answer
    title = Markup("") if alone else Markup("<h2>{}</h2>\n").format(board.title)
    finding = answer.standing.value.capitalize()
    # What the sentence begins or ends with needs no heading.
    is_said = answer.sentence.startswith(finding) or answer.sentence.endswith(f"{finding}.")
    parts = [
        "" if is_said else Markup('<p class="finding">{}</p>').format(finding),
        Markup('<p class="answer">{}</p>').format(answer.sentence),
        _aside(answer),
        _chart(board, alone=alone),
        breakers(board, _subjects(board, answer)),
        _beside(board, answer),
    ]
    label = "In short" if alone else f"In short: {board.title}"
    return Markup('{}<div class="brief" role="region" aria-label="{}">\n{}\n</div>').format(
        title, label, joined(Markup("{}").format(part) for part in parts if part)
    )


def _aside(answer: TrialConclusion) -> Markup:
    """Meaning of "at least as good", and runs that are not in the conclusion."""
    said = [f"“At least as good” is no worse by {100 * answer.margin:g} points or more."] if answer.rivals else []
    if answer.references:
        said.append(f"Left aside, as reference agents: {', '.join(one.name for one in answer.references)}.")
    if answer.repeated:
        said.append(f"Left aside, as further runs of an agent: {', '.join(one.name for one in answer.repeated)}.")
    if not answer.rivals and answer.leader is not None:
        said.append(
            "Run a second agent, or a reference agent, on the same tasks to have something to compare with."
        )
    return Markup('<p class="quiet-text">{}</p>').format(" ".join(said)) if said else Markup("")


def _subjects(board: Board, answer: TrialConclusion) -> list[ReportRun]:
    """Agents that the conclusion is about, the best first; reference agents where there is nobody else."""
    kept = [] if answer.leader is None else [answer.leader.run, *(rival.run for rival in answer.rivals)]
    runs = [board.of(run) for run in kept]
    return [run for run in runs if not is_reference(run.run)] or runs


def _kind(run: ReportRun) -> str:
    if not is_reference(run.run):
        return ""
    suite = suite_of(run.run.manifest)
    agent = suite.reference_agents.get(agent_of(run.run.manifest) or "") if suite is not None else None
    return "reference, no model" if agent is None or agent.must is None else _KIND.get(agent.must, "reference")


def _chart(board: Board, *, alone: bool) -> Markup:
    known, basis = offers(board.stored, board.condition)
    costs = {id(offer.run): dollars(offer.cost) for offer in known}
    suite = suite_of(board.runs[0].run.manifest)
    name, verb = ("completion", "Completed") if suite is None or suite.score is None else ("score", "Score")
    done = {run.slug: figures_of(run.run).get(name, board.condition) for run in board.runs}
    drawn, has_marks = [], False
    for run in sorted(board.runs, key=lambda run: -(done[run.slug].value or 0.0)):
        faulted = [one for one in figures_of(run.run).named("worst_case") if one.value is not None]
        worst = min(faulted, key=lambda one: one.value or 0.0) if faulted and name == "completion" else None
        has_marks = has_marks or worst is not None
        left = "" if worst is None else f"{percent(worst.value)} under {worst.note}"
        drawn.append(
            Bar(
                run.name,
                done[run.slug].value,
                done[run.slug].interval,
                samples_href(run.slug, {"condition": board.condition}),
                note=" · ".join(filter(None, (_kind(run), left))),
                aside=costs.get(id(run.run), ""),
                mark=None if worst is None else worst.value,
                is_reference=is_reference(run.run),
            )
        )
    marks = ", and where the worst faults leave it (upright line)" if has_marks else ""
    own = "of the agent’s own requests" if basis.startswith("agent") else "simulator and judge included"
    whose = f"; cost a task, {own}" if known else ""
    tried = "" if len({found.n for found in done.values()}) < 2 else "; of the samples that each tried"
    about = "" if alone else f": {board.title}"
    return bars(f"{verb}{under(board.condition)}, with 95% intervals{marks}{tried}{whose}{about}", drawn)


def _beside(board: Board, answer: TrialConclusion) -> Markup:
    """Basis of the conclusion, folded away: each of the others beside the one that does most."""
    if not answer.rivals or answer.leader is None:
        return Markup("")
    headers = (
        "Agent",
        "Condition",
        "Passed only by the first / only by this one",
        "The first against this one, in points",
        "Standing about the first",
        "Tasks",
        "Without two verdicts",
    )
    rows = [row for rival in answer.rivals for row in _rows(board, rival)]
    title = f"{answer.leader.name} beside each of the others: {board.title}"
    said = caveat(
        "On work like this, by Tango’s score interval of a paired difference, which knows what tasks share a "
        "scenario. The intervals hold together, at 95%, for all agents and conditions. Each pair is compared on "
        "the samples that both tried; a test leaves out those without two verdicts."
    )
    folded = Markup("<details><summary>How this was measured</summary>\n{}\n{}\n</details>")
    return folded.format(to_html(ShownTable(title, headers, rows)), said)


def _rows(board: Board, rival: Rival) -> Iterator[list[Content]]:
    run = board.of(rival.run)
    for contest in rival.contests:
        found, by = contest.difference, Value(NONE, NOTHING)
        if found is not None:
            by = Value(points(found.value, found.interval), found.value)
        yield [
            Value(rival.name, rival.name, samples_href(run.slug, {"condition": contest.condition})),
            contest.condition,
            Value(f"{contest.only_first} / {contest.only_second}", contest.only_first - contest.only_second),
            by,
            contest.conclusion.value,
            contest.tasks,
            contest.left_out,
        ]
