"""Reading the files that a user names into parts and operations."""

import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from worktrial.errors import DataError, option
from worktrial.outside.files import read_bytes, refuse_leaving
from worktrial.synthesis.files import hash_of
from worktrial.synthesis.sources.mcp import read_tool_list, tool_list
from worktrial.synthesis.sources.store import DocumentContent, DocumentPart, Kind, SourceDocument, SourceLibrary
from worktrial.synthesis.sources.text import DocumentSection, markdown_sections, read_text, text_sections


def pdf_sections(path: Path) -> tuple[list[DocumentSection], list[str]]:
    """The pages with text, and notes on those that were recognised or could not be read.

    Pictures of pages are recognised where the libraries for that are installed.

    Raises:
        DataError: it is no PDF, damaged, encrypted, or has no page with text.
    """
    # Imported here: brings numpy and the PDF library.
    from worktrial.archive import Route, read_document

    pages, trouble = read_document(path)
    notes = [trouble] if trouble else []
    sections = [DocumentSection((), page.text, page.number) for page in pages if page.text.strip()]
    unread = [page.number for page in pages if page.route == Route.FAILED]
    if not sections:
        why = next((page.trouble for page in pages if page.trouble), "every page is blank")
        fix = "Give a PDF with a text layer, or install what reads pictures of pages: pip install 'worktrial[ocr]'"
        raise DataError(path, f"none of its {len(pages)} pages has text that can be read ({why})", fix)
    recognised = [page.number for page in pages if page.route == Route.OCR]
    if recognised:
        notes.append(f"{_listed(recognised)} recognised from a picture; check figures before you rely on them")
    if unread:
        why = next(page.trouble or "" for page in pages if page.number == unread[0])
        notes.append(f"{_listed(unread)} not read: {why}")
    return sections, notes


def _listed(numbers: Sequence[int]) -> str:
    """`pages 1-3, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    spans = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return f"{'page' if len(numbers) == 1 else 'pages'} {', '.join(spans)}:"


KINDS: dict[str, Kind] = {
    ".pdf": "pdf",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".json": "openapi",
    ".yaml": "openapi",
    ".yml": "openapi",
}
_KNOWN = "PDF (.pdf), Markdown (.md), text (.txt), OpenAPI 3 (.json, .yaml) and MCP tool lists (.json) are read"
_PDF = b"%PDF-"
_HEAD = 1024
_NOT_ID = re.compile(r"[\W_]+")


def load(paths: Iterable[Path | str], beside: SourceLibrary | None = None) -> SourceLibrary:
    """Read documents: PDF, Markdown, text, OpenAPI 3 in JSON or YAML, an MCP server's answer to `tools/list`.

    Given are files, or folders of such files, in any order, and a library that they join. A document there of the
    same content, or else of the same file name, is read anew in its place and keeps its id.

    Raises:
        DataError: one cannot be used; the message names the file, the place in it, and what to do.
    """
    read = SourceLibrary()
    before = beside or SourceLibrary()
    found: dict[str, tuple[Path, Kind, bytes]] = {}
    for path, kind in _files([Path(path) for path in paths]):
        raw = read_bytes(path)
        # Twice the same text would only crowd out others.
        found.setdefault(hash_of(raw), (path, kind, raw))
    ids = {file.hash: file.id for file in before.files if file.hash in found}
    for digest, (path, kind, raw) in found.items():
        name = ids.get(digest) or _id(path, before, ids.values())
        ids[digest] = name
        kind, content = _read(path, kind, raw, name)
        read.operations += content.operations
        read.parts += content.parts
        notes = list(content.notes)
        read.files.append(SourceDocument(id=name, name=path.name, kind=kind, hash=digest, notes=notes))
    return before.without(ids.values()).joined(read)


def _files(paths: Sequence[Path]) -> list[tuple[Path, Kind]]:
    """Every file once, by name: an option more or less must not rename the documents of the others."""
    found: dict[Path, Kind] = {}
    for path in paths:
        if path.is_dir():
            inside = [p for p in path.rglob("*") if p.is_file() and p.suffix.lower() in KINDS]
            if not inside:
                raise DataError(path, "has no document in it", _KNOWN)
            for one in inside:
                refuse_leaving(path, one)
            found |= {p.resolve(): KINDS[p.suffix.lower()] for p in inside}
        elif not path.exists():
            raise DataError(path, "there is no such file", "Check the path")
        elif (kind := KINDS.get(path.suffix.lower())) is None:
            said = f"its ending {path.suffix!r} is not known" if path.suffix else "it has no ending"
            raise DataError(path, said, f"{_KNOWN}; save it as one of these")
        else:
            found[path.resolve()] = kind
    return sorted(found.items(), key=lambda item: (item[0].name, str(item[0])))


def _id(path: Path, before: SourceLibrary, taken: Collection[str]) -> str:
    """Id of the one that a file replaces, else a free one."""
    replaced = [file.id for file in before.files if file.name == path.name and file.id not in taken]
    if len(replaced) > 1:
        fix = f"Take out the one that it replaces with {option('without_document')} NAME"
        raise DataError(path, f"may be read in place of {' or '.join(replaced)}, which have its name", fix)
    if replaced:
        return replaced[0]
    stem = _NOT_ID.sub("-", path.stem.lower()).strip("-") or "document"
    number, name = 1, stem
    used = {*taken, *(file.id for file in before.files)}
    while name in used:
        number += 1
        name = f"{stem}-{number}"
    return name


def _read(path: Path, kind: Kind, raw: bytes, name: str) -> tuple[Kind, DocumentContent]:
    if kind == "pdf":
        sections, notes = pdf_sections(path)
    else:
        if _PDF in raw[:_HEAD]:
            raise DataError(path, f"is a PDF, although its name ends in {path.suffix}", "Rename it to end in .pdf")
        text, notes = read_text(raw, path)
        if kind == "openapi":
            if (tools := tool_list(text)) is not None:
                described, kind = read_tool_list(tools, path, name), "mcp"
            else:
                from worktrial.synthesis.sources.openapi import read_openapi

                described = read_openapi(text, path, name)
            return kind, described._replace(notes=[*notes, *described.notes])
        sections = markdown_sections(text) if kind == "markdown" else text_sections(text)
    parts = [
        DocumentPart(source=name, heading=list(section.heading), page=section.page, text=section.text)
        for section in sections
        if section.text.strip()
    ]
    return kind, DocumentContent(parts, notes=notes)
