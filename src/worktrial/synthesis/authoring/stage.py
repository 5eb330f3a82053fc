"""The way from documents to a workplace in a suite's folder: handbook, clauses, operations, code."""

import dataclasses
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from worktrial.synthesis.artifacts import JobSpec, ToolDraft
from worktrial.synthesis.author import Author
from worktrial.synthesis.authoring.asking import AuthoringStep
from worktrial.synthesis.authoring.brief import AuthorBrief
from worktrial.synthesis.authoring.operations import chosen, named
from worktrial.synthesis.authoring.workplace import ASSEMBLED, WorkplaceAuthoring, WrittenWorkplace
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.coverage import citations, uncited
from worktrial.synthesis.clauses.reading import ASSUMED_CONTEXT, ReadingStage
from worktrial.synthesis.clauses.sections import sections_of
from worktrial.synthesis.files import Form, RecordFile, hash_of, yaml_form
from worktrial.workplaces.executable.runner import CodeRunner

OPERATIONS: Form[list[ToolDraft]] = yaml_form(list[ToolDraft])
_WORD = re.compile(r"[a-z0-9]+")
_SHOWN = 5


@dataclass(frozen=True)
class AuthoredWorkplace:
    """A workplace that stands in its folder, and what it rests on."""

    place: Path
    """Its folder."""
    clauses: Sequence[Clause]
    """The clauses that hold."""
    operations: Sequence[ToolDraft]
    written: WrittenWorkplace


@dataclass(kw_only=True)
class WorkplaceStage(ReadingStage):
    """Makes the workplace of a suite from the owner's documents.

    Args, beside those of `ReadingStage`:
        other: Writes the expectations; another model where there is one.
        runner: Where code is carried out.
        on_step: Told of each step of the code.
    """

    other: Author
    runner: CodeRunner
    on_step: Callable[[AuthoringStep], None] = lambda record: None
    _steps: RecordFile[AuthoringStep] = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._steps = RecordFile(self.folder.work / "authoring.jsonl", AuthoringStep)

    async def make(self) -> AuthoredWorkplace:
        """Make what does not stand yet.

        Raises:
            DataError: there are no documents, clauses contradict each other, the author cannot quote them, or a
                person changed a file to something that cannot be used.
            SettingError: a private section or a document of `precedence` is not there.
            UnusableReplies: the author's replies cannot be used; the message names the step.
            InvalidSample: the model cannot be reached.
        """
        clauses = await self.clauses()
        spec = self.spec
        titles = {section.number: section.title for section in sections_of(self.sources, self.private, clauses)}
        brief = AuthorBrief(spec, clauses, (), self.context or ASSUMED_CONTEXT, titles)
        operations = await self._operations(brief)
        authoring = WorkplaceAuthoring(
            brief=dataclasses.replace(brief, operations=operations),
            author=self.author,
            other=self.other,
            ledger=self.ledger,
            parts=self.folder.work / "authoring",
            place=self.folder.workplaces / workplace_name(spec),
            runner=self.runner,
            on_step=self._stepped,
        )
        written = await authoring.write()
        self._tell(written, clauses)
        return AuthoredWorkplace(authoring.place, clauses, operations, written)

    async def _operations(self, brief: AuthorBrief) -> list[ToolDraft]:
        """The operations, which stay the same whatever clauses come along."""
        owned = self.sources.operations

        async def make() -> list[ToolDraft]:
            if not owned:
                return await named(brief, self.author)
            operations, proposal = chosen(self.sources, brief.clauses, self.about, self.spec.operations)
            if proposal:
                self.note(proposal)
            return operations

        made_from = {
            "job": hash_of([self.about, self.spec.operations]),
            "interface": hash_of([operation.tool for operation in owned]),
        }
        path = self.folder.work / "operations.yaml"
        return await self.ledger.keep_or_make(
            path, OPERATIONS, made_from, ASSEMBLED if owned else self.author.model, make
        )

    def _stepped(self, record: AuthoringStep) -> None:
        self._steps.add(record)
        self.on_step(record)

    def _tell(self, written: WrittenWorkplace, clauses: Sequence[Clause]) -> None:
        for name, why in written.unsuitable.items():
            self.note(f"{name} cannot be code and is no tool of the workplace: {why}")
        for step, why in written.failed.items():
            self.note(f"{step} came to nothing: {why}")
        cited = {id for text in written.modules.values() for ids in citations(text).values() for id in ids}
        if lacking := uncited(clauses, cited):
            more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
            self.note(f"no tool, rule or case cites {', '.join(lacking[:_SHOWN])}{more}")


def workplace_name(spec: JobSpec) -> str:
    """Name of the workplace of a job: a few words of it joined by underscores."""
    words = _WORD.findall(spec.role.lower())[:4]
    return "_".join(words) or "workplace"
