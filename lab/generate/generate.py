"""Writing an archive: PDFs, truth, questions."""

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from lab.generate.issue import Issue, Outline, make_issue, outlines
from lab.generate.produce import Paper, pdf_of
from lab.generate.questions import Question, questions_about
from lab.generate.questions.question import CSV_COLUMNS, Source
from lab.generate.truth import Json, chart_rows, table_rows, tables_of
from lab.generate.world import World
from lab.generate.yearbooks import Facts, Shelf, questions_on, yearbooks
from worktrial.errors import DataError, SettingError


class Style(StrEnum):
    """The print of the issues."""

    DIGITAL = "digital"
    SCANNED = "scanned"
    BOTH = "both"
    """The oldest third of the issues are scans, as in an archive that grew with the years."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The size and looks of an archive; the same plan makes the same archive."""

    pages: int = 200
    seed: int = 1
    style: Style = Style.DIGITAL
    questions: int | None = None
    """Number of questions; None for one a page, at least 20 and at most 200."""
    harder: bool = False
    """Whether questions ask for more than finding a figure."""
    yearbooks: bool = False
    """Whether yearbooks of other offices are added, with the hardest questions: pages and questions besides."""

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
    jobs = [_Job(plan, outline, _paper(plan.style, i, len(planned)), folder) for i, outline in enumerate(planned)]
    volumes = yearbooks(Facts(world)) if plan.yearbooks else ()
    pages = plan.pages + sum(len(volume.pages) for volume in volumes)
    documents: list[dict[str, object]] = []
    tables = done = 0
    truth = folder / "truth"
    with (
        (truth / "tables.jsonl").open("w", encoding="utf-8") as table_file,
        (truth / "charts.jsonl").open("w", encoding="utf-8") as charts,
    ):
        added = (_written(world, volume, Paper.DIGITAL, folder) for volume in volumes)
        for one in chain(_run(jobs, workers), added):
            table_file.writelines(f"{line}\n" for line in one.tables)
            charts.writelines(f"{line}\n" for line in one.charts)
            documents.append({"document": one.document, "pages": one.pages, "kind": one.paper.value})
            tables, done = tables + len(one.tables), done + one.pages
            progress(done, pages)
    questions = questions_of(plan, world, planned)
    _write_questions(folder, questions)
    about: Json = {"plan": asdict(plan), "pages": done, "tables": tables, "documents": documents}
    (folder / "archive.json").write_text(json.dumps(about, indent=1) + "\n")
    return ArchiveCounts(len(documents), done, tables, len(questions))


def questions_of(plan: Plan, world: World, planned: Sequence[Outline]) -> list[Question]:
    """The questions of a plan."""
    papers = {outline: _paper(plan.style, i, len(planned)) for i, outline in enumerate(planned)}
    scanned = [outline for outline, paper in papers.items() if paper is Paper.SCAN]
    asked = questions_about(world, planned, plan.question_count, harder=plan.harder, scanned=scanned)
    if not plan.yearbooks:
        return asked
    issues = (make_issue(world, outline) for outline in planned)
    bulletins = [Source(issue, place, table) for issue in issues for place, table in tables_of(issue)]
    hardest = questions_on(Shelf(Facts(world)), bulletins)
    return [*asked, *(Question(f"H{n:03d}", one) for n, one in enumerate(hardest, len(asked) + 1))]


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


def _paper(style: Style, number: int, count: int) -> Paper:
    scanned = style is Style.SCANNED or (style is Style.BOTH and number < max(1, count // 3))
    return Paper.SCAN if scanned else Paper.DIGITAL


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
    return _written(world, make_issue(world, job.outline), job.paper, job.folder)


def _written(world: World, issue: Issue, paper: Paper, folder: Path) -> _IssueCounts:
    pdf = pdf_of(world, issue, paper)
    target = folder / "pdfs" / f"{issue.document}.pdf"
    # Whole or not at all.
    partial = target.with_suffix(".part")
    partial.write_bytes(pdf)
    partial.replace(target)
    kind = paper.value
    return _IssueCounts(
        issue.document,
        len(issue.pages),
        paper,
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
