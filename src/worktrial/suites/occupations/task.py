"""Former place of what `worktrial.suites.simulated.trial` holds."""

from collections.abc import Sequence

from worktrial.agents.candidates import Candidate
from worktrial.suites.simulated.tasks import Task, TaskSet
from worktrial.suites.simulated.trial import SimulatedSettings as Settings
from worktrial.suites.simulated.trial import SimulatedTrial

__all__ = ["OccupationsTrial", "Settings"]


class OccupationsTrial(SimulatedTrial):
    """A `SimulatedTrial` of this suite."""

    def __init__(self, release: TaskSet, tasks: Sequence[Task], candidate: Candidate, settings: Settings) -> None:
        super().__init__("occupations", release, tasks, candidate, settings)
