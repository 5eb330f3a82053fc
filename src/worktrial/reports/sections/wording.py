"""Sentences and cells that sections share. Everything that comes from a run goes in escaped."""

from collections.abc import Iterable, Sequence

from markupsafe import Markup

from worktrial.engine.record import CLEAN
from worktrial.results.writing import Value, percent, percents
from worktrial.statistics import Interval

NOTHING = float("nan")
"""Sorts a cell without a figure last."""


def takeaway(sentence: Markup) -> Markup:
    """Sentence that a reader should remember, before any chart."""
    return Markup('<p class="takeaway">{}</p>').format(sentence)


def caveat(sentences: Markup | str) -> Markup:
    """Sentence to bear in mind, after chart or table."""
    return Markup('<p class="note">{}</p>').format(sentences)


def heading(title: str) -> Markup:
    """Heading over one of several parts of a section."""
    return Markup("<h3>{}</h3>").format(title)


def joined(parts: Iterable[Markup]) -> Markup:
    """Parts of a section below each other."""
    return Markup("\n").join(parts)


def strong(name: str) -> Markup:
    """A name within a sentence."""
    return Markup("<strong>{}</strong>").format(name)


def listed(names: Sequence[str | Markup], *, word: str = "and") -> Markup:
    """`a`, `a and b`, `a, b and c`."""
    escaped = [Markup("{}").format(name) for name in names]
    if len(escaped) < 2:
        return Markup("").join(escaped)
    return Markup("{} {} {}").format(Markup(", ").join(escaped[:-1]), word, escaped[-1])


def share_cell(
    value: float | None, interval: Interval | None = None, *, href: str | None = None, counts: str = ""
) -> Value:
    """A share with its interval and, where given, what it is counted from."""
    if value is None:
        return Value(percent(None), NOTHING)
    notes = tuple(note for note in (percents(interval), counts) if note)
    return Value(percent(value), value, href, notes)


def points(value: float, interval: Interval | None) -> str:
    """A difference of shares in percentage points: `4.2 points (-1.0 to 9.3)`."""
    said = f"{100 * value:.1f} points"
    return said if interval is None else f"{said} ({100 * interval.low:.1f} to {100 * interval.high:.1f})"


def under(condition: str) -> str:
    """Words for the condition that figures are from; "" for the clean one, which goes without saying."""
    return "" if condition == CLEAN else f" under {condition}"
