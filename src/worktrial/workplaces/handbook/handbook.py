"""A folder of dated sections and circulars, filled in with a day's figures, and its search."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import log
from pathlib import Path
from unicodedata import east_asian_width

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from worktrial.errors import DataError
from worktrial.language import JsonObject, JsonValue
from worktrial.outside.files import as_text, read_bytes
from worktrial.outside.yaml_files import json_of_yaml

_FRONT = re.compile(r"---\n(.*?)\n---\n(.*)", re.DOTALL)
_NEEDED = frozenset({"section", "title", "issued", "kind"})
_FIELDS = _NEEDED | {"when", "private"}
_WORD = re.compile(r"[a-z0-9]+|[가-힣]+")
_PART = re.compile(r"\d+|[^\W\d_]+")
_SNIPPET = 160  # as wide as so many Latin letters
_DAYS_KEPT = 32
# Usual constants of BM25 (S. Robertson and H. Zaragoza, "The probabilistic relevance framework", 2009).
_K, _B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Paper:
    """One paper of a handbook as a reader finds it."""

    section: str
    """Number by which it is quoted, such as `4.2` or `C-2026-03`."""
    title: str
    issued: str
    """Date, ISO 8601."""
    kind: str
    """Paper, circular, contract, table or notice, as the organisation calls it."""
    text: str


@dataclass(frozen=True, slots=True)
class _Page:
    """A paper as its author writes it."""

    section: str
    title: str
    issued: str
    kind: str
    when: str | None
    private: bool
    body: Template | str
    """Template over the day's figures, or the text as it stands."""


@dataclass(frozen=True, slots=True)
class _Day:
    """Papers of a day, and the words in them for the search."""

    sections: Sequence[Paper]
    terms: Sequence[Counter[str]]
    lengths: Sequence[int]


class Handbook:
    """All papers of a workplace. Each is Markdown with front matter: `section`, `title`, `issued`, `kind`.

    The body is a Jinja2 template over the day's figures. A paper with `when: NAME` is there on days on which the
    figure NAME is true, so that which circulars exist can be drawn. One with `private: true` is for checks only: it
    is neither found nor shown.
    """

    def __init__(self, folder: Path, *, templates: bool = True) -> None:
        """Name a folder; nothing is read yet.

        Args:
            folder: Holds the papers, each as NAME.md.
            templates: Whether figures are filled in; where not, papers are shown as they stand.
        """
        self.folder = folder
        self._templates = templates
        self._read: dict[str, _Day] = {}

    @cached_property
    def _pages(self) -> Sequence[_Page]:
        paths = sorted(self.folder.glob("*.md"))
        if not paths:
            raise DataError(self.folder, "has no papers", "Write each as NAME.md")
        pages = [_read_page(path, self.folder, self._templates) for path in paths]
        for number, count in Counter(page.section for page in pages).items():
            if count > 1 and any(page.when is None for page in pages if page.section == number):
                raise DataError(self.folder, f"the section {number} is there {count} times")
        return pages

    def on(self, figures: Mapping[str, JsonValue]) -> Sequence[Paper]:
        """Papers of a day.

        Args:
            figures: What the day's draw filled in.

        Raises:
            DataError: a paper cannot be read, or names a figure that is not there.
        """
        return self._day(figures).sections

    def search(self, query: str, figures: Mapping[str, JsonValue]) -> list[tuple[Paper, str]]:
        """Papers that share a word with `query`, best first by BM25, each with the place that fits best.

        Korean is compared by pairs of syllables, because particles hang on its words.
        """
        wanted = set(_terms(query))
        day = self._day(figures)
        scores = relevance(wanted, day.terms, day.lengths)
        found = sorted((-score, place) for place, score in enumerate(scores) if score > 0)
        return [(day.sections[place], _snippet(day.sections[place].text, wanted)) for _, place in found]

    def contents(self, figures: Mapping[str, JsonValue]) -> list[Paper]:
        """Papers of a day in the order of their numbers: 4.2 before 4.10, sections before circulars."""
        return sorted(self.on(figures), key=lambda paper: _in_order(paper.section))

    def section(self, number: str, figures: Mapping[str, JsonValue]) -> Paper | None:
        """Paper of this number, or None."""
        wanted = number.strip().casefold()
        return next((s for s in self.on(figures) if s.section.casefold() == wanted), None)

    def _day(self, figures: Mapping[str, JsonValue]) -> _Day:
        key = repr(sorted(figures.items()))
        if key not in self._read:
            # A run meets a few draws at a time, and a paper takes microseconds.
            if len(self._read) >= _DAYS_KEPT:
                self._read.clear()
            sections = [
                Paper(page.section, page.title, page.issued, page.kind, self._filled(page, figures))
                for page in self._pages
                if not page.private and (page.when is None or figures.get(page.when))
            ]
            terms = [Counter(_terms(f"{section.title} {section.title} {section.text}")) for section in sections]
            self._read[key] = _Day(sections, terms, [counts.total() for counts in terms])
        return self._read[key]

    def _filled(self, page: _Page, figures: Mapping[str, JsonValue]) -> str:
        if isinstance(page.body, str):
            return page.body.strip()
        try:
            return page.body.render(figures).strip()
        except TemplateError as e:
            raise DataError(self.folder, f"section {page.section}: {e}") from e


def _read_page(path: Path, folder: Path, templates: bool) -> _Page:
    found = _FRONT.fullmatch(as_text(read_bytes(path, within=folder), path))
    if found is None:
        raise DataError(path, "begins with no front matter", "Write the fields between two lines ---")
    front = json_of_yaml(found[1], f"{path}, front matter")
    if not isinstance(front, dict) or not front.keys() <= _FIELDS or not front.keys() >= _NEEDED:
        raise DataError(path, f"its front matter needs {', '.join(sorted(_NEEDED))}, and may have when and private")
    private = front.pop("private", False)
    if not isinstance(private, bool):
        raise DataError(path, f"private: {private!r} is neither true nor false")
    said: JsonObject = {key: str(value) for key, value in front.items()}
    body: Template | str = found[2]
    if templates:
        try:
            body = SandboxedEnvironment(undefined=StrictUndefined).from_string(found[2])
        except TemplateError as e:
            raise DataError(path, f"is no template: {e}") from e
    return _Page(said["section"], said["title"], said["issued"], said["kind"], said.get("when"), private, body)


def _in_order(number: str) -> list[tuple[bool, int, str]]:
    parts = _PART.findall(number.casefold())
    return [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]


def _terms(text: str) -> list[str]:
    terms: list[str] = []
    for word in _WORD.findall(text.casefold()):
        if "가" <= word[0] <= "힣":
            terms += [word[i : i + 2] for i in range(len(word) - 1)] or [word]
        else:
            # So much of English grammar as a search needs: plurals.
            terms.append(word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word)
    return terms


def relevance(wanted: Set[str], texts: Sequence[Counter[str]], lengths: Sequence[int]) -> list[float]:
    """Score of each text by BM25, 0 where it shares no word with what is wanted.

    Args:
        wanted: Words that are looked for.
        texts: Words of each text, counted.
        lengths: Number of words of each.
    """
    mean = sum(lengths) / max(len(lengths), 1) or 1.0
    holding = {word: sum(word in counts for counts in texts) for word in wanted}
    rare = {word: log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for word, n in holding.items()}
    return [
        sum(
            rare[word] * counts[word] * (_K + 1) / (counts[word] + _K * (1 - _B + _B * length / mean))
            for word in sorted(wanted & counts.keys())
        )
        for counts, length in zip(texts, lengths, strict=True)
    ]


def _snippet(text: str, wanted: set[str]) -> str:
    """Beginning of the paragraph that fits best. A row says nothing without its table, so that it is not shown."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    prose = [line for line in lines if not line.startswith("|")]
    best = max(prose or lines[:1], key=lambda line: len(wanted & set(_terms(line))), default="")
    widths = accumulate(1 + (east_asian_width(letter) in "WF") for letter in best[:_SNIPPET])
    fits = sum(width <= _SNIPPET for width in widths)
    return best if fits == len(best) else f"{best[:fits].rstrip()}…"
