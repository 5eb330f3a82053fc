"""The index by tantivy."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from worktrial.archive.search.entry import WEIGHTS, Entry, plain_numbers
from worktrial.archive.search.hits import Found

_ANALYZER = "words"
_HEAP = 96_000_000
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
        phrases: Iterable[str],
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
        stems = dict.fromkeys(stem for word in words for stem in self._analyzer.analyze(plain_numbers(word)))
        wanted = [(should, self._anywhere(stem)) for stem in stems]
        for phrase in phrases:
            terms = self._analyzer.analyze(plain_numbers(phrase))
            if len(terms) > 1:
                wanted.append((should, q.boost_query(q.phrase_query(self._schema, "body", terms), 2.0)))
        if wanted:
            clauses.append((must, q.boolean_query(wanted)))
        for year in sorted({y for year in years for y in (year, year + 1)}):
            clauses.append((should, q.const_score_query(self._term("year", str(year)), _YEAR_BONUS)))
        hits = self._searcher.search(q.boolean_query(clauses), limit, count=False).hits
        found = []
        for score, address in hits:
            stored = self._searcher.doc(address)
            place = (stored.get_first("document"), stored.get_first("page"), stored.get_first("table"))
            found.append(Found(*place, score, stored.get_first("text")))
        return found

    def _term(self, field: str, value: str) -> Any:
        return self._t.Query.term_query(self._schema, field, value, "basic")

    def _anywhere(self, stem: str) -> Any:
        q = self._t.Query
        fields = [
            q.boost_query(q.term_query(self._schema, field, stem, "freq"), weight) for field, weight in WEIGHTS.items()
        ]
        return q.disjunction_max_query(fields, tie_breaker=_SECONDARY)


def write_tantivy(folder: Path, rows: Iterable[Entry]) -> None:
    """Index all entries into an empty folder."""
    import tantivy

    index = tantivy.Index(_schema(), path=str(folder))
    index.register_tokenizer(_ANALYZER, _analyzer())
    writer = index.writer(heap_size=_HEAP, num_threads=2)
    for row in rows:
        text = {field: plain_numbers(getattr(row, field)) for field in WEIGHTS}
        place = {"kind": row.kind, "document": row.document, "page": row.page, "table": row.table}
        dated = {"issue": row.issue, "year": row.issue[:4]}
        writer.add_document(tantivy.Document(**place, **dated, **text, text=row.body))
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
        # Positions cost space; only phrases need them.
        builder.add_text_field(
            name, tokenizer_name=_ANALYZER, index_option="position" if name == "body" else "freq"
        )
    builder.add_text_field("text", stored=True, tokenizer_name="raw", index_option="basic")
    return builder.build()


def _analyzer() -> Any:
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

    builder = TextAnalyzerBuilder(Tokenizer.regex(r"[0-9]+(?:\.[0-9]+)*|\p{L}+"))
    for step in (Filter.remove_long(60), Filter.lowercase(), Filter.ascii_fold(), Filter.stemmer("english")):
        builder = builder.filter(step)
    return builder.build()
