"""Writing an archive: PDFs, truth, questions."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from enum import IntEnum
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from lab.generate.issue import Outline, make_issue, outlines
from lab.generate.produce import Paper, pdf_of
from lab.generate.questions import Question, questions_about
from lab.generate.questions.question import CSV_COLUMNS
from lab.generate.truth import Json, chart_rows, table_rows
from lab.generate.world import World
from worktrial.errors import DataError, SettingError


class Difficulty(IntEnum):
    """How hard the issues are to read."""

    DIGITAL = 0
    """By their own characters."""
    MIXED = 1
    """The oldest third of the issues are scans, as in an archive that grew with the years."""
    SCANNED = 2
    WORN = 3
    """Scans of pages that are bent, torn or moved, on which rows and columns are hard to find."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The size and looks of an archive; the same plan makes the same archive."""

    pages: int = 200
    seed: int = 1
    difficulty: Difficulty = Difficulty.DIGITAL
    questions: int | None = None
    """Number of questions; None for one a page, at least 20 and at most 200."""

    @property
    def question_count(self) -> int:
        """Number of questions that are asked."""
        return min(200, max(20, self.pages)) if self.questions is None else self.questions


class ArchiveCounts(NamedTuple):
    """Numbers of what was written."""

    documents: int
    pages: int
    tables: int
    questions: int


class _IssueCounts(NamedTuple):
    """A worker's account of one issue; its PDF is on disk."""

    document: str
    pages: int
    paper: Paper
    tables: list[str]
    charts: list[str]


Progress = Callable[[int, int], None]
"""Called with pages done and pages in all."""


def generate(
    folder: Path, plan: Plan, *, workers: int = 1, progress: Progress = lambda done, total: None
) -> ArchiveCounts:
    """Write `pdfs/`, `truth/tables.jsonl`, `truth/charts.jsonl`, `questions.jsonl` and `.csv`, `archive.json`.

    Issues are made one by one, so that memory does not grow with the archive.

    Raises:
        DataError: the folder holds something already, or cannot be written.
        SettingError: the size is out of bounds.
    """
    if workers < 1 or plan.question_count < 0:
        raise SettingError("--workers must be 1 or more, and --questions 0 or more")
    world = World(plan.seed)
    planned = outlines(world, plan.pages)
    _prepare(folder)
    jobs = [
        _Job(plan, outline, _paper(plan.difficulty, i, len(planned)), folder) for i, outline in enumerate(planned)
    ]
    documents: list[dict[str, object]] = []
    tables = done = 0
    truth = folder / "truth"
    with (
        (truth / "tables.jsonl").open("w", encoding="utf-8") as table_file,
        (truth / "charts.jsonl").open("w", encoding="utf-8") as charts,
    ):
        for one in _run(jobs, workers):
            table_file.writelines(f"{line}\n" for line in one.tables)
            charts.writelines(f"{line}\n" for line in one.charts)
            documents.append({"document": one.document, "pages": one.pages, "kind": one.paper.value})
            tables, done = tables + len(one.tables), done + one.pages
            progress(done, plan.pages)
    questions = questions_about(world, planned, plan.question_count)
    _write_questions(folder, questions)
    about: Json = {"plan": asdict(plan), "pages": done, "tables": tables, "documents": documents}
    (folder / "archive.json").write_text(json.dumps(about, indent=1) + "\n")
    return ArchiveCounts(len(documents), done, tables, len(questions))


class _Job(NamedTuple):
    plan: Plan
    outline: Outline
    paper: Paper
    folder: Path


def _prepare(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DataError(folder, "is not an empty folder", "Choose a new one, or empty it")
    try:
        (folder / "pdfs").mkdir(parents=True)
        (folder / "truth").mkdir()
    except OSError as e:
        raise DataError(folder, f"cannot be made: {e}") from e


def _paper(difficulty: Difficulty, number: int, count: int) -> Paper:
    if difficulty is Difficulty.MIXED:
        return Paper.SCAN if number < max(1, count // 3) else Paper.DIGITAL
    return {Difficulty.SCANNED: Paper.SCAN, Difficulty.WORN: Paper.WORN}.get(difficulty, Paper.DIGITAL)


def _run(jobs: list[_Job], workers: int) -> Iterator[_IssueCounts]:
    if workers == 1:
        yield from map(_write, jobs)
        return
    # Not forked: the PDF library and its fonts must not be shared between processes.
    with ProcessPoolExecutor(min(workers, len(jobs)), mp_context=get_context("spawn")) as pool:
        yield from pool.map(_write, jobs)


@lru_cache(maxsize=1)
def _world(seed: int) -> World:
    """Series are made once a process."""
    return World(seed)


def _write(job: _Job) -> _IssueCounts:
    world = _world(job.plan.seed)
    issue = make_issue(world, job.outline)
    pdf = pdf_of(world, issue, job.paper)
    target = job.folder / "pdfs" / f"{issue.document}.pdf"
    # Whole or not at all.
    partial = target.with_suffix(".part")
    partial.write_bytes(pdf)
    partial.replace(target)
    kind = job.paper.value
    return _IssueCounts(
        issue.document,
        len(issue.pages),
        job.paper,
        _lines(table_rows(issue, kind)),
        _lines(chart_rows(issue, kind)),
    )


def _lines(rows: Iterable[Json]) -> list[str]:
    return [json.dumps(row, ensure_ascii=False) for row in rows]


def _write_questions(folder: Path, questions: list[Question]) -> None:
    lines = (json.dumps(question.row(), ensure_ascii=False) for question in questions)
    (folder / "questions.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    with (folder / "questions.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, CSV_COLUMNS)
        writer.writeheader()
        writer.writerows(question.csv_row() for question in questions)
