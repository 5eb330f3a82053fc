"""For each task that has one: how it is solved from what the agent sees, with no answer known beforehand."""

from collections.abc import Awaitable, Callable
from functools import partial

from tests.support import covenant_solvers, line_solvers, terminal_solvers, triage_solvers
from tests.support.two_agents import NaiveAgent

Solver = Callable[[NaiveAgent], Awaitable[str]]


def _with(solve: Callable[..., Awaitable[str]], *arguments: str, **named: str) -> Solver:
    return lambda agent: partial(solve, agent, *arguments, **named)()


SOLVERS: dict[str, Solver] = {
    "triage-01": _with(triage_solvers.waiting, "P-312"),
    "triage-02": _with(triage_solvers.waiting, "P-315", "P-316"),
    "triage-03": _with(triage_solvers.make_room, "P-317"),
    "triage-04": _with(triage_solvers.sepsis, "P-318"),
    "triage-05": _with(triage_solvers.step_down, "P-301"),
    "covenant-01": _with(covenant_solvers.covenants, "L-2207"),
    "covenant-02": _with(covenant_solvers.covenants, "L-2214"),
    "covenant-03": _with(covenant_solvers.covenants, "L-2231"),
    "line-01": _with(line_solvers.schedule, "WO-501"),
    "line-03": _with(line_solvers.best_sequence, "F3", "WO-504", "WO-505", "WO-506"),
    "line-04": _with(line_solvers.split_and_schedule, "WO-508"),
    "line-05": _with(line_solvers.schedule, "WO-505"),
    "terminal-01": _with(terminal_solvers.invoices, "TRLU-4471"),
    "terminal-02": _with(terminal_solvers.dispatch, "J-3302"),
    "terminal-03": _with(terminal_solvers.yard),
    "terminal-05": _with(terminal_solvers.invoices, consignee="Meridian Foods"),
}
