"""Lines of text chosen among what several witnesses read: the engine twice, and tesseract where it is installed.

The engine looks at a crop as it is and, where that leaves a doubt, softened (compressed scans have edges that
are too hard). Proposals are whole lines, then single words of tesseract's; what counts is how likely the engine's
network output makes a proposal, with some credit for a word that tesseract is sure of, because it knows words.
Without tesseract words are read by one engine alone; that is less certain, not an error.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from worktrial.archive.ocr.engine import CropReading, Engine
from worktrial.archive.ocr.image import Grey
from worktrial.sandbox.child import usual_environment

FLOOR = 1e-5
"""The least probability of a sign at a step: the network's zeros are not to be believed."""

WIDEST = 2600
"""Pixels; a sheet is no wider, long lines are scaled down to it."""

Posteriors = tuple[NDArray[np.float32], ...]
"""One per view of the same crop: as it is, and softened."""
CREDIT = 7.0
"""Log-likelihood that tesseract's full sureness of a word outweighs: about two characters the engine doubts."""


def log_likelihoods(posterior: NDArray[np.float32], texts: Sequence[Sequence[Sequence[int]]]) -> list[float]:
    """Log-probability of each text, summed over all ways to spread it along the steps.

    Args:
        posterior: Steps x classes, class 0 is the empty one.
        texts: Of each its characters; per character, the classes that count as this character.
    """
    logs: dict[tuple[int, ...], NDArray[np.float32]] = {(0,): np.log(np.maximum(posterior[:, 0], FLOOR))}
    keys = [[tuple(c) for c in text] for text in texts]
    for key in {key for text in keys for key in text} - logs.keys():
        logs[key] = np.log(np.maximum(posterior[:, list(key)].sum(axis=1), FLOOR))
    found = [0.0] * len(texts)
    # Texts of one length go along the steps together.
    for n in dict.fromkeys(map(len, keys)):
        mine = [k for k, text in enumerate(keys) if len(text) == n]
        for k, value in zip(mine, _summed(logs, [keys[k] for k in mine]), strict=True):
            found[k] = float(value)
    return found


def mean_log_likelihoods(posteriors: Posteriors, texts: Sequence[Sequence[Sequence[int]]]) -> list[float]:
    """Mean log-probability of each text over the views of its crop."""
    return np.mean([log_likelihoods(p, texts) for p in posteriors], axis=0).tolist() if texts else []


def _summed(
    logs: Mapping[tuple[int, ...], NDArray[np.float32]], texts: Sequence[Sequence[tuple[int, ...]]]
) -> NDArray[np.float64]:
    """Log-probabilities of texts of one length, by the logarithms of each character's probability at each step."""
    blank, n = logs[0,], len(texts[0])
    # States: blank, first, blank, second, ... blank; what each step is worth in each of them.
    worth = np.empty((len(blank), len(texts), 2 * n + 1))
    worth[:, :, 0::2] = blank[:, None, None]
    for k, text in enumerate(texts):
        for i, key in enumerate(text):
            worth[:, k, 2 * i + 1] = logs[key]
    # Nothing stands before the first state, which spares a case.
    padded = np.full((len(texts), 2 * n + 3), -np.inf)
    state, one, two = padded[:, 2:], padded[:, 1:-1], padded[:, 1:-2:2]
    state[:, :2] = worth[0, :, :2]
    # From a sign to the next one without a blank between them, unless they are the same.
    jump = np.zeros((len(texts), n))
    for k, text in enumerate(texts):
        jump[k, [i for i in range(1, n) if set(text[i]) == set(text[i - 1])]] = -np.inf
    for step in worth[1:]:
        leap = two + jump
        new = np.logaddexp(state, one)
        new[:, 1::2] = np.logaddexp(new[:, 1::2], leap)
        state[:] = new + step
    return np.asarray(np.logaddexp(state[:, -1], state[:, -2]))


class Opinion(NamedTuple):
    """Words that tesseract read in one crop."""

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
            env={**usual_environment("TESSDATA_PREFIX"), "OMP_THREAD_LIMIT": "1"},
        )

    def opinions(self) -> list[Opinion | None]:
        """Wait, and give one opinion per crop; all None where tesseract is missing or failed.

        However slow it is: a reading must not depend on that. One that hangs ends with its page.
        """
        nothing: list[Opinion | None] = [None] * self._count
        if self._process is None or self._folder is None:
            return nothing
        try:
            self._process.wait()
            table = Path(self._folder.name) / "sheet.tsv"
            if self._process.returncode or not table.exists():
                return nothing
            return self._parsed(table.read_text("utf-8"))
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


@lru_cache(maxsize=1)
def tesseract_version() -> str | None:
    """Version of the `tesseract` command; None where there is none or it says nothing."""
    if not is_installed():
        return None
    words = ["tesseract", "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=usual_environment())
    lines = (done.stdout or done.stderr).splitlines()
    return lines[0].removeprefix("tesseract").strip() if lines else None


def softened(crop: Grey, height: float) -> Grey:
    """A crop, softened by a sixteenth of a character's height."""
    return np.asarray(cv2.GaussianBlur(crop, (0, 0), max(0.06 * height, 0.5)), dtype=np.uint8)


def choose(engine: Engine, posteriors: Posteriors, opinion: Opinion | None) -> CropReading:
    """The likeliest reading of one line."""
    readings = [engine.decode(p) for p in posteriors]
    texts = list(dict.fromkeys(r.text for r in readings if r.text.strip()))
    if not texts:
        return readings[0]
    best = max(zip(_heard(engine, posteriors, texts), texts, strict=True))[1] if len(texts) > 1 else texts[0]
    reading = next(r for r in readings if r.text == best)
    if opinion is None:
        return reading
    return _with_words(engine, posteriors, reading, opinion)


def _with_words(engine: Engine, posteriors: Posteriors, reading: CropReading, opinion: Opinion) -> CropReading:
    """Take over words from tesseract where the two see the same number of words."""
    words = reading.text.split()
    if len(words) != len(opinion.words):
        joined = "".join(words)
        if len(words) > 1 or joined != "".join(opinion.words):
            return reading
    if words == list(opinion.words):
        # Two engines that agree: the least sure character is surer than either says.
        return reading._replace(confidence=1 - (1 - reading.confidence) * 0.3)
    (current,) = _heard(engine, posteriors, [" ".join(words)])
    changed = False
    for k, (word, other, sure) in enumerate(zip(words, opinion.words, opinion.sureness, strict=False)):
        figures = any(c.isdigit() for c in word + other) and not any(c.isalpha() for c in word)
        if word == other or figures:
            continue
        trial = [*words[:k], other, *words[k + 1 :]]
        (likely,) = _heard(engine, posteriors, [" ".join(trial)])
        if likely + CREDIT * sure > current:
            words, current, changed = trial, likely, True
    if not changed:
        return reading
    text = " ".join(words)
    if len(text) != len(reading.text):
        spread = np.interp(np.linspace(0, 1, len(text)), np.linspace(0, 1, len(reading.text)), reading.places)
        return CropReading(
            text, reading.confidence, tuple(float(p) for p in spread), (reading.confidence,) * len(text)
        )
    return CropReading(text, reading.confidence, reading.places, reading.sureness)


def _heard(engine: Engine, posteriors: Posteriors, texts: Sequence[str]) -> list[float]:
    """Mean log-likelihood of each text, -inf where the engine lacks one of its characters."""
    classes = [engine.classes(text) for text in texts]
    known = [told for told in classes if told]
    means = iter(mean_log_likelihoods(posteriors, known))
    return [next(means) if told else -np.inf for told in classes]
