"""Readings of a page by the bare engines, as they come, and by our own reader; kept on disk.

A bare engine sees the page rendered and nothing else is done for it. A reading is taken from disk where the page
and everything that made it are the same: the engine's version, or the source of our reader.
"""

import csv
import hashlib
import io
import json
import os
import subprocess
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pypdfium2
from numpy.typing import NDArray

import worktrial.archive
from worktrial.archive.pages import Box
from worktrial.errors import DataError

RAPIDOCR_DPI, TESSERACT_DPI = 200, 300
"""Resolutions at which each does best on the transcribed pages: rapidocr gains nothing from more."""
SOURCES = ("pages.py", "chances.py", "layout", "meaning", "ocr")
"""Files and folders of the archive's package that decide on our own reading."""


class Line(NamedTuple):
    """Text at a place: a line, or a word of it."""

    text: str
    box: Box


class Reading(NamedTuple):
    """A page as one reader reads it."""

    lines: tuple[Line, ...]
    tables: tuple[str, ...] = ()
    """Text of each cell of each table; bare engines know no tables."""


class Reader(NamedTuple):
    """A way to read one page of a PDF."""

    name: str
    version: str
    read: Callable[[Path, int], Reading]


def cached(reader: Reader, path: Path, number: int, cache: Path | None) -> Reading:
    """A page's reading, from disk where it is there.

    Args:
        reader: Who reads.
        path: A PDF.
        number: Its page, 1-based.
        cache: A folder, made where it is missing; None reads anew.

    Raises:
        DataError: the file cannot be read, or the folder not written.
    """
    if cache is None:
        return reader.read(path, number)
    try:
        key = hashlib.sha256(path.read_bytes()).hexdigest()[:20]
    except OSError as e:
        raise DataError(path, f"cannot be read: {e.strerror}") from e
    file = cache / f"{key}-{number}-{reader.name}-{reader.version}.json"
    if file.is_file():
        return _loaded(json.loads(file.read_text("utf-8")))
    reading = reader.read(path, number)
    try:
        cache.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"lines": reading.lines, "tables": reading.tables}, ensure_ascii=False), "utf-8")
    except OSError as e:
        raise DataError(cache, f"cannot be written: {e.strerror}", "Give another folder with --cache") from e
    return reading


def _loaded(data: dict[str, Any]) -> Reading:
    lines = tuple(Line(text, Box(*box)) for text, box in data["lines"])
    return Reading(lines, tuple(data["tables"]))


def own_reader() -> Reader:
    """The reader of this package, every page taken for a picture."""

    def read(path: Path, number: int) -> Reading:
        from worktrial.archive.layout.finder import page_content
        from worktrial.archive.ocr.page import recognise_page

        with pypdfium2.PdfDocument(path) as pdf:
            page = recognise_page(pdf[number - 1], number)
        content = page_content(page)
        cells = tuple(cell.text for table in content.tables for row in table.rows for cell in row)
        return Reading(tuple(Line(word.text, word.box) for word in page.words), cells)

    return Reader("ours", own_version(), read)


def own_version() -> str:
    """A digest of the sources that decide on our own reading."""
    root = Path(worktrial.archive.__file__).parent
    files = (file for name in SOURCES for file in _sources(root / name))
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def _sources(place: Path) -> list[Path]:
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


def bare_readers() -> tuple[Reader, ...]:
    """The engines that our reader wraps, each alone."""
    rapid = Reader("rapidocr", version("rapidocr"), _by_rapidocr)
    return (rapid, Reader("tesseract", _tesseract_version(), _by_tesseract))


@lru_cache(maxsize=1)
def rapidocr_as_it_comes(threads: int = -1) -> Callable[[NDArray[Any]], Any]:
    """The package's own engine with its own defaults, on OpenVINO.

    Args:
        threads: Processor threads; -1 for as many as it likes.
    """
    from rapidocr import EngineType, RapidOCR

    return RapidOCR(
        params={
            "Det.engine_type": EngineType.OPENVINO,
            "Rec.engine_type": EngineType.OPENVINO,
            "Global.use_cls": False,
            "Global.log_level": "error",
            "EngineConfig.openvino.inference_num_threads": threads,
        }
    )


def _by_rapidocr(path: Path, number: int) -> Reading:
    found = rapidocr_as_it_comes()(_pixels(path, number, RAPIDOCR_DPI))
    lines = zip(found.txts or (), found.boxes if found.boxes is not None else (), strict=True)
    scale = RAPIDOCR_DPI / 72
    return Reading(
        tuple(
            Line(text, Box(*(box.min(0) / scale).tolist(), *(box.max(0) / scale).tolist())) for text, box in lines
        )
    )


def _by_tesseract(path: Path, number: int) -> Reading:
    import cv2

    coded = cv2.imencode(".png", _pixels(path, number, TESSERACT_DPI))[1].tobytes()
    command = ["tesseract", "-", "-", "--psm", "6", "--dpi", str(TESSERACT_DPI), "tsv"]
    alone = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    done = subprocess.run(command, input=coded, capture_output=True, env=alone, check=False)
    if done.returncode:
        raise DataError(path, f"tesseract failed: {done.stderr.decode(errors='replace')[-300:]}")
    rows = csv.DictReader(io.StringIO(done.stdout.decode()), delimiter="\t", quoting=csv.QUOTE_NONE)
    return Reading(tuple(_tesseract_line(row) for row in rows if row["level"] == "5" and row["text"].strip()))


def _tesseract_line(row: dict[str, str]) -> Line:
    left, top, wide, high = (float(row[name]) * 72 / TESSERACT_DPI for name in ("left", "top", "width", "height"))
    return Line(row["text"].strip(), Box(left, top, left + wide, top + high))


def _tesseract_version() -> str:
    try:
        done = subprocess.run(["tesseract", "--version"], capture_output=True, text=True, check=False)
    except FileNotFoundError as e:
        raise DataError("tesseract", "is not installed", "Install tesseract-ocr; a panel compares with it") from e
    return done.stdout.split()[1]


def _pixels(path: Path, number: int, dpi: int) -> NDArray[Any]:
    with pypdfium2.PdfDocument(path) as pdf:
        pixels: NDArray[Any] = pdf[number - 1].render(scale=dpi / 72).to_numpy().copy()
    return pixels
