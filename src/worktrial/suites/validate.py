"""Whether a suite tells work from idleness: reference agents whose outcome is known go through every task."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from worktrial.engine.record import Key, SampleRecord
from worktrial.engine.run import run_trial
from worktrial.engine.run_plan import RunSettings
from worktrial.engine.stored import StoredRun, open_run
from worktrial.errors import SettingError, option
from worktrial.grading import Outcome
from worktrial.named_agents import resolve_agent
from worktrial.suite import Baseline, Suite


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
    with TemporaryDirectory(prefix="worktrial-") as folder:
        # They are read from the folder.
        return list(_run_into(Path(folder), suite, options, agent).values())


def _run_into(folder: Path, suite: Suite, options: Any, agent: str) -> Mapping[Key, SampleRecord]:
    candidate = resolve_agent(agent, suite)
    models = suite.models(options, candidate)
    return run_trial(suite.trial(options, candidate, models), models, RunSettings(folder=folder)).records


MOST_TASKS = 100
"""Tasks of a suite that reference agents try for its card; of more a sample is drawn."""


def parts_of_models(suite: Suite) -> list[str]:
    """Roles that a model has to play whoever the agent is; with none reference agents are offline and free."""
    fields = suite.every_option.model_fields
    return [role.value for role in suite.roles if role in fields and fields[role].is_required()]


def reference_runs(suite: Suite, given: Mapping[str, Any], into: Path) -> list[StoredRun]:
    """Run the reference agents of a suite without models; the first that is an oracle, or simple, twice.

    Args:
        suite: The suite.
        given: Options of a run by field name.
        into: Folder for the runs, one for each agent.

    Raises:
        SettingError: an option is missing, such as the model of a part.
        DataError: the data cannot be read.
    """
    kinds = {name: agent.kind for name, agent in suite.reference_agents.items()}
    twice = next((name for kind in (Baseline.ORACLE, Baseline.SIMPLE) for name in kinds if kinds[name] is kind), "")
    runs = []
    for name in kinds:
        more = {"repeats": 2 if name == twice else 1, "limit": MOST_TASKS}
        options = suite.every_option.read({**given, **more}, suite=f"the suite {suite.name}", needs=suite.needs)
        _run_into(into / name, suite, options, name)
        runs.append(open_run(into / name))
    return runs
