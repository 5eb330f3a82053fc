"""First stage: the parts of a job, no two of which are about the same work."""

import asyncio
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Annotated, NamedTuple

import msgspec

from worktrial.language import Complete, JsonObject, NotOneObject, one_object
from worktrial.synthesis.artifacts import JobSpec, SubTopic, Text
from worktrial.synthesis.author import Author, UnusableReplies
from worktrial.synthesis.checks.placeholders import unfilled
from worktrial.synthesis.prompting import fenced, language_name, outline, render
from worktrial.synthesis.sources import SourceLibrary
from worktrial.synthesis.sources.store import content_words

MOST_ALIKE = 0.6
"""Two sub-topics with this share of common content words, or more, are the same."""
ASKED_ABOVE = 0.1
"""Pairs with less in common are not put to the judge."""
ASKED_PER_SUBTOPIC = 2
"""Pairs put to the judge for each sub-topic, the closest ones: all pairs would cost the square."""
_DRAWS = 2
_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"why": {"type": "string"}, "same": {"type": "boolean"}},
    "required": ["why", "same"],
}


class Overlap(NamedTuple):
    """Two sub-topics of which one has to go."""

    kept: SubTopic
    dropped: SubTopic
    why: str


def jaccard(one: Collection[str], two: Collection[str]) -> float:
    """Share of the words of both that are in each, 0 to 1; 0 where there are no words at all."""
    union = set(one) | set(two)
    return len(set(one) & set(two)) / len(union) if union else 0.0


def likeness(one: SubTopic, two: SubTopic) -> float:
    """Jaccard index of the content words of titles and descriptions."""
    return jaccard(_words(one), _words(two))


def by_words(kept: Sequence[SubTopic], new: Sequence[SubTopic]) -> tuple[list[SubTopic], list[Overlap]]:
    """Part `new` into those that share too few words with any before them, and the others."""
    added: list[SubTopic] = []
    dropped: list[Overlap] = []
    for subtopic in new:
        closest = max((*kept, *added), key=lambda other: likeness(other, subtopic), default=None)
        if closest is not None and (share := likeness(closest, subtopic)) >= MOST_ALIKE:
            dropped.append(Overlap(closest, subtopic, f"{share:.0%} of the words are the same"))
        else:
            added.append(subtopic)
    return added, dropped


async def by_judge(
    subtopics: Sequence[SubTopic], judge: Complete, asked: dict[tuple[str, str], str | None]
) -> list[Overlap]:
    """The later of each pair that a judge finds to be the same work.

    Args:
        subtopics: In the order in which they were accepted.
        judge: Asked about the closest pairs only, side by side.
        asked: Pairs of ids to the answer, None for different work; added to, and not asked again.

    Raises:
        InvalidSample: the judge cannot be reached.
    """
    ranked = sorted(combinations(subtopics, 2), key=lambda pair: -likeness(*pair))
    close = [pair for pair in ranked[: ASKED_PER_SUBTOPIC * len(subtopics)] if likeness(*pair) >= ASKED_ABOVE]
    open_pairs = [pair for pair in close if (pair[0].id, pair[1].id) not in asked]
    try:
        async with asyncio.TaskGroup() as group:
            answers = [group.create_task(_same(judge, *pair)) for pair in open_pairs]
    except BaseExceptionGroup as trouble:
        raise trouble.exceptions[0] from None
    asked |= {(one.id, two.id): a.result() for (one, two), a in zip(open_pairs, answers, strict=True)}
    return _dropped(subtopics, close, asked)


def _dropped(
    subtopics: Sequence[SubTopic],
    pairs: Sequence[tuple[SubTopic, SubTopic]],
    asked: Mapping[tuple[str, str], str | None],
) -> list[Overlap]:
    place = {subtopic.id: number for number, subtopic in enumerate(subtopics)}
    gone: set[str] = set()
    dropped = []
    for one, two in sorted(pairs, key=lambda pair: (place[pair[1].id], place[pair[0].id])):
        why = asked[one.id, two.id]
        # What is itself replaced stands in nobody's way.
        if why is not None and one.id not in gone and two.id not in gone:
            gone.add(two.id)
            dropped.append(Overlap(one, two, why))
    return dropped


async def _same(judge: Complete, one: SubTopic, two: SubTopic) -> str | None:
    """Why two sub-topics are the same work; None when they are not, or no answer can be read."""
    pair = "\n\n".join(f"{name}: {topic.title}\n{topic.about}" for name, topic in (("A", one), ("B", two)))
    prompt = render("overlap", pair=fenced(pair))
    for draw in range(_DRAWS):
        completion = await judge([{"role": "user", "content": prompt}], schema=_SCHEMA, draw=draw)
        try:
            answer = one_object(completion.text)
        except NotOneObject:
            continue
        if isinstance(answer.get("same"), bool):
            return str(answer.get("why") or "a judge found them to be the same work") if answer["same"] else None
    return None


@lru_cache(maxsize=1024)
def _words(subtopic: SubTopic) -> frozenset[str]:
    return frozenset(content_words(f"{subtopic.title} {subtopic.about}"))


BATCH = 16
"""Sub-topics asked for at once."""
SPARE_ROUNDS = 4
"""Requests beyond those that would do if nothing overlapped."""
_OUTLINE = 900
_SHOWN = 40
_ID = 40
_NOT_ID = re.compile(r"[^a-z0-9]+")


class SubTopicProposal(msgspec.Struct, kw_only=True, frozen=True):
    """A sub-topic as the author writes it."""

    id: str = ""
    title: Text
    about: Text


class SubTopicProposals(msgspec.Struct, kw_only=True, frozen=True):
    """Reply of the author in this stage."""

    subtopics: Annotated[list[SubTopicProposal], msgspec.Meta(min_length=1)]


async def subtopics(
    spec: JobSpec,
    sources: SourceLibrary,
    author: Author,
    judge: Complete | None,
    note: Callable[[str], None] = lambda text: None,
) -> list[SubTopic]:
    """Find as many sub-topics as are wanted, no two of which overlap; fewer where no more can be found.

    Args:
        spec: What is wanted.
        sources: The user's documents; their outline is shown.
        author: Proposes sub-topics.
        judge: Compares those that are closest by their words; None leaves it at the words.
        note: Told when there are fewer than wanted.

    Raises:
        UnusableReplies: there is not even one.
        InvalidSample: a model cannot be reached.
    """
    kept: list[SubTopic] = []
    dropped: list[Overlap] = []
    asked: dict[tuple[str, str], str | None] = {}
    why = "no more that differ were proposed"
    ids: set[str] = set()
    rounds = -(-spec.subtopics // BATCH) + SPARE_ROUNDS
    for round in range(rounds):
        missing = spec.subtopics - len(kept)
        if not missing:
            break
        prompt = _prompt(spec, sources, min(missing, BATCH), kept, dropped)
        try:
            proposals = await author.write(prompt, SubTopicProposals, salt=f"subtopics/{round}", check=_problems)
        except UnusableReplies as e:
            if not kept:
                raise
            why = str(e)
            break
        added, alike = by_words(kept, _named(proposals.subtopics, ids))
        kept = [*kept, *added][: spec.subtopics]
        dropped += alike
        if judge is not None:
            same = await by_judge(kept, judge, asked)
            gone = {overlap.dropped.id for overlap in same}
            kept = [subtopic for subtopic in kept if subtopic.id not in gone]
            dropped += same
    if not kept:
        raise UnusableReplies("no sub-topic was left after the overlapping ones were taken out")
    if len(kept) < spec.subtopics:
        note(f"{len(kept)} of {spec.subtopics} sub-topics: {why}")
    return kept


def _prompt(
    spec: JobSpec, sources: SourceLibrary, count: int, kept: Sequence[SubTopic], dropped: Sequence[Overlap]
) -> str:
    shown = outline(sources, _OUTLINE)
    return render(
        "subtopics",
        spec=spec,
        count=count,
        outline=fenced(shown) if shown else "",
        kept=kept,
        dropped=dropped[-_SHOWN:],
        language=language_name(spec.languages[0] if spec.languages else "en"),
    )


def _problems(proposals: SubTopicProposals) -> list[str]:
    found = []
    for number, proposal in enumerate(proposals.subtopics):
        if not proposal.title.strip() or not proposal.about.strip():
            found.append(f"subtopics[{number}]: title and about must not be blank")
        found += [p for text in (proposal.title, proposal.about) for p in unfilled(f"subtopics[{number}]", text)]
    return found


def _named(proposals: Sequence[SubTopicProposal], ids: set[str]) -> list[SubTopic]:
    """Sub-topics with ids that are unique for good: files and cached answers hang on them."""
    made = []
    for proposal in proposals:
        id = _free(proposal, ids)
        ids.add(id)
        made.append(SubTopic(id=id, title=" ".join(proposal.title.split()), about=proposal.about.strip()))
    return made


def _free(proposal: SubTopicProposal, taken: Collection[str]) -> str:
    words = (_NOT_ID.sub("-", text.lower()).strip("-") for text in (proposal.id, proposal.title))
    stem = next((w for w in words if any(c.isalpha() for c in w)), "area")[:_ID].strip("-")
    number, id = 1, stem
    while id in taken:
        number += 1
        id = f"{stem}-{number}"
    return id
