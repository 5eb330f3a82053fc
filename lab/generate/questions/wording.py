"""Names of issues, tables, columns and rows in questions."""

from dataclasses import dataclass

from lab.generate.calendar import Period
from lab.generate.questions.figures import Source, named
from lab.generate.questions.question import Difficulty
from lab.generate.vocabulary import vocabulary


@dataclass(frozen=True, slots=True)
class Words:
    """The words for one column of a table: its headings quoted, or what it means."""

    source: Source
    column: int
    difficulty: Difficulty

    @property
    def where(self) -> str:
        """Begins the question."""
        bulletin = f"{self.source.issue.name} of the {vocabulary().bulletin}"
        if self.difficulty is Difficulty.HARD and not self.source.table.province:
            return f"In {bulletin}"
        return f"According to the table “{self.source.table.name}” in {bulletin}"

    @property
    def what(self) -> str:
        """The column."""
        column = self.source.table.columns[self.column]
        if self.difficulty is Difficulty.HARD and column.phrase and not self.source.table.province:
            return column.phrase
        if len(column.path) == 1:
            return f"“{column.path[-1]}”"
        return f"“{column.path[-1]}” under “{column.path[-2]}”"

    @property
    def unit(self) -> str:
        """Unit of the column."""
        return self.source.table.columns[self.column].unit

    def at(self, period: Period) -> str:
        """`in April 1951`, `at the end of April 1951`."""
        return f"at the end of {named(period)}" if self.source.stock else f"in {named(period)}"
