"""Marks of a set page, in points from its top left."""

from typing import NamedTuple


class Text(NamedTuple):
    """A run of characters."""

    x: float
    y: float
    """Height of the baseline."""
    text: str
    font: str
    size: float


class Line(NamedTuple):
    """A ruling line."""

    x0: float
    y0: float
    x1: float
    y1: float
    width: float = 0.5


class Bar(NamedTuple):
    """A filled rectangle."""

    x0: float
    y0: float
    x1: float
    y1: float
    grey: float = 0.55
    """0 is black."""


Mark = Text | Line | Bar


class Sheet(NamedTuple):
    """A set page."""

    width: float
    height: float
    marks: tuple[Mark, ...]
