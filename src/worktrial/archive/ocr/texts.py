"""Lines of text chosen among what several witnesses read: the engine twice, and tesseract.

The engine looks at a crop as it is and softened (compressed scans have edges that are too hard). Proposals are
whole lines, then single words of tesseract's; what counts is how likely the engine's network output makes a
proposal, with some credit for a word that tesseract is sure of, because it knows words.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from worktrial.archive.ocr.ctc import log_likelihood
from worktrial.archive.ocr.engine import Engine, Reading
from worktrial.archive.ocr.image import Grey
from worktrial.archive.ocr.tesseract import Opinion

Posteriors = tuple[NDArray[np.float32], ...]
"""One per view of the same crop."""
CREDIT = 7.0
"""Log-likelihood that tesseract's full sureness of a word outweighs: about two characters the engine doubts."""


def views(crop: Grey, height: float) -> tuple[Grey, Grey]:
    """A crop as it is, and softened by a sixteenth of a character's height."""
    return crop, np.asarray(cv2.GaussianBlur(crop, (0, 0), max(0.06 * height, 0.5)), dtype=np.uint8)


def choose(engine: Engine, posteriors: Posteriors, opinion: Opinion | None) -> Reading:
    """The likeliest reading of one line."""
    readings = [engine.decode(p) for p in posteriors]
    texts = list(dict.fromkeys(r.text for r in readings if r.text.strip()))
    if not texts:
        return readings[0]
    scored = [(_heard(engine, posteriors, text), text) for text in texts] if len(texts) > 1 else [(0.0, texts[0])]
    best = max(scored)[1]
    reading = next(r for r in readings if r.text == best)
    if opinion is None:
        return reading
    return _with_words(engine, posteriors, reading, opinion)


def _with_words(engine: Engine, posteriors: Posteriors, reading: Reading, opinion: Opinion) -> Reading:
    """Take over words from tesseract where the two see the same number of words."""
    words = reading.text.split()
    if len(words) != len(opinion.words):
        joined = "".join(words)
        if len(words) > 1 or joined != "".join(opinion.words):
            return reading
    if words == list(opinion.words):
        # Two engines that agree: the least sure character is surer than either says.
        return reading._replace(confidence=1 - (1 - reading.confidence) * 0.3)
    current = _heard(engine, posteriors, " ".join(words))
    changed = False
    for k, (word, other, sure) in enumerate(zip(words, opinion.words, opinion.sureness, strict=False)):
        figures = any(c.isdigit() for c in word + other) and not any(c.isalpha() for c in word)
        if word == other or figures:
            continue
        trial = [*words[:k], other, *words[k + 1 :]]
        heard = _heard(engine, posteriors, " ".join(trial))
        if heard + CREDIT * sure > current:
            words, current, changed = trial, heard, True
    if not changed:
        return reading
    text = " ".join(words)
    if len(text) != len(reading.text):
        spread = np.interp(np.linspace(0, 1, len(text)), np.linspace(0, 1, len(reading.text)), reading.places)
        return Reading(text, reading.confidence, tuple(float(p) for p in spread), (reading.confidence,) * len(text))
    return Reading(text, reading.confidence, reading.places, reading.sureness)


def _heard(engine: Engine, posteriors: Posteriors, text: str) -> float:
    classes = engine.classes(text)
    return float(np.mean([log_likelihood(p, classes) for p in posteriors])) if classes else -np.inf
