"""Where everything lies in a suite folder."""

from dataclasses import dataclass
from pathlib import Path

from worktrial.synthesis.artifacts import Slot, SubTopic


@dataclass(frozen=True, slots=True)
class SuiteFolder:
    """The folder of a synthesized suite: the suite itself at the top, everything it was made from in `work/`."""

    root: Path

    @property
    def suite(self) -> Path:
        """What `worktrial run` reads."""
        return self.root / "suite.yaml"

    @property
    def tasks(self) -> Path:
        """The selected tasks."""
        return self.root / "tasks.jsonl"

    @property
    def workplaces(self) -> Path:
        """The workplaces of the selected tasks, a folder each."""
        return self.root / "workplaces"

    @property
    def calibration(self) -> Path:
        """A `Calibration` for each slot."""
        return self.root / "calibration.jsonl"

    @property
    def repairs(self) -> Path:
        """Every `Repair`."""
        return self.root / "repairs.jsonl"

    @property
    def rejects(self) -> Path:
        """A `Reject` for each slot that is not in the suite."""
        return self.root / "rejects.jsonl"

    @property
    def provenance(self) -> Path:
        """A `Provenance` for each writing of an artifact."""
        return self.root / "provenance.jsonl"

    @property
    def work(self) -> Path:
        """Drafts, runs, sources, answers of models."""
        return self.root / "work"

    @property
    def spec(self) -> Path:
        """The `JobSpec`."""
        return self.work / "spec.yaml"

    @property
    def sources(self) -> Path:
        """Passages of the user's documents."""
        return self.work / "sources"

    @property
    def cache(self) -> Path:
        """Answers of models, so that none is paid for twice."""
        return self.work / "cache"

    @property
    def review(self) -> Path:
        """The review page."""
        return self.work / "review"

    @property
    def subtopics(self) -> Path:
        """The list of `SubTopic`."""
        return self.work / "subtopics.yaml"

    def reference(self, subtopic: SubTopic) -> Path:
        """The `Reference` of a sub-topic."""
        return self.work / "references" / f"{subtopic.id}.yaml"

    def workplace(self, slot: Slot) -> Path:
        """The folder of a slot's `WorkplaceDraft`."""
        return self.work / "drafts" / slot.id / "workplace"

    def task(self, slot: Slot) -> Path:
        """A slot's `TaskDraft`."""
        return self.work / "drafts" / slot.id / "task.yaml"

    def runs(self, slot: str) -> Path:
        """A `RunRow` for each calibration run of a slot."""
        return self.work / "runs" / f"{slot}.jsonl"

    def name_of(self, path: Path) -> str:
        """How records name a file below the folder."""
        return path.relative_to(self.root).as_posix()
