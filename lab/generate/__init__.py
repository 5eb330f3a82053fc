"""A fictional statistical bulletin over decades, as PDFs with their truth and questions."""

from lab.generate.generate import ArchiveCounts, Plan, Style, generate

__all__ = ["ArchiveCounts", "Plan", "Style", "generate"]
