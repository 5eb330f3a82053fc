"""Ground that a trial stands on, whichever way its team works: the data, who takes part, who judges."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import ParamSpec, TypeVar

from worktrial.agents.candidates import Candidate
from worktrial.engine.roles import RoleName, RoleSettings
from worktrial.engine.trial import SampleContext
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.orchestration.example import example_folder
from worktrial.suites.orchestration.planning.references import Reference, constant_plan_text, reference
from worktrial.suites.orchestration.planning.release import Release, load_release
from worktrial.suites.orchestration.planning.scenario import Language, PlanStep, Scenario, UserTurn
from worktrial.suites.orchestration.run.judges import SharedVerdicts, ValueJudges, judge_prompts_fingerprint


@dataclass(frozen=True, slots=True)
class OrchestrationTask:
    """One scenario, as something to choose from and to run."""

    scenario: Scenario

    @property
    def id(self) -> str:
        """Id within the suite, such as `EN/12`."""
        return self.scenario.key

    @property
    def category(self) -> str:
        """The kind of its gold plans: `changed` when there are several, else `dependent` or `independent`."""
        plans = [step.plan for step in self.scenario.steps if isinstance(step, PlanStep)]
        if len(plans) > 1:
            return "changed"
        return "dependent" if any(w.depends_on for plan in plans for w in plan.workflows) else "independent"

    @property
    def tags(self) -> JsonObject:
        """Tags that results can be grouped by."""
        steps = self.scenario.steps
        plans = [step.plan for step in steps if isinstance(step, PlanStep)]
        workflows = {w.id: w for plan in plans for w in plan.workflows}
        return {
            "language": self.scenario.language.value,
            "scenario": self.scenario.id,
            "category": self.category,
            "domains": sorted({s.agent for w in workflows.values() for s in w.steps}),
            "workflows": len(workflows),
            "plans": len(plans),
            "user_turns": sum(isinstance(step, UserTurn) for step in steps),
            "has_dependency": any(w.depends_on for w in workflows.values()),
            "has_interruption": any(w.startswith("interrupted_") for w in workflows),
        }


def load_tasks(
    folder: Path | None, languages: Sequence[Language], *, corrected: bool = False
) -> tuple[Release, list[OrchestrationTask]]:
    """The release in `folder` and a task for each of its scenarios, by language and number.

    Args:
        folder: The data folder; None for the worked example.
        languages: At least one.
        corrected: Apply the corrections that Worktrial ships.

    Raises:
        DataError: a folder is missing, or something in it cannot be used.
    """
    release = load_release(folder or example_folder(), languages, corrected=corrected)
    return release, [OrchestrationTask(scenario) for scenario in release.scenarios]


SUITE = "orchestration"
_SCORING_THREADS = 2
"""Scoring is Python, so more threads would only take time from each other; two, so that one plan that takes long
does not hold up all others."""

T = TypeVar("T")
P = ParamSpec("P")


class ScoringThreads:
    """Threads in which nothing is done but to score, so that nobody's function can keep them busy."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_SCORING_THREADS, thread_name_prefix="worktrial-scoring")

    async def run(self, work: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Outcome of `work`, returned or raised."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, partial(work, *args, **named))


@dataclass(frozen=True)
class Groundwork:
    """The common ground of both trials."""

    release: Release
    """Source of the tasks; its teams do the work."""
    tasks: Sequence[OrchestrationTask]
    """Tasks to run."""
    agent: Candidate
    """Planner."""
    sub_agent: Candidate | None = None
    """Player of the domain agents; None for `agent`."""
    judges: Sequence[RoleName] = ()
    """Roles of the models that look at open argument values; none for `judges` none."""
    options: JsonObject = field(default_factory=dict)
    """Options that can change a result, for the manifest."""
    function_seconds: float = RoleSettings.timeout
    """Time after which a function of the user's own, asked for one answer, counts as hung."""
    scoring: ScoringThreads = field(default_factory=ScoringThreads)
    """Threads in which scores are computed."""
    _verdicts: SharedVerdicts = field(default_factory=SharedVerdicts)

    @cached_property
    def scenarios(self) -> Mapping[str, Scenario]:
        """Scenarios of the tasks, by their ids."""
        return {task.id: task.scenario for task in self.tasks}

    @cached_property
    def constant_plans(self) -> Mapping[Language, str]:
        """Plans of the reference teams that always write the same: made of all gold plans, not only the tasks'."""
        return {
            language: constant_plan_text((s for s in self.release.scenarios if s.language is language), team)
            for language, team in self.release.teams.items()
        }

    @property
    def data(self) -> JsonObject:
        """Source of the data for the manifest; see `worktrial.engine.trial.Trial.data`."""
        folder = "built in" if self.release.folder == example_folder() else str(self.release.folder)
        return {"folder": folder, "fingerprint": self.release.fingerprint}

    def in_manifest(self, prompts: JsonValue, settings: JsonObject) -> JsonObject:
        """A trial's settings for the manifest, with who takes part.

        Args:
            prompts: Fingerprints of what the team is told.
            settings: The trial's own.
        """
        return {
            "agent": self.agent.spec,
            "sub_agent": None if self.sub_agent is None else self.sub_agent.spec,
            "tasks": [task.id for task in self.tasks],
            "judges": list(self.judges),
            **({"judge_prompt": judge_prompts_fingerprint()} if self.judges else {}),
            "prompts": prompts,
            "options": dict(self.options),
            **settings,
        }

    def reference(self, name: str, language: Language) -> Reference:
        """The reference team `name`."""
        return reference(name, language, self.release.teams[language], self.constant_plans[language])

    def value_judges(self, language: Language, context: SampleContext) -> ValueJudges | None:
        """The judges of open argument values for one sample; None where nobody judges."""
        if not self.judges:
            return None
        return ValueJudges(
            {role_name: context.model(role_name) for role_name in self.judges}, language, shared=self._verdicts
        )
