"""Operations of a workplace: the owner's own, a proposed part of them, or those that an author names."""

from collections.abc import Sequence

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject
from worktrial.synthesis.artifacts import Text, ToolDraft
from worktrial.synthesis.author import Author
from worktrial.synthesis.authoring.brief import AuthorBrief
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.sources import SourceLibrary
from worktrial.workplaces.tools import schema_problem

MOST = 60
"""Operations of one workplace; an agent is shown all of them."""
_FEWEST_NAMED, _MOST_NAMED = 4, 20
_SHOWN = 40


class OperationDraft(msgspec.Struct, kw_only=True, frozen=True):
    """An operation that an author names."""

    name: Text
    description: Text
    parameters: JsonObject
    writes: bool


class OperationDrafts(msgspec.Struct, kw_only=True, frozen=True):
    """One reply of the author."""

    operations: list[OperationDraft]


def chosen(
    sources: SourceLibrary, clauses: Sequence[Clause], about: str, wanted: Sequence[str] = (), most: int = MOST
) -> tuple[list[ToolDraft], str]:
    """The owner's operations, and a note where they are not all: the ones that have most to do with the clauses.

    Args:
        sources: The documents with the owner's interface.
        clauses: The clauses that hold.
        about: The job in words.
        wanted: Names of those that the owner wants; none leaves the choice to code.
        most: Most operations of one workplace.

    Raises:
        DataError: a wanted one is not there.
    """
    known = {operation.tool.name: operation.tool for operation in sources.operations}
    if wanted:
        if strange := [name for name in wanted if name not in known]:
            fix = f"There are {', '.join(list(known)[:_SHOWN])}"
            raise DataError("operations", f"the interface has no {', '.join(strange)}", fix)
        return [known[name] for name in known if name in set(wanted)], ""
    if len(known) <= most:
        return list(known.values()), ""
    text = " ".join([about, *(f"{clause.quote} {clause.applies_when}" for clause in clauses)])
    best = {operation.tool.name for operation in sources.find_operations(text, most)}
    # Those without a word in common fill the rest in their own order.
    best |= {name for name in list(known) if name not in best and len(best) < most}
    names = [name for name in known if name in best][:most]
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    note = (
        f"the interface has {len(known)} operations, and an agent is shown {most} at most. Proposed are those that "
        f"share most words with the clauses: {shown}. Others: list them as `operations` in the job's YAML file"
    )
    return [known[name] for name in names], note


async def named(brief: AuthorBrief, author: Author) -> list[ToolDraft]:
    """Operations that the author names where the owner has given no interface.

    Raises:
        UnusableReplies: the author's replies cannot be used.
        InvalidSample: the model cannot be reached.
    """
    prompt = brief.prompt("author_operations", fewest=_FEWEST_NAMED, most=_MOST_NAMED)
    drafts = await author.write(prompt, OperationDrafts, salt="operations", check=_faults)
    return [
        ToolDraft(
            name=draft.name,
            description=draft.description,
            parameters=draft.parameters,
            example_output=None,
            writes=draft.writes,
        )
        for draft in drafts.operations
    ]


def _faults(drafts: OperationDrafts) -> list[str]:
    names = [draft.name for draft in drafts.operations]
    problems = [f"{name}: is there twice" for name in sorted({name for name in names if names.count(name) > 1})]
    if not _FEWEST_NAMED <= len(names) <= _MOST_NAMED:
        problems.append(f"there are {len(names)} operations; {_FEWEST_NAMED} to {_MOST_NAMED} are wanted")
    for draft in drafts.operations:
        if not draft.name.isidentifier():
            problems.append(f"{draft.name!r} is no name: lower-case English words joined by _")
        if draft.parameters.get("type") != "object":
            problems.append(f'{draft.name}: its parameters are no {{"type": "object", …}}')
        elif problem := schema_problem(draft.parameters):
            problems.append(f"{draft.name}: its parameters {problem}")
    for does, writes in (("looks anything up", False), ("changes anything", True)):
        if all(draft.writes != writes for draft in drafts.operations):
            problems.append(f"no operation {does}")
    return problems
