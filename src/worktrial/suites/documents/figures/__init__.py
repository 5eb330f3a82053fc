"""What a stored documents run says: scores by tolerance, where answers were lost, and what other runs add to it."""

from worktrial.suites.documents.figures.clusters import Share
from worktrial.suites.documents.figures.figures import (
    CurveRow,
    Disagreement,
    DocumentFigures,
    Retrieval,
    document_figures,
    run_figures,
    score_changes,
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
    "Share",
    "Stage",
    "Stages",
    "by_closed_book",
    "by_two_agents",
    "document_figures",
    "run_figures",
    "score_changes",
    "stages",
]
