"""What a trial of the suite stands on, whichever way its team works: the data, who takes part, who judges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from worktrial.engine.roles import RoleName
from worktrial.engine.trial import SampleContext
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.orchestration.answerers import Member
from worktrial.suites.orchestration.example import example_folder
from worktrial.suites.orchestration.load import OrchestrationTask
from worktrial.suites.orchestration.planning.loading import Release
from worktrial.suites.orchestration.planning.scenario import Language, Scenario
from worktrial.suites.orchestration.references import Reference, constant_plan_text, reference
from worktrial.suites.orchestration.toolcalls.judges import SharedVerdicts, ValueJudges

SUITE = "orchestration"


@dataclass(frozen=True)
class Groundwork:
    """The common ground of both trials."""

    release: Release
    """Where the tasks are from; its teams do the work."""
    tasks: Sequence[OrchestrationTask]
    """What to run."""
    agent: Member
    """Who plans."""
    sub_agent: Member | None = None
    """Who plays the domain agents; None for `agent`."""
    judges: Sequence[RoleName] = ()
    """The seats of the models that look at open argument values; none for `--judges none`."""
    options: JsonObject = field(default_factory=dict)
    """Options that can change a result, for the manifest."""
    _verdicts: SharedVerdicts = field(default_factory=SharedVerdicts)

    @cached_property
    def scenarios(self) -> Mapping[str, Scenario]:
        """Of the tasks, by their ids."""
        return {task.id: task.scenario for task in self.tasks}

    @cached_property
    def constant_plans(self) -> Mapping[Language, str]:
        """What the reference team `constant-plan` writes: made of all gold plans, not only those of the tasks."""
        return {
            language: constant_plan_text((s for s in self.release.scenarios if s.language is language), team)
            for language, team in self.release.teams.items()
        }

    @property
    def data(self) -> JsonObject:
        """See `worktrial.engine.trial.Trial.data`."""
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
            "prompts": prompts,
            "options": dict(self.options),
            **settings,
        }

    def reference(self, name: str, language: Language) -> Reference:
        """The reference team `name`."""
        return reference(name, language, self.constant_plans[language])

    def value_judges(self, language: Language, context: SampleContext) -> ValueJudges | None:
        """The judges of open argument values for one sample; None where nobody judges."""
        if not self.judges:
            return None
        return ValueJudges(
            {role_name: context.model(role_name) for role_name in self.judges}, language, shared=self._verdicts
        )
