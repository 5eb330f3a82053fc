"""What a run must keep to."""

from dataclasses import dataclass, fields
from math import isfinite

from worktrial.errors import SettingError


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a gate; None is no limit.

    Raises:
        SettingError: there is no limit at all, or one makes no sense.
    """

    min_completion: float | None = None
    """Least completion rate, 0-1, over all samples of the condition; an invalid one counts as not passed."""
    max_regression: float | None = None
    """Largest drop of the completion rate against a baseline, 0-1, that is let pass if it may be chance."""
    min_robustness: float | None = None
    """Least R: the completion rate under the worst kind of faults over the one without."""
    max_cost_per_task: float | None = None
    """US dollars, mean of the samples with a verdict."""
    max_seconds: float | None = None
    """Wall clock, mean of the samples with a verdict."""
    max_invalid: float | None = None
    """Largest share, 0-1, of invalid samples, over all conditions."""

    def __post_init__(self) -> None:
        given = {f.name: value for f in fields(self) if (value := getattr(self, f.name)) is not None}
        if not given:
            known = ", ".join(option(f.name) for f in fields(self))
            raise SettingError(f"a gate needs at least one limit: {known}")
        for name, value in given.items():
            if not isfinite(value) or value < 0:
                raise SettingError(f"{option(name)} {value:g}: a limit is a number from 0 up")
            if name in _SHARES and value > 1:
                raise SettingError(f"{option(name)} {value:g}: a share lies between 0 and 1, such as 0.7")


_SHARES = frozenset({"min_completion", "max_regression", "max_invalid"})


def option(name: str) -> str:
    """The field as it is written on the command line."""
    return f"--{name.replace('_', '-')}"
