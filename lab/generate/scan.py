"""Making a clean page look as if it had been printed, kept for decades and scanned."""

from functools import cache

import cv2
import numpy as np
import numpy.typing as npt

from lab.generate.setting.marks import Sheet, Text

Grey = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

MOST_SKEW = 1.5
"""Degrees."""
_TILE = 1024
_CONFUSED = {
    "0": "O", "1": "l", "2": "z", "3": "8", "5": "S", "6": "b", "8": "B", "9": "g", "a": "o", "c": "e", "e": "c",
    "i": "l", "l": "1", "m": "rn", "n": "u", "o": "0", "r": "t", "t": "f", "u": "ii", ",": ".", "-": "~",
}  # fmt: skip


def dots_per_inch(dice: np.random.Generator) -> int:
    """Resolution of the scans of one issue, in dots per inch."""
    return int(dice.integers(150, 201))


def degraded(image: Grey, dice: np.random.Generator) -> bytes:
    """A grey JPEG: faded uneven paper, skew, blur, noise, specks."""
    height, width = image.shape
    paper, ink = dice.uniform(222, 244), dice.uniform(20, 75)
    shade = dice.uniform(-14, 10, (4, 3)).astype(np.float32)
    background = cv2.resize(shade, (width, height), interpolation=cv2.INTER_CUBIC) + np.float32(paper)
    cover: Floats = np.float32(1) - image.astype(np.float32) / np.float32(255)
    angle = float(dice.uniform(-MOST_SKEW, MOST_SKEW))
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
    turned = cv2.warpAffine(cover, turn, (width, height), flags=cv2.INTER_LINEAR, borderValue=0.0)
    blurred = cv2.GaussianBlur(turned, (0, 0), float(dice.uniform(0.45, 0.85)))
    grey: Floats = background - blurred * (background - np.float32(ink)) + _noise(height, width, dice)
    specks = int(dice.poisson(8))
    for x, y in zip(dice.integers(0, width, specks), dice.integers(0, height, specks), strict=True):
        cv2.circle(grey, (int(x), int(y)), int(dice.integers(1, 3)), float(ink + 60), -1)
    quality = int(dice.integers(48, 72))
    done, jpeg = cv2.imencode(".jpg", np.clip(grey, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, quality])
    assert done
    return jpeg.tobytes()


def misread(sheet: Sheet, dice: np.random.Generator) -> Sheet:
    """The text layer of a poor recogniser: letters and digits confused, words lost."""
    texts = [mark for mark in sheet.marks if isinstance(mark, Text)]
    wrong = (_misread(mark, dice) for mark in texts if dice.random() > 0.06)
    return sheet._replace(marks=tuple(wrong))


def without_text(sheet: Sheet) -> Sheet:
    """A sheet of the same size with nothing on it."""
    return sheet._replace(marks=())


def _misread(mark: Text, dice: np.random.Generator) -> Text:
    chances = dice.random(len(mark.text))
    return mark._replace(
        text="".join(_CONFUSED.get(c, c) if p < 0.3 else c for c, p in zip(mark.text, chances, strict=True))
    )


def _noise(height: int, width: int, dice: np.random.Generator) -> Floats:
    """Grain of the paper: one made tile, laid at another place on each page."""
    across, down = -(-width // _TILE), -(-height // _TILE)
    tile = np.roll(_tile(), (int(dice.integers(_TILE)), int(dice.integers(_TILE))), (0, 1))
    grain = np.tile(tile, (down, across))[:height, :width]
    return grain * np.float32(dice.uniform(4, 9))


@cache
def _tile() -> Floats:
    noise = np.random.Generator(np.random.PCG64(1)).normal(0, 1, (_TILE, _TILE)).astype(np.float32)
    return noise * np.float32(0.7) + cv2.GaussianBlur(noise, (0, 0), 1.2) * np.float32(1.2)
