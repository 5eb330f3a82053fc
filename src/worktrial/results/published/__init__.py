"""Figures that others published, to stand beside one's own, marked as theirs."""

from worktrial.results.published.orchestration import PublishedFigures, PublishedTable, published_orchestration

__all__ = ["PublishedFigures", "PublishedTable", "published_orchestration"]
