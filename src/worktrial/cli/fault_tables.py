"""Tables on the terminal of what faults did to an agent."""

from collections.abc import Mapping
from math import inf

from rich.table import Table
from rich.text import Text

from worktrial.language.untrusted import printable
from worktrial.results.fault_metrics import FaultMetrics, Funnel
from worktrial.results.figure import RunFigures
from worktrial.statistics import Figure
from worktrial.terminal import rate_cells, table_of


def conditions_table(figures: RunFigures) -> Table:
    """The completion rate under each condition."""
    table = table_of(["condition"], ("passed", "invalid", "rate", "95 % interval", "calls"))
    for name in figures.conditions:
        done, invalid, calls = (figures.get(figure, name) for figure in ("completion", "invalid", "calls"))
        made = "-" if calls.value is None else f"{calls.value:.1f}"
        table.add_row(_name(name), f"{done.hits}/{done.n}", str(invalid.hits), *rate_cells(done), made)
    return table


def robustness_line(found: Figure) -> Text:
    """R of one setting (`3x2`, or "" for the only one), in words."""
    name = f"robustness R ({printable(found.group)})" if found.group else "robustness R"
    if found.value is None or found.interval is None:
        return Text(f"{name} has no value: {found.unknown}")
    low, high = found.interval
    tasks = "1 task" if found.n == 1 else f"{found.n} tasks"
    upper = "∞" if high == inf else f"{high:.2f}"
    line = f"{name} = {found.value:.2f} (95 % interval {low:.2f} - {upper}); "
    return Text(f"{line}{found.note}; over {tasks} judged in all conditions")


def funnel_table(conditions: Mapping[str, FaultMetrics]) -> Table | None:
    """Count the way from planned faults to recovered answers; None where no fault was planned."""
    figures = ("reached", "degraded", "asked again", "recovered", "after")
    table = table_of(("condition", "kind"), figures, caption=_CAPTION)
    for condition, faults in conditions.items():
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


def _name(condition: str) -> Text:
    return Text(printable(condition))
