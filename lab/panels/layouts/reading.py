"""Made pages set by the typesetters' own environment, then read and scored."""

import json
import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.panels.layouts.page import MadePage
from lab.panels.layouts.scoring import page_score
from lab.scoring.cells import F1
from worktrial.archive.layout.finder import find_tables
from worktrial.archive.pdf.document import open_pdf
from worktrial.archive.pdf.page import read_page
from worktrial.errors import DataError

VARIABLE = "WORKTRIAL_TYPESETTERS"
"""Environment variable that names the Python of an environment with `requirements/typesetters.txt`."""


@dataclass(frozen=True, slots=True)
class PageResult:
    """Cells of a made page's tables that were read."""

    page: MadePage
    cells: F1
    tables: int
    """Tables found."""


def set_pages(pages: Sequence[MadePage], folder: Path) -> None:
    """Write each page as `NAME.pdf`.

    Raises:
        DataError: there is no environment, or a page could not be set.
    """
    python = os.environ.get(VARIABLE)
    if not python:
        fix = "python -m venv DIR; DIR/bin/pip install -r requirements/typesetters.txt; set it to DIR/bin/python"
        raise DataError(VARIABLE, "names no Python that has the typesetters", fix)
    script = Path(__file__).with_name("typeset.py")
    told = json.dumps([page.as_json() for page in pages])
    try:
        done = subprocess.run(
            [python, script, folder], input=told, capture_output=True, text=True, encoding="utf-8", check=False
        )
    except OSError as e:
        raise DataError(f"{VARIABLE}={python}", f"cannot be started: {e.strerror}") from e
    if done.returncode:
        raise DataError(f"{VARIABLE}={python}", f"could not set the pages: {done.stderr[-1000:]}")


def read_made(pages: Iterable[MadePage], folder: Path) -> list[PageResult]:
    """Read and score pages that lie in the folder; of each the first page counts."""
    results = []
    for page in pages:
        with open_pdf(folder / f"{page.name}.pdf") as pdf:
            found = find_tables(read_page(pdf, 1))
        results.append(PageResult(page, page_score(page.truth, found), len(found)))
    return results
