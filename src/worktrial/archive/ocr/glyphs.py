"""Glyphs of one page teach each other: what the engine mostly read for a shape decides what the shape is.

A page prints hundreds of figures with one typewriter or one font, so the same digit has nearly the same shape
in nearly the same place above the base line everywhere. An engine that reads each number by itself cannot use
that; here every figure's picture is collected with what the engine read there, a linear classifier is fitted
on the page, and every number is read again by it. Single misreadings are outvoted, because a shape's many
right readings outweigh them; a number never votes on itself (the classifier that reads it was fitted on the
others).
"""

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from worktrial.archive.ocr.image import Grey

SIGNS = "0123456789.-"
"""Classes; a comma counts as a point here, typography decides between them."""
JUNK = len(SIGNS)
"""The class of windows that are centred between two characters."""
FOLDS = 4
FEWEST = 5
"""Examples a class needs on the page to be taught."""
WIDE, TALL = 14, 22
"""Size of a glyph's picture."""

Floats = NDArray[np.float64]


class Item(NamedTuple):
    """A number-like piece of text as the engine read it."""

    crop: Grey
    text: str
    """In `SIGNS` only."""
    places: tuple[float, ...]
    """Centre of each character along the crop, 0-1."""
    sureness: tuple[float, ...]
    blobs: tuple[tuple[int, int, int, int], ...]
    """Connected components inside the crop: x0, y0, x1, y1."""
    line: float
    """Where the row's middle lies in the crop, in pixels from its top."""


class GlyphReading(NamedTuple):
    """A number as the page's glyphs read it."""

    text: str
    sureness: tuple[float, ...]
    """Per character, the probability that the classifier gives it."""
    rivals: tuple[tuple[tuple[str, float], ...], ...]
    """Per character, the other signs worth considering with their probabilities."""
    as_read: tuple[float, ...]
    """Per character of the engine's text, the classifier's probability for it at its place; empty when the
    places could not be matched."""


class Glyphs:
    """The fitted glyphs of one page."""

    def __init__(self, items: Sequence[Item], height: float) -> None:
        """Fit on a page.

        Args:
            items: All number-like pieces of the page.
            height: Typical height of a character in pixels.
        """
        self.items = list(items)
        self.height = height
        self.pitch = self._pitch()
        self.lines = np.array([item.line for item in items], dtype=np.float64)
        self.centres = [self._centres(item) for item in items]
        self._padded = [self._pad(item.crop) for item in items]
        for _ in range(2):
            self._align()
        self._fit()

    @property
    def usable(self) -> bool:
        """Whether the page holds enough figures to learn from."""
        return self._models is not None

    def read(self) -> list[GlyphReading | None]:
        """Read every item by the glyphs of the others; None where that is impossible."""
        if self._models is None:
            return [None] * len(self.items)
        return [self._decode(i) for i in range(len(self.items))]

    # ---- places -------------------------------------------------------------------------------------------

    def _pitch(self) -> float:
        """Distance between neighbouring digits, from numbers whose characters stand apart."""
        steps = []
        for item in self.items:
            boxes = sorted(item.blobs)
            if len(boxes) == len(item.text) > 1:
                for a, b, c, d in zip(boxes, boxes[1:], item.text, item.text[1:], strict=False):
                    if c.isdigit() and d.isdigit():
                        steps.append((b[0] + b[2] - a[0] - a[2]) / 2)
        return float(np.median(steps)) if len(steps) >= 5 else 0.68 * self.height

    def _centres(self, item: Item) -> Floats:
        """Centre of each character of the engine's reading along the crop, in pixels."""
        boxes = sorted(item.blobs)
        if len(boxes) == len(item.text):
            return np.array([(b[0] + b[2]) / 2 for b in boxes])
        rough = np.array(item.places) * item.crop.shape[1]
        if len(rough) < 2:
            ink = np.flatnonzero((item.crop < 150).any(axis=0))
            return np.array([(ink[0] + ink[-1] + 1) / 2]) if len(ink) else rough
        # Touching characters: evenly spaced between the outer edges, which are sharp.
        ink = np.flatnonzero((item.crop < 150).any(axis=0))
        if not len(ink):
            return rough
        start, end = ink[0] + self.pitch * 0.45, ink[-1] + 1 - self.pitch * 0.45
        even = np.linspace(start, end, len(rough))
        return even if abs((end - start) / (len(rough) - 1) - self.pitch) < 0.12 * self.pitch else rough

    # ---- pictures -----------------------------------------------------------------------------------------

    def _pad(self, crop: Grey) -> NDArray[np.float32]:
        edge = int(self.height * 1.6)
        return np.asarray(cv2.copyMakeBorder(255 - crop, edge, edge, edge, edge, cv2.BORDER_CONSTANT), np.float32)

    def _pictures(self, i: int, xs: Floats, line: float) -> Floats:
        """Pictures of item i around the given places: one row each, unit length."""
        edge = int(self.height * 1.6)
        wide, tall = self.pitch * 1.15, self.height * 1.75
        padded = self._padded[i]
        rows = np.linspace(line + edge - tall / 2, line + edge + tall / 2, TALL, endpoint=False)
        columns = xs[:, None] + edge + np.linspace(-wide / 2, wide / 2, WIDE, endpoint=False)[None, :]
        map_x = np.broadcast_to(columns[:, None, :], (len(xs), TALL, WIDE)).reshape(-1, WIDE)
        map_y = np.broadcast_to(rows[None, :, None], (len(xs), TALL, WIDE)).reshape(-1, WIDE)
        soft = cv2.GaussianBlur(padded, (0, 0), 0.9)
        seen = cv2.remap(soft, map_x.astype(np.float32), map_y.astype(np.float32), cv2.INTER_LINEAR)
        flat = seen.reshape(len(xs), TALL * WIDE).astype(np.float64)
        return np.asarray(flat / (np.linalg.norm(flat, axis=1, keepdims=True) + 60.0))

    # ---- learning -----------------------------------------------------------------------------------------

    def _align(self) -> None:
        """Move every number up or down, and its places sideways, to where it agrees best with the page's means."""
        means = self._means()
        moves = np.arange(-4, 5)
        for i, item in enumerate(self.items):
            known = [k for k, sign in enumerate(item.text) if SIGNS.index(sign) in means]
            if not known:
                continue
            want = np.stack([means[SIGNS.index(item.text[k])] for k in known])
            best, best_line, best_xs = -1.0, self.lines[i], self.centres[i][known]
            for dy in moves:
                agree = np.stack(
                    [(self._pictures(i, self.centres[i][known] + dx, self.lines[i] + dy) * want).sum(1) for dx in (-2, -1, 0, 1, 2)]
                )
                total = float(agree.max(axis=0).mean()) - 0.004 * abs(int(dy))
                if total > best:
                    best, best_line = total, self.lines[i] + dy
                    best_xs = self.centres[i][known] + agree.argmax(axis=0) - 2
            self.lines[i] = best_line
            self.centres[i][known] = best_xs

    def _means(self) -> dict[int, Floats]:
        groups: dict[int, list[Floats]] = {}
        for i, item in enumerate(self.items):
            pictures = self._pictures(i, self.centres[i], self.lines[i])
            for k, sign in enumerate(item.text):
                if item.sureness[k] > 0.5:
                    groups.setdefault(SIGNS.index(sign), []).append(pictures[k])
        means = {}
        for label, pictures_of in groups.items():
            if len(pictures_of) >= FEWEST:
                mean = np.median(np.stack(pictures_of), axis=0)
                means[label] = mean / (np.linalg.norm(mean) + 1e-9)
        return means

    def _fit(self) -> None:
        """Fit one classifier per fold, each without the numbers it will read."""
        pictures, labels, owners, weights = [], [], [], []
        for i, item in enumerate(self.items):
            seen = self._pictures(i, self.centres[i], self.lines[i])
            for k, sign in enumerate(item.text):
                pictures.append(seen[k])
                labels.append(SIGNS.index(sign))
                owners.append(i)
                weights.append(item.sureness[k] ** 2)
            if len(item.text) > 1:
                between = (self.centres[i][1:] + self.centres[i][:-1]) / 2
                pictures += list(self._pictures(i, between, self.lines[i]))
                labels += [JUNK] * len(between)
                owners += [i] * len(between)
                weights += [0.5] * len(between)
        self._models: list[_Linear] | None = None
        if not pictures:
            return
        x, y = np.stack(pictures), np.array(labels)
        own, w = np.array(owners) % FOLDS, np.array(weights)
        digits = [label for label in range(10) if int((y == label).sum()) >= FEWEST]
        if len(digits) < 5:
            return
        # Labels that the other folds contradict firmly are left out of the second fit.
        for _ in range(2):
            models = [_Linear(x[own != fold], y[own != fold], w[own != fold]) for fold in range(FOLDS)]
            for fold in range(FOLDS):
                mine = own == fold
                odds = models[fold].probabilities(x[mine])
                held = odds[np.arange(int(mine.sum())), y[mine]]
                w[mine] = np.where((held < 0.1) & (odds.max(axis=1) > 0.8), 0.0, w[mine])
        self._models = models

    # ---- reading ------------------------------------------------------------------------------------------

    def _decode(self, i: int) -> GlyphReading | None:
        """The best sequence of characters at places about a pitch apart."""
        item, models = self.items[i], self._models
        assert models is not None
        ink = np.flatnonzero((item.crop < 150).any(axis=0))
        if not len(ink):
            return None
        model = models[i % FOLDS]
        left, right = float(ink[0]), float(ink[-1] + 1)
        xs = np.arange(left, right, 1.0)
        odds = np.log(model.probabilities(self._pictures(i, xs, self.lines[i])) + 1e-6)
        best = odds[:, :JUNK].max(axis=1)
        pitch = self.pitch
        # Dynamic program over places; a step differs from the pitch only a little, at points a little more.
        worth = np.full(len(xs), -np.inf)
        back = np.full(len(xs), -1)
        is_point = odds[:, :JUNK].argmax(axis=1) == SIGNS.index(".")
        edge = 0.5 * pitch
        worth = best - 4 * np.square(np.maximum(np.abs(xs - left - edge * 0.9) - 0.12 * pitch, 0) / (0.2 * pitch))
        low, high = int(0.5 * pitch), int(1.35 * pitch) + 1
        for x in range(len(xs)):
            for step in range(low, min(high, x) + 1):
                before = x - step
                loose = 0.3 if is_point[x] or is_point[before] else 0.12
                value = worth[before] + best[x] - 0.5 * ((step / pitch - 1) / loose) ** 2
                if value > worth[x]:
                    worth[x], back[x] = value, before
        # The bonus per character makes sequences of different length comparable: every place costs something.
        ending = worth - 4 * np.square(np.maximum(np.abs(right - xs - edge * 0.9) - 0.12 * pitch, 0) / (0.2 * pitch))
        at = int(ending.argmax())
        places = []
        while at >= 0:
            places.append(at)
            at = int(back[at])
        places.reverse()
        sharp = np.exp(odds[places])
        text = "".join(SIGNS[int(p[:JUNK].argmax())] for p in sharp)
        rivals = tuple(
            tuple((SIGNS[c], float(p[c])) for c in np.argsort(-p[:JUNK])[:3] if p[c] > 0.01) for p in sharp
        )
        own = model.probabilities(self._pictures(i, self.centres[i], self.lines[i])) if len(item.text) else None
        as_read = () if own is None else tuple(float(own[k, SIGNS.index(s)]) for k, s in enumerate(item.text))
        return GlyphReading(text, tuple(float(p[:JUNK].max()) for p in sharp), rivals, as_read)


class _Linear:
    """Linear discriminants on principal components, with a shrunken common covariance."""

    def __init__(self, x: Floats, y: NDArray[np.int_], w: Floats) -> None:
        keep = w > 0
        x, y, w = x[keep], y[keep], w[keep]
        self.mean = np.average(x, axis=0, weights=w)
        _, _, axes = np.linalg.svd((x - self.mean) * np.sqrt(w)[:, None], full_matrices=False)
        self.axes = axes[: min(48, len(x) // 8)].T
        z = (x - self.mean) @ self.axes
        centres = np.zeros((JUNK + 1, z.shape[1]))
        self.known = np.zeros(JUNK + 1, bool)
        spread = np.zeros((z.shape[1], z.shape[1]))
        for label in range(JUNK + 1):
            mine = y == label
            if int(mine.sum()) < FEWEST - 1:
                continue
            self.known[label] = True
            centres[label] = np.average(z[mine], axis=0, weights=w[mine])
            off = z[mine] - centres[label]
            spread += (off * w[mine][:, None]).T @ off
        spread /= w.sum()
        spread = 0.85 * spread + 0.15 * np.eye(len(spread)) * np.trace(spread) / len(spread)
        solved = np.linalg.solve(spread, centres.T)
        self.weights = solved
        self.bias = -0.5 * (centres.T * solved).sum(axis=0)

    def probabilities(self, x: Floats) -> Floats:
        """Per picture, the probability of each class; equal priors, softened."""
        score = ((x - self.mean) @ self.axes) @ self.weights + self.bias
        score = np.where(self.known, score, -np.inf) * 0.5
        score -= score.max(axis=1, keepdims=True)
        raw = np.exp(score)
        return np.asarray(raw / raw.sum(axis=1, keepdims=True))
