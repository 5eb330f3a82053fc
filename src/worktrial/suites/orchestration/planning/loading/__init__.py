"""Reading scenarios and agent cards from a data folder: `<folder>/<LANGUAGE>/{scenario_data,multiagent_cards}`."""

from worktrial.suites.orchestration.planning.loading.cards import load_team
from worktrial.suites.orchestration.planning.loading.release import Release, load_release, load_scenarios

__all__ = ["Release", "load_release", "load_scenarios", "load_team"]
