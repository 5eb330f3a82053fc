"""Does a suite tell work from idleness? Its plans must pass every task, and doing nothing none."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from worktrial.agents.candidates import IDLE, PLAN, Candidate, candidate
from worktrial.engine.progress import display
from worktrial.engine.record import SampleRecord
from worktrial.engine.run import RunSettings, run_trial
from worktrial.engine.trial import Trial
from worktrial.errors import SettingError
from worktrial.grading import Outcome

WANTED = {PLAN: Outcome.PASS, IDLE: Outcome.FAIL}
"""Agent to the outcome that it must have on every task."""


@dataclass(frozen=True, slots=True)
class Validation:
    """One agent on every task of a suite."""

    agent: str
    records: Sequence[SampleRecord]

    @property
    def wrong(self) -> list[SampleRecord]:
        """Samples that came out otherwise than they must; an invalid one is always wrong."""
        return [record for record in self.records if record.outcome is not WANTED[self.agent]]


def validate_suite(suite: str) -> list[Validation]:
    """Put the plan agent and the idle agent through every task of a suite.

    Raises:
        SettingError: there is no such suite, or its tasks have no plans.
    """
    return [Validation(agent, _run(_trial(suite), agent)) for agent in WANTED]


def _trial(suite: str) -> Callable[[Candidate], Trial]:
    if suite == "starter":
        from worktrial.suites.starter.load import load_tasks
        from worktrial.suites.starter.task import Settings, StarterTrial

        return lambda who: StarterTrial(load_tasks(), who, Settings(), with_judge=False)
    if suite == "occupations":
        raise SettingError(
            "occupations: its tasks have no solution plans to follow, so there is nothing to validate them by. "
            "Look for hazards with: worktrial lint occupations --data DIR"
        )
    from worktrial.suites.catalogue import SUITES

    raise SettingError(f"no suite {suite!r}; there is {', '.join(s.name for s in SUITES)}")


def _run(trial_of: Callable[[Candidate], Trial], agent: str) -> list[SampleRecord]:
    with TemporaryDirectory(prefix="worktrial-") as folder:
        with display() as progress:
            settings = RunSettings(folder=Path(folder))
            end = run_trial(trial_of(candidate(agent)), {}, settings, progress=progress, signals=True)
    return list(end.records.values())
