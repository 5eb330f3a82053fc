"""The search index of an archive: made from its parts, opened, asked."""

import shutil
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from worktrial.archive.search.by_sqlite import SqliteIndex, write_sqlite
from worktrial.archive.search.by_tantivy import TantivyIndex, write_tantivy
from worktrial.archive.search.entry import Entry, entries
from worktrial.archive.search.hits import Found, Hit, snippet
from worktrial.archive.search.question import Question, read_question
from worktrial.archive.store.parts import Part

INDEX_FORMAT = 1
_PHRASE_DEPTH = 200
_ABOUT = "about.json"
Kind = Literal["page", "table"]


class _Index(Protocol):
    def search(
        self,
        words: Iterable[str],
        *,
        kind: str,
        limit: int,
        document: str | None = None,
        issue: str | None = None,
        years: Iterable[int] = (),
    ) -> list[Found]: ...


class About(msgspec.Struct, frozen=True):
    """Which index lies in a folder, and of what."""

    engine: str
    of: str
    """Fingerprint of the documents."""
    format: int = INDEX_FORMAT


def write_index(folder: Path, parts: Sequence[Part], fingerprint: str, *, engine: str | None = None) -> None:
    """Make the index anew; readers of the old one keep it until they close it.

    Args:
        folder: where the index goes.
        parts: documents to index.
        fingerprint: of those documents; `index_of` finds it again.
        engine: `tantivy` or `sqlite`; tantivy where it is installed by default.
    """
    write_entries(folder, entries(parts), fingerprint, engine=engine)


def write_entries(folder: Path, rows: Iterable[Entry], fingerprint: str, *, engine: str | None = None) -> None:
    """The same from entries."""
    engine = engine or best_engine()
    temporary = folder.with_name(f"{folder.name}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    (write_tantivy if engine == "tantivy" else write_sqlite)(temporary, rows)
    (temporary / _ABOUT).write_bytes(msgspec.json.encode(About(engine, fingerprint)))
    # A folder cannot be replaced in one step; between the two there is no index, and it is made again on demand.
    shutil.rmtree(folder, ignore_errors=True)
    temporary.replace(folder)


def about_index(folder: Path) -> About | None:
    """What lies in the folder; None when it is no index that can be used here."""
    try:
        about = msgspec.json.decode((folder / _ABOUT).read_bytes(), type=About)
    except (OSError, msgspec.MsgspecError):
        return None
    usable = about.format == INDEX_FORMAT and (about.engine != "tantivy" or best_engine() == "tantivy")
    return about if usable else None


def best_engine() -> str:
    """`tantivy` where it is installed, else `sqlite`."""
    return "tantivy" if find_spec("tantivy") is not None else "sqlite"


class Searcher:
    """An open index that understands questions.

    Args:
        folder: of the index.
        names: words of the documents' names.
        issues: dates of issue that the archive has.
    """

    def __init__(self, folder: Path, names: frozenset[str], issues: frozenset[str]) -> None:
        about = about_index(folder)
        self._index: _Index = TantivyIndex(folder) if about and about.engine == "tantivy" else SqliteIndex(folder)
        self._names = names
        self._issues = issues

    def search(self, query: str, *, limit: int = 10, document: str | None = None, kind: Kind = "page") -> list[Hit]:
        """The best pages or tables, the best first.

        Where the question names issues that the archive has, the best of each named issue come first, in turn.
        """
        question = read_question(query, self._names)
        if limit < 1 or not (question.words or question.issues):
            return []
        named = [issue for issue in question.issues if issue in self._issues] if document is None else []
        # Phrases are looked for among the best by their words.
        deep = max(limit, _PHRASE_DEPTH) if question.phrases else limit
        per_issue = [self._ask(question, kind, deep, None, issue) for issue in named]
        ranked = [found for row in _in_turn(per_issue) for found in row]
        if len(ranked) < deep:
            ranked += self._ask(question, kind, deep, document, None)
        if question.phrases:
            ranked.sort(key=lambda found: -_phrases_in(found.body, question.phrases))
        unique = {(f.document, f.page, f.table): f for f in reversed(ranked)}
        best = list(dict.fromkeys((f.document, f.page, f.table) for f in ranked))[:limit]
        return [_hit(unique[place], question.words) for place in best]

    def _ask(
        self, question: Question, kind: Kind, limit: int, document: str | None, issue: str | None
    ) -> list[Found]:
        # A named issue that the archive lacks says at least around which year to look.
        years = (*question.years, *(int(name[:4]) for name in question.issues)) if issue is None else ()
        words = question.words
        return self._index.search(words, kind=kind, limit=limit, document=document, issue=issue, years=years)


def _phrases_in(body: str, phrases: Sequence[str]) -> int:
    """How many of the phrases stand in the text, whatever its line breaks and capitals."""
    flat = " ".join(body.casefold().split())
    return sum(" ".join(phrase.casefold().split()) in flat for phrase in phrases)


def _in_turn(lists: Sequence[Sequence[Found]]) -> Iterable[list[Found]]:
    longest = max((len(found) for found in lists), default=0)
    for rank in range(longest):
        yield [found[rank] for found in lists if rank < len(found)]


def _hit(found: Found, words: Sequence[str]) -> Hit:
    table = found.table or None
    return Hit(found.document, found.page, table, round(found.score, 3), snippet(found.body, words))
