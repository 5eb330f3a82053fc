"""Expectations of another author: what the tools have to do and refuse, written from the clauses alone."""

from collections.abc import Sequence

import msgspec

from worktrial.language import JsonObject
from worktrial.outside.patches import BadPatch, patched
from worktrial.synthesis.artifacts import ToolDraft
from worktrial.synthesis.author import Author
from worktrial.synthesis.authoring.brief import GROUP, AuthorBrief, sample_of
from worktrial.synthesis.gates.expectations import can_refuse, finds_nothing
from worktrial.synthesis.prompting import fenced, tools_text
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
    known = {clause.id for clause in brief.clauses}

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
            return _faults(drafts, group, tools, state, known)

        salt = f"expectations/{start // GROUP}"
        return (await author.write(prompt, ExpectationDrafts, salt=salt, check=check)).expectations

    groups = await together(*map(asked, range(0, len(tools), GROUP)))
    found = [msgspec.to_builtins(draft) for group in groups for draft in group]
    return Expectations(expectations=[{**one, "id": f"E-{number:02}"} for number, one in enumerate(found, 1)])


def _faults(
    drafts: ExpectationDrafts,
    group: Sequence[ToolDraft],
    tools: Sequence[ToolDraft],
    state: JsonObject,
    known: set[str],
) -> list[str]:
    names = {tool.name for tool in tools}
    problems = []
    ways = {(draft.call, draft.expect) for draft in drafts.expectations}
    for draft in drafts.expectations:
        if draft.expect not in ("ok", "error"):
            problems.append(f'{draft.id}: expect is "ok" or "error", not {draft.expect!r}')
        problems += [
            f"{draft.id}: there is no tool {call}"
            for call in (draft.call, *(step.call for step in draft.before))
            if call not in names
        ]
        problems += [f"{draft.id}: there is no clause {id}" for id in draft.clauses if id not in known]
        try:
            begun = patched(state, draft.state)
        except BadPatch as e:
            problems.append(f"{draft.id}: its patch does not apply to the state: {e}")
            continue
        tool = next((tool for tool in tools if tool.name == draft.call), None)
        if tool is not None and draft.expect == "ok":
            made = _made(tool)
            problems += [f"{draft.id}: {what}" for what in made.problems(draft.arguments)[:1]]
            if finds_nothing(made, draft.arguments, draft.shows, begun):
                ways.add((draft.call, "error"))
    problems += [f"no call of {tool.name} has to succeed" for tool in group if (tool.name, "ok") not in ways]
    problems += [
        f"no call of {tool.name} has to be refused"
        for tool in group
        if can_refuse(_made(tool)) and (tool.name, "error") not in ways
    ]
    return problems


def _made(tool: ToolDraft) -> Tool:
    return Tool(tool.name, tool.description, tool.parameters, writes=tool.writes)
