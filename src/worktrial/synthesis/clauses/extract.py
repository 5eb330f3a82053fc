"""The stage *clauses*: the author copies them out section by section, and code takes only what stands there."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Annotated

import msgspec

from worktrial.synthesis.artifacts import JobSpec, Text
from worktrial.synthesis.author import Author, UnusableReplies
from worktrial.synthesis.clauses.clause import LONGEST, SHORTEST, Clause, ClauseKind
from worktrial.synthesis.clauses.numbers import clause_numbers
from worktrial.synthesis.clauses.quotes import NotQuoted, QuotePlace, place_of, uncovered
from worktrial.synthesis.clauses.sections import HandbookSection, SectionPart
from worktrial.synthesis.prompting import fenced, render, tokens
from worktrial.synthesis.sources.text import pieces
from worktrial.synthesis.together import together

ROUNDS = 2
"""Times that the author is asked again for what was refused or left out of a stretch of the documents."""
SMALLEST_CONTEXT = 2048
_OVERHEAD = 900
"""Tokens of the prompt beside the sections, and of the job."""
_SAID_PER_READ = 1.6
"""Tokens of a reply for each token that is read: quotes, and what is said of each."""
_ALIKE = 0.8
_ASKED = 60
"""Refusals and sentences that one request names."""


class ClauseDraft(msgspec.Struct, kw_only=True, frozen=True):
    """A clause as its author writes it."""

    section: Text
    quote: Text
    kind: ClauseKind
    applies_when: str = ""
    exception_to: list[Annotated[int, msgspec.Meta(ge=1)]] = []


class ClauseDrafts(msgspec.Struct, kw_only=True, frozen=True):
    """One reply of the author."""

    clauses: list[ClauseDraft]


class RefusedClause(msgspec.Struct, frozen=True):
    """A clause of the author that does not stand in the documents."""

    section: str
    quote: str
    why: str


class ClauseReading(msgspec.Struct, kw_only=True, frozen=True):
    """Everything that came of reading the documents; `work/clauses.json` keeps it beside `clauses.yaml`."""

    clauses: list[Clause]
    refused: list[RefusedClause] = []
    """Refusals that were left when they had been asked for again."""
    uncovered: list[tuple[str, str]] = []
    """Section and sentence of what binds or holds a number, and stands in no clause."""
    unread: list[tuple[str, str]] = []
    """Numbers of the sections of which no reply could be used, and why."""
    requests: int = 0
    given: int = 0
    """Clauses that the author gave in all, refused ones included."""


@dataclass(eq=False)
class _Found:
    """A clause that stands in its section."""

    draft: ClauseDraft
    section: HandbookSection
    place: QuotePlace
    exception_to: "list[_Found]" = field(default_factory=list)
    same_as: "_Found | None" = None
    """The clause before it that says the same in the same place."""


@dataclass
class _Stretch:
    """Sections, or parts of a long one, that one request shows."""

    sections: list[HandbookSection]
    found: list[_Found] = field(default_factory=list)
    refused: list[RefusedClause] = field(default_factory=list)
    requests: int = 0
    given: int = 0
    unusable: str = ""


async def extract_clauses(
    spec: JobSpec,
    sections: Sequence[HandbookSection],
    author: Author,
    *,
    context: int,
    output: int | None = None,
    earlier: Sequence[Clause] = (),
) -> ClauseReading:
    """Read the clauses of all sections.

    Each is verified: its quote stands in its section word for word, has 2 to 60 words, and its numbers are read
    from it in code. What is refused is asked for again with the reason, and so are the sentences that no quote
    touches. Sizes are tokens: of the author's context, and of its longest reply, where that is known.

    Raises:
        UnusableReplies: not one section could be read.
    """
    # Tokens of the documents that one request can show.
    room = (max(context, SMALLEST_CONTEXT) - _OVERHEAD) / (1 + _SAID_PER_READ)
    stretches = _stretches(sections, round(min(room, output / _SAID_PER_READ) if output else room))
    places: defaultdict[str, Iterator[int]] = defaultdict(count)
    documents = [stretch.sections[0].document for stretch in stretches]
    salts = [f"clauses/{document}/{next(places[document])}" for document in documents]
    await together(*(_read(spec, one, author, salt) for one, salt in zip(stretches, salts, strict=True)))
    unread = [(", ".join(s.number for s in one.sections), one.unusable) for one in stretches if one.unusable]
    if len(unread) == len(stretches):
        why = f"no clause could be read: {unread[0][1]}" if unread else "the documents have no sections"
        raise UnusableReplies(why)
    return ClauseReading(
        clauses=_merged(stretches, earlier),
        refused=[refused for stretch in stretches for refused in stretch.refused],
        uncovered=[left for stretch in stretches if not stretch.unusable for left in _left(stretch)],
        unread=unread,
        requests=sum(stretch.requests for stretch in stretches),
        given=sum(stretch.given for stretch in stretches),
    )


def _stretches(sections: Sequence[HandbookSection], room: int) -> list[_Stretch]:
    """The sections in their order, as many of a document to a stretch as fit; one that is too long is cut."""
    stretches: list[_Stretch] = []
    left = 0
    for section in sections:
        for part in _cut(section, room):
            size = tokens(part.text)
            # A document more must not change what is asked of the others.
            if stretches and size <= left and stretches[-1].sections[-1].document == part.document:
                stretches[-1].sections.append(part)
            else:
                stretches.append(_Stretch([part]))
                left = room
            left -= size
    return stretches


def _cut(section: HandbookSection, room: int) -> list[HandbookSection]:
    if tokens(section.text) <= room:
        return [section]
    share = max(200, round(len(section.text) * room / tokens(section.text)))
    cut = [SectionPart(text=piece, page=part.page) for part in section.parts for piece in pieces(part.text, share)]
    return [msgspec.structs.replace(section, parts=[part]) for part in cut]


async def _read(spec: JobSpec, stretch: _Stretch, author: Author, salt: str) -> None:
    shown = fenced("\n\n".join(_shown(section) for section in stretch.sections))
    first = stretch.sections[0]
    limits = {"shortest": SHORTEST, "longest": LONGEST, "first": first.number, "sections": shown}
    prompt = render("clauses", spec=spec, interface=first.kind == "interface", **limits)
    try:
        await _take(stretch, author, prompt, f"{salt}/0")
    except UnusableReplies as e:
        stretch.unusable = str(e)
        return
    for round in range(1, ROUNDS + 1):
        refused = [f"[section {one.section}] {one.why}" for one in stretch.refused[:_ASKED]]
        left = _left(stretch)[:_ASKED]
        # Sentences are asked about once: what the author leaves out then, it means to leave out.
        if not refused and (round > 1 or not left):
            return
        prompt = render("clauses_again", refused=refused, uncovered=left if round == 1 else [], **limits)
        try:
            await _take(stretch, author, prompt, f"{salt}/{round}", again=True)
        except UnusableReplies:
            return


async def _take(stretch: _Stretch, author: Author, prompt: str, salt: str, *, again: bool = False) -> None:
    """Ask for clauses, and keep what stands in its section."""
    stretch.requests += 1
    drafts = await author.write(prompt, ClauseDrafts, salt=salt)
    stretch.given += len(drafts.clauses)
    if again:
        del stretch.refused[:_ASKED]
    kept: dict[int, _Found] = {}
    for number, draft in enumerate(drafts.clauses, 1):
        try:
            kept[number] = _Found(draft, *_placed(draft, stretch.sections))
        except NotQuoted as e:
            stretch.refused.append(RefusedClause(draft.section, draft.quote, str(e)))
    for number, one in kept.items():
        one.exception_to += [kept[at] for at in one.draft.exception_to if at in kept and at != number]
    stretch.found += kept.values()


def _placed(draft: ClauseDraft, sections: Sequence[HandbookSection]) -> tuple[HandbookSection, QuotePlace]:
    """The section in which a quote stands: the one that is named, else any that is shown."""
    named = draft.section.strip().removeprefix("section ").casefold()
    first = [section for section in sections if section.number.casefold() == named]
    why: NotQuoted | None = None
    for section in [*first, *(section for section in sections if section not in first)]:
        try:
            return section, place_of(draft.quote, section)
        except NotQuoted as e:
            why = why or e
    raise why or NotQuoted("there is no section")


def _left(stretch: _Stretch) -> list[tuple[str, str]]:
    return [
        (section.number, sentence)
        for section in stretch.sections
        # Arguments and answers of an interface are no rules, whatever words they are described in.
        if section.kind != "interface"
        for sentence in uncovered(section, [one.place for one in stretch.found if one.section is section])
    ]


def _shown(section: HandbookSection) -> str:
    page = f", page {section.parts[0].page}" if section.parts[0].page is not None else ""
    return f"[section {section.number}] {section.title}{page}\n{section.text}"


def _merged(stretches: Sequence[_Stretch], earlier: Sequence[Clause]) -> list[Clause]:
    """All clauses in the order of the documents, those that say the same in the same place merged."""
    kept: list[_Found] = []
    for stretch in stretches:
        rank = {id(section): place for place, section in enumerate(stretch.sections)}
        for one in sorted(stretch.found, key=lambda one: (rank[id(one.section)], one.place.start)):
            one.same_as = next((other for other in kept if _same(other, one)), None)
            if one.same_as is None:
                kept.append(one)
    known = {(clause.document, clause.quote): clause.id for clause in earlier}
    free = count(1 + max((int(clause.id.removeprefix("C-")) for clause in earlier), default=0))
    id_of = {}
    for one in kept:
        quote = one.section.document, one.place.quote
        if quote not in known:
            known[quote] = f"C-{next(free):02}"
        id_of[id(one)] = known[quote]
    clauses = []
    for one in kept:
        others = dict.fromkeys(id_of[id(other.same_as or other)] for other in one.exception_to)
        clauses.append(
            Clause(
                id=id_of[id(one)],
                document=one.section.document,
                section=one.section.number,
                page=one.place.page,
                quote=one.place.quote,
                kind=one.draft.kind,
                numbers=clause_numbers(one.place.quote),
                applies_when=" ".join(one.draft.applies_when.split()),
                overrides=[other for other in others if other != id_of[id(one)]],
                private=one.section.private,
            )
        )
    return clauses


def _same(one: _Found, other: _Found) -> bool:
    """Whether two quotes are of the same words, but for a few at their ends, or the same words elsewhere."""
    if one.place.quote.casefold() == other.place.quote.casefold():
        return True
    if one.section is not other.section:
        return False
    common = min(one.place.end, other.place.end) - max(one.place.start, other.place.start)
    return common >= _ALIKE * max(one.place.end - one.place.start, other.place.end - other.place.start)
