"""Reading the suite's data: a release in OrchestrationBench's layout, or the worked example in this package."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from worktrial.language import JsonObject
from worktrial.suites.orchestration.example import example_folder
from worktrial.suites.orchestration.planning.loading import Release, load_release
from worktrial.suites.orchestration.planning.scenario import Language, PlanStep, Scenario, UserTurn


@dataclass(frozen=True, slots=True)
class OrchestrationTask:
    """One scenario, as something to choose from and to run."""

    scenario: Scenario

    @property
    def id(self) -> str:
        """What identifies it within the suite, such as `EN/12`."""
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
        """What results can be grouped by."""
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
