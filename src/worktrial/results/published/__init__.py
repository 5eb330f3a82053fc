"""Figures that others published, to stand beside one's own, marked as theirs."""

from worktrial.results.published.occubench import (
    PublishedCompletion,
    PublishedOccuBench,
    PublishedRobustness,
    published_occubench,
)
from worktrial.results.published.officeqa import PublishedAnswers, PublishedOfficeQA, published_officeqa
from worktrial.results.published.orchestration import PublishedFigures, PublishedTable, published_orchestration

__all__ = [
    "PublishedAnswers",
    "PublishedCompletion",
    "PublishedFigures",
    "PublishedOccuBench",
    "PublishedOfficeQA",
    "PublishedRobustness",
    "PublishedTable",
    "published_occubench",
    "published_officeqa",
    "published_orchestration",
]
