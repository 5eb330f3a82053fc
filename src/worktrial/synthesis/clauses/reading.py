"""The way from the owner's documents to the clauses that hold, and the handbook, in a suite's folder."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import msgspec

from worktrial.errors import DataError, flag, option
from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.author import Author
from worktrial.synthesis.clauses.clause import CLAUSES, Clause, stored_clauses
from worktrial.synthesis.clauses.contradictions import settled
from worktrial.synthesis.clauses.extract import ClauseReading, extract_clauses
from worktrial.synthesis.clauses.sections import sections_of, write_handbook
from worktrial.synthesis.files import hash_of, to_yaml, write_text
from worktrial.synthesis.folder import ProvenanceLedger, SuiteFolder
from worktrial.synthesis.sources import SourceLibrary

ASSUMED_CONTEXT = 16_000
"""Tokens of a model's context where neither its endpoint nor the owner says how many."""
_FEWEST_QUOTED = 0.5
_SHOWN = 5
_READ = 4000
"""Characters of a document by which its language is told."""


class DocumentClauses(msgspec.Struct, kw_only=True, frozen=True):
    """The clauses that stand in the documents."""

    clauses: list[Clause]
    """The ones that hold."""
    overruled: list[Clause]
    """The ones that a document of higher precedence contradicts."""
    reading: ClauseReading


@dataclass(kw_only=True)
class DocumentReader:
    """Reads clauses from the owner's documents.

    Args:
        spec: The job.
        sources: The owner's documents and interface.
        author: Copies the clauses out.
        context: Tokens of the author's context; None where nobody says.
        output: Tokens of its longest reply; None where nobody says.
        private: Documents and sections that serve the checks only.
        precedence: Documents, the one that counts first in front.
        note: Told what the owner should know, a sentence each.
    """

    spec: JobSpec
    sources: SourceLibrary
    author: Author
    context: int | None = None
    output: int | None = None
    private: Sequence[str] = ()
    precedence: Sequence[str] = ()
    note: Callable[[str], None] = lambda text: None

    async def read(self, earlier: Sequence[Clause] = (), only: Collection[str] | None = None) -> DocumentClauses:
        """Read all documents, or those of the ids `only`; `earlier` clauses keep their ids and sections.

        Raises:
            SettingError: a private section or a document of `precedence` is not there.
            DataError: there are no documents; clauses contradict each other; or the author cannot quote them.
            UnusableReplies: the author's replies cannot be used.
        """
        if not self.sources.parts:
            fix = f"Give them with {option('document')} FILE; a job without documents can only be simulated"
            raise DataError("documents", "there are none, so there are no clauses", fix)
        sections = sections_of(self.sources, self.private, earlier)
        sections = [one for one in sections if only is None or one.document in only]
        if self.context is None:
            self.note(
                f"the endpoint of {self.author.model} does not say how large its context is; {ASSUMED_CONTEXT:,} "
                f"tokens are assumed. {flag('context_tokens')} says it"
            )
        strange = self._strange_languages({one.document for one in sections})
        for name, language in strange.items():
            wanted = f"{', '.join(self.spec.languages)}: {self.author.model}"
            self.note(f"{name} reads as {language}, and tasks are wanted in {wanted} has to know both")
        context = self.context or ASSUMED_CONTEXT
        reading = await extract_clauses(
            self.spec, sections, self.author, context=context, output=self.output, earlier=earlier
        )
        _refuse_unquoted(reading, self.author.model, sorted(set(strange.values())))
        for text in _notes(reading):
            self.note(text)
        holding, overruled = settled(reading.clauses, self.precedence)
        for one in overruled:
            self.note(f"{one.id} of {one.document} is overruled by a document that counts before it: “{one.quote}”")
        return DocumentClauses(clauses=holding, overruled=overruled, reading=reading)

    def _strange_languages(self, read: Collection[str]) -> dict[str, str]:
        """Language of each procedure that is read and in none of the job's."""
        # Imported here: the model of languages takes half a second to load.
        from worktrial.synthesis.compose.languages import known_languages, language_of

        found = {}
        for file in self.sources.files:
            if file.kind not in ("openapi", "mcp") and file.id in read:
                text = "\n".join(part.text for part in self.sources.parts if part.source == file.id)
                found[file.id] = language_of(text[:_READ], known_languages())
        return {name: language for name, language in found.items() if language not in self.spec.languages}


@dataclass(kw_only=True)
class ReadingStage(DocumentReader):
    """Reader of documents that keeps what it reads in a suite's folder; `ledger` knows which artifacts stand."""

    folder: SuiteFolder
    ledger: ProvenanceLedger
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
            SettingError, DataError, UnusableReplies: as `DocumentReader.read`.
            InvalidSample: the model cannot be reached.
        """
        path, earlier = self.folder.clauses, stored_clauses(self.folder.clauses)
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
            made = await self.read(earlier, only)
            write_text(self.folder.work / "reading.yaml", to_yaml(made.reading))
            return made.clauses

        record = self.ledger.last(path)
        added = [] if record is None else [name for name in self.documents if name not in record.made_from]
        if record is not None and added and path.exists() and not self.ledger.is_ours(path, CLAUSES):
            # They came after a person had changed the clauses: theirs are read and put beside those.
            value = [*earlier, *await make([name.removeprefix("document ") for name in added])]
            now = {**record.made_from, **{name: self.documents[name] for name in added}}
            self.ledger.write(path, CLAUSES, value, now, self.author.model, edited=True)
        clauses = await self.ledger.keep_or_make(path, CLAUSES, made_from, self.author.model, make)
        # A person may have changed them, or documents that came later.
        return settled(clauses, [name for name in self.precedence if any(c.document == name for c in clauses)])[0]


def _refuse_unquoted(reading: ClauseReading, model: str, languages: Sequence[str]) -> None:
    """Refuse a reading by an author who does not copy the words, as one that does not know the language."""
    found, lost = len(reading.clauses), len(reading.refused)
    if found == 0 or found < _FEWEST_QUOTED * (found + lost):
        shown = "; ".join(refused.why for refused in reading.refused[:_SHOWN]) or "it gave none"
        what = f"{model} gave {found + lost} clauses, and {lost} of the quotes do not stand there ({shown})"
        language = f"their language ({', '.join(languages)})" if languages else "their language"
        raise DataError("documents", what, f"Take a model that knows {language} and copies exactly")


def _notes(reading: ClauseReading) -> list[str]:
    kinds = Counter(clause.kind for clause in reading.clauses)
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    notes = [f"{len(reading.clauses)} clauses: {counted}"]
    if not any(clause.numbers for clause in reading.clauses):
        notes.append("no clause has a number: limits and deadlines cannot be tried one beside the other")
    for numbers, why in reading.unread:
        notes.append(f"section {numbers} could not be read, so none of its clauses is known: {why}")
    notes += [f"not a clause: {refused.why}" for refused in reading.refused[:_SHOWN]]
    if len(reading.refused) > _SHOWN:
        notes.append(f"and {len(reading.refused) - _SHOWN} more that are no clauses")
    if reading.uncovered:
        number, sentence = reading.uncovered[0]
        notes.append(
            f"{len(reading.uncovered)} sentences with numbers or words that bind stand in no clause, the first in "
            f"section {number}: “{sentence}”"
        )
    return notes
