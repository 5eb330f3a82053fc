"""The embedded language model: a real model on this machine's CPU, without key or network.

Its scores say nothing about agents; it is there to see everything work.
"""

from worktrial.engine.local.catalogue import CATALOGUE, CatalogueEntry, LocalFile, find_entry, is_present, resolve
from worktrial.engine.local.estimate import Speed, estimate, estimate_text, in_words
from worktrial.engine.local.process import LocalModel

__all__ = [
    "CATALOGUE",
    "CatalogueEntry",
    "LocalFile",
    "LocalModel",
    "Speed",
    "estimate",
    "estimate_text",
    "find_entry",
    "in_words",
    "is_present",
    "resolve",
]
