"""Checks of the parts of a workplace as they are written: compiled, read, run in the sandbox."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from worktrial.errors import DataError, InvalidSample
from worktrial.finding import Finding
from worktrial.language import JsonObject, JsonValue
from worktrial.synthesis.artifacts import ToolDraft
from worktrial.synthesis.authoring.parts import defined_in, module, part
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.coverage import citations, loose_numbers, unknown
from worktrial.synthesis.compose.atoms import AtomName, DrawnOnce
from worktrial.synthesis.compose.composer import ComposedTask, NotComposed, Recipe, RecipeCase, compose
from worktrial.synthesis.compose.proof import faults_of
from worktrial.synthesis.composed_suite import Labels, executable
from worktrial.synthesis.files import hash_of
from worktrial.synthesis.gates.catalogue import known_calls
from worktrial.synthesis.gates.door import CodeDoor
from worktrial.synthesis.gates.expectations import Expectation, failed_expectations
from worktrial.synthesis.gates.work import carry_out
from worktrial.synthesis.gates.wrong import wrong_work
from worktrial.workplaces import Workplace
from worktrial.workplaces.executable.code import CodeWorkplace, ScriptedEpisode
from worktrial.workplaces.executable.runner import CodeRunner
from worktrial.workplaces.executable.source_rules import NOT_PYTHON, module_faults, parsed
from worktrial.workplaces.fidelity import with_unknown_ids

FEWEST_RECORDS, MOST_RECORDS = 20, 200
"""Records of a kind that the work is about."""
_SEEDS = range(3)
_CASE_SEEDS = range(6)
_CASES_PLAYED = 2
"""Tasks of a case that are played; more draws are made where it finds no place."""
_OWN = {"tools": "", "types": "", "rules": "", "state": ""}
"""Names under which parts may import what is there already."""
_TOLD = 2
"""Times that an author is told of tests that fail, and of wrong ways that pass."""
_WAYS_TOLD = 3
"""Wrong ways of a case that its author is told of at once."""
_DISPUTED = re.compile(r"^\s*# DISPUTED (E-\d+)", re.MULTILINE)
_NO_CASE = "# NO CASE "
_PLACE = re.compile(r"(\w+)\.py, line (\d+)")
_SEEN = "def seen() -> bool:\n    return True"
_LOOK = """
@reads()
def look(state: State) -> dict[str, object]:
    \"\"\"Look.\"\"\"
    return {}
"""


@dataclass(frozen=True)
class PartChecker:
    """Checks parts of one workplace; each says what is wrong in words that its author can use.

    Args:
        name: The workplace's.
        clauses: The clauses that hold.
        runner: Where code is carried out.
    """

    name: str
    clauses: Sequence[Clause]
    runner: CodeRunner

    async def types(self, source: str) -> list[str]:
        """Faults of the data model."""
        if problems := [*_source_faults(source), *_state_faults(source)]:
            return problems
        return await self._import_faults({"tools": module("Types.", [part(source), part(_SEEN)])})

    async def draw(self, types: str, source: str) -> list[str]:
        """Faults of the generator of states."""
        if problems := _source_faults(source, _OWN):
            return problems
        if "draw" not in defined_in(source):
            return ["there is no function `draw(random: Random) -> State`"]
        modules = workplace_modules(self.name, [types], source)
        key = _key(modules)
        self.runner.load(key, modules, {}, {})
        asked = [{"do": "draw", "seed": seed} for seed in [*_SEEDS, 0]]
        answers = await self.runner.answers(key, asked)
        if failed := next((answer for answer in answers if "failure" in answer), None):
            return [_with_line(failed, modules)]
        states = [answer["value"] for answer in answers]
        if _as_text(states[0]) != _as_text(states[-1]):
            return ["the same random source gives two different states"]
        if _as_text(states[0]) == _as_text(states[1]):
            return ["two random sources give the same state: everything is fixed, so draw it from `random`"]
        return [*_size_faults(states[0]), *await self._misfit(modules, states)]

    async def rules(self, types: str, source: str) -> list[str]:
        """Faults of the rules."""
        if problems := [*_source_faults(source), *self._rule_faults(source)]:
            return problems
        modules = {"tools": module("Rules.", [part(types), part(source), part(_SEEN)])}
        return await self._import_faults(modules)

    async def tools(
        self, parts: Sequence[str], draw: str, wanted: Sequence[ToolDraft], state: JsonObject
    ) -> list[str]:
        """Faults of a group of tools.

        Args:
            parts: Types, rules, groups of tools; the last is the one to check.
            draw: The generator of states.
            wanted: The operations of the group.
            state: The state in which examples are shown.
        """
        source = parts[-1]
        if problems := _source_faults(source):
            return problems
        left_out = unsuitable(source)
        wanted = [tool for tool in wanted if tool.name not in left_out]
        names = defined_in(source)
        taken = {name for earlier in parts[:-1] for name in defined_in(earlier)}
        missing = [function_name(tool.name) for tool in wanted if function_name(tool.name) not in names]
        problems = [
            *(f"there is no function {name}" for name in missing),
            *(f"{name} is defined already; leave it out, or call it otherwise" for name in names if name in taken),
            *self._rule_faults(source),
        ]
        if problems or not wanted:
            return problems
        modules = workplace_modules(self.name, parts, draw)
        try:
            home = self.home(modules, state)
        except DataError as e:
            return [_with_line({"detail": str(e).removeprefix(f"{self.name}: ")}, modules)]
        problems = [what for tool in wanted for what in _signature_faults(tool, home.artifact)]
        return problems or await self._strange_calls(home, examples_in(source))

    async def atoms(
        self,
        modules: Mapping[str, str],
        source: str,
        state: JsonObject,
        languages: Sequence[str],
        *,
        helpers: str = "",
        gates: bool = False,
    ) -> list[str]:
        """Faults of a group of cases: each is composed to a task by itself, and the task is played.

        Args:
            modules: The workplace's other modules.
            source: The group.
            state: The workplace's default state.
            languages: Languages of the tasks.
            helpers: Functions that are there already.
            gates: Whether each task is done wrongly, too, and its checks have to notice.
        """
        if problems := _source_faults(source, _OWN):
            return problems
        cases = citations(source)
        if not cases:
            # That nothing can be asked is an answer, too.
            return [] if _NO_CASE in source else ['there is no case; mark each with @atom("C-01")']
        if problems := self._unknown_faults(source):
            return problems
        whole = {**modules, "atoms": atoms_module(self.name, [helpers, source], modules["tools"])}
        try:
            home = self.home(whole, state)
        except DataError as e:
            return [_with_line({"detail": str(e).removeprefix(f"{self.name}: ")}, whole)]
        drawn = DrawnOnce(home)
        names = {name: AtomName(name, tuple(ids), 1) for name, ids in cases.items()}
        played = {name: await _played(name, names, drawn, languages) for name in names}
        problems = [what for faults, _ in played.values() for what in faults]
        if problems or not gates:
            return problems
        return [
            what
            for name, (_, drafts) in played.items()
            for what in await self._wrong_ways(name, drafts[0], languages[0], drawn, home)
        ]

    async def _wrong_ways(
        self, name: str, draft: ComposedTask, language: str, drawn: DrawnOnce, home: CodeWorkplace
    ) -> list[str]:
        """Ways to do the case wrongly that its checks let pass, as the gates of the suite will find them."""
        task = await executable(draft, language, drawn, home, _labels(self.name), {})
        door = CodeDoor(home)
        works = await carry_out(door, [(task.plan_alone, task.initial_state)])
        known = known_calls(door.artifact, home.examples, (), {}, [task], works)
        found = (await wrong_work(door, [task], works, known, self.clauses))[1]
        return [f"{name}: {finding.what}" for finding in found[:_WAYS_TOLD]]

    def home(self, modules: Mapping[str, str], state: JsonObject) -> CodeWorkplace:
        """The workplace of these modules.

        Raises:
            DataError: it is none.
        """
        return CodeWorkplace.build(self.name, modules, system_prompt="", initial_state=state, runner=self.runner)

    def _rule_faults(self, source: str) -> list[str]:
        findings = loose_numbers(source, self.clauses, self.name, "tools.py")
        loose = [f"{finding.field}: {finding.what}. {finding.fix}" for finding in findings]
        return [*loose, *self._unknown_faults(source)]

    def _unknown_faults(self, source: str) -> list[str]:
        return [f"{one.subject}: {one.what}" for one in unknown(citations(source), self.clauses, "tools.py")]

    async def _import_faults(self, modules: Mapping[str, str]) -> list[str]:
        """Faults that show when the module is imported."""
        key = _key(modules)
        self.runner.load(key, modules, {}, {})
        asked = {"do": "function", "module": "tools", "function": "seen", "arguments": []}
        (answer,) = await self.runner.answers(key, [asked])
        return [_with_line(answer, modules)] if "failure" in answer else []

    async def _misfit(self, modules: Mapping[str, str], states: Sequence[JsonObject]) -> list[str]:
        """Faults of states that do not fit their type."""
        with_tool = {**modules, "tools": module("Types.", [part(modules["tools"]), part(_LOOK)])}
        try:
            home = self.home(with_tool, states[0])
            home.complete(states, [f"the state of seed {number}" for number in range(len(states))])
        except DataError as e:
            return [_with_line({"detail": str(e).removeprefix(f"{self.name}: ")}, with_tool)]
        return []

    async def _strange_calls(self, home: CodeWorkplace, examples: Mapping[str, JsonObject]) -> list[str]:
        """Faults that show when tools are called with their examples, and with ids that do not exist."""
        calls: list[tuple[str, JsonObject]] = []
        for name, example in examples.items():
            tool = home.artifact.tool(name)
            if tool is not None:
                strange = [given for given in with_unknown_ids(example) if not tool.problems(given)]
                calls += [(name, given) for given in (example, *strange)]
        results = await home.episodes([ScriptedEpisode(home.artifact.initial_state, [call]) for call in calls])
        problems = []
        for (name, given), result in zip(calls, results, strict=True):
            if result.failure is not None:
                problems.append(f"{name}({given}): {result.failure.args[0]}")
            elif result.calls[0].touched:
                problems.append(f"{name} is marked @reads and changes the state")
        return problems


@dataclass
class ToolsCheck:
    """Check of one group of tools, its acceptance test included.

    Where a test fails, either side may be wrong: the author is told a few times and may say `# DISPUTED E-07: why`.
    Then the code is taken as it is, and the gate shows what does not agree.

    Args:
        checker: Checks everything else.
        written: Types, rules and the groups before this one.
        group: The operations of the group.
        draw: The generator of states.
        state: The state before each call.
        expected: Expectations of all tools, as `expectations.yaml` has them.
    """

    checker: PartChecker
    written: Sequence[str]
    group: Sequence[ToolDraft]
    draw: str
    state: JsonObject
    expected: Sequence[JsonObject]
    _told: int = 0

    async def __call__(self, source: str) -> Sequence[str]:
        """Reasons why the group cannot be used."""
        parts = [*self.written, source]
        problems = await self.checker.tools(parts, self.draw, self.group, self.state)
        if problems or self._told == _TOLD:
            return problems
        modules = workplace_modules(self.checker.name, parts, self.draw)
        home = self.checker.home(modules, self.state)
        there = {tool.name for tool in home.artifact.tools}
        own = {function_name(tool.name) for tool in self.group} & there
        disputed = set(_DISPUTED.findall(source))
        tests = [
            test
            for test in map(Expectation.model_validate, self.expected)
            if test.call in own and test.id not in disputed and {step.call for step in test.before} <= there
        ]
        findings = await failed_expectations(CodeDoor(home), tests, {})
        self._told += bool(findings)
        quotes = {clause.id: clause.quote for clause in self.checker.clauses}
        return [_as_told(finding, tests, quotes) for finding in findings]


def _as_told(finding: Finding, tests: Sequence[Expectation], quotes: Mapping[str, str]) -> str:
    test = next((test for test in tests if test.id in (finding.field, finding.subject)), None)
    said = "; ".join(f"{id}: “{quotes[id]}”" for id in (test.clauses if test else ()) if id in quotes)
    name = test.id if test else finding.field
    return (
        f"the acceptance test {name} fails: {finding.what}{f' [{said}]' if said else ''}. Mend the tool; if the "
        f"clauses say otherwise, keep it and write a line `# DISPUTED {name}: the reason`"
    )


def function_name(operation: str) -> str:
    """Name of the function that carries an operation out: hyphens and dots are none of Python's."""
    return operation.replace("-", "_").replace(".", "_")


def unsuitable(source: str) -> dict[str, str]:
    """Operations that their author says cannot be code, with the reasons."""
    found = {}
    for line in source.splitlines():
        head, _, rest = line.strip().partition("# UNSUITABLE ")
        if not head and rest:
            name, _, why = rest.partition(":")
            found[name.strip()] = why.strip() or "no reason was given"
    return found


def examples_in(source: str) -> dict[str, JsonObject]:
    """Arguments of the example call of each tool of a part, as `@reads` and `@writes` give them."""
    found: dict[str, JsonObject] = {}
    for node in parsed(source).body:
        for decorator in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") in ("reads", "writes"):
                with suppress(ValueError):
                    given = {keyword.arg or "": ast.literal_eval(keyword.value) for keyword in decorator.keywords}
                    found[node.name] = given  # type: ignore[attr-defined]
    return found


def workplace_modules(name: str, parts: Sequence[str], draw: str) -> dict[str, str]:
    """The modules `tools` and `draw` of a workplace.

    Args:
        name: The workplace's.
        parts: Types, rules and groups of tools, in order.
        draw: The generator of states.
    """
    tools = module(f"Records, rules and tools of {name}.", [part(source) for source in parts])
    made = part(draw, tuple(_OWN))
    names = [defined for source in parts for defined in defined_in(source)]
    return {"tools": tools, "draw": module(f"Initial states of {name}.", [made], own="tools", own_names=names)}


def atoms_module(name: str, parts: Sequence[str], tools: str) -> str:
    """The module `atoms` of a workplace."""
    found = [part(source, tuple(_OWN)) for source in parts]
    return module(f"Cases of {name}: what each clause asks.", found, own="tools", own_names=defined_in(tools))


def _source_faults(source: str, siblings: Mapping[str, str] | None = None) -> list[str]:
    return [*module_faults(source, siblings), *_prints(source)]


def _with_line(answer: JsonObject, modules: Mapping[str, str]) -> str:
    """A failure, with the text of the line at which it happened: the author knows only its own part."""
    said = ": ".join(str(answer[key]) for key in ("failure", "detail") if key in answer)
    found = _PLACE.search(said)
    lines = modules.get(found[1], "").splitlines() if found else []
    if found is None or not 0 < int(found[2]) <= len(lines):
        return said
    return f"{said} (that line is: {lines[int(found[2]) - 1].strip()})"


def _key(modules: Mapping[str, str]) -> str:
    return hash_of(sorted(modules.items()))[:16]


def _prints(source: str) -> Iterator[str]:
    try:
        tree = parsed(source)
    except NOT_PYTHON:
        # Told already.
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield f"line {node.lineno}: prints; what a tool has to say it returns"


def _state_faults(source: str) -> Iterator[str]:
    classes = {node.name: node for node in parsed(source).body if isinstance(node, ast.ClassDef)}
    state = classes.get("State")
    if state is None:
        yield "there is no `class State(Struct)`"
        return
    fields = [
        node.target.id
        for node in state.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    if "clock" not in fields:
        yield "State has no field `clock: str`"
    if len(fields) < 2:
        yield "State has no records"
    for name, node in classes.items():
        if not any(isinstance(base, ast.Name) and base.id == "Struct" for base in node.bases):
            yield f"class {name} is no Struct: write `class {name}(Struct):`"


def _size_faults(state: JsonObject) -> Iterator[str]:
    sizes = {name: len(value) for name, value in state.items() if isinstance(value, dict | list)}
    if not sizes or max(sizes.values()) < FEWEST_RECORDS:
        told = ", ".join(f"{count} {name}" for name, count in sizes.items()) or "no records at all"
        yield f"the state has {told}; what the work is about needs {FEWEST_RECORDS} to {MOST_RECORDS} records"
    for name, count in sizes.items():
        if count > MOST_RECORDS:
            yield f"the state has {count} {name}; {MOST_RECORDS} are the most"
    if not isinstance(state.get("clock"), str):
        yield "the state has no clock"


def _signature_faults(wanted: ToolDraft, artifact: Workplace) -> Iterator[str]:
    name = function_name(wanted.name)
    tool = artifact.tool(name)
    if tool is None:
        yield f"{name} is not marked: put @{'writes' if wanted.writes else 'reads'}(…) above it"
        return
    if tool.writes != wanted.writes:
        yield f"{name} has to be marked @{'writes' if wanted.writes else 'reads'}(…)"
    asked, has = wanted.parameters.get("properties", {}), tool.parameters.get("properties", {})
    if missing := [argument for argument in asked if argument not in has]:
        yield f"{name} does not take {', '.join(missing)}"
    if strange := [argument for argument in has if argument not in asked]:
        yield f"{name} takes {', '.join(strange)}, which the operation does not have"
    needed, needs = set(wanted.parameters.get("required", [])), set(tool.parameters.get("required", []))
    if unsure := sorted((needs - needed) & asked.keys()):
        yield f"{name}: {', '.join(unsure)} may be left out, so give a default"
    if lax := sorted((needed - needs) & has.keys()):
        yield f"{name}: {', '.join(lax)} may not be left out, so give no default"
    for argument in asked.keys() & has.keys():
        said, is_said = _kinds(asked[argument]), _kinds(has[argument])
        if said and is_said and not said & is_said:
            yield f"{name}: {argument} has to be {' or '.join(sorted(said))}, not {' or '.join(sorted(is_said))}"


def _kinds(schema: JsonValue) -> set[str]:
    """JSON types that a schema allows; none where it does not say."""
    if not isinstance(schema, dict):
        return set()
    kind = schema.get("type")
    kinds = {kind} if isinstance(kind, str) else set(kind) if isinstance(kind, list) else set()
    for alternative in schema.get("anyOf", []):
        kinds |= _kinds(alternative)
    return kinds | ({"number", "integer"} if kinds & {"number", "integer"} else set())


@dataclass
class CaseCheck:
    """Checks a group of cases; after two refusals wrong ways that pass are left to the gates of the suite.

    Args:
        checker: Checks parts of the workplace.
        modules: The workplace's other modules.
        state: Its default state.
        languages: Languages of the tasks.
        helpers: Functions that are there already.
    """

    checker: PartChecker
    modules: Mapping[str, str]
    state: JsonObject
    languages: Sequence[str]
    helpers: str = ""
    _told: int = 0

    async def __call__(self, source: str) -> Sequence[str]:
        """Reasons why the group cannot be used."""
        told = self._told < _TOLD
        problems = await self.checker.atoms(
            self.modules, source, self.state, self.languages, helpers=self.helpers, gates=told
        )
        self._told += bool(problems)
        return problems


def _alone(name: str, seed: int, languages: Sequence[str]) -> Recipe:
    return Recipe(
        id="case-01", start=seed, cases=[RecipeCase(atom=name, seed=str(seed))], languages=list(languages)
    )


def _labels(workplace: str) -> Labels:
    return Labels(workplace=workplace, scenario=workplace, category=workplace, domain=workplace)


async def _played(
    name: str, names: Mapping[str, AtomName], home: DrawnOnce, languages: Sequence[str]
) -> tuple[list[str], list[ComposedTask]]:
    """Faults of a case as it is played, and the tasks that were; without faults there is one at least."""
    tasks: list[ComposedTask] = []
    known = {tool.name for tool in home.artifact.tools}
    unmade: list[str] = []
    for seed in _CASE_SEEDS:
        try:
            task = await compose(_alone(name, seed, languages), names, home)
        except NotComposed as e:
            unmade.append(str(e))
            continue
        except (DataError, InvalidSample) as e:
            return [f"{name}: {e}"], tasks
        tasks.append(task)
        if strange := {step.get("call") for step in task.steps} - known:
            return [f"{name}: there is no tool {', '.join(map(str, strange))}"], tasks
        if faults := await faults_of(task, home):
            return [f"{name}, seed {seed}: {fault}" for fault in faults[:2]], tasks
        if len(tasks) == _CASES_PLAYED:
            break
    if tasks:
        return [], tasks
    return [f"{name}: finds no place in any of {len(_CASE_SEEDS)} states ({unmade[0]})"], tasks


def _as_text(value: Any) -> bytes:
    return msgspec.json.encode(value, order="sorted")
