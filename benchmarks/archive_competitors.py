"""Tables of ready-made libraries, as JSON; run by the Python that has them installed.

This file imports nothing of Worktrial: the libraries stay out of its requirements, in an environment of their own.

    python archive_competitors.py METHOD FILE.pdf…
    {"FILE": {"seconds": 1.2, "tables": [{"page": 1, "cells": [[text, row, column, last row, last column], …]}]}}

Seconds are CPU time of this process and its children, the import of the library not counted.
"""

import importlib
import json
import sys
import time
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

METHODS = (
    "pdfplumber lines",
    "pdfplumber text",
    "camelot stream",
    "camelot lattice",
    "camelot network",
    "camelot hybrid",
    "img2table",
)


Cell = list[Any]
"""Text, first row and column, last row and column."""
Found = dict[str, Any]
"""Page and cells of a table."""


def plain(rows: Iterable[Sequence[str | None]]) -> list[Cell]:
    """Cells of a grid without spans."""
    return [[text or "", r, c, r, c] for r, row in enumerate(rows) for c, text in enumerate(row) if text]


def with_camelot(path: Path, flavor: str) -> list[Found]:
    """All pages of a file."""
    import camelot

    tables = camelot.read_pdf(str(path), pages="all", flavor=flavor, suppress_stdout=True)
    return [{"page": table.page, "cells": plain(table.df.values.tolist())} for table in tables]


def with_pdfplumber(path: Path, strategy: str) -> list[Found]:
    """All pages of a file."""
    import pdfplumber

    settings = {"vertical_strategy": strategy, "horizontal_strategy": strategy}
    with pdfplumber.open(path) as pdf:
        return [
            {"page": number, "cells": plain(rows)}
            for number, page in enumerate(pdf.pages, 1)
            for rows in page.extract_tables(settings)
        ]


def with_img2table(path: Path, _: str) -> list[Found]:
    """All pages of a file, text taken from the PDF; its joined cells come as one box repeated."""
    from img2table.document import PDF

    found = []
    pages = PDF(str(path)).extract_tables(implicit_rows=True, borderless_tables=True)
    for number, tables in pages.items():
        for table in tables:
            places: dict[tuple[Any, str], list[tuple[int, int]]] = {}
            for r, row in enumerate(table.content.values()):
                for c, cell in enumerate(row):
                    if cell.value:
                        box = (cell.bbox.x1, cell.bbox.y1, cell.bbox.x2, cell.bbox.y2)
                        places.setdefault((box, cell.value), []).append((r, c))
            cells = [
                [text, min(r for r, _ in at), min(c for _, c in at), max(r for r, _ in at), max(c for _, c in at)]
                for (_, text), at in places.items()
            ]
            found.append({"page": int(number) + 1, "cells": cells})
    return found


def main() -> None:
    """Read the files with one method and print the JSON; exit with 3 where the library is absent."""
    warnings.filterwarnings("ignore")
    library, _, option = sys.argv[1].partition(" ")
    try:
        importlib.import_module("img2table.document" if library == "img2table" else library)
    except ImportError as error:
        print(error, file=sys.stderr)
        raise SystemExit(3) from None
    read = {"camelot": with_camelot, "pdfplumber": with_pdfplumber, "img2table": with_img2table}[library]
    result: dict[str, Any] = {}
    for name in sys.argv[2:]:
        began = time.process_time()
        try:
            tables = read(Path(name), option)
            trouble: str | None = None
        except Exception as error:  # noqa: BLE001 - a library that fails on a file has found nothing in it
            tables, trouble = [], f"{type(error).__name__}: {error}"
        result[Path(name).stem] = {"seconds": time.process_time() - began, "tables": tables, "trouble": trouble}
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
