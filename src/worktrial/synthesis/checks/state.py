"""Fields of the state that nobody explains."""

from collections.abc import Iterator

from worktrial.synthesis.artifacts import Problem
from worktrial.synthesis.checks.case import Case, of_finding
from worktrial.synthesis.checks.names import CheckName
from worktrial.workplaces.lint import undescribed_state


def state_described(case: Case) -> Iterator[Problem]:
    """Top-level fields of the state without a description."""
    finding = undescribed_state(case.workplace.initial_state, case.workplace.state_description)
    if finding is not None:
        yield of_finding(CheckName.UNDESCRIBED_STATE, "workplace", finding)
