"""The suite's figures of a run by name, for exports, SQL and machine output."""

from collections.abc import Mapping

from worktrial.engine.stored import StoredRun
from worktrial.suite import Figure
from worktrial.suites.orchestration.figures.figures import Estimate, language_figures
from worktrial.suites.orchestration.figures.free import free_figures


def run_figures(run: StoredRun) -> list[Figure]:
    """Scores of every language both ways, and what free-running teams reached under every condition."""
    found: list[Figure] = []
    for turns in language_figures(run.records):
        found += _figures(turns.figures, f"{turns.language} {turns.mode}", turns.scenarios)
    for free in free_figures(run.records):
        found += _figures(free.figures, f"{free.language} free {free.condition}", free.scenarios)
    return found


def _figures(estimates: Mapping[str, Estimate], group: str, scenarios: int) -> list[Figure]:
    return [
        Figure(
            name,
            estimate.value,
            None if estimate.interval is None else estimate.interval.low,
            None if estimate.interval is None else estimate.interval.high,
            scenarios,
            group,
        )
        for name, estimate in estimates.items()
    ]
