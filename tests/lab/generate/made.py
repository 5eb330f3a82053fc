"""A small archive, made once for all tests that only look at it."""

import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from lab.generate import Difficulty, Plan, generate

_KEPT: list[TemporaryDirectory[str]] = []


class Archive(NamedTuple):
    """Where it is, and its truth."""

    folder: Path
    tables: dict[str, dict[str, Any]]
    charts: dict[str, dict[str, Any]]
    questions: list[dict[str, Any]]


@cache
def archive(
    pages: int = 120, seed: int = 3, difficulty: Difficulty = Difficulty.DIGITAL, questions: int = 120
) -> Archive:
    """The archive of this plan."""
    place: TemporaryDirectory[str] = TemporaryDirectory()
    _KEPT.append(place)
    folder = Path(place.name) / "made"
    generate(folder, Plan(pages, seed, difficulty, questions))
    return Archive(
        folder,
        {row["id"]: row for row in lines(folder / "truth/tables.jsonl")},
        {row["id"]: row for row in lines(folder / "truth/charts.jsonl")},
        lines(folder / "questions.jsonl"),
    )


def lines(path: Path) -> list[dict[str, Any]]:
    """Rows of a file with one JSON object a line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
