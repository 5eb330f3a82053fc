"""The way from documents to the clauses and the handbook in a suite's folder."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.author import ModelAuthor
from worktrial.synthesis.clauses.clause import Clause, read_clauses, write_clauses
from worktrial.synthesis.clauses.contradictions import settled
from worktrial.synthesis.clauses.sections import sections_of, write_handbook
from worktrial.synthesis.clauses.stage import clauses_of
from worktrial.synthesis.files import Form, hash_of, to_yaml, write_text
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.sources import SourceLibrary

CLAUSES: Form[list[Clause]] = Form(read_clauses, write_clauses, hash_of)


@dataclass(kw_only=True)
class ReadingStage:
    """Reads the owner's documents.

    Args:
        folder: The suite's.
        spec: The job.
        sources: The owner's documents and interface.
        author: Reads clauses, and writes.
        ledger: Knows which artifacts stand.
        context: Tokens of the author's context; None where nobody says.
        output: Tokens of its longest reply; None where nobody says.
        private: Documents and sections that serve the checks only.
        precedence: Documents, the one that counts first in front.
        note: Told what the owner should know, a sentence each.
    """

    folder: SuiteFolder
    spec: JobSpec
    sources: SourceLibrary
    author: ModelAuthor
    ledger: ProvenanceLedger
    context: int | None = None
    output: int | None = None
    private: Sequence[str] = ()
    precedence: Sequence[str] = ()
    note: Callable[[str], None] = lambda text: None
    documents: dict[str, str] = field(init=False)
    """Hash of each document by its name."""

    def __post_init__(self) -> None:
        self.documents = {f"document {file.id}": file.hash for file in self.sources.files}

    @property
    def about(self) -> str:
        """The job in words."""
        return f"{self.spec.role} {self.spec.domain} {self.spec.about}"

    async def clauses(self) -> list[Clause]:
        """The clauses that hold; they and the handbook are written where they do not stand yet.

        Raises:
            DataError: there are no documents, clauses contradict each other, or the author cannot quote them.
            SettingError: a private section or a document of `precedence` is not there.
            UnusableReplies: the author's replies cannot be used.
            InvalidSample: the model cannot be reached.
        """
        path = self.folder.root / "clauses.yaml"
        earlier = read_clauses(path) if path.exists() else []
        sections = sections_of(self.sources, self.private, earlier)
        write_handbook(self.folder.root / "handbook", sections, precedence=self.precedence)
        job = [self.spec.role, self.spec.industry, self.spec.domain, self.spec.about]
        made_from = {
            **self.documents,
            "job": hash_of(job),
            "private": hash_of(sorted(self.private)),
            "precedence": hash_of(list(self.precedence)),
        }

        async def make(only: Collection[str] | None = None) -> list[Clause]:
            made = await clauses_of(
                self.spec,
                self.sources,
                self.author,
                context=self.context,
                output=self.output,
                private=self.private,
                precedence=self.precedence,
                earlier=earlier,
                only=only,
                note=self.note,
            )
            write_text(self.folder.work / "reading.yaml", to_yaml(made.reading))
            return made.clauses

        if added := self._added(path):
            value = [*earlier, *await make([name.removeprefix("document ") for name in added])]
            known = self.ledger.last(path)
            before = known.made_from if known is not None else {}
            now = {**before, **{name: self.documents[name] for name in added}}
            self.ledger.write(path, CLAUSES, value, now, self.author.model, edited=True)
        clauses = await self.ledger.keep_or_make(path, CLAUSES, made_from, self.author.model, make)
        # A person may have changed them, or documents that came later.
        return settled(clauses, [name for name in self.precedence if any(c.document == name for c in clauses)])[0]

    def _added(self, path: Path) -> list[str]:
        """Documents that came after a person had changed the clauses: theirs are read and put beside those."""
        record = self.ledger.last(path)
        if not path.exists() or record is None or self.ledger.is_ours(path, CLAUSES):
            return []
        return [name for name in self.documents if name not in record.made_from]
