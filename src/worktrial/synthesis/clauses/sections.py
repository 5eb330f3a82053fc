"""Sections of the owner's documents: numbered, with their pages, and written as the papers of a handbook."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, product
from pathlib import Path
from string import ascii_lowercase
from typing import NamedTuple

import msgspec

from worktrial.errors import SettingError, option
from worktrial.synthesis.artifacts import Text
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.files import to_yaml, write_text
from worktrial.synthesis.sources import DocumentPart, SourceLibrary
from worktrial.synthesis.sources.text import pieces

UNDATED = "undated"
_INTERFACE_ROOM = 4000
_PROSE_ROOM = 8000
"""Characters of a section whose document has no headings."""
_NUMBERED = re.compile(
    r"(?:§+\s*|(?:section|chapter|article|part|제)\s*)?(?P<number>\d{1,3}(?:\.\d{1,3})*|[A-Z](?:\.\d{1,3})+)"
    r"(?:[.):]|\s*[장조항](?![가-힣])|(?=\s))\s*(?P<title>.*)",
    re.IGNORECASE | re.DOTALL,
)
_HEADING_LINE = re.compile(
    r"(?m)^[ \t]*(?:§\s*)?(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})[.)]?[ \t]+"
    r"(?P<title>[^\W\d_][^\n]{1,70}?)[ \t]*$"
)
_TEMPLATE = re.compile(r"\{[{%#]")
_NOT_NAME = re.compile(r"[^\w-]+")


class SectionPart(msgspec.Struct, kw_only=True, frozen=True):
    """Words of a section that stand on one page."""

    text: Text
    page: int | None = None


class HandbookSection(msgspec.Struct, kw_only=True, frozen=True):
    """One section of a document, as the agent can look it up."""

    document: Text
    """Id of its document."""
    number: Text
    """Number by which it is quoted, unique over all documents."""
    title: Text
    parts: list[SectionPart]
    """One or more, in reading order."""
    kind: str = "procedure"
    """`procedure`, or `interface` for the description of an interface."""
    private: bool = False

    @property
    def text(self) -> str:
        """All its words."""
        return "\n\n".join(part.text for part in self.parts)


class _Raw(NamedTuple):
    """A section before it has its number."""

    heading: list[str]
    parts: list[SectionPart]


def sections_of(
    sources: SourceLibrary, private: Iterable[str] = (), earlier: Iterable[Clause] = ()
) -> list[HandbookSection]:
    """The sections of all documents, in the order of the documents.

    A section has the number that its heading begins with, else one by its place. Where there are several
    procedures, the number begins with the document's id, but for documents that were read before, into `earlier`
    clauses: theirs stay as they were, so that one document more changes nothing of the others. Text and pages
    without headings are cut at lines that look like numbered headings, else by length.

    Raises:
        SettingError: a document or section of `private` is not there.
    """
    kinds = {file.id: file.kind for file in sources.files}
    prose = {part.source for part in sources.parts if kinds.get(part.source) not in ("openapi", "mcp")}
    named = {clause.document: clause.section.startswith(f"{clause.document}-") for clause in earlier}
    found: list[HandbookSection] = []
    for document in dict.fromkeys(part.source for part in sources.parts):
        parts = [part for part in sources.parts if part.source == document]
        raw = _prose(parts) if document in prose else _interface(parts)
        prefix = f"{document}-" if document not in prose or named.get(document, len(prose) > 1) else ""
        for number, title, section in _numbered(raw, document):
            kind = "procedure" if document in prose else "interface"
            name = f"{prefix}{number}"
            found.append(
                HandbookSection(document=document, number=name, title=title, parts=section.parts, kind=kind)
            )
    hidden = set(private)
    if strange := hidden - {section.document for section in found} - {section.number for section in found}:
        there = ", ".join(dict.fromkeys([s.document for s in found] + [s.number for s in found]))
        what = f"{option('private')} {', '.join(sorted(strange))}: there is no such document or section"
        raise SettingError(f"{what}; there are {there}")
    return [
        msgspec.structs.replace(section, private=bool(hidden & {section.document, section.number}))
        for section in found
    ]


def write_handbook(
    folder: Path, sections: Sequence[HandbookSection], *, precedence: Sequence[str] = (), issued: str = UNDATED
) -> None:
    """Write each section as a paper of the handbook in `folder`; papers that are not among them are removed.

    Where there is a precedence of documents, a notice says so.

    Raises:
        StopRun: it cannot be written.
    """
    names = {}
    if len(precedence) > 1:
        order = (
            f"Where these documents contradict each other, the first of them counts: {', then '.join(precedence)}."
        )
        parts, title = [SectionPart(text=order)], "Order of the documents"
        sections = [HandbookSection(document=precedence[0], number="order", title=title, parts=parts), *sections]
    for place, section in enumerate(sections, 1):
        front = {
            "section": section.number,
            "title": section.title,
            "issued": issued,
            "kind": section.kind,
            **({"private": True} if section.private else {}),
        }
        # The papers are templates, the owner's words are none.
        body = _TEMPLATE.sub(lambda found: f'{{{{ "{found[0]}" }}}}', section.text.strip())
        name = f"{place:03}-{_NOT_NAME.sub('-', section.number).strip('-').lower()}.md"
        names[name] = f"---\n{to_yaml(front)}---\n\n{body}\n"
    for name, text in names.items():
        write_text(folder / name, text)
    for path in folder.glob("*.md"):
        if path.name not in names:
            path.unlink()


def _prose(parts: Sequence[DocumentPart]) -> list[_Raw]:
    raw: list[_Raw] = []
    if any(part.heading for part in parts):
        for part in parts:
            if raw and raw[-1].heading == part.heading:
                raw[-1].parts.append(SectionPart(text=part.text, page=part.page))
            else:
                raw.append(_Raw(part.heading, [SectionPart(text=part.text, page=part.page)]))
        return raw
    for part in parts:
        for heading, text in _by_lines(part.text):
            piece = SectionPart(text=text, page=part.page)
            if heading or not raw:
                raw.append(_Raw([heading] if heading else [], [piece]))
            else:
                # What stands before a page's first heading goes on from the page before.
                raw[-1].parts.append(piece)
    if any(section.heading for section in raw):
        return raw
    if parts[0].page is not None:
        return [_Raw([f"Page {part.page}"], [SectionPart(text=part.text, page=part.page)]) for part in parts]
    whole = "\n\n".join(part.text for part in parts)
    return [_Raw([], [SectionPart(text=piece)]) for piece in pieces(whole, _PROSE_ROOM)]


def _by_lines(text: str) -> Iterator[tuple[str, str]]:
    """Heading and text of each stretch of a text without markup; "" before the first heading."""
    found = [
        line for line in _HEADING_LINE.finditer(text) if not line["title"].rstrip().endswith((".", ",", ";", ":"))
    ]
    starts = [0, *(line.end() for line in found)]
    ends = [*(line.start() for line in found), len(text)]
    headings = ["", *(f"{line['number']} {line['title'].strip()}" for line in found)]
    for heading, start, end in zip(headings, starts, ends, strict=True):
        if body := text[start:end].strip("\n"):
            yield heading, body if body.strip() else heading


def _interface(parts: Sequence[DocumentPart]) -> list[_Raw]:
    """Operations of an interface, several to a section: one each would fill the handbook with them."""
    raw: list[_Raw] = []
    for part in parts:
        piece = SectionPart(text=part.text)
        if raw and sum(len(p.text) for p in raw[-1].parts) + len(part.text) <= _INTERFACE_ROOM:
            raw[-1].parts.append(piece)
        else:
            raw.append(_Raw([part.heading[0] if part.heading else "Interface"], [piece]))
    # Their headings have no numbers of their own.
    return [_Raw([f"{place} {section.heading[0]}"], section.parts) for place, section in enumerate(raw, 1)]


def _numbered(raw: Sequence[_Raw], document: str) -> Iterator[tuple[str, str, _Raw]]:
    """Number and title of each section."""
    own = [_NUMBERED.match(section.heading[-1]) if section.heading else None for section in raw]
    taken: set[str] = set()
    depths: list[int] = []
    last = "0"
    for place, (section, found) in enumerate(zip(raw, own, strict=True), 1):
        if found is not None:
            last, title = found["number"].upper(), found["title"].strip() or found["number"]
        elif any(own):
            title = section.heading[-1] if section.heading else document
        else:
            depth = max(len(section.heading), 1)
            depths = [*depths[:depth], *[0] * (depth - len(depths))]
            depths[-1] += 1
            last = ".".join(str(number or 1) for number in depths)
            title = section.heading[-1] if section.heading else f"{document}, part {place}"
        yield _free(last, taken), title, section


def _free(number: str, taken: set[str]) -> str:
    """`number`, or the first of `number`a, `number`b, … `number`aa, … that is not taken yet."""
    marks = (mark for size in count() for mark in product(ascii_lowercase, repeat=size))
    name = next(name for mark in marks if (name := number + "".join(mark)) not in taken)
    taken.add(name)
    return name
