"""Word documents: paragraphs and tables in their order, pages where the document says that they end."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worktrial.archive.producers.files import ReadSettings
from worktrial.archive.producers.flow import (
    FlowReader,
    PageEdge,
    Paragraph,
    Piece,
    bounded_zip,
    is_table,
    shaped,
)
from worktrial.errors import DataError, extra

_MOST_COLUMNS = 1_000
_SPAN = re.compile(rb'<w:(?:gridSpan|gridBefore|gridAfter)\s[^>]*w:val="(\d+)"')
_EDGE = "./w:pPr/w:pageBreakBefore | .//w:lastRenderedPageBreak | .//w:br[@w:type='page']"


class WordReader(FlowReader):
    """Reads .docx files: what stands in the body, not headers, footers and text boxes."""

    def __init__(self, path: Path, settings: ReadSettings) -> None:
        with bounded_zip(path) as packed:
            for name in packed.namelist():
                if name.startswith("word/") and name.endswith(".xml"):
                    widest = max(map(int, _SPAN.findall(packed.read(name))), default=0)
                    if widest > _MOST_COLUMNS:
                        raise DataError(path, f"{name}: a cell spans {widest:,} columns", "Leave it out")
        with extra("office", "Reading Word documents"):
            import docx
        try:
            document = docx.Document(str(path))
        except (KeyError, ValueError) as error:
            raise DataError(path, f"is no Word document ({error})", "Save it anew as .docx") from None
        super().__init__(_pieces(document), path)


def _pieces(document: Any) -> Iterator[Piece]:
    for item in document.iter_inner_content():
        if hasattr(item, "rows"):
            yield from _table(item)
            continue
        edges = item._p.xpath(_EDGE)
        ended = bool(edges) and _has_words_before(edges[0], item._p)
        if edges and not ended:
            yield PageEdge()
        if item.text.strip():
            named = (item.style.name or "") if item.style is not None else ""
            yield Paragraph(item.text.strip(), heading=named.startswith(("Heading", "Title", "Caption")))
        if ended:
            yield PageEdge()


def _has_words_before(edge: Any, paragraph: Any) -> bool:
    for element in paragraph.iter():
        if element is edge:
            return False
        if element.tag.endswith("}t") and (element.text or "").strip():
            return True
    return False


def _table(table: Any) -> Iterator[Piece]:
    rows = []
    heads = 0
    for row in table.rows:
        # A merged cell comes once for each column and row that it covers.
        rows.append([""] * row.grid_cols_before + [cell.text for cell in row.cells])
        if heads == len(rows) - 1 and row._tr.xpath("./w:trPr/w:tblHeader"):
            heads += 1
    if is_table(rows):
        yield shaped(rows, heads if 0 < heads < len(rows) else None)
    else:
        yield from (Paragraph(text) for row in rows for text in dict.fromkeys(map(str.strip, row)) if text)
