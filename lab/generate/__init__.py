"""A fictional statistical bulletin over decades, as PDFs with their truth and questions."""

from lab.generate.generate import ArchiveCounts, Difficulty, Plan, generate

__all__ = ["ArchiveCounts", "Difficulty", "Plan", "generate"]
