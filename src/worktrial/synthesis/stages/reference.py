"""Second stage: what one has to know to do the work of a sub-topic."""

from collections.abc import Iterator

import msgspec

from worktrial.synthesis.artifacts import JobSpec, Reference, Statement, SubTopic
from worktrial.synthesis.author import Author
from worktrial.synthesis.checks.placeholders import unfilled
from worktrial.synthesis.prompting import fenced, language_name, passage_text, render, spread, within
from worktrial.synthesis.sources import Passage, SourceLibrary
from worktrial.synthesis.sources.store import citation_problem

_FEWEST, _MOST = 2, 8
_SLACK = 2
_PASSAGES = 12
_ROOM = 2600
"""Tokens of passages that are shown."""


async def reference(spec: JobSpec, subtopic: SubTopic, sources: SourceLibrary, author: Author) -> Reference:
    """A reference document, grounded in the user's documents where there are any.

    Raises:
        Unusable: the author's replies cannot be used; a citation that does not hold is one of the reasons.
        InvalidSample: the model cannot be reached.
    """
    passages = passages_for(subtopic, sources)
    shown = "\n\n".join(within([passage_text(passage) for passage in passages], _ROOM))
    prompt = render(
        "reference",
        spec=spec,
        subtopic=subtopic,
        passages=fenced(shown) if shown else "",
        first=passages[0] if shown else None,
        fewest=_FEWEST,
        most=_MOST,
        language=language_name(spec.languages[0] if spec.languages else "en"),
    )

    def problems(draft: Reference) -> list[str]:
        return [*_structure(draft), *(_citations(draft, sources, passages[0]) if shown else [])]

    written = await author.write(prompt, Reference, salt=f"reference/{subtopic.id}", check=problems)
    parts = {part: _kept(statements, cited=bool(shown)) for part, statements in written.parts.items()}
    return msgspec.structs.replace(written, subtopic=subtopic.id, **parts)


def passages_for(subtopic: SubTopic, sources: SourceLibrary) -> list[Passage]:
    """The passages that fit a sub-topic best.

    Where no word is common to them, as when they are in another language, some from all over the documents.
    """
    found = sources.find(f"{subtopic.title} {subtopic.about}", _PASSAGES)
    return found or spread(sources.passages, _PASSAGES)


def _structure(draft: Reference) -> list[str]:
    found = []
    for part, statements in draft.parts.items():
        if not _FEWEST - 1 <= len(statements) <= _MOST + _SLACK:
            found.append(f"{part}: has {len(statements)} statements; {_FEWEST} to {_MOST} are wanted")
        for number, statement in enumerate(statements):
            where = f"{part}[{number}]"
            if not statement.text.strip():
                found.append(f"{where}: is blank")
            found += unfilled(where, statement.text, forms=True)
    return found


def _citations(draft: Reference, sources: SourceLibrary, known: Passage) -> Iterator[str]:
    cited = 0
    for part, statements in draft.parts.items():
        for number, statement in enumerate(statements):
            for citation in statement.citations:
                cited += 1
                problem = citation_problem(citation, sources)
                if problem and sources.passage(citation.source, citation.passage) is None:
                    problem += f'; a name in full is "source": "{known.source}", "passage": "{known.id}"'
                if problem:
                    yield f"{part}[{number}]: {problem}"
    if not cited:
        yield "no statement cites a passage; cite those that the statements rest on"


def _kept(statements: list[Statement], *, cited: bool) -> list[Statement]:
    """Statements without their citations where there are no documents that could be cited."""
    return statements if cited else [Statement(text=statement.text) for statement in statements]
