"""Whether a suite tells work from idleness: reference agents whose outcome is known go through every task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from worktrial.engine.record import SampleRecord
from worktrial.engine.run import run_trial
from worktrial.engine.run_plan import RunSettings
from worktrial.errors import SettingError, option
from worktrial.grading import Outcome
from worktrial.named_agents import resolve_agent
from worktrial.suite import Suite


@dataclass(frozen=True, slots=True)
class Validation:
    """One reference agent on every task of a suite."""

    agent: str
    must: Outcome
    """Outcome that it must have on every task."""
    records: Sequence[SampleRecord]

    @property
    def wrong(self) -> list[SampleRecord]:
        """Samples that came out otherwise than they must; an invalid one is always wrong."""
        return [record for record in self.records if record.outcome is not self.must]


def validate_suite(suite: Suite, given: Mapping[str, Any] | None = None) -> list[Validation]:
    """Put every reference agent whose outcome is known through every task.

    Args:
        suite: What to validate.
        given: Options of a run by field name, such as where the data lies.

    Raises:
        SettingError: no agent's outcome is known, or an option is missing.
        DataError: the data cannot be read.
    """
    known = {name: agent.must for name, agent in suite.reference_agents.items() if agent.must is not None}
    if not known:
        why = suite.unproven.format(agent=option("agent"))
        raise SettingError(f"{suite.title}: {why}. What shows without a run: worktrial lint")
    options = suite.every_option.read(given or {}, suite=f"the suite {suite.name}", needs=suite.needs)
    return [Validation(name, must, _run(suite, options, name)) for name, must in known.items()]


def _run(suite: Suite, options: Any, agent: str) -> list[SampleRecord]:
    candidate = resolve_agent(agent, suite)
    models = suite.models(options, candidate)
    with TemporaryDirectory(prefix="worktrial-") as folder:
        end = run_trial(suite.trial(options, candidate, models), models, RunSettings(folder=Path(folder)))
        # They are read from the folder.
        return list(end.records.values())
