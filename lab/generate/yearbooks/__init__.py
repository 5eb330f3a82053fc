"""Yearbooks beside the bulletin: harvest reports and port registers, their corrections, and questions."""

from lab.generate.yearbooks.facts import Facts
from lab.generate.yearbooks.questions import questions_on
from lab.generate.yearbooks.shelf import Shelf
from lab.generate.yearbooks.volumes import yearbooks

__all__ = ["Facts", "Shelf", "questions_on", "yearbooks"]
