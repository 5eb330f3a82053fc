"""A recommendation in plain words."""

from markupsafe import Markup

from worktrial.reports.figures import dollars, percent
from worktrial.reports.sections.grouping import Board
from worktrial.reports.sections.wording import counted, listed, strong, under
from worktrial.results.boards import HireConclusion, Recommendation
from worktrial.statistics import tasks_needed

_SHORT = {
    HireConclusion.ALONE: "no recommendation: only one agent",
    HireConclusion.NOTHING_SHARED: "no recommendation: no common tasks",
    HireConclusion.NOTHING_PASSED: "no recommendation: nothing was completed",
    HireConclusion.UNKNOWN: "not enough to tell",
    HireConclusion.AS_GOOD: "as good as all others",
    HireConclusion.BETTER: "better than all others",
}


def only_references(found: Recommendation, board: Board) -> bool:
    """Whether nobody worked but reference agents, which are never recommended."""
    return bool(board.runs) and all(any(run.run is one for one in found.references) for run in board.runs)


def short(found: Recommendation, board: Board) -> str:
    """Recommendation in a few words, for a table."""
    if found.finding is HireConclusion.ALONE and only_references(found, board):
        return "no recommendation: only reference agents"
    said = _SHORT[found.finding]
    if found.finding is not HireConclusion.AS_GOOD:
        return said
    if found.hire is None:
        return f"{len(found.candidates)} are {said}; costs unknown"
    return said if len(found.candidates) == 1 else f"{len(found.candidates)} are {said}"


def in_words(found: Recommendation, board: Board) -> Markup:
    """Recommendation in a sentence or two."""
    match found.finding:
        case HireConclusion.ALONE:
            return _alone(found, board)
        case HireConclusion.NOTHING_SHARED:
            return Markup("No recommendation: the runs have no finished task in common.")
        case HireConclusion.NOTHING_PASSED:
            return Markup("No recommendation: none of the agents completed anything.")
        case HireConclusion.UNKNOWN:
            return _unknown(found, board)
        case HireConclusion.AS_GOOD:
            return _as_good(found, board)
        case HireConclusion.BETTER:
            return _better(found, board)


def _alone(found: Recommendation, board: Board) -> Markup:
    if only_references(found, board):
        return _only_references(board)
    aside = [*found.references, *found.repeated, *found.left_out]
    kept = [run for run in board.runs if all(run.run is not one for one in aside)]
    if not kept:
        return Markup("No recommendation: no sample has finished{}.").format(under(board.condition))
    beside = " but for reference agents, which are never recommended" if found.references else ""
    said = Markup("No recommendation: {} was alone under these conditions{}{}. ").format(
        strong(kept[0].name), under(board.condition), beside
    )
    if found.left_out:
        return said + Markup("The others tried less than half of its tasks.")
    return said + Markup("Run a second agent on the same tasks, with the same simulator, judge and faults.")


def _only_references(board: Board) -> Markup:
    names = [strong(run.name) for run in board.runs]
    one = len(names) == 1
    return Markup(
        "No recommendation: {} {} of the suite: written in code, to show its floor and its ceiling, and never "
        "recommended. Run an agent with a model on the same tasks."
    ).format(listed(names), "is a reference agent" if one else "are reference agents")


def _unknown(found: Recommendation, board: Board) -> Markup:
    best = found.contenders[0]
    tied = [c for c in found.contenders if c.passed * best.samples == best.passed * c.samples]
    who = listed([strong(board.of(contender.run).name) for contender in tied])
    leads = "completes most" if len(tied) == 1 else "complete equally many"
    return Markup("Not enough to tell: {} {}, {} of {}{}, but {}.").format(
        who,
        leads,
        percent(best.rate.value),
        counted(best.samples, "sample"),
        under(board.condition),
        _what_would_tell(found),
    )


def _what_would_tell(found: Recommendation) -> Markup:
    """Number of tasks more that would show that the best is better, or as good, if things stay as they are."""
    within = f"nobody is shown to be as good as all others within {found.margin * 100:g} points"
    needed = []
    for contender in found.contenders[1:]:
        contest = contender.against_best
        if contest is None or contest.difference is None:
            return Markup(within)
        mirrored = contest.difference.mirrored
        needed.append((contest.tasks, tasks_needed(mirrored, contest.tasks, found.margin)))
    if any(tasks is None for _, tasks in needed):
        return Markup("{}, and no number of such tasks would be likely to show it").format(within)
    more = max((tasks or 0) - had for had, tasks in needed)
    return Markup("{}; about {} more would show it, if things stay as they are").format(
        within, counted(more, "task")
    )


def _as_good(found: Recommendation, board: Board) -> Markup:
    names = [strong(board.of(contender.run).name) for contender in found.candidates]
    within = f"within {found.margin * 100:g} points"
    if len(names) == 1:
        return Markup("Hire {}: it completes {} of {}{}, and is as good as every other agent here, {}.").format(
            names[0],
            percent(found.candidates[0].rate.value),
            counted(found.candidates[0].samples, "sample"),
            under(board.condition),
            within,
        )
    said = Markup("{} are as good as every other agent here, {}{}. ").format(
        listed(names), within, under(board.condition)
    )
    hired = next((contender for contender in found.contenders if contender.run is found.hire), None)
    if hired is None:
        return said + Markup("What they cost is not known of all, so nothing here decides between them.")
    costs = [contender.cost for contender in found.candidates if contender.cost is not None]
    return said + Markup("Hire {}, {} ({} a task).").format(
        strong(board.of(hired.run).name),
        "the cheapest of them" if hired.cost == min(costs) else "as none of them is clearly cheaper",
        dollars(hired.cost),
    )


def _better(found: Recommendation, board: Board) -> Markup:
    best = found.contenders[0]
    return Markup("Hire {}: it completes {} of {}{}, more than {} on work like this.").format(
        strong(board.of(best.run).name),
        percent(best.rate.value),
        counted(best.samples, "sample"),
        under(board.condition),
        "the other agent" if len(found.contenders) == 2 else "every other agent here",
    )
