"""Finding the passages that a text is about, by BM25."""

from collections.abc import Sequence
from typing import Any

from worktrial.synthesis.sources.model import Passage
from worktrial.synthesis.sources.words import content_words

_HEAP = 15_000_000
_HEADING = 2.0
"""How much a word of a heading counts beside one of the text."""


class Index:
    """Passages in memory, ready to be searched."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        import tantivy

        self._t = tantivy
        self._schema = _schema()
        self._index = tantivy.Index(self._schema)
        # One thread and one commit make one segment, so equal scores come in the order of the documents.
        writer = self._index.writer(heap_size=_HEAP, num_threads=1)
        for number, passage in enumerate(passages):
            heading = " ".join(content_words(" ".join(passage.heading)))
            text = " ".join(content_words(passage.text))
            writer.add_document(tantivy.Document(number=number, heading=heading, text=text))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()

    def best(self, text: str, limit: int) -> list[int]:
        """Numbers of the passages that have words of `text`, the best first."""
        q = self._t.Query
        words = dict.fromkeys(content_words(text))
        if limit < 1 or not words:
            return []
        wanted = [
            (self._t.Occur.Should, self._term(q, field, word)) for word in words for field in ("heading", "text")
        ]
        hits = self._searcher.search(q.boolean_query(wanted), limit, count=False).hits
        return [int(self._searcher.doc(address)["number"][0]) for _, address in hits]

    def _term(self, q: Any, field: str, word: str) -> Any:
        term = q.term_query(self._schema, field, word, "freq")
        return q.boost_query(term, _HEADING) if field == "heading" else term


def _schema() -> Any:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("number", stored=True)
    for field in ("heading", "text"):
        # The words are stems already.
        builder.add_text_field(field, tokenizer_name="whitespace", index_option="freq")
    return builder.build()
