"""A unified diff as lines that are told apart without colours, too."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line, with its sign as the first character."""

    kind: Literal["added", "removed", "place", "same"]
    text: str


def diff_lines(diff: str) -> Iterator[DiffLine]:
    """The lines of a unified diff. Before the first `@@` the signs mark file names, not changes."""
    in_hunk = False
    for line in diff.split("\n"):
        if line.startswith("@@"):
            in_hunk = True
            yield DiffLine("place", line)
        elif in_hunk and line.startswith("+"):
            yield DiffLine("added", line)
        elif in_hunk and line.startswith("-"):
            yield DiffLine("removed", line)
        elif not in_hunk and line.startswith(("+++", "---")):
            yield DiffLine("place", line)
        elif line:
            yield DiffLine("same", line)
