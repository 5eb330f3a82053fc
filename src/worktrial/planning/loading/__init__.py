"""Reading scenarios and agent cards from a data folder: `<folder>/<LANGUAGE>/{scenario_data,multiagent_cards}`."""

from worktrial.planning.loading.cards import load_team
from worktrial.planning.loading.release import Release, load_release, load_scenarios

__all__ = ["Release", "load_release", "load_scenarios", "load_team"]
