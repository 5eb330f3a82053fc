"""The published figures: plans, call or refuse, and function calls of whole runs."""

from worktrial.suites.orchestration.scores.published.figures import published_details, published_figures
from worktrial.suites.orchestration.scores.published.scenario import (
    PublishedScenario,
    file_sums,
    published_scenario,
)

__all__ = ["PublishedScenario", "file_sums", "published_details", "published_figures", "published_scenario"]
