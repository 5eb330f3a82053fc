"""What a user asks for."""

from typing import Annotated, Literal

import msgspec

from worktrial.synthesis.artifacts import Level, Text


class JobSpec(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """The job, and how large a trial is wanted. Read from YAML, or made of `--job` and options."""

    role: Text
    """Who does the job: `customs declarant`."""
    industry: Text = "Business & Enterprise"
    domain: str = ""
    about: str = ""
    """Anything else that the author should know."""
    subtopics: Annotated[int, msgspec.Meta(ge=1, le=200)] = 16
    levels: list[Level] = msgspec.field(default_factory=lambda: [1, 2, 3])
    languages: list[Text] = msgspec.field(default_factory=lambda: ["en"])
    plan_runs: Annotated[int, msgspec.Meta(ge=1)] = 4
    """Runs with the plan before a decision is made."""
    free_runs: Annotated[int, msgspec.Meta(ge=1)] = 8
    """Runs without it."""
    most_runs: Annotated[int, msgspec.Meta(ge=1)] = 24
    """Of one kind for one slot, when the decision is near the border."""
    sampling: Literal["sequential", "published"] = "sequential"
    """`sequential`: run until it is clear whether a task is kept. `published`: a fixed number of runs; drop what no
    run with the plan passes, and what all free runs pass."""
    repairs: Annotated[int, msgspec.Meta(ge=0)] = 3
    """Most rounds of repair of a slot."""
    votes: Annotated[int, msgspec.Meta(ge=1)] = 3
    faces: bool = False
    """Write the tools of the selected workplaces as code, too, and keep it where it agrees with the simulator."""
