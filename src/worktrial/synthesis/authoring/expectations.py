"""Expectations of another author: what the tools have to do and refuse, written from the clauses alone."""

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from worktrial.language import JsonObject
from worktrial.outside.patches import BadPatch, patched
from worktrial.synthesis.artifacts import ToolDraft
from worktrial.synthesis.author import Author
from worktrial.synthesis.authoring.brief import GROUP, AuthorBrief, sample_of
from worktrial.synthesis.authoring.renewing import ClauseChanges
from worktrial.synthesis.files import hash_of
from worktrial.synthesis.gates.expectations import can_refuse, finds_nothing
from worktrial.synthesis.prompting import compact, fenced, tools_text
from worktrial.synthesis.together import together
from worktrial.workplaces.tools import Tool


class ExpectedCall(msgspec.Struct, kw_only=True, frozen=True):
    """A call that has to be made first."""

    call: str
    arguments: JsonObject = msgspec.field(default_factory=dict, name="with")


class ExpectationDraft(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """One call and how it has to end, as its author writes it."""

    id: str
    call: str
    arguments: JsonObject = msgspec.field(default_factory=dict, name="with")
    expect: str = "ok"
    clauses: list[str] = []
    why: str = ""
    state: list[JsonObject] = []
    before: list[ExpectedCall] = []
    shows: JsonObject = {}
    leaves: JsonObject = {}


class ExpectationDrafts(msgspec.Struct, kw_only=True, frozen=True):
    """One reply of the author."""

    expectations: list[ExpectationDraft]


class Expectations(msgspec.Struct, kw_only=True, frozen=True):
    """All expectations of a workplace, as `expectations.yaml` holds them."""

    expectations: list[JsonObject]


async def expectations_of(
    brief: AuthorBrief, author: Author, types: str, tools: Sequence[ToolDraft], state: JsonObject
) -> Expectations:
    """Ask for what each tool has to do and to refuse, a few tools at a time.

    Args:
        brief: Job and clauses.
        author: Another one than the tools'.
        types: The data model; the author does not see rules and tools.
        tools: The tools as agents see them.
        state: The state before each call.

    Raises:
        UnusableReplies: the author's replies cannot be used.
        InvalidSample: the model cannot be reached.
    """

    async def asked(start: int) -> list[ExpectationDraft]:
        group = tools[start : start + GROUP]
        prompt = brief.prompt(
            "author_expectations",
            about=" ".join(f"{tool.name} {tool.description}" for tool in group),
            tools=fenced(tools_text(group, brief.context // 6)),
            types=fenced(types),
            sample=sample_of(state),
            names=", ".join(tool.name for tool in group),
            refusing=", ".join(tool.name for tool in group if can_refuse(_made(tool))),
        )

        def check(drafts: ExpectationDrafts) -> list[str]:
            return [
                *_faults(drafts.expectations, tools, state, brief),
                *_lacking(drafts.expectations, group, state),
            ]

        salt = f"expectations/{start // GROUP}"
        return (await author.write(prompt, ExpectationDrafts, salt=salt, check=check)).expectations

    groups = await together(*map(asked, range(0, len(tools), GROUP)))
    found = [msgspec.to_builtins(draft) for group in groups for draft in group]
    return Expectations(expectations=[{**one, "id": f"E-{number:02}"} for number, one in enumerate(found, 1)])


async def expectations_again(
    brief: AuthorBrief,
    author: Author,
    types: str,
    tools: Sequence[ToolDraft],
    state: JsonObject,
    standing: Expectations,
    changes: ClauseChanges,
) -> Expectations:
    """The expectations with what other clauses change of them: those that rest on none of these stay.

    Args:
        brief: Job and clauses, as they are now.
        author: Another one than the tools'.
        types: The data model.
        tools: The tools as agents see them.
        state: The state before each call.
        standing: All expectations.
        changes: Clauses that are other ones.

    Raises:
        UnusableReplies: the author's replies cannot be used.
        InvalidSample: the model cannot be reached.
    """
    if not changes.bear_on([id for one in standing.expectations for id in one.get("clauses", [])]):
        return standing
    off = {*changes.changed, *changes.gone}
    stay = [one for one in standing.expectations if off.isdisjoint(one.get("clauses", []))]
    kept = msgspec.convert(stay, list[ExpectationDraft])
    prompt = brief.prompt(
        "author_expectations_again",
        tools=fenced(tools_text(tools, brief.context // 6)),
        types=fenced(types),
        sample=sample_of(state),
        tests=fenced("\n".join(compact(one) for one in stay)),
        changes=changes.told,
        lacking="; ".join(_lacking(kept, tools, state)),
    )

    def check(drafts: ExpectationDrafts) -> list[str]:
        made = drafts.expectations
        return [*_faults(made, tools, state, brief), *_lacking([*kept, *made], tools, state)]

    drafts = await author.write(prompt, ExpectationDrafts, salt=f"expectations/{hash_of(prompt)[:12]}", check=check)
    found = [msgspec.to_builtins(draft) for draft in drafts.expectations]
    last = max((int(one["id"].removeprefix("E-")) for one in standing.expectations), default=0)
    return Expectations(
        expectations=[*stay, *({**one, "id": f"E-{number:02}"} for number, one in enumerate(found, last + 1))]
    )


def _faults(
    drafts: Sequence[ExpectationDraft], tools: Sequence[ToolDraft], state: JsonObject, brief: AuthorBrief
) -> list[str]:
    """Faults of expectations, each by itself."""
    by_name = {tool.name: tool for tool in tools}
    known = {clause.id for clause in brief.clauses}
    problems = []
    for draft in drafts:
        if draft.expect not in ("ok", "error"):
            problems.append(f'{draft.id}: expect is "ok" or "error", not {draft.expect!r}')
        problems += [
            f"{draft.id}: there is no tool {call}"
            for call in (draft.call, *(step.call for step in draft.before))
            if call not in by_name
        ]
        problems += [f"{draft.id}: there is no clause {id}" for id in draft.clauses if id not in known]
        try:
            patched(state, draft.state)
        except BadPatch as e:
            problems.append(f"{draft.id}: its patch does not apply to the state: {e}")
            continue
        if draft.call in by_name and draft.expect == "ok":
            made = _made(by_name[draft.call])
            problems += [f"{draft.id}: {what}" for what in made.problems(draft.arguments)[:1]]
    return problems


def _lacking(drafts: Sequence[ExpectationDraft], tools: Sequence[ToolDraft], state: JsonObject) -> list[str]:
    """Tools of which no call has to succeed, or none has to be refused."""
    made = {tool.name: _made(tool) for tool in tools}
    ways = {(draft.call, draft.expect) for draft in drafts}
    for draft in drafts:
        if draft.call in made and draft.expect == "ok":
            with suppress(BadPatch):
                begun = patched(state, draft.state)
                if finds_nothing(made[draft.call], draft.arguments, draft.shows, begun):
                    ways.add((draft.call, "error"))
    return [
        *(f"no call of {name} has to succeed" for name in made if (name, "ok") not in ways),
        *(
            f"no call of {name} has to be refused"
            for name, tool in made.items()
            if can_refuse(tool) and (name, "error") not in ways
        ),
    ]


def _made(tool: ToolDraft) -> Tool:
    return Tool(tool.name, tool.description, tool.parameters, writes=tool.writes)
