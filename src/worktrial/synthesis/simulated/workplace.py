"""The simulated workplace of a suite: clauses, then tools, state and prompt, as its author writes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from worktrial.language import JsonObject
from worktrial.synthesis.artifacts import Text, ToolDraft, WorkplaceDraft
from worktrial.synthesis.authoring.brief import AuthorBrief
from worktrial.synthesis.authoring.operations import chosen
from worktrial.synthesis.authoring.stage import workplace_name
from worktrial.synthesis.checks import workplace_problems
from worktrial.synthesis.checks.workplace import TOOLS
from worktrial.synthesis.clauses.clause import CLAUSES, Clause, quote_problem
from worktrial.synthesis.clauses.coverage import loose_words
from worktrial.synthesis.clauses.numbers import clause_numbers
from worktrial.synthesis.clauses.reading import ASSUMED_CONTEXT, ReadingStage
from worktrial.synthesis.files import Form, hash_of, yaml_form
from worktrial.synthesis.prompting import fenced, language_name, render, size_of, tools_text

WORKPLACE: Form[WorkplaceDraft] = yaml_form(WorkplaceDraft)
MOST_STATE = 8000
"""Characters of the initial state as JSON; about what the largest published ones have, and half as much again."""
ASKED_STATE = 5000
RULES = (8, 24)
"""Rules of a job without documents, fewest and most."""
_OPERATIONS = 3000
"""Tokens of the interface that an author is shown."""

Lines = Annotated[list[Text], msgspec.Meta(min_length=1)]


class WorkplaceText(msgspec.Struct, kw_only=True, frozen=True):
    """One reply of the author: purpose, effects, errors and output make the system prompt."""

    purpose: Text
    effects: Lines
    errors: Lines
    output: Lines
    initial_state: JsonObject
    state_description: JsonObject
    tools: list[ToolDraft]


class RuleTexts(msgspec.Struct, kw_only=True, frozen=True):
    """One reply of the author where there are no documents."""

    rules: Lines


@dataclass(frozen=True)
class SimulatedPlace:
    """A simulated workplace, and the clauses that it goes by."""

    name: str
    """Name of its folder."""
    draft: WorkplaceDraft
    """Its system prompt has no clause in it."""
    clauses: Sequence[Clause]

    @property
    def rules(self) -> dict[str, str]:
        """Text of each clause that is not for the checks only, by its id."""
        return {clause.id: clause.quote for clause in self.clauses if not clause.private}

    @property
    def whole(self) -> WorkplaceDraft:
        """The workplace as it is played: the clauses, word for word, lead its prompt."""
        rules = "\n".join(f"{id}. {' '.join(text.split())}" for id, text in self.rules.items())
        return msgspec.structs.replace(self.draft, system_prompt=f"{rules}\n\n{self.draft.system_prompt}")


@dataclass(kw_only=True)
class SimulatedStage(ReadingStage):
    """Makes the simulated workplace of a suite, from documents or from the job alone; see `ReadingStage`."""

    async def make(self) -> SimulatedPlace:
        """Make what does not stand yet.

        Raises:
            DataError: clauses contradict each other, or a person changed a file to something that cannot be used.
            SettingError: a private section or a document of `precedence` is not there.
            UnusableReplies: the author's replies cannot be used.
            InvalidSample: the model cannot be reached.
        """
        clauses = await (self.clauses() if self.sources.parts else self._invented())
        offered: list[ToolDraft] = []
        if self.sources.operations:
            wanted = self.spec.operations
            offered, proposal = chosen(self.sources, clauses, self.about, wanted, TOOLS[1])
            if proposal:
                self.note(proposal)

        async def make() -> WorkplaceDraft:
            return await self._written(clauses, {tool.name: tool for tool in offered})

        # Its prompt holds no clause, so another wording of one leaves it as it is.
        ids = [clause.id for clause in clauses]
        made_from = {"job": hash_of(self.about), "clauses": hash_of(ids), "operations": hash_of(offered)}
        path = self.folder.work / "workplace.yaml"
        draft = await self.ledger.keep_or_make(path, WORKPLACE, made_from, self.author.model, make)
        return SimulatedPlace(workplace_name(self.spec), draft, clauses)

    async def _invented(self) -> list[Clause]:
        """Rules of a job that has no documents."""

        async def make() -> list[Clause]:
            prompt = render("rules", spec=self.spec, fewest=RULES[0], most=RULES[1], language=self._language)
            reply = await self.author.write(prompt, RuleTexts, salt="rules", check=_faulty_rules)
            return [
                Clause(
                    id=f"C-{number:02d}",
                    document="job",
                    section="0",
                    quote=rule,
                    kind="obligation",
                    numbers=clause_numbers(rule),
                )
                for number, rule in enumerate(reply.rules, 1)
            ]

        path = self.folder.clauses
        return await self.ledger.keep_or_make(path, CLAUSES, {"job": hash_of(self.about)}, self.author.model, make)

    async def _written(self, clauses: Sequence[Clause], offered: Mapping[str, ToolDraft]) -> WorkplaceDraft:
        brief = AuthorBrief(self.spec, clauses, (), self.context or ASSUMED_CONTEXT)
        prompt = brief.prompt(
            "workplace",
            operations=fenced(tools_text(list(offered.values()), _OPERATIONS)) if offered else "",
            tools=TOOLS,
            state_characters=ASKED_STATE,
            language=self._language,
        )

        def check(reply: WorkplaceText) -> list[str]:
            prose = "\n".join([reply.purpose, *reply.effects, *reply.errors, *reply.output])
            loose = [finding.what for finding in loose_words(prose, clauses, "workplace", "reply", "rules")]
            found = [*_faulty_state(reply.initial_state), *loose, *workplace_problems(self._draft(reply, offered))]
            described = reply.state_description
            if bare := [key for key in reply.initial_state if not str(described.get(key) or "").strip()]:
                found.append(f"state_description: says nothing of {', '.join(bare)}")
            if all(tool.writes for tool in reply.tools):
                found.append("tools: none of them only reads (writes: false)")
            if offered and not any(tool.name in offered for tool in reply.tools):
                found.append("tools: none is an operation of the interface; take the tools from those operations")
            return found

        reply = await self.author.write(prompt, WorkplaceText, salt="simulated workplace", check=check)
        return self._draft(reply, offered)

    def _draft(self, reply: WorkplaceText, offered: Mapping[str, ToolDraft]) -> WorkplaceDraft:
        """The workplace of a reply; operations of the owner's are as the interface has them, but for examples."""
        return WorkplaceDraft(
            name=workplace_name(self.spec),
            system_prompt=render("system_prompt", draft=reply, language=self.spec.languages[0]),
            tools=[
                msgspec.structs.replace(offered[tool.name], example_output=tool.example_output)
                if tool.name in offered
                else tool
                for tool in reply.tools
            ],
            initial_state=reply.initial_state,
            state_description=reply.state_description,
        )

    @property
    def _language(self) -> str:
        return language_name(self.spec.languages[0])


def _faulty_rules(reply: RuleTexts) -> list[str]:
    fewest, most = RULES
    found = [f"rules[{at}]: {fault}" for at, rule in enumerate(reply.rules) if (fault := quote_problem(rule))]
    if not fewest <= len(reply.rules) <= most:
        found.append(f"rules: there are {len(reply.rules)}; {fewest} to {most} are wanted")
    return found


def _faulty_state(state: JsonObject) -> list[str]:
    found = []
    if not any(isinstance(part, list | dict) and part for part in state.values()):
        found.append("initial_state: holds no records")
    size = size_of(state)
    if size > MOST_STATE:
        found.append(f"initial_state: has {size:,} characters; {MOST_STATE:,} are the most, so fewer records")
    return found
