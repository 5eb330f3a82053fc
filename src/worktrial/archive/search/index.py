"""The search index of an archive, by tantivy: made from its parts, opened, asked."""

import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec
import tantivy
from tantivy import Filter, Query, TextAnalyzerBuilder, Tokenizer

from worktrial.archive.search.words import (
    WEIGHTS,
    IndexEntry,
    SearchQuestion,
    read_question,
    whole_numbers,
)

_WIDEST = 240
_ANALYZER = "words"
_HEAP = 124_000_000
"""Bytes that the writer gathers before it writes a segment. Eight segments are merged into one, which costs about a
third of indexing them: an archive of 50,000 pages just stays below that."""
_THREADS = 1
"""A page and its tables share most of their words, above all numbers that occur nowhere else. Several threads would
put them into different segments, where each such word is sorted and written once more."""
_SECONDARY = 0.2
"""Share of a word's worth in the fields where it matches less well than in its best one."""
_YEAR_BONUS = 2.0
"""Added when a document was issued in a year that the question mentions, or in the year after it: about what one
common word counts."""
INDEX_FORMAT = 2
_PERIOD_BONUS = 8.0
"""Added for each period of the question that figures of a table or page are about."""
_PHRASE_DEPTH = 200
_ABOUT = "about.json"
Kind = Literal["page", "table"]


class Hit(NamedTuple):
    """A page or a table that matches, the best first."""

    document: str
    page: int
    table: int | None
    """1-based number on its page; None for a page."""
    score: float
    """0-1: its worth beside the best, within the issue where issues are named; one more for each phrase found."""
    snippet: str
    also: tuple[str, ...] = ()
    """Other names of the same table, or tables, in other documents."""
    documents: int = 0
    """Number of other documents that print the same table."""


class _Found(NamedTuple):
    """A match as the index hands it over."""

    document: str
    page: int
    table: int
    score: float
    body: str
    also: str = ""
    documents: int = 0


def snippet(body: str, words: Sequence[str]) -> str:
    """The line with most of the words, and what follows it."""
    # The first letters of a word are enough to tell where to look; endings differ.
    stems = {word[:6] if len(word) > 7 else word for word in words}
    lines = [re.sub(r"\s+", " ", line).strip() for line in body.splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        return ""
    best = max(range(len(lines)), key=lambda i: (_matches(lines[i], stems), -i))
    shown = lines[best]
    for line in lines[best + 1 : best + 4]:
        if len(shown) + len(line) + 3 > _WIDEST:
            break
        shown += f" / {line}"
    return shown if len(shown) <= _WIDEST else shown[: _WIDEST - 1] + "…"


def _matches(line: str, stems: set[str]) -> int:
    low = line.casefold().replace(",", "")
    return sum(stem in low for stem in stems)


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    for name in ("kind", "issue", "year", "when"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("document", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("page", stored=True)
    builder.add_unsigned_field("table", stored=True)
    for name in WEIGHTS:
        # Frequencies without positions: phrases are looked for in what is found.
        builder.add_text_field(name, tokenizer_name=_ANALYZER, index_option="freq")
    # Bytes are stored without being indexed, which a field of text always is.
    builder.add_bytes_field("text", stored=True)
    builder.add_bytes_field("others", stored=True)
    builder.add_unsigned_field("documents", stored=True)
    return builder.build()


def _analyzer() -> Any:
    builder = TextAnalyzerBuilder(Tokenizer.simple())
    for step in (Filter.remove_long(60), Filter.lowercase(), Filter.ascii_fold(), Filter.stemmer("english")):
        builder = builder.filter(step)
    return builder.build()


class _About(msgspec.Struct, frozen=True):
    """Description of the index in a folder."""

    of: str
    """Fingerprint of the documents."""
    format: int = INDEX_FORMAT


def write_entries(folder: Path, rows: Iterable[IndexEntry], fingerprint: str) -> None:
    """Make the index anew; readers of the old one keep it until they close it.

    Args:
        folder: where the index goes.
        rows: entries of the documents.
        fingerprint: of those documents; `is_index_of` finds it again.
    """
    temporary = folder.with_name(f"{folder.name}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    schema = _schema()
    index = tantivy.Index(schema, path=str(temporary))
    index.register_tokenizer(_ANALYZER, _analyzer())
    writer = index.writer(heap_size=_HEAP, num_threads=_THREADS)
    for row in rows:
        text = {field: whole_numbers(getattr(row, field)) for field in WEIGHTS}
        place = {"kind": row.kind, "document": row.document, "page": row.page, "table": row.table}
        dated = {"issue": row.issue, "year": row.issue[:4], "when": row.when.split("\n")}
        others = {"others": row.also.encode(), "documents": row.documents}
        # Told the schema, it need not try for every value which type it might be.
        told = {**place, **dated, **text, **others, "text": row.body.encode()}
        writer.add_document(tantivy.Document.from_dict(told, schema))
    writer.commit()
    writer.wait_merging_threads()
    (temporary / _ABOUT).write_bytes(msgspec.json.encode(_About(fingerprint)))
    # A folder cannot be replaced in one step; between the two there is no index, and it is made again on demand.
    shutil.rmtree(folder, ignore_errors=True)
    temporary.replace(folder)


def is_index_of(folder: Path, fingerprint: str) -> bool:
    """Whether the folder holds an index that can be read here, of just these documents."""
    try:
        about = msgspec.json.decode((folder / _ABOUT).read_bytes(), type=_About)
    except (OSError, msgspec.MsgspecError):
        return False
    return about == _About(fingerprint)


class Searcher:
    """An open index that understands questions.

    Args:
        folder: of the index.
        names: words of the documents' names.
        issues: dates of issue that the archive has.
    """

    def __init__(self, folder: Path, names: frozenset[str], issues: frozenset[str]) -> None:
        self._schema, self._analyzer = _schema(), _analyzer()
        index = tantivy.Index(self._schema, path=str(folder))
        index.register_tokenizer(_ANALYZER, self._analyzer)
        index.reload()
        self._searcher = index.searcher()
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
        per_issue = [_to_best(self._ask(question, kind, deep, None, issue)) for issue in named]
        # The best of each issue first, in turn; then what is next beside the best of its own issue.
        ranked = sorted((found for row in _in_turn(per_issue) for found in row), key=lambda found: -found.score)
        if len(ranked) < deep:
            rest = _to_best(self._ask(question, kind, deep, document, None))
            least = ranked[-1].score if ranked else 1.0
            ranked += [found._replace(score=found.score * least) for found in rest]
        if question.phrases:
            ranked = [f._replace(score=f.score + _phrases_in(f.body, question.phrases)) for f in ranked]
            ranked.sort(key=lambda found: -found.score)
        unique = {(f.document, f.page, f.table): f for f in reversed(ranked)}
        best = list(dict.fromkeys((f.document, f.page, f.table) for f in ranked))[:limit]
        return [_hit(unique[place], question.words) for place in best]

    def _ask(
        self, question: SearchQuestion, kind: Kind, limit: int, document: str | None, issue: str | None
    ) -> list[_Found]:
        """The best entries, the best first."""
        must, should = tantivy.Occur.Must, tantivy.Occur.Should
        filters = [("kind", kind), ("document", document), ("issue", issue)]
        clauses = [(must, Query.const_score_query(self._term(f, v), 0.0)) for f, v in filters if v is not None]
        # Every stem once, although it may be asked for in two forms.
        stems = dict.fromkeys(s for word in question.words for s in self._analyzer.analyze(whole_numbers(word)))
        wanted = [(should, self._anywhere(stem)) for stem in stems]
        if wanted:
            clauses.append((must, Query.boolean_query(wanted)))
        # A named issue that the archive lacks says at least around which year to look.
        years = (*question.years, *(int(name[:4]) for name in question.issues)) if issue is None else ()
        near = sorted({year + later for year in years for later in (0, 1)})
        worth = [("year", str(year), _YEAR_BONUS) for year in near]
        worth += [("when", period, _PERIOD_BONUS) for period in question.periods]
        clauses += [(should, Query.const_score_query(self._term(field, v), bonus)) for field, v, bonus in worth]
        found = []
        for score, address in self._searcher.search(Query.boolean_query(clauses), limit, count=False).hits:
            stored = self._searcher.doc(address)
            names = ("document", "page", "table", "text", "others", "documents")
            name, page, table, text, others, documents = (stored.get_first(field) for field in names)
            body, also = (bytes(value or b"").decode() for value in (text, others))
            found.append(_Found(str(name), int(page or 0), int(table or 0), score, body, also, int(documents or 0)))
        return found

    def _term(self, field: str, value: str) -> Any:
        return Query.term_query(self._schema, field, value, "basic")

    def _anywhere(self, stem: str) -> Any:
        terms = {field: Query.term_query(self._schema, field, stem, "freq") for field in WEIGHTS}
        weighted = [Query.boost_query(term, WEIGHTS[field]) for field, term in terms.items()]
        return Query.disjunction_max_query(weighted, tie_breaker=_SECONDARY)


def _to_best(found: Sequence[_Found]) -> list[_Found]:
    """Scores as shares of the best one's."""
    best = max((one.score for one in found), default=0.0)
    return [one._replace(score=one.score / best if best > 0 else 1.0) for one in found]


def _phrases_in(body: str, phrases: Sequence[str]) -> int:
    """Number of the phrases that stand in the text, whatever its line breaks and capitals."""
    flat = " ".join(body.casefold().split())
    return sum(" ".join(phrase.casefold().split()) in flat for phrase in phrases)


def _in_turn(lists: Sequence[Sequence[_Found]]) -> Iterable[list[_Found]]:
    longest = max((len(found) for found in lists), default=0)
    for rank in range(longest):
        yield [found[rank] for found in lists if rank < len(found)]


def _hit(found: _Found, words: Sequence[str]) -> Hit:
    table = found.table or None
    also = tuple(dict.fromkeys(name for name in found.also.split("\n") if name))
    shown = snippet(found.body, words)
    return Hit(found.document, found.page, table, round(found.score, 3), shown, also, found.documents)
