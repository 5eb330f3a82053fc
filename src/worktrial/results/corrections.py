"""Rates without the errors of the judge, as every surface shows them."""

from dataclasses import dataclass

from worktrial.statistics import CorrectedRate


@dataclass(frozen=True, slots=True)
class JudgeCorrection:
    """The rate of a run beside the same corrected for the judge's errors, or why there is none."""

    condition: str
    """Condition that it is about; samples without a verdict are left out."""
    found: CorrectedRate | None
    basis: str
    """Source from which the errors are known, and what is supposed."""
    why_not: str = ""
    """Reason for which there is no corrected rate; "" where there is one."""

    @property
    def line(self) -> str:
        """All of it in a line, the rate as judged included."""
        if self.found is None:
            return f"not corrected for the judge's errors: {self.why_not}"
        raw, (low, high) = self.found.raw, self.found.interval
        sure = f"95 % interval {low:.1%} - {high:.1%}"
        judged = f"as judged {raw.value:.1%} ({raw.interval.low:.1%} - {raw.interval.high:.1%})"
        return (
            f"of valid samples, corrected for the judge's errors: {self.found.value:.1%} ({sure}); {judged}; "
            f"by {self.basis}"
        )
