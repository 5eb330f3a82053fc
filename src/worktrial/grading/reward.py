"""Rewards of finished work, for training: one function for every environment and every export."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from worktrial.errors import SettingError, WorktrialError, option
from worktrial.grading.check import CheckResult
from worktrial.grading.verdict import Outcome
from worktrial.workplaces import Origin, ToolCall

REFUSAL_PENALTY = 0.05
"""Part of the reward that each refused call takes away under `shaped`."""
MOST_PENALTY = 0.5
"""Most that refused calls take away together: passing with any number of them is worth more than failing."""


def refused_calls(calls: Iterable[ToolCall]) -> int:
    """Number of calls that never reached the workplace: unknown tools, and arguments that do not fit."""
    return sum(call.observation.origin is Origin.REFUSAL for call in calls)


class RewardKind(StrEnum):
    """Ways to make a number of a verdict."""

    OUTCOME = "outcome"  # 1 for a pass, 0 for a fail
    CHECKS = "checks"  # the share of checks by code that passed
    SHAPED = "shaped"  # the outcome, less something for every call that was refused


class NoReward(WorktrialError):
    """The sample has no verdict, so it has no reward: a trainer drops it. It is never worth 0."""


def reward(
    outcome: Outcome,
    *,
    reason: str = "",
    checks: Sequence[CheckResult] = (),
    refused: int = 0,
    kind: RewardKind = RewardKind.OUTCOME,
) -> float:
    """The reward of one sample: 0 to 1, and under `shaped` -0.5 to 1.

    Args:
        outcome: Outcome of the sample.
        reason: Ground of the outcome, for the message of a sample without a verdict.
        checks: Checks by code, of the state and of the answer.
        refused: Calls that never reached the workplace: unknown tools and arguments that do not fit.
        kind: Way in which it is reckoned.

    Raises:
        NoReward: the sample is invalid.
        SettingError: the share of checks is asked for where code checks nothing.
    """
    if outcome is Outcome.INVALID:
        raise NoReward(f"an invalid sample has no reward and is dropped ({reason})")
    if kind is RewardKind.CHECKS:
        if not checks:
            raise SettingError(f"{option('reward')} checks: no code checks this work; take outcome or shaped")
        return sum(check.passed is True for check in checks) / len(checks)
    value = float(outcome is Outcome.PASS)
    if kind is RewardKind.SHAPED:
        value -= min(MOST_PENALTY, REFUSAL_PENALTY * refused)
    return value
