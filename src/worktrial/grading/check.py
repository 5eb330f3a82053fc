"""Common parts of all declarative checks: the finished work that they look at, and their results."""

from dataclasses import dataclass
from typing import Annotated

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from worktrial.language import JsonObject
from worktrial.workplaces.trajectory import Trajectory

Tolerance = Annotated[float, Field(ge=0, description="Largest absolute difference that still passes.")]
HALF_A_CENT = 0.005
WITHIN_BUDGET = "within the budget of "
"""Beginning of the claims that checks of a task's budget make."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Finished work that checks look at."""

    initial_state: JsonObject
    final_state: JsonObject
    trajectory: Trajectory


class CheckResult(msgspec.Struct, frozen=True):
    """Outcome of one check."""

    check: str
    """Claim that was checked, for a reader."""
    passed: bool | None
    """Whether it is so; None where these words do not tell a reader, which is neither a pass nor a fail."""
    why: str
    """Finding in words."""


class Claim(BaseModel):
    """Base of the checks: fields are closed, so that a misspelt one is an error."""

    # Most kinds are only ever read as one of all of them, which builds what they need once more.
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, defer_build=True)

    clauses: tuple[str, ...] = Field(
        default=(), description="Clauses of the organisation's papers that it holds to."
    )

    def run(self, facts: Facts) -> CheckResult:
        """Judge the facts; every kind of check does it its own way."""
        raise NotImplementedError


def near(found: float, value: float, tolerance: float) -> bool:
    """Whether two numbers differ by at most `tolerance`."""
    # The last digits of a binary fraction must not decide a case that lies exactly on the border.
    return abs(found - value) <= tolerance + 1e-9
