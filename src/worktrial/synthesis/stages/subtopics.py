"""First stage: the parts of a job."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Annotated

import msgspec

from worktrial.language import Complete
from worktrial.synthesis.artifacts import SubTopic, Text
from worktrial.synthesis.author import Author, Unusable
from worktrial.synthesis.overlap import Overlap, by_judge, by_words
from worktrial.synthesis.prompting import fenced, language_name, outline, render
from worktrial.synthesis.sources import Sources
from worktrial.synthesis.spec import JobSpec
from worktrial.synthesis.stages.wording import unfilled

BATCH = 16
"""Sub-topics asked for at once."""
SPARE_ROUNDS = 4
"""Requests beyond those that would do if nothing overlapped."""
_OUTLINE = 900
_SHOWN = 40
_ID = 40
_NOT_ID = re.compile(r"[^a-z0-9]+")


class Proposal(msgspec.Struct, kw_only=True, frozen=True):
    """A sub-topic as the author writes it."""

    id: str = ""
    title: Text
    about: Text


class Proposals(msgspec.Struct, kw_only=True, frozen=True):
    """What the author is asked for in this stage."""

    subtopics: Annotated[list[Proposal], msgspec.Meta(min_length=1)]


async def subtopics(
    spec: JobSpec,
    sources: Sources,
    author: Author,
    judge: Complete | None,
    note: Callable[[str], None] = lambda text: None,
) -> list[SubTopic]:
    """As many sub-topics as are wanted, no two of which overlap; fewer where no more can be found.

    Args:
        spec: What is wanted.
        sources: The user's documents; their outline is shown.
        author: Proposes sub-topics.
        judge: Compares those that are closest by their words; None leaves it at the words.
        note: Told when there are fewer than wanted.

    Raises:
        Unusable: there is not even one.
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
            proposals = await author.write(prompt, Proposals, salt=f"subtopics/{round}", check=_problems)
        except Unusable as e:
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
        raise Unusable("no sub-topic was left after the overlapping ones were taken out")
    if len(kept) < spec.subtopics:
        note(f"{len(kept)} of {spec.subtopics} sub-topics: {why}")
    return kept


def _prompt(
    spec: JobSpec, sources: Sources, count: int, kept: Sequence[SubTopic], dropped: Sequence[Overlap]
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


def _problems(proposals: Proposals) -> list[str]:
    found = []
    for number, proposal in enumerate(proposals.subtopics):
        if not proposal.title.strip() or not proposal.about.strip():
            found.append(f"subtopics[{number}]: title and about must not be blank")
        found += [p for text in (proposal.title, proposal.about) for p in unfilled(f"subtopics[{number}]", text)]
    return found


def _named(proposals: Sequence[Proposal], ids: set[str]) -> list[SubTopic]:
    """With ids that are unique for good: files and cached answers hang on them."""
    made = []
    for proposal in proposals:
        id = _free(proposal, ids)
        ids.add(id)
        made.append(SubTopic(id=id, title=" ".join(proposal.title.split()), about=proposal.about.strip()))
    return made


def _free(proposal: Proposal, taken: Collection[str]) -> str:
    words = (_NOT_ID.sub("-", text.lower()).strip("-") for text in (proposal.id, proposal.title))
    stem = next((w for w in words if any(c.isalpha() for c in w)), "area")[:_ID].strip("-")
    number, id = 1, stem
    while id in taken:
        number += 1
        id = f"{stem}-{number}"
    return id
