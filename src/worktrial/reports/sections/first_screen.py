"""The first screen: the conclusion, every agent as a bar, and what breaks the work."""

from markupsafe import Markup

from worktrial.engine.stored import agent_of
from worktrial.grading import Outcome
from worktrial.reports.charts import Bar, bars
from worktrial.reports.links import samples_href
from worktrial.reports.report import Report, ReportRun
from worktrial.reports.sections.breakers import breakers
from worktrial.reports.sections.grouping import Board, boards
from worktrial.reports.sections.wording import joined, under
from worktrial.results.boards import offers
from worktrial.results.conclusion import TrialConclusion, is_reference
from worktrial.results.figure import figures_of
from worktrial.results.writing import dollars, link
from worktrial.suite import suite_of

_KIND = {Outcome.PASS: "ceiling, no model", Outcome.FAIL: "floor, no model"}


def first_screen(report: Report) -> Markup:
    """The conclusion about every group of comparable runs; "" for a report that is about no agent.

    Groups in which only reference agents worked come in a sentence where others have an agent.
    """
    found = boards(report)
    agents = [board for board in found if not all(is_reference(run) for run in board.stored)] or found
    parts = [_board(report, board, alone=len(agents) == 1) for board in agents]
    if names := ", ".join(board.title for board in found if board not in agents):
        said = Markup('<p class="note">Only reference agents worked on {}: see the leaderboard below.</p>')
        parts.append(said.format(names))
    return joined(parts)


def _board(report: Report, board: Board, *, alone: bool) -> Markup:
    answer = board.answer
    title = Markup("") if alone else Markup("<h2>{}</h2>\n").format(board.title)
    parts = [
        Markup('<p class="finding">{}</p>').format(answer.standing.value.capitalize()),
        Markup('<p class="answer">{}</p>').format(answer.sentence),
        _aside(board, answer),
        _chart(board),
        breakers(board, _subjects(board, answer)),
        Markup("<p>{}</p>").format(link("How this was measured", report.page_of("hire"))) if answer.rivals else "",
    ]
    label = "In short" if alone else f"In short: {board.title}"
    return Markup('{}<div class="brief" role="region" aria-label="{}">\n{}\n</div>').format(
        title, label, joined(Markup("{}").format(part) for part in parts if part)
    )


def _aside(board: Board, answer: TrialConclusion) -> Markup:
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
    suite = suite_of(run.run.manifest)
    agent = suite.reference_agents.get(agent_of(run.run.manifest) or "") if suite is not None else None
    return "reference, no model" if agent is None or agent.must is None else _KIND.get(agent.must, "reference")


def _chart(board: Board) -> Markup:
    known, basis = offers(board.stored, board.condition)
    costs = {id(offer.run): dollars(offer.cost) for offer in known}
    done = {run.slug: figures_of(run.run).get("completion", board.condition) for run in board.runs}
    ranked = sorted(board.runs, key=lambda run: -(done[run.slug].value or 0.0))
    drawn = [
        Bar(
            run.name,
            done[run.slug].value,
            done[run.slug].interval,
            samples_href(run.slug, {"condition": board.condition}),
            note=_kind(run) if is_reference(run.run) else "",
            aside=costs.get(id(run.run), ""),
            is_reference=is_reference(run.run),
        )
        for run in ranked
    ]
    own = "of the agent’s own requests" if basis.startswith("agent") else "simulator and judge included"
    whose = f"; cost a task, {own}" if known else ""
    tried = "" if len({found.n for found in done.values()}) < 2 else "; of the samples that each tried"
    return bars(f"Completed{under(board.condition)}, with 95% intervals{tried}{whose}: {board.title}", drawn)
