"""Where a finding is."""

from worktrial.suites.orchestration.planning.oddities import OddityCode
from worktrial.suites.orchestration.planning.scenario import Oddity, Scenario


def oddity(scenario: Scenario, step: int, code: OddityCode, reason: str) -> Oddity:
    """An oddity of one of the scenario's steps."""
    return Oddity(f"{scenario.language}/scenario_data/{scenario.id}.yaml", step, code, reason)
