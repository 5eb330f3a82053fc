"""A recommendation in plain words."""

from markupsafe import Markup

from worktrial.reports.figures import dollars, percent
from worktrial.reports.sections.grouping import Board
from worktrial.reports.sections.wording import counted, listed, points, strong, under
from worktrial.results.boards import HireConclusion, Recommendation

_SHORT = {
    HireConclusion.ALONE: "no recommendation: only one agent",
    HireConclusion.NOTHING_SHARED: "no recommendation: no common tasks",
    HireConclusion.NOTHING_PASSED: "no recommendation: nothing was completed",
    HireConclusion.TOO_FEW: "no recommendation: too few tasks",
    HireConclusion.NO_DIFFERENCE: "no significant difference",
    HireConclusion.AMONG: "better than some",
    HireConclusion.CLEAR: "significantly better than all others",
}


def short(found: Recommendation) -> str:
    """Recommendation in a few words, for a table."""
    said = _SHORT[found.finding]
    if found.finding not in (HireConclusion.NO_DIFFERENCE, HireConclusion.AMONG):
        return said
    if found.hire is None:
        return f"{said}; costs unknown"
    return f"{said}; {'none is clearly cheaper' if found.behind is None else 'clearly cheaper than the best'}"


def in_words(found: Recommendation, board: Board) -> Markup:
    """Recommendation in a sentence or two."""
    match found.finding:
        case HireConclusion.ALONE:
            return _alone(found, board)
        case HireConclusion.NOTHING_SHARED:
            return Markup("No recommendation: the runs have no finished task in common.")
        case HireConclusion.NOTHING_PASSED:
            return Markup("No recommendation: none of the agents completed anything.")
        case HireConclusion.TOO_FEW:
            return _too_few(found)
        case HireConclusion.NO_DIFFERENCE:
            return _no_difference(found, board)
        case HireConclusion.AMONG:
            return _among(found, board)
        case HireConclusion.CLEAR:
            return _clear(found, board)


def _alone(found: Recommendation, board: Board) -> Markup:
    kept = [run for run in board.runs if all(run.run is not left for left in found.left_out)]
    if not kept:
        return Markup("No recommendation: no sample has finished{}.").format(under(board.condition))
    said = Markup("No recommendation: {} was alone under these conditions{}. ").format(
        strong(kept[0].name), under(board.condition)
    )
    if found.left_out:
        return said + Markup("The others tried less than half of its tasks.")
    return said + Markup("Run a second agent on the same tasks, with the same simulator, judge and faults.")


def _too_few(found: Recommendation) -> Markup:
    tasks = max(c.against_best.tasks for c in found.contenders if c.against_best is not None)
    return Markup(
        "No recommendation: too few tasks. With {} on which two agents have a verdict, no result could have been "
        "significant."
    ).format(counted(tasks, "task"))


def _no_difference(found: Recommendation, board: Board) -> Markup:
    best = found.contenders[0]
    who = listed([strong(board.of(contender.run).name) for contender in found.contenders])
    said = Markup("No significant difference between {} on {}{}. ").format(
        who, counted(best.samples, "sample"), under(board.condition)
    )
    return said + _by_cost(found, board)


def _among(found: Recommendation, board: Board) -> Markup:
    best = found.contenders[0]
    others = [strong(board.of(equal.run).name) for equal in found.equals if equal is not best]
    said = Markup("{} completes most, {} of {}{}, but not significantly more than {}. ").format(
        strong(board.of(best.run).name),
        percent(best.rate.value),
        counted(best.samples, "sample"),
        under(board.condition),
        listed(others, word="or"),
    )
    return said + _by_cost(found, board)


def _clear(found: Recommendation, board: Board) -> Markup:
    best = found.contenders[0]
    return Markup("Hire {}: it completes {} of {}{}, significantly more than {}.").format(
        strong(board.of(best.run).name),
        percent(best.rate.value),
        counted(best.samples, "sample"),
        under(board.condition),
        "the other agent" if len(found.contenders) == 2 else "every other agent here",
    )


def _by_cost(found: Recommendation, board: Board) -> Markup:
    best = found.contenders[0]
    if found.hire is None:
        return Markup("What they cost is not known, so nothing here decides between them.")
    hired = next(contender for contender in found.contenders if contender.run is found.hire)
    if found.behind is None:
        return Markup("Hire {}: of those that could be as good, none is clearly cheaper ({} a task).").format(
            strong(board.of(best.run).name), dollars(hired.cost)
        )
    return Markup(
        "Hire {}, the cheapest of those that could be as good: {} a task instead of {}. Its shortfall against {} "
        "is {}."
    ).format(
        strong(board.of(hired.run).name),
        dollars(hired.cost),
        dollars(best.cost),
        strong(board.of(best.run).name),
        points(found.behind.value or 0.0, found.behind.interval),
    )
