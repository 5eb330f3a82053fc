"""Glyphs of one page teach each other: what the engine mostly read for a shape decides what the shape is.

A page prints hundreds of figures with one typewriter or one font, so the same digit has nearly the same shape
in nearly the same place above the base line everywhere. An engine that reads each number by itself cannot use
that. Here every figure's picture is collected with what the engine read there, a classifier is fitted on the
page, and every number is read again by it. Single misreadings are outvoted by the many right readings of the
same shape; a number has no vote on itself (the classifier that reads it was fitted on the others).
"""

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from worktrial.archive.ocr.image import INK, Grey

Floats = NDArray[np.float32]
Ints = NDArray[np.int_]

FEWEST_EXAMPLES = 4
"""Examples that a class needs."""
SHRINK = 0.25
"""Share of the common covariance that is replaced by a sphere: there are few examples per pixel."""

SIGNS = "0123456789.-"
"""Classes. A comma counts as a point: the two differ by less than ribbon and paper do; typography decides."""
JUNK = len(SIGNS)
"""The class of windows centred between two characters."""
FOLDS = 4
FEWEST_DIGITS = 5
"""Number of digits, and examples of each, that must be known; on a page with fewer nothing is learned."""
REACH = 4
"""Pixels by which a line, and half of which a character, may be moved to its right place."""


class Shapes:
    """Tells classes of pictures apart."""

    def __init__(self, pictures: Floats, labels: Ints, weights: Floats, classes: int) -> None:
        """Fit.

        Args:
            pictures: One flat picture a row.
            labels: Class of each, 0 to `classes` - 1.
            weights: How much each counts; 0 leaves one out.
            classes: How many classes there are; those with too few examples are never answered.
        """
        keep = weights > 0
        x, y, w = pictures[keep], labels[keep], weights[keep]
        size = pictures.shape[1]
        self.known = np.zeros(classes, bool)
        self._centres = np.zeros((classes, size), np.float32)
        spread = np.zeros((size, size), np.float32)
        for label in range(classes):
            mine = y == label
            if int(mine.sum()) < FEWEST_EXAMPLES:
                continue
            self.known[label] = True
            self._centres[label] = np.average(x[mine], axis=0, weights=w[mine])
            off = (x[mine] - self._centres[label]) * np.sqrt(w[mine])[:, None]
            spread += off.T @ off
        spread /= max(float(w.sum()), 1e-9)
        level = float(np.trace(spread)) / size + 1e-9
        spread = (1 - SHRINK) * spread + SHRINK * level * np.eye(size, dtype=np.float32)
        self._weights = np.linalg.solve(spread, self._centres.T).astype(np.float32)
        self._bias = -0.5 * (self._centres.T * self._weights).sum(axis=0)
        self.softness = 1.0

    def scores(self, pictures: Floats) -> Floats:
        """Log-odds before softening, -inf for classes that were not learnt."""
        raw = pictures @ self._weights + self._bias
        return np.where(self.known, raw, np.float32(-np.inf))

    def log_odds(self, pictures: Floats) -> Floats:
        """Log-probability of each class per picture."""
        return log_softmax(self.scores(pictures) * np.float32(self.softness))


def log_softmax(scores: Floats) -> Floats:
    """Rows of log-probabilities."""
    top = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(top - np.log(np.exp(top).sum(axis=1, keepdims=True)), dtype=np.float32)


def best_softness(scores: list[Floats], labels: list[Ints], weights: list[Floats]) -> float:
    """The factor under which held-out labels are likeliest: raw discriminants are far too sure."""
    best, best_loss = 0.05, np.inf
    for factor in (0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.3, 0.45, 0.7, 1.0):
        loss = 0.0
        for score, label, weight in zip(scores, labels, weights, strict=True):
            odds = log_softmax(score * np.float32(factor))[np.arange(len(label)), label]
            # A wrong label costs a bounded amount, or a few of them would blur everything.
            loss -= float((np.maximum(odds, -6.0) * weight).sum())
        if loss < best_loss:
            best, best_loss = factor, loss
    return best


class NumberPiece(NamedTuple):
    """A number-like piece of text as the engine read it."""

    crop: Grey
    text: str
    """The text in characters of `SIGNS` only."""
    places: tuple[float, ...]
    """Centre of each character along the crop in pixels, as the engine has it."""
    sureness: tuple[float, ...]
    blobs: tuple[tuple[int, int, int, int], ...]
    """Connected components inside the crop: x0, y0, x1, y1."""
    line: float
    """Middle of the row in the crop, in pixels from its top."""


class Glyphs:
    """The pictures of one page's figures and what they mean."""

    def __init__(self, items: Sequence[NumberPiece], height: float) -> None:
        """Learn from a page.

        Args:
            items: All number-like pieces of the page.
            height: Typical height of a character in pixels.
        """
        self.items = list(items)
        self.pitch = _pitch(self.items, height)
        self._wide = 2 * round(self.pitch * 1.15 / 2)
        self._tall = 2 * round(height * 1.75 / 2)
        self._edge = self._tall
        self._soft = [_padded(item.crop, self._edge) for item in self.items]
        self.lines = np.array([round(item.line) for item in self.items], dtype=np.int_)
        self.centres = [_centres(item, self.pitch) for item in self.items]
        self._models: list[Shapes] = []
        self._fronts = np.full(len(SIGNS), self.pitch * 0.45)
        if self.items:
            for _ in range(3):
                self._align()
            self._learn()
            self._measure_edges()

    @property
    def usable(self) -> bool:
        """Whether the page holds enough figures to learn from."""
        return bool(self._models)

    def odds(self, i: int) -> Floats:
        """Log-probability of each class at every pixel along item `i` (columns of its crop x classes)."""
        windows = self._windows(i, np.arange(self.items[i].crop.shape[1]))
        return self._models[i % FOLDS].log_odds(_features(windows))

    @property
    def fronts(self) -> NDArray[np.float64]:
        """Per sign, the usual distance from the edge of its ink to its centre, in pixels."""
        return self._fronts

    def _windows(self, i: int, xs: NDArray[np.int_], slack: tuple[int, int] = (0, 0)) -> Floats:
        """Pictures around places along item i, with `slack` (down, across) pixels more on each side."""
        high, wide = self._tall + 2 * slack[0], self._wide + 2 * slack[1]
        top = int(self.lines[i]) + self._edge - high // 2
        soft = self._soft[i]
        top = min(max(top, 0), soft.shape[0] - high)
        band = sliding_window_view(soft[top : top + high], (high, wide))[0]
        starts = np.clip(xs + self._edge - wide // 2, 0, len(band) - 1)
        return np.asarray(band[starts])

    def _align(self) -> None:
        """Move every number up or down, and its characters sideways, to where the page's means fit best."""
        owners = np.repeat(np.arange(len(self.items)), [len(c) for c in self.centres])
        labels = np.array([SIGNS.index(s) for item in self.items for s in item.text])
        sure = np.array([p for item in self.items for p in item.sureness])
        across = REACH // 2
        places = [np.rint(centres).astype(np.int_) for centres in self.centres]
        wide = np.concatenate([self._windows(i, xs, (REACH, across)) for i, xs in enumerate(places)])
        inner = wide[:, REACH:-REACH, across:-across]
        means = np.zeros((len(SIGNS), self._tall, self._wide), np.float32)
        for label in range(len(SIGNS)):
            mine = (labels == label) & (sure > 0.5)
            if mine.any():
                mean = np.median(inner[mine], axis=0)
                means[label] = mean / (np.linalg.norm(mean) + 1e-6)
        fit = np.empty((2 * REACH + 1, 2 * across + 1, len(labels)), np.float32)
        for dy in range(2 * REACH + 1):
            for dx in range(2 * across + 1):
                part = wide[:, dy : dy + self._tall, dx : dx + self._wide]
                length = np.sqrt(np.einsum("nij,nij->n", part, part)) + 60
                fit[dy, dx] = np.einsum("nij,nij->n", part, means[labels]) / length
        best_across = fit.max(axis=1)
        per_item = np.stack([np.bincount(owners, weights=row, minlength=len(self.items)) for row in best_across])
        move = per_item.argmax(axis=0) - REACH
        self.lines = self.lines + move
        shift = fit[move[owners] + REACH, :, np.arange(len(labels))].argmax(axis=1) - across
        start = 0
        for i, centres in enumerate(self.centres):
            self.centres[i] = np.rint(centres) + shift[start : start + len(centres)]
            start += len(centres)

    def _learn(self) -> None:
        """Fit one classifier per fold, each without the numbers that it will read."""
        pictures, labels, owners, weights = [], [], [], []
        for i, item in enumerate(self.items):
            xs = np.rint(self.centres[i]).astype(np.int_)
            between = ((xs[1:] + xs[:-1]) / 2).astype(np.int_)
            pictures.append(self._windows(i, np.concatenate([xs, between])))
            labels += [SIGNS.index(sign) for sign in item.text] + [JUNK] * len(between)
            owners += [i] * (len(xs) + len(between))
            weights += [sure**2 for sure in item.sureness] + [0.5] * len(between)
        x, y = _features(np.concatenate(pictures)), np.array(labels)
        own, w = np.array(owners) % FOLDS, np.array(weights, dtype=np.float32)
        if sum(int((y == digit).sum()) >= FEWEST_DIGITS for digit in range(10)) < FEWEST_DIGITS:
            return
        for last in (False, True):
            models = [Shapes(x[own != fold], y[own != fold], w[own != fold], JUNK + 1) for fold in range(FOLDS)]
            held = [(models[f].scores(x[own == f]), y[own == f], w[own == f]) for f in range(FOLDS)]
            known = [models[f].known[y[own == f]] for f in range(FOLDS)]
            softness = best_softness(
                [s[k] for (s, _, _), k in zip(held, known, strict=True)],
                [t[k] for (_, t, _), k in zip(held, known, strict=True)],
                [v[k] for (_, _, v), k in zip(held, known, strict=True)],
            )
            for model in models:
                model.softness = softness
            if last:
                break
            # A label that the other numbers' shapes contradict firmly was misread; it must not teach.
            for fold in range(FOLDS):
                mine = np.flatnonzero(own == fold)
                odds = models[fold].log_odds(x[mine])
                own_odds = odds[np.arange(len(mine)), y[mine]]
                w[mine[(own_odds < np.log(0.1)) & (odds.max(axis=1) > np.log(0.6))]] = 0
        self._models = models

    def _measure_edges(self) -> None:
        """Measure how far each sign's centre is from the edges of its ink: a 1 is narrower than a 0."""
        seen: list[list[float]] = [[] for _ in SIGNS]
        for i, item in enumerate(self.items):
            ink = np.flatnonzero((item.crop < INK).any(axis=0))
            if len(ink):
                seen[SIGNS.index(item.text[0])].append(float(self.centres[i][0] - ink[0]))
                seen[SIGNS.index(item.text[-1])].append(float(ink[-1] + 1 - self.centres[i][-1]))
        for k, distances in enumerate(seen):
            if len(distances) >= FEWEST_DIGITS:
                self._fronts[k] = float(np.median(distances))


def _pitch(items: Sequence[NumberPiece], height: float) -> float:
    """Distance between neighbouring digits, from numbers whose characters stand apart."""
    steps = []
    for item in items:
        boxes = sorted(item.blobs)
        if len(boxes) == len(item.text) > 1:
            for a, b, c, d in zip(boxes, boxes[1:], item.text, item.text[1:], strict=False):
                if c.isdigit() and d.isdigit():
                    steps.append((b[0] + b[2] - a[0] - a[2]) / 2)
    usual = 0.7 * height
    measured = float(np.median(steps)) if len(steps) >= FEWEST_DIGITS else usual
    # Specks and the writing of sheets bound sideways pass for figures that stand on top of each other.
    return measured if 0.5 * usual <= measured <= 2 * usual else usual


def _centres(item: NumberPiece, pitch: float) -> NDArray[np.float64]:
    """Centre of each character of the engine's reading along the crop, in pixels."""
    boxes = sorted(item.blobs)
    if len(boxes) == len(item.text):
        return np.array([(b[0] + b[2]) / 2 for b in boxes])
    rough = np.array(item.places, dtype=np.float64)
    ink = np.flatnonzero((item.crop < INK).any(axis=0))
    if len(ink) and len(rough) > 1:
        # Touching characters: evenly spaced between the outer edges, which are sharp.
        start, end = ink[0] + pitch * 0.45, ink[-1] + 1 - pitch * 0.45
        if abs((end - start) / (len(rough) - 1) - pitch) < 0.12 * pitch:
            return np.linspace(start, end, len(rough))
    return rough


def _padded(crop: Grey, edge: int) -> Floats:
    ink = cv2.copyMakeBorder(np.asarray(255 - crop, np.uint8), edge, edge, edge, edge, cv2.BORDER_CONSTANT, value=0)
    return np.asarray(cv2.GaussianBlur(ink.astype(np.float32), (0, 0), 1.0), dtype=np.float32)


def _features(windows: Floats) -> Floats:
    """Pictures at half size, as flat rows of nearly the same length."""
    n, high, wide = windows.shape
    half = windows[:, : high // 2 * 2, : wide // 2 * 2].reshape(n, high // 2, 2, wide // 2, 2).mean(axis=(2, 4))
    flat = half.reshape(n, -1)
    # The constant keeps a nearly empty window from being blown up into a picture.
    return np.asarray(flat / (np.linalg.norm(flat, axis=1, keepdims=True) + 150), dtype=np.float32)
