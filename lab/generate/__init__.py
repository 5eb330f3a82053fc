"""A fictional statistical bulletin over decades, as PDFs with their truth and questions."""

from lab.generate.generate import Made, Plan, Style, generate

__all__ = ["Made", "Plan", "Style", "generate"]
