"""Web pages kept as files: texts in their order, tables that are no frames of a layout."""

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

from worktrial.archive.producers.files import ReadSettings
from worktrial.archive.producers.flow import FlowReader, Paragraph, Piece, is_table, shaped
from worktrial.archive.producers.parsed import read_table_element
from worktrial.errors import DataError, extra
from worktrial.outside.files import read_bytes

with extra("documents", "Reading HTML"):
    from lxml import etree
    from lxml.html import HtmlElement, HTMLParser, document_fromstring

_SILENT = ("script", "style", "noscript", "template", "head", "svg", "math")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "caption", "figcaption")
_INLINE = frozenset(
    (
        *("a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "img"),
        *("ins", "kbd", "label", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup"),
        *("time", "tt", "u", "var", "wbr"),
    )
)


class HtmlReader(FlowReader):
    """Reads one HTML file; nothing that it links to is fetched."""

    def __init__(self, path: Path, settings: ReadSettings) -> None:
        raw = read_bytes(path)
        try:
            # In UTF-8 unless the page says otherwise: without a word the library takes it for Latin-1.
            told = b"charset" in raw[:4096].lower() or not _is_utf8(raw)
            parser = HTMLParser(encoding=None if told else "utf-8", huge_tree=True)
            root = document_fromstring(raw, parser=parser)
        except (etree.LxmlError, ValueError) as error:
            raise DataError(path, f"is no HTML ({error})", "Leave it out") from None
        cut = any(entry.level_name == "FATAL" for entry in parser.error_log)
        trouble = "nested too deeply; what follows the deepest place is missing" if cut else None
        super().__init__(_pieces(root), path, trouble)


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _pieces(root: HtmlElement) -> Iterator[Piece]:
    words: list[str] = []
    heading = 0
    walk = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        if event in ("comment", "pi"):
            words.append(element.tail or "")
            continue
        tag = str(element.tag).lower()
        breaks = tag not in _INLINE
        if breaks and (text := " ".join("".join(words).split())):
            yield Paragraph(text, heading=heading > 0)
        if breaks:
            words = []
        if event == "start":
            heading += tag in _HEADINGS
            skipped = tag in _SILENT
            if tag == "table" and element.find(".//table") is None:
                read = read_table_element(deepcopy(element))
                if is_table(read.grid):
                    if read.caption:
                        yield Paragraph(read.caption, heading=True)
                    yield shaped(read.grid, read.header_rows or None)
                    skipped = True
            if skipped:
                walk.skip_subtree()
            else:
                words.append(element.text or "")
        else:
            heading -= tag in _HEADINGS
            words.append(element.tail or "")
    if text := " ".join("".join(words).split()):
        yield Paragraph(text)
