"""A workplace written as code, step by step; each step is resumed by itself."""

import ast
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from worktrial.errors import DataError
from worktrial.language import JsonObject
from worktrial.source_trees import parsed
from worktrial.synthesis.artifacts import ToolDraft
from worktrial.synthesis.author import Author, UnusableReplies
from worktrial.synthesis.authoring.asking import AuthoringStep, CodeAuthor, CodeCheck, UnusableCode, ask_for_code
from worktrial.synthesis.authoring.brief import GROUP, AuthorBrief, sample_of
from worktrial.synthesis.authoring.cases import CaseCheck, KitCheck
from worktrial.synthesis.authoring.checks import PartChecker, ToolsCheck
from worktrial.synthesis.authoring.expectations import Expectations, expectations_again, expectations_of
from worktrial.synthesis.authoring.parts import (
    GIVEN_FUNCTIONS,
    atoms_module,
    defined_in,
    heads,
    outline,
    rules_of,
    workplace_modules,
)
from worktrial.synthesis.authoring.reading import FEWEST_RECORDS, MOST_RECORDS, function_name, unsuitable
from worktrial.synthesis.authoring.renewing import (
    ClauseChanges,
    all_cited,
    all_known,
    changes_of,
    citing,
    renewal_faults,
    renewed,
    tool_notes,
)
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.coverage import citations
from worktrial.synthesis.compose.declared import outcomes
from worktrial.synthesis.definitions import whole_hashes, words_in
from worktrial.synthesis.files import Form, hash_of, read_yaml_as, to_yaml, write_text
from worktrial.synthesis.folder import ProvenanceLedger
from worktrial.synthesis.prompting import fenced, tools_text
from worktrial.synthesis.together import together
from worktrial.workplaces.executable.report_form import REPORT_TOOL
from worktrial.workplaces.executable.runner import CodeRunner

T = TypeVar("T")
Again = Callable[[T, ClauseChanges], Awaitable[T]]
"""Function from an artifact that stands, and the clauses that are other ones, to what becomes of it."""

CODE: Form[str] = Form(lambda path: path.read_text(encoding="utf-8"), write_text, hash_of)
EXPECTED: Form[Expectations] = Form(
    lambda path: Expectations(expectations=read_yaml_as(path, list[JsonObject])),
    lambda path, value: write_text(path, to_yaml(value.expectations)),
    lambda value: hash_of(value.expectations),
)
STATE: Form[JsonObject] = Form(
    lambda path: read_yaml_as(path, JsonObject), lambda path, value: write_text(path, to_yaml(value)), hash_of
)
ASSEMBLED = "assembled"
"""Stands for a model in the provenance of what is put together in code."""
_FIRST = 0
"""Seed of the state in which examples are shown and that the folder has as its own."""


class WrittenWorkplace(msgspec.Struct, kw_only=True, frozen=True):
    """A workplace that was written, and what was not."""

    name: str
    modules: dict[str, str]
    initial_state: JsonObject
    unsuitable: dict[str, str]
    """Operations that cannot be code, with the reasons; they are not among its tools."""
    failed: dict[str, str]
    """Groups of cases, their kit, or the expectations, of which no version could be used, with the reasons."""


@dataclass(kw_only=True)
class WorkplaceAuthoring:
    """Writes one workplace into a suite's folder.

    A part is made again when what it was made from has changed: its operations, the data model, the clauses that it
    cites, and the rules, tools and helpers that it uses. Rules and expectations, which are made from all clauses,
    are shown to their author again with those that are new or other ones, and only what these change is written
    anew. Parts lie in `parts`, where a person may change them.

    Args:
        brief: Job, clauses and operations.
        author: Writes the code.
        other: Writes the expectations, from the clauses alone; another model where there is one.
        ledger: Knows which parts stand.
        parts: Folder of the parts.
        place: Folder of the finished workplace; its name is the workplace's.
        runner: Where code is carried out.
        on_step: Told of each step that was asked for.
    """

    brief: AuthorBrief
    author: CodeAuthor
    other: Author
    ledger: ProvenanceLedger
    parts: Path
    place: Path
    runner: CodeRunner
    on_step: Callable[[AuthoringStep], None] = lambda record: None
    _check: PartChecker = field(init=False)
    _by_id: dict[str, Clause] = field(init=False)

    def __post_init__(self) -> None:
        self._check = PartChecker(self.place.name, self.brief.clauses, self.runner)
        self._by_id = {clause.id: clause for clause in self.brief.clauses}
        spec = self.brief.spec
        self._job = {"job": hash_of([spec.role, spec.industry, spec.domain, spec.about])}

    async def write(self) -> WrittenWorkplace:
        """Write what does not stand yet, and put the workplace together.

        Raises:
            UnusableCode: data model, states, rules or tools could not be written; the message names the step.
            DataError: a person changed a file to something that cannot be used.
            InvalidSample: the model cannot be reached.
        """
        name, brief = self.place.name, self.brief
        groups = _groups(brief.operations)
        interface = {"interface": hash_of([_brief_of(tool) for tool in brief.operations])}
        ids = all_known(brief.clauses)
        types = await self._part("types", interface, self._types, self._check.types)

        on_types = {"types": hash_of(types)}
        failed: dict[str, str] = {}

        async def tests() -> tuple[str, JsonObject, list[JsonObject]]:
            draw = await self._part("draw", on_types, partial(self._draw, types), partial(self._check.draw, types))
            state = await self._drawn(workplace_modules(name, [types], draw))
            # Before there are tools, so that nobody can write down what they happen to do.
            functions = [_as_function(tool) for tool in brief.operations]
            return draw, state, await self._expectations(types, functions, state, failed)

        # Neither knows of the other, so neither waits for the other.
        parts: list[Any] = await together(
            tests(),
            self._part(
                "rules",
                {**on_types, **ids},
                partial(self._rules, types),
                partial(self._check.rules, types),
                again=partial(self._rules_again, types),
            ),
        )
        (draw, state, expected), rules = parts
        # What a rule says may change without a tool that calls it.
        signatures = heads(rules)
        written: list[str] = [types, rules]
        for number, group in enumerate(groups, 1):
            notes = tool_notes(rules, [function_name(tool.name) for tool in group])
            made_from = {
                **on_types,
                "interface": hash_of([_brief_of(tool) for tool in group]),
                **({"notes": hash_of(notes)} if notes else {}),
            }
            known = "\n\n".join([outline(rules), *notes])
            checked = ToolsCheck(self._check, written, group, draw, state, expected)
            prompt = partial(self._tools, types, known, group, state, number)
            part = await self._part(f"tools-{number}", made_from, prompt, checked, on=signatures)
            written = [*written, part]
        left_out = {key: why for source in written for key, why in unsuitable(source).items()}
        modules = await self._placed(workplace_modules(name, written, draw))
        state = await self._kept("initial_state.yaml", STATE, await self._drawn(modules))
        tools = self._tools_of(modules, state)
        cases = await self._cases(types, rules, on_types, tools, modules, state, failed)
        if cases:
            modules |= await self._placed({"atoms": atoms_module(name, cases, modules["tools"])})
        await self._kept("workplace.yaml", STATE, self._described(modules["tools"]))
        return WrittenWorkplace(name=name, modules=modules, initial_state=state, unsuitable=left_out, failed=failed)

    def _types(self) -> str:
        return self.brief.prompt("author_types", operations=self.brief.operations_text(self.brief.operations))

    def _draw(self, types: str) -> str:
        sizes = {"fewest": FEWEST_RECORDS, "most": MOST_RECORDS}
        return self.brief.prompt("author_draw", types=fenced(types), about=types, **sizes)

    def _rules(self, types: str) -> str:
        return self.brief.prompt("author_rules", types=fenced(types), about=types, languages=self.brief.languages)

    async def _rules_again(self, types: str, standing: str, changes: ClauseChanges) -> str:
        """The rules with what other clauses change of them."""
        if not changes.bear_on([id for ids in citations(standing).values() for id in ids]):
            return standing
        tools = [function_name(tool.name) for tool in self.brief.operations]
        text = self.brief.prompt(
            "author_rules_again",
            about=types,
            types=fenced(types),
            rules=fenced(standing),
            changes=changes.told,
            tools=", ".join(tools),
        )

        async def check(reply: str) -> Sequence[str]:
            if problems := renewal_faults(standing, reply, tools):
                return problems
            return await self._check.rules(types, renewed(standing, reply))

        return renewed(standing, await self._asked("rules-again", text, check))

    def _tools(self, types: str, rules: str, group: Sequence[ToolDraft], state: JsonObject, number: int) -> str:
        return self.brief.prompt(
            "author_tools",
            about=" ".join(f"{tool.name} {tool.description}" for tool in group),
            types=fenced(types),
            rules=fenced(rules),
            sample=sample_of(state),
            operations=self.brief.operations_text([_as_function(tool) for tool in group]),
            prefix=f"g{number}",
        )

    async def _expectations(
        self, types: str, tools: Sequence[ToolDraft], state: JsonObject, failed: dict[str, str]
    ) -> list[JsonObject]:
        """Let another author say, from the clauses, what the tools have to do; [] where it came to nothing."""
        path = self.place / "expectations.yaml"
        base = {
            **self._job,
            "types": hash_of(types),
            "tools": hash_of([_brief_of(tool) for tool in tools]),
            **all_known(self.brief.clauses),
        }

        async def make() -> Expectations:
            return await expectations_of(self.brief, self.other, types, tools, state)

        async def again(standing: Expectations, changes: ClauseChanges) -> Expectations:
            return await expectations_again(self.brief, self.other, types, tools, state, standing, changes)

        with _noted(failed, "expectations"):
            found = await self._held(path, EXPECTED, base, self.other.model, make, self._expected, again)
            return found.expectations
        return []

    async def _cases(
        self,
        types: str,
        rules: str,
        on_types: Mapping[str, str],
        tools: Sequence[ToolDraft],
        modules: Mapping[str, str],
        state: JsonObject,
        failed: dict[str, str],
    ) -> list[str]:
        groups = _case_groups(self.brief.clauses)
        if not groups:
            return []
        whole = whole_hashes(rules)
        calls = {tool.name: hash_of(_brief_of(tool)) for tool in tools}
        languages = {"languages": hash_of(self.brief.spec.languages)}
        view: dict[str, str] = {
            "types": fenced(types),
            "rules": fenced(outline(rules)),
            "given_functions": GIVEN_FUNCTIONS,
            "tools": fenced(tools_text(tools, self.brief.context // 8)),
            "sample": sample_of(state),
            "languages": self.brief.languages,
        }

        async def written(step: str, group: Sequence[Clause], kit: str) -> str | None:
            ids = [clause.id for clause in group]
            made_from = {
                **on_types,
                "group": hash_of(group),
                "rules": hash_of({name: whole[name] for name in citing(rules, ids)}),
                **languages,
            }
            prompt = partial(
                self.brief.prompt,
                "author_atoms",
                about=" ".join(clause.quote for clause in group),
                ids=", ".join(ids),
                bodies=fenced(bodies) if (bodies := rules_of(rules, ids)) else "",
                helpers=fenced(kit) if kit else "",
                prefix=step.replace("-", "_"),
                **view,
            )
            checked = CaseCheck(self._check, modules, state, self.brief.spec.languages, kit)
            on = {**whole, **calls, **heads(kit)}
            return await self._case_part(step, made_from, prompt, checked, failed, on)

        # What all groups share is written first, so that they can be written side by side and none says it again.
        # Clauses that come later do not make it anew; what it lacks for their cases is written with these.
        prompt = partial(self.brief.prompt, "author_kit", about=types, bodies="", helpers="", prefix="kit", **view)
        on = {**heads(rules), **calls}
        kit = await self._case_part(
            "kit", {**on_types, **languages}, prompt, KitCheck(self._check, modules), failed, on
        )
        shared = kit if kit is not None and defined_in(kit) else ""
        found = await together(*(written(step, group, shared) for step, group in groups))
        cases = [source for source in found if source is not None]
        return [shared, *cases] if cases else []

    async def _case_part(
        self,
        step: str,
        made_from: Mapping[str, str],
        prompt: Callable[[], str],
        check: CodeCheck,
        failed: dict[str, str],
        on: Mapping[str, str],
    ) -> str | None:
        """A group of cases, or their kit; None where no version of it could be used."""
        with _noted(failed, step):
            return await self._part(step, made_from, prompt, check, on=on)
        return None

    def _path(self, step: str) -> Path:
        return self.parts / f"{step}.py"

    async def _part(
        self,
        step: str,
        made_from: Mapping[str, str],
        prompt: Callable[[], str],
        check: CodeCheck,
        *,
        on: Mapping[str, str] = MappingProxyType({}),
        again: Again[str] | None = None,
    ) -> str:
        """A part as it stands, or made and recorded with the clauses that it cites and what it uses of `on`."""

        async def make() -> str:
            return await self._asked(step, prompt(), check)

        def rests_on(source: str) -> dict[str, str]:
            used = words_in(source)
            return {**self._cited(source), **{f"uses {name}": found for name, found in on.items() if name in used}}

        base = {**self._job, **made_from}
        return await self._held(self._path(step), CODE, base, self.author.model, make, rests_on, again)

    async def _asked(self, step: str, text: str, check: CodeCheck) -> str:
        """Code as its author writes it, with the step on record."""
        salt = f"authoring/{step}/{hash_of(text)[:12]}"
        try:
            written = await ask_for_code(self.author, text, step=step.replace("-", " "), salt=salt, check=check)
        except UnusableCode as e:
            self.on_step(e.record)
            raise
        self.on_step(written.record)
        return written.source

    async def _held(
        self,
        path: Path,
        form: Form[T],
        base: Mapping[str, str],
        model: str,
        make: Callable[[], Awaitable[T]],
        rests_on: Callable[[T], dict[str, str]],
        again: Again[T] | None = None,
    ) -> T:
        """An artifact as it stands, or made and recorded with what it turns out to rest on.

        Where nothing but clauses has changed, `again` makes it from the one that stands.
        """
        stored = form.read(path) if path.exists() else None
        standing = rests_on(stored) if stored is not None else {}
        made: list[T] = []

        async def kept() -> T:
            record = self.ledger.last(path)
            changes = None if record is None else changes_of(record.made_from, {**base, **standing})
            if again is None or record is None or changes is None or stored is None:
                made.append(await make())
            elif record.hash != form.hash(stored):
                # A kill came between the record and its file.
                made.append(await make())
            else:
                made.append(await again(stored, changes))
            return made[0]

        value = await self.ledger.keep_or_make(path, form, {**base, **standing}, model, kept)
        if made and (now := rests_on(value)) != standing:
            self.ledger.write(path, form, value, {**base, **now}, model)
        return value

    def _cited(self, source: str) -> dict[str, str]:
        """Hashes of the clauses that a part cites."""
        try:
            return self._hashes(id for ids in citations(source).values() for id in ids)
        except SyntaxError:
            # A person left it so; running it says what is wrong.
            return {}

    def _expected(self, expectations: Expectations) -> dict[str, str]:
        return self._hashes(id for one in expectations.expectations for id in one.get("clauses", []))

    def _hashes(self, ids: Iterable[str]) -> dict[str, str]:
        return all_cited({id: hash_of(self._by_id[id]) for id in sorted(set(ids)) if id in self._by_id})

    async def _drawn(self, modules: Mapping[str, str]) -> JsonObject:
        key = hash_of(sorted(modules.items()))[:16]
        self.runner.load(key, modules, {}, {})
        (answer,) = await self.runner.answers(key, [{"do": "draw", "seed": _FIRST}])
        if "failure" in answer:
            # It passed its check, so a person has changed it since.
            raise DataError(self.place / "draw.py", f"{answer['failure']}: {answer['detail']}", "Put it right")
        state: JsonObject = answer["value"]
        return state

    def _tools_of(self, modules: Mapping[str, str], state: JsonObject) -> list[ToolDraft]:
        artifact = self._check.home(modules, state).artifact
        return [
            ToolDraft(
                name=tool.name,
                description=tool.description,
                parameters=tool.parameters,
                example_output=tool.example_output,
                writes=bool(tool.writes),
            )
            for tool in artifact.tools
            if tool.name != REPORT_TOOL
        ]

    async def _placed(self, modules: Mapping[str, str]) -> dict[str, str]:
        """Modules put in their place, or as a person has changed them there."""
        return {name: await self._kept(f"{name}.py", CODE, text) for name, text in modules.items()}

    async def _kept(self, file: str, form: Form[T], value: T) -> T:
        async def make() -> T:
            return value

        made_from = {"parts": form.hash(value)}
        return await self.ledger.keep_or_make(self.place / file, form, made_from, ASSEMBLED, make)

    def _described(self, tools: str) -> JsonObject:
        spec = self.brief.spec
        return {
            "name": self.place.name,
            "system_prompt": f"You are the system that a {spec.role} works with. {spec.about}".strip(),
            "state_description": meanings(tools),
            "report": {"outcomes": outcomes({"tools": tools})},
        }


@contextmanager
def _noted(failed: dict[str, str], step: str) -> Iterator[None]:
    """Note that a step came to nothing without which the others can do."""
    try:
        yield
    except UnusableReplies as e:
        failed[step] = str(e)


def meanings(tools: str) -> JsonObject:
    """Meaning of each field of the state, as the docstrings of the data model say it."""
    classes = {node.name: node for node in parsed(tools).body if isinstance(node, ast.ClassDef)}
    state = classes.get("State")
    if state is None:
        return {}
    found: JsonObject = {}
    for name, annotation, said in _fields(state):
        inner = [node.id for node in ast.walk(annotation) if isinstance(node, ast.Name) and node.id in classes]
        fields = {field: text for one in inner for field, _, text in _fields(classes[one]) if text}
        about = said or (ast.get_docstring(classes[inner[0]]) if inner else "") or name
        found[name] = {"": about, **fields} if fields else about
    return found


def _fields(node: ast.ClassDef) -> list[tuple[str, ast.expr, str]]:
    """Name, type and docstring of each field."""
    found: list[tuple[str, ast.expr, str]] = []
    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            found.append((statement.target.id, statement.annotation, ""))
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and found:
            found[-1] = (*found[-1][:2], str(statement.value.value).strip())
    return found


def _groups(operations: Sequence[ToolDraft]) -> list[Sequence[ToolDraft]]:
    count = -(-len(operations) // GROUP)
    return [operations[len(operations) * i // count : len(operations) * (i + 1) // count] for i in range(count)]


def _case_groups(clauses: Sequence[Clause]) -> list[tuple[str, list[Clause]]]:
    """Clauses by section, a few at a time. Private ones decide no case: nobody could know them."""
    by_section: dict[str, list[Clause]] = {}
    for clause in clauses:
        if not clause.private:
            by_section.setdefault(clause.section, []).append(clause)
    found = []
    for section, group in by_section.items():
        for place, start in enumerate(range(0, len(group), GROUP), 1):
            found.append((f"atoms-{section.replace('.', '_')}-{place}", group[start : start + GROUP]))
    return found


def _as_function(tool: ToolDraft) -> ToolDraft:
    return msgspec.structs.replace(tool, name=function_name(tool.name))


def _brief_of(tool: ToolDraft) -> JsonObject:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "writes": tool.writes,
    }
