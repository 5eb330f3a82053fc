"""Pages for the table finder, set like a typewriter: each letter half as wide as the font is high."""

from collections.abc import Sequence

from worktrial.archive.pages import Box, PageText, Route, RulingLine, Word

SIZE = 8.0
ADVANCE = SIZE / 2


class Typed:
    """A page that is filled piece by piece."""

    def __init__(self, confidence: float = 1.0) -> None:
        self.words: list[Word] = []
        self.rules: list[RulingLine] = []
        self._confidence = confidence

    def left(self, x: float, y: float, text: str, size: float = SIZE) -> "Typed":
        """Text from `x` on, its middle at height `y`; spaces part words."""
        for word in text.split(" "):
            wide = len(word) * size / 2
            if word:
                box = Box(x, y - size / 2, x + wide, y + size / 2)
                self.words.append(Word(word, box, size, confidence=self._confidence))
            x += wide + 0.28 * size
        return self

    def right(self, x: float, y: float, text: str, size: float = SIZE) -> "Typed":
        """Text that ends at `x`."""
        return self.left(x - width(text, size), y, text, size)

    def centre(self, x: float, y: float, text: str, size: float = SIZE) -> "Typed":
        """Text around `x`."""
        return self.left(x - width(text, size) / 2, y, text, size)

    def level(self, x0: float, x1: float, y: float) -> "Typed":
        """A horizontal rule."""
        self.rules.append(RulingLine(Box(x0, y - 0.3, x1, y + 0.3)))
        return self

    def upright(self, x: float, y0: float, y1: float) -> "Typed":
        """A vertical rule."""
        self.rules.append(RulingLine(Box(x - 0.3, y0, x + 0.3, y1)))
        return self

    def rows(self, y: float, lefts: float, rights: Sequence[float], rows: Sequence[Sequence[str]]) -> "Typed":
        """Rows of a label and figures set flush right, 12 points apart."""
        for k, (label, *figures) in enumerate(rows):
            self.left(lefts, y + 12 * k, label)
            for x, figure in zip(rights, figures, strict=True):
                self.right(x, y + 12 * k, figure)
        return self

    def page(self, number: int = 1) -> PageText:
        """All of it."""
        route = Route.TEXT if self._confidence == 1.0 else Route.OCR
        return PageText(number, 612, 792, route, tuple(self.words), tuple(self.rules))


def width(text: str, size: float = SIZE) -> float:
    """Of a text as `Typed` sets it."""
    return len(text.replace(" ", "")) * size / 2 + text.count(" ") * 0.28 * size
