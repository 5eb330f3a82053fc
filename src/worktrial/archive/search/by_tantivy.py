"""The index by tantivy."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from worktrial.archive.search.entry import WEIGHTS, Entry, whole_numbers
from worktrial.archive.search.hits import Found

_ANALYZER = "words"
_HEAP = 124_000_000
"""What the writer gathers, in bytes, before it writes a segment. Eight segments are merged into one, which costs
about a third of indexing them: an archive of 50,000 pages just stays below that."""
_THREADS = 1
"""A page and its tables share most of their words, above all numbers that occur nowhere else. Several threads would
put them into different segments, where each such word is sorted and written once more."""
_SECONDARY = 0.2
"""What a word counts for in the fields where it matches less well than in its best one."""
_YEAR_BONUS = 2.0
"""Added when a document was issued in a year that the question mentions, or in the year after it: about what one
common word counts."""


class TantivyIndex:
    """An index opened for searching."""

    def __init__(self, folder: Path) -> None:
        import tantivy

        self._t = tantivy
        self._schema = _schema()
        self._index = tantivy.Index(self._schema, path=str(folder))
        self._analyzer = _analyzer()
        self._index.register_tokenizer(_ANALYZER, self._analyzer)
        self._index.reload()
        self._searcher = self._index.searcher()

    def search(
        self,
        words: Iterable[str],
        *,
        kind: str,
        limit: int,
        document: str | None = None,
        issue: str | None = None,
        years: Iterable[int] = (),
    ) -> list[Found]:
        """The best entries, the best first."""
        q, must, should = self._t.Query, self._t.Occur.Must, self._t.Occur.Should
        filters = [("kind", kind), ("document", document), ("issue", issue)]
        clauses = [(must, q.const_score_query(self._term(f, v), 0.0)) for f, v in filters if v is not None]
        # Every stem once, although it may be asked for in two forms.
        stems = dict.fromkeys(stem for word in words for stem in self._analyzer.analyze(whole_numbers(word)))
        wanted = [(should, self._anywhere(stem)) for stem in stems]
        if wanted:
            clauses.append((must, q.boolean_query(wanted)))
        near = sorted({year + later for year in years for later in (0, 1)})
        clauses += [(should, q.const_score_query(self._term("year", str(year)), _YEAR_BONUS)) for year in near]
        hits = self._searcher.search(q.boolean_query(clauses), limit, count=False).hits
        found = []
        for score, address in hits:
            stored = self._searcher.doc(address)
            document, page, table, text = (stored.get_first(n) for n in ("document", "page", "table", "text"))
            body = bytes(text or b"").decode()
            found.append(Found(str(document), int(page or 0), int(table or 0), score, body))
        return found

    def _term(self, field: str, value: str) -> Any:
        return self._t.Query.term_query(self._schema, field, value, "basic")

    def _anywhere(self, stem: str) -> Any:
        q = self._t.Query
        terms = {field: q.term_query(self._schema, field, stem, "freq") for field in WEIGHTS}
        weighted = [q.boost_query(term, WEIGHTS[field]) for field, term in terms.items()]
        return q.disjunction_max_query(weighted, tie_breaker=_SECONDARY)


def write_tantivy(folder: Path, rows: Iterable[Entry]) -> None:
    """Index all entries into an empty folder."""
    import tantivy

    schema = _schema()
    index = tantivy.Index(schema, path=str(folder))
    index.register_tokenizer(_ANALYZER, _analyzer())
    writer = index.writer(heap_size=_HEAP, num_threads=_THREADS)
    for row in rows:
        text = {field: whole_numbers(getattr(row, field)) for field in WEIGHTS}
        place = {"kind": row.kind, "document": row.document, "page": row.page, "table": row.table}
        dated = {"issue": row.issue, "year": row.issue[:4]}
        # Told the schema, it need not try for every value which type it might be.
        told = {**place, **dated, **text, "text": row.body.encode()}
        writer.add_document(tantivy.Document.from_dict(told, schema))
    writer.commit()
    writer.wait_merging_threads()


def _schema() -> Any:
    import tantivy

    builder = tantivy.SchemaBuilder()
    for name in ("kind", "issue", "year"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("document", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("page", stored=True)
    builder.add_unsigned_field("table", stored=True)
    for name in WEIGHTS:
        # Frequencies without positions: phrases are looked for in what is found.
        builder.add_text_field(name, tokenizer_name=_ANALYZER, index_option="freq")
    # Bytes are stored without being indexed, which a field of text always is.
    builder.add_bytes_field("text", stored=True)
    return builder.build()


def _analyzer() -> Any:
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.simple())
    for step in (Filter.remove_long(60), Filter.lowercase(), Filter.ascii_fold(), Filter.stemmer("english")):
        builder = builder.filter(step)
    return builder.build()
