"""The way from documents to a workplace in a suite's folder: handbook, clauses, operations, code."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from worktrial.synthesis.artifacts import JobSpec, ToolDraft
from worktrial.synthesis.author import ModelAuthor
from worktrial.synthesis.authoring.asking import AuthoringStep
from worktrial.synthesis.authoring.brief import AuthorBrief
from worktrial.synthesis.authoring.operations import chosen, named
from worktrial.synthesis.authoring.workplace import WorkplaceAuthoring, WrittenWorkplace
from worktrial.synthesis.clauses.clause import Clause, read_clauses, write_clauses
from worktrial.synthesis.clauses.contradictions import settled
from worktrial.synthesis.clauses.coverage import citations, uncited
from worktrial.synthesis.clauses.sections import sections_of, write_handbook
from worktrial.synthesis.clauses.stage import ASSUMED_CONTEXT, clauses_of
from worktrial.synthesis.files import Form, RecordFile, hash_of, read_yaml_as, to_yaml, write_text
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.sources import SourceLibrary
from worktrial.workplaces.executable.runner import CodeRunner

CLAUSES: Form[list[Clause]] = Form(read_clauses, write_clauses, hash_of)
OPERATIONS: Form[list[ToolDraft]] = Form(
    lambda path: read_yaml_as(path, list[ToolDraft]), lambda path, value: write_text(path, to_yaml(value)), hash_of
)
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
class WorkplaceStage:
    """Makes the workplace of a suite from the owner's documents.

    Args:
        folder: The suite's.
        spec: The job.
        sources: The owner's documents and interface.
        author: Reads clauses and writes code.
        other: Writes the expectations; another model where there is one.
        ledger: Knows which artifacts stand.
        runner: Where code is carried out.
        context: Tokens of the author's context; None where nobody says.
        output: Tokens of its longest reply; None where nobody says.
        private: Documents and sections that serve the checks only.
        precedence: Documents, the one that counts first in front.
        note: Told what the owner should know, a sentence each.
        on_step: Told of each step of the code.
    """

    folder: SuiteFolder
    spec: JobSpec
    sources: SourceLibrary
    author: ModelAuthor
    other: ModelAuthor
    ledger: ProvenanceLedger
    runner: CodeRunner
    context: int | None = None
    output: int | None = None
    private: Sequence[str] = ()
    precedence: Sequence[str] = ()
    note: Callable[[str], None] = lambda text: None
    on_step: Callable[[AuthoringStep], None] = lambda record: None
    _steps: RecordFile[AuthoringStep] = field(init=False)

    def __post_init__(self) -> None:
        self._steps = RecordFile(self.folder.work / "authoring.jsonl", AuthoringStep)
        self._documents = {f"document {file.id}": file.hash for file in self.sources.files}

    async def make(self) -> AuthoredWorkplace:
        """Make what does not stand yet.

        Raises:
            DataError: there are no documents, clauses contradict each other, the author cannot quote them, or a
                person changed a file to something that cannot be used.
            SettingError: a private section or a document of `precedence` is not there.
            UnusableReplies: the author's replies cannot be used; the message names the step.
            InvalidSample: the model cannot be reached.
        """
        sections = sections_of(self.sources, self.private)
        write_handbook(self.folder.root / "handbook", sections, precedence=self.precedence)
        clauses = await self._clauses()
        spec = self.spec
        brief = AuthorBrief(spec, clauses, (), self.context or ASSUMED_CONTEXT)
        operations = await self._operations(brief)
        authoring = WorkplaceAuthoring(
            brief=AuthorBrief(spec, clauses, operations, brief.context),
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

    async def _clauses(self) -> list[Clause]:
        path = self.folder.root / "clauses.yaml"
        job = [self.spec.role, self.spec.industry, self.spec.domain, self.spec.about]
        made_from = {
            **self._documents,
            "job": hash_of(job),
            "private": hash_of(sorted(self.private)),
            "precedence": hash_of(list(self.precedence)),
        }

        async def make() -> list[Clause]:
            made = await clauses_of(
                self.spec,
                self.sources,
                self.author,
                context=self.context,
                output=self.output,
                private=self.private,
                precedence=self.precedence,
                earlier=read_clauses(path) if path.exists() else (),
                note=self.note,
            )
            write_text(self.folder.work / "reading.yaml", to_yaml(made.reading))
            return made.clauses

        clauses = await self.ledger.keep_or_make(path, CLAUSES, made_from, self.author.model, make)
        # A person may have changed them.
        return settled(clauses, [name for name in self.precedence if any(c.document == name for c in clauses)])[0]

    async def _operations(self, brief: AuthorBrief) -> list[ToolDraft]:
        about = f"{self.spec.role} {self.spec.domain} {self.spec.about}"
        if self.sources.operations:
            operations, proposal = chosen(self.sources, brief.clauses, about, self.spec.operations)
            if proposal:
                self.note(proposal)
            return operations

        async def make() -> list[ToolDraft]:
            return await named(brief, self.author)

        made_from = {"job": hash_of(about), "clauses": hash_of([clause.id for clause in brief.clauses])}
        path = self.folder.work / "operations.yaml"
        return await self.ledger.keep_or_make(path, OPERATIONS, made_from, self.author.model, make)

    def _stepped(self, record: AuthoringStep) -> None:
        self._steps.add(record)
        self.on_step(record)

    def _tell(self, written: WrittenWorkplace, clauses: Sequence[Clause]) -> None:
        for name, why in written.unsuitable.items():
            self.note(f"{name} cannot be code and is no tool of the workplace: {why}")
        for step, why in written.failed.items():
            self.note(f"{step} came to nothing: {why}")
        cited = {id for text in written.modules.values() for ids in citations(text).values() for id in ids}
        lacking = [finding.subject for finding in uncited(clauses, cited)]
        if lacking:
            more = f" and {len(lacking) - _SHOWN} more" if len(lacking) > _SHOWN else ""
            self.note(f"no tool, rule or case cites {', '.join(lacking[:_SHOWN])}{more}")


def workplace_name(spec: JobSpec) -> str:
    """Name of the workplace of a job: a few words of it joined by underscores."""
    words = _WORD.findall(spec.role.lower())[:4]
    return "_".join(words) or "workplace"
