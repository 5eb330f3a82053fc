"""The looks of issues of a time: the typewriter, then hot metal, then the computer."""

from dataclasses import dataclass
from enum import StrEnum

from lab.generate.calendar import month, name_of, year_of
from lab.generate.world import World


class Months(StrEnum):
    """The way in which months of two years are told apart in a column of labels."""

    FIRST = "first"
    """`1951-April`, then `May`."""
    SECTION = "section"
    """A row `1951:` above, the months indented."""
    DASH = "dash"
    """`1951 - Apr`, then `May`."""


@dataclass(frozen=True, slots=True)
class Style:
    """The look of one issue."""

    font: str
    bold: str
    size: float
    """Size of the figures, in points; headings are a little smaller."""
    months: Months
    short_months: bool
    column_rules: bool
    """Vertical lines between the columns."""
    leaders: bool
    """Dots from the row label to the first column."""
    raised_marks: bool
    """Footnote marks as a raised digit rather than as `1/`."""
    numbered: bool
    """Columns carry a number."""
    coded: bool
    """Table titles begin with the table's code."""

    def mark(self, number: int) -> str:
        """The footnote mark as it stands in a cell's text."""
        return f"{number}" if self.raised_marks else f"{number}/"

    def month_name(self, when: int) -> str:
        """Name of a month in full, or the usual abbreviation with June and July whole."""
        name = name_of(when)
        if not self.short_months or len(name) <= 4:
            return name
        return name[:4] if name == "September" else name[:3]

    def title(self, code: str, name: str, *, continued: bool = False) -> str:
        """Title as printed above a table."""
        text = f"Table {code}.—{name}" if self.coded else name
        return f"{text}—Continued" if continued else text


def style_of(world: World, issue: int) -> Style:
    """The look of an issue: its time decides most, the seed the rest."""
    dice = world.dice("style", year_of(issue) // 4)
    short = bool(dice.random() < 0.5)
    if issue < month(1949, 1):
        return Style("Courier", "Courier-Bold", 7.5, Months.FIRST, short, True, True, False, False, False)
    if issue < month(1984, 1):
        months = Months.SECTION if dice.random() < 0.6 else Months.FIRST
        rules, leaders = bool(dice.random() < 0.7), bool(dice.random() < 0.8)
        return Style("Times-Roman", "Times-Bold", 8.5, months, short, rules, leaders, False, False, True)
    numbered = bool(dice.random() < 0.5)
    return Style("Helvetica", "Helvetica-Bold", 7.5, Months.DASH, True, False, False, True, numbered, True)
