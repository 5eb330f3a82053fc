"""The stage from documents to clauses that hold, with all that the owner should know of it."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence

import msgspec

from worktrial.errors import DataError, flag, option
from worktrial.synthesis.artifacts import JobSpec
from worktrial.synthesis.author import Author
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.contradictions import settled
from worktrial.synthesis.clauses.extract import ClauseReading, extract_clauses
from worktrial.synthesis.clauses.sections import HandbookSection, sections_of
from worktrial.synthesis.sources import SourceLibrary

ASSUMED_CONTEXT = 16_000
"""Tokens of a model's context where neither its endpoint nor the owner says how many."""
_FEWEST_QUOTED = 0.5
_SHOWN = 5
_READ = 4000
"""Characters of a document by which its language is told."""


class DocumentClauses(msgspec.Struct, kw_only=True, frozen=True):
    """Sections of the documents, and the clauses that stand in them."""

    sections: list[HandbookSection]
    clauses: list[Clause]
    """The ones that hold."""
    overruled: list[Clause]
    """The ones that a document of higher precedence contradicts."""
    reading: ClauseReading


async def clauses_of(
    spec: JobSpec,
    sources: SourceLibrary,
    author: Author,
    *,
    context: int | None,
    output: int | None = None,
    private: Sequence[str] = (),
    precedence: Sequence[str] = (),
    earlier: Sequence[Clause] = (),
    only: Collection[str] | None = None,
    note: Callable[[str], None],
) -> DocumentClauses:
    """Read the documents' clauses; `note` is told what the owner should know.

    Args:
        spec: The job.
        sources: The documents.
        author: Copies the clauses out.
        context: Tokens of its context; None where nobody says.
        output: Tokens of its longest reply; None where nobody says.
        private: Documents and sections that serve the checks only.
        precedence: Documents, the one that counts first in front.
        earlier: Clauses of an earlier reading, whose ids and sections are kept.
        only: Ids of the documents to read; None for all.
        note: Takes a sentence each.

    Raises:
        SettingError: a private section or a document of `precedence` is not there.
        DataError: there are no documents; clauses contradict each other; or the author cannot quote the documents.
        UnusableReplies: the author's replies cannot be used.
    """
    if not sources.parts:
        fix = f"Give them with {option('document')} FILE; a job without documents can only be simulated"
        raise DataError("documents", "there are none, so there are no clauses", fix)
    sections = [one for one in sections_of(sources, private, earlier) if only is None or one.document in only]
    if context is None:
        context = ASSUMED_CONTEXT
        note(
            f"the endpoint of {author.model} does not say how large its context is; {context:,} tokens are "
            f"assumed. {flag('context_tokens')} says it"
        )
    strange = _strange_languages(spec, sources, {one.document for one in sections})
    for name, language in strange.items():
        wanted = ", ".join(spec.languages)
        note(f"{name} reads as {language}, and tasks are wanted in {wanted}: {author.model} has to know both")
    reading = await extract_clauses(spec, sections, author, context=context, output=output, earlier=earlier)
    _refuse_unquoted(reading, author.model, sorted(set(strange.values())))
    for text in _notes(reading):
        note(text)
    holding, overruled = settled(reading.clauses, precedence)
    for clause in overruled:
        note(f"{clause.id} of {clause.document} is overruled by a document that counts before it: “{clause.quote}”")
    return DocumentClauses(sections=sections, clauses=holding, overruled=overruled, reading=reading)


def _strange_languages(spec: JobSpec, sources: SourceLibrary, read: Collection[str]) -> dict[str, str]:
    """Language of each procedure that is read and in none of the job's."""
    # Imported here: the model of languages takes half a second to load.
    from worktrial.synthesis.compose.languages import known_languages, language_of

    found = {}
    for file in sources.files:
        if file.kind in ("openapi", "mcp") or file.id not in read:
            continue
        text = "\n".join(part.text for part in sources.parts if part.source == file.id)
        language = language_of(text[:_READ], known_languages())
        if language not in spec.languages:
            found[file.id] = language
    return found


def _refuse_unquoted(reading: ClauseReading, model: str, languages: Sequence[str]) -> None:
    """Refuse a reading by an author who does not copy the words, as one that does not know the language."""
    found, lost = len(reading.clauses), len(reading.refused)
    if found == 0 or found < _FEWEST_QUOTED * (found + lost):
        shown = "; ".join(refused.why for refused in reading.refused[:_SHOWN]) or "it gave none"
        what = f"{model} gave {found + lost} clauses, and {lost} of the quotes do not stand there ({shown})"
        language = f"their language ({', '.join(languages)})" if languages else "their language"
        raise DataError("documents", what, f"Take a model that knows {language} and copies exactly")


def _notes(reading: ClauseReading) -> list[str]:
    notes = []
    kinds = Counter(clause.kind for clause in reading.clauses)
    counted = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    notes.append(f"{len(reading.clauses)} clauses: {counted}")
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
