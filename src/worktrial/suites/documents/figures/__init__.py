"""What a stored documents run says: scores by tolerance, where answers were lost, and what other runs add to it."""

from worktrial.suites.documents.figures.figures import (
    CurveRow,
    Disagreement,
    DocumentFigures,
    Retrieval,
    document_figures,
)
from worktrial.suites.documents.figures.parts import Part, by_closed_book, by_two_agents
from worktrial.suites.documents.figures.stages import STAGES, Loss, Stage, Stages, stages

__all__ = [
    "STAGES",
    "CurveRow",
    "Disagreement",
    "DocumentFigures",
    "Loss",
    "Part",
    "Retrieval",
    "Stage",
    "Stages",
    "by_closed_book",
    "by_two_agents",
    "document_figures",
    "stages",
]
