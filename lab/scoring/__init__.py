"""Scoring what an archive holds against tables whose truth is known."""

from lab.scoring.adjacency import Region, adjacency_score, read_regions, region_of, spans_of
from lab.scoring.cells import F1
from lab.scoring.report import TableScore, as_row, score_archive, score_table, summaries
from lab.scoring.truth import TruthTable, read_truth

__all__ = [
    "F1",
    "Region",
    "TableScore",
    "TruthTable",
    "adjacency_score",
    "as_row",
    "read_regions",
    "read_truth",
    "region_of",
    "score_archive",
    "score_table",
    "spans_of",
    "summaries",
]
