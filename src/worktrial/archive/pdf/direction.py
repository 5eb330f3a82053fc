"""Pages whose writing runs up or down the sheet, such as wide tables bound sideways."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from worktrial.archive.geometry import Box
from worktrial.archive.pdf.characters import Characters
from worktrial.archive.words import Rule

_SAMPLES = 60


def writing_direction(characters: Characters, page_rotation: int) -> int:
    """In which direction most of the text runs as displayed: 0, 90, 180 or 270 degrees, counter-clockwise."""
    inked = characters.inked
    if not len(inked):
        return 0
    sample = inked[:: max(1, len(inked) // _SAMPLES)]
    angles = [direction_of(characters, index, page_rotation) for index in sample.tolist()]
    return max((0, 90, 180, 270), key=angles.count)


def direction_of(characters: Characters, index: int, page_rotation: int) -> int:
    """The same of one character."""
    return round((characters.sources.angle(index) - page_rotation) / 90) * 90 % 360


def turn_boxes(boxes: NDArray[np.float64], direction: int, width: float, height: float) -> NDArray[np.float64]:
    """Where boxes (left, top, right, bottom) stand once the page is turned so that its writing is upright.

    Args:
        boxes: n x 4, on the page as displayed.
        direction: as `writing_direction` tells it.
        width: of the page as displayed.
        height: of the page as displayed.
    """
    x0, y0, x1, y1 = boxes.T
    if direction == 90:
        turned = (height - y1, x0, height - y0, x1)
    elif direction == 180:
        turned = (width - x1, height - y1, width - x0, height - y0)
    elif direction == 270:
        turned = (y0, width - x1, y1, width - x0)
    else:
        return boxes
    return np.stack(turned, axis=1)


def turn_rules(rules: tuple[Rule, ...], direction: int, width: float, height: float) -> tuple[Rule, ...]:
    """The same for ruling lines."""
    if not rules or direction == 0:
        return rules
    turned = turn_boxes(np.array([rule.box for rule in rules]), direction, width, height)
    return tuple(replace(rule, box=Box(*box)) for rule, box in zip(rules, turned.tolist(), strict=True))
