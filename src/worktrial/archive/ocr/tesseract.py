"""Tesseract as a second opinion, where it is installed: one sheet of crops, one line each.

It reads broken figures worse than the neural engine but running words better, since it knows words. Without it
words are read by one engine alone; that is less certain, not an error.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from worktrial.archive.ocr.image import Grey

WIDEST = 2600
"""Pixels; a sheet is no wider, long lines are scaled down to it."""
PATIENCE = 120.0
"""Seconds after which a hanging process is given up."""


class Opinion(NamedTuple):
    """What tesseract read in one crop."""

    words: tuple[str, ...]
    sureness: tuple[float, ...]
    """Per word, 0-1."""


class Sheet:
    """Crops being read in the background."""

    def __init__(self, crops: Sequence[Grey], scale: float) -> None:
        """Start reading.

        Args:
            crops: Grey images of one line each.
            scale: Their pixels per point.
        """
        self._count = len(crops)
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if not crops or not is_installed():
            return
        tallest = int(np.percentile([crop.shape[0] for crop in crops], 95))
        self._pitch = 2 * tallest
        wide = min(max(crop.shape[1] for crop in crops), WIDEST)
        sheet = np.full((self._pitch * len(crops) + tallest, wide + 60), 255, np.uint8)
        for i, crop in enumerate(crops):
            shrink = min(1.0, wide / crop.shape[1], 1.6 * tallest / crop.shape[0])
            small = crop
            if shrink < 1.0:
                small = np.asarray(
                    cv2.resize(crop, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8
                )
            top = i * self._pitch + tallest // 2
            sheet[top : top + small.shape[0], 30 : 30 + small.shape[1]] = small
        self._folder = tempfile.TemporaryDirectory(prefix="worktrial-ocr-")
        path = Path(self._folder.name) / "sheet.png"
        cv2.imwrite(str(path), sheet, [cv2.IMWRITE_PNG_COMPRESSION, 1])
        options = ["--psm", "6", "--dpi", str(round(scale * 72)), "tsv"]
        command = ["tesseract", str(path), str(path.with_suffix("")), *options]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        )

    def opinions(self) -> list[Opinion | None]:
        """Wait, and give one opinion per crop; all None where tesseract is missing or failed."""
        nothing: list[Opinion | None] = [None] * self._count
        if self._process is None or self._folder is None:
            return nothing
        try:
            self._process.wait(PATIENCE)
            table = Path(self._folder.name) / "sheet.tsv"
            if self._process.returncode or not table.exists():
                return nothing
            return self._parsed(table.read_text("utf-8"))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return nothing
        finally:
            self._folder.cleanup()

    def _parsed(self, table: str) -> list[Opinion | None]:
        words: list[list[tuple[int, str, float]]] = [[] for _ in range(self._count)]
        for row in table.splitlines()[1:]:
            cells = row.split("\t")
            if len(cells) < 12 or cells[0] != "5" or not cells[11].strip():
                continue
            left, top, high = int(cells[6]), int(cells[7]), int(cells[9])
            line = int((top + high / 2) // self._pitch)
            if 0 <= line < self._count:
                words[line].append((left, cells[11].strip(), max(float(cells[10]), 0) / 100))
        opinions: list[Opinion | None] = []
        for line_words in words:
            line_words.sort()
            texts, sureness = tuple(w for _, w, _ in line_words), tuple(s for _, _, s in line_words)
            opinions.append(Opinion(texts, sureness) if texts else None)
        return opinions


@lru_cache(maxsize=1)
def is_installed() -> bool:
    """Whether the `tesseract` command is there."""
    return shutil.which("tesseract") is not None
