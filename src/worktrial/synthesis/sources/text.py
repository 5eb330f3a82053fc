"""Text and Markdown files by their headings, and long texts cut into pieces."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from worktrial.errors import DataError

LARGEST = 20_000_000
"""Bytes of a file that is read whole."""
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_MOST_CONTROLS = 0.01
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_HEADING = re.compile(r"\s*(?:[-*+>|]|\d+[.)]\s)|\s*$")


class DocumentSection(NamedTuple):
    """Text under one heading."""

    heading: tuple[str, ...]
    """Outermost first."""
    text: str
    page: int | None = None


def read_text(raw: bytes, path: Path) -> tuple[str, list[str]]:
    """The text of a file, and what the user should know of how it was read.

    Raises:
        DataError: it is empty, too large, or no text.
    """
    if len(raw) > LARGEST:
        fix = "Give only the part that the job needs"
        raise DataError(path, f"has {len(raw):,} bytes; {LARGEST:,} are the most that is read", fix)
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        text, notes = raw.decode("utf-16", errors="replace"), ["read as UTF-16"]
    else:
        try:
            text, notes = raw.decode("utf-8-sig"), []
        except UnicodeDecodeError:
            text = raw.decode("cp1252", errors="replace")
            notes = ["not UTF-8; read as Windows-1252. Where letters came out wrong, save it as UTF-8"]
    if not text.strip():
        raise DataError(path, "is empty", "Leave it out, or give the file that was meant")
    if len(_CONTROLS.findall(text)) > _MOST_CONTROLS * len(text) or "\x00" in text:
        raise DataError(path, "is not a text file", "Save the document as text, Markdown or PDF")
    return text.replace("\r\n", "\n").replace("\r", "\n"), notes


def text_sections(text: str) -> list[DocumentSection]:
    """A text; one section a page where form feeds part them."""
    pages = text.removesuffix("\n").removesuffix("\f").split("\f")
    if len(pages) == 1:
        return [DocumentSection((), text)]
    return [DocumentSection((), page, number) for number, page in enumerate(pages, 1)]


def markdown_sections(text: str) -> list[DocumentSection]:
    """A Markdown text by its headings; what looks like one inside code is none."""
    sections: list[DocumentSection] = []
    above: list[tuple[int, str]] = []
    lines: list[str] = []

    def close() -> None:
        body = "\n".join(lines).strip("\n")
        if body.strip():
            sections.append(DocumentSection(tuple(title for _, title in above), body))
        lines.clear()

    for depth, line in _lines(text):
        if not depth:
            lines.append(line)
            continue
        close()
        while above and above[-1][0] >= depth:
            above.pop()
        above.append((depth, line))
    close()
    if not sections:
        # Nothing but headings still says something.
        sections.append(DocumentSection((), text))
    return sections


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Each line with the depth of the heading that it is, 0 for none; underlines of headings are left out."""
    lines = text.split("\n")
    fence = ""
    at = _front_matter(lines)
    yield from ((0, line) for line in lines[:at])
    while at < len(lines):
        line = lines[at]
        following = lines[at + 1] if at + 1 < len(lines) else ""
        at += 1
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            yield 0, line
        elif mark:
            fence = mark[1]
            yield 0, line
        elif heading := _HEADING.match(line):
            yield len(heading[1]), (heading[2] or "").strip() or "(untitled)"
        elif (under := _UNDERLINE.match(following)) and not _NO_HEADING.match(line) and not line.startswith("    "):
            yield (1 if under[1].startswith("=") else 2), line.strip()
            at += 1
        else:
            yield 0, line


def _front_matter(lines: list[str]) -> int:
    """Number of lines of the block of settings that some editors put first."""
    if lines[0].rstrip() != "---":
        return 0
    return next((n + 1 for n, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)


MOST = 1200
"""Characters of a piece."""

# From the gentlest cut to the roughest; the last takes words apart only where nothing else is left.
_BETWEEN = (
    re.compile(r"\n[ \t]*(?:\n[ \t]*)+"),
    re.compile(r"\n"),
    re.compile(r"(?<=[.!?。])\s+"),
    re.compile(r"\s+"),
)
_JOIN = ("\n\n", "\n", " ", " ")


def pieces(text: str, most: int = MOST) -> list[str]:
    """`text` in order, cut between paragraphs where that is possible, else lines, sentences, words.

    Nothing but white space is lost; no piece is blank or has more than `most` characters.
    """
    return _cut(text.strip(), most, 0)


def _cut(text: str, most: int, way: int) -> list[str]:
    if len(text) <= most:
        return [text] if text.strip() else []
    if way == len(_BETWEEN):
        return [text[i : i + most] for i in range(0, len(text), most)]
    found: list[str] = []
    open_to_more = False
    for part in map(str.rstrip, _BETWEEN[way].split(text)):
        if not part:
            continue
        if len(part) > most:
            found += _cut(part, most, way + 1)
            open_to_more = False
        elif open_to_more and len(found[-1]) + len(_JOIN[way]) + len(part) <= most:
            found[-1] += _JOIN[way] + part
        else:
            found.append(part)
            open_to_more = True
    return found
