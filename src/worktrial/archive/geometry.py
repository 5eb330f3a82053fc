"""Boxes on a page."""

from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle in points (1/72 inch), origin at the page's top left, y downwards."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """In points."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """In points."""
        return self.y1 - self.y0

    def union(self, other: "Box") -> "Box":
        """The smallest box around both."""
        return Box(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))
