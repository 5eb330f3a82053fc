"""How alike two plans are."""

from dataclasses import dataclass

from worktrial.language import JsonObject


@dataclass(frozen=True, slots=True)
class PlanScore:
    """How alike a predicted plan is to the gold one; similarities are 0-1, 1 is equal."""

    score: float
    """The mean of the two similarities."""
    structure: float
    """The similarity of the graphs of workflows."""
    components: float
    """The similarity of the graphs of steps."""
    exact: bool = True
    """Whether the edit distances are exact; false where the time bound was hit, and both are then lower bounds."""
    error: str | None = None
    """Why there is no score (and it is 0): the class of the exception that the published program raises, or
    `unparsed_gold` or `unparsed_prediction`."""

    def row(self) -> JsonObject:
        """For a record."""
        return {
            "score": self.score,
            "structure": self.structure,
            "components": self.components,
            "exact": self.exact,
            "error": self.error,
        }
