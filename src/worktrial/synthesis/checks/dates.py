"""What day it is, where that matters."""

from collections.abc import Iterator

from worktrial.synthesis.artifacts import Problem
from worktrial.synthesis.checks.case import Case, of_finding
from worktrial.synthesis.checks.names import CheckName
from worktrial.workplaces.clock import ClockSource, derive_clock
from worktrial.workplaces.lint import dates_without_a_clock


def dates(case: Case) -> Iterator[Problem]:
    """Absolute dates where neither a field of the state nor a tool tells the date."""
    state = case.workplace.initial_state
    if derive_clock(case.task.instruction, state).source is ClockSource.CLOCK_FIELD:
        return
    finding = dates_without_a_clock(case.task.instruction, state, case.tool_names)
    if finding is not None:
        # A field such as current_date is the smaller change, and it is the state's.
        yield of_finding(CheckName.DATES_WITHOUT_CLOCK, "workplace", finding)
