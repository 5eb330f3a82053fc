"""The published mode alone over a whole stored run."""

from pathlib import Path

from worktrial.suites.orchestration.options import SEARCH_NODES
from worktrial.suites.orchestration.planning.cards import Team
from worktrial.suites.orchestration.planning.turns import Verdicts
from worktrial.suites.orchestration.scoring.published import file_sums
from worktrial.suites.orchestration.scoring.stored import stored_scenarios


def score_stored(
    place: Path, team: Team, verdicts: Verdicts | None = None, *, nodes: int | None = SEARCH_NODES
) -> dict[str, float]:
    """The added sums of a whole stored run, for `published_figures` and `published_details`."""
    total: dict[str, float] = {}
    for scenario in stored_scenarios(place):
        for key, value in file_sums(list(scenario.score(team, nodes=nodes).values()), verdicts).items():
            total[key] = total.get(key, 0) + value
    return total
