"""Tables on the terminal of what faults did to an agent."""

from collections.abc import Iterable, Sequence
from math import inf

from rich.table import Table
from rich.text import Text

from worktrial.language.untrusted import printable
from worktrial.results.fault_metrics import Funnel
from worktrial.results.summary import Condition
from worktrial.statistics import Robustness, ZeroCleanRate
from worktrial.terminal import rate_cells, table_of


def conditions_table(conditions: Iterable[Condition]) -> Table:
    """The completion rate under each condition."""
    table = table_of(["condition"], ("passed", "invalid", "rate", "95 % interval", "calls"))
    for condition in conditions:
        done, counts = condition.completion, condition.completion.counts
        passed = f"{counts.passed}/{counts.of_all.n}", str(counts.invalid)
        table.add_row(_name(condition), *passed, *rate_cells(done.of_all), f"{condition.calls:.1f}")
    return table


def robustness_line(setting: str, robustness: Robustness | ZeroCleanRate) -> Text:
    """R of one setting (`3x2`, or "" for the only one), in words."""
    name = f"robustness R ({printable(setting)})" if setting else "robustness R"
    if isinstance(robustness, ZeroCleanRate):
        return Text(f"{name} has no value: nothing passes without faults")
    low, high = robustness.interval
    tasks = "1 task" if robustness.tasks == 1 else f"{robustness.tasks} tasks"
    upper = "∞" if high == inf else f"{high:.2f}"
    line = f"{name} = {robustness.value:.2f} (95 % interval {low:.2f} - {upper}); "
    line += f"worst in {robustness.worst}; over {tasks} judged in all conditions"
    return Text(line)


def funnel_table(conditions: Sequence[Condition]) -> Table | None:
    """Count the way from planned faults to recovered answers; None where no fault was planned."""
    figures = ("reached", "degraded", "asked again", "recovered", "after")
    table = table_of(("condition", "kind"), figures, caption=_CAPTION)
    for condition in conditions:
        if condition.faults is None:
            continue
        faults = condition.faults
        for kind, funnel in (
            ("explicit", faults.explicit),
            ("implicit", faults.implicit),
            ("- lists cut, count true", faults.visible_cuts),
            ("- lists cut, silently", faults.silent_cuts),
        ):
            if funnel.planned or funnel.exposure:
                table.add_row(_name(condition), kind, *_cells(funnel))
    return table if table.row_count else None


_CAPTION = (
    "reached: of the planned fault events; degraded: calls that the agent saw so; asked again: the same tool with "
    "the same arguments, having seen the answer; recovered: the clean answer then came; after: how many calls "
    "later, on average"
)


def _cells(funnel: Funnel) -> tuple[str, ...]:
    later = funnel.mean_calls_to_recovery
    return (
        f"{funnel.reached}/{funnel.planned}" if funnel.planned else "-",
        f"{funnel.exposure:,}",
        _share(funnel.asked_again, funnel.exposure),
        _share(funnel.recovered, funnel.exposure),
        "-" if later is None else f"{later:.1f}",
    )


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({part / whole:.0%})" if whole else "-"


def _name(condition: Condition) -> Text:
    return Text(printable(condition.name))
