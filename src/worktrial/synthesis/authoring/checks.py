"""Checks of the parts of a workplace as they are written: compiled, read, run in the sandbox."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from worktrial.audits.fidelity import with_unknown_ids
from worktrial.errors import DataError
from worktrial.finding import Finding
from worktrial.language import JsonObject
from worktrial.synthesis.artifacts import ToolDraft
from worktrial.synthesis.authoring.parts import OWN, defined_in, module, part, workplace_modules
from worktrial.synthesis.authoring.reading import (
    examples_in,
    function_name,
    signature_faults,
    size_faults,
    source_faults,
    state_faults,
    unsuitable,
    with_line,
)
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.coverage import citations, loose_numbers, unknown
from worktrial.synthesis.compose.declared import PAYING, outcome_faults_in, outcomes, paying_words
from worktrial.synthesis.files import hash_of
from worktrial.synthesis.gates.catalogue import known_calls
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.expectations import Expectation, failed_expectations
from worktrial.synthesis.gates.run import GateReport, tool_gates
from worktrial.workplaces.executable.code import CodeWorkplace, ScriptedEpisode
from worktrial.workplaces.executable.report_form import ReportForm
from worktrial.workplaces.executable.runner import CodeRunner

_SEEDS = range(3)
_TOLD = 2
"""Times that an author is told of tests that fail."""
_DISPUTED = re.compile(r"^\s*# DISPUTED (E-\d+)", re.MULTILINE)
_NO_PAYING = (
    f'there is no constant {PAYING} = ("pay", "paid", …), the words by which letters say that a sum is '
    "paid, as plain texts; () where no money is"
)
SEEN = "def seen() -> bool:\n    return True"
"""Function that a module is given, to be called as soon as it is imported."""
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
        if problems := [*source_faults(source), *state_faults(source)]:
            return problems
        return await self.import_faults({"tools": module("Types.", [part(source), part(SEEN)])})

    async def draw(self, types: str, source: str) -> list[str]:
        """Faults of the generator of states."""
        if problems := source_faults(source, OWN):
            return problems
        if "draw" not in defined_in(source):
            return ["there is no function `draw(random: Random) -> State`"]
        modules = workplace_modules(self.name, [types], source)
        key = _key(modules)
        self.runner.load(key, modules, {}, {})
        asked = [{"do": "draw", "seed": seed} for seed in [*_SEEDS, 0]]
        answers = await self.runner.answers(key, asked)
        if failed := next((answer for answer in answers if "failure" in answer), None):
            return [with_line(failed, modules)]
        states = [answer["value"] for answer in answers]
        if _as_text(states[0]) != _as_text(states[-1]):
            return ["the same random source gives two different states"]
        if _as_text(states[0]) == _as_text(states[1]):
            return ["two random sources give the same state: everything is fixed, so draw it from `random`"]
        return [*size_faults(states[0]), *await self._misfit(modules, states)]

    async def rules(self, types: str, source: str) -> list[str]:
        """Faults of the rules."""
        if problems := [*source_faults(source), *self._rule_faults(source)]:
            return problems
        paying = [] if paying_words({"rules": source}) is not None else [_NO_PAYING]
        if problems := [*paying, *outcome_faults_in(source)]:
            return problems
        modules = {"tools": module("Rules.", [part(types), part(source), part(SEEN)])}
        return await self.import_faults(modules)

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
        if problems := source_faults(source):
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
            return [with_line({"detail": str(e).removeprefix(f"{self.name}: ")}, modules)]
        problems = [what for tool in wanted for what in signature_faults(tool, home.artifact)]
        return problems or await self._strange_calls(home, examples_in(source))

    def home(self, modules: Mapping[str, str], state: JsonObject) -> CodeWorkplace:
        """The workplace of these modules.

        Raises:
            DataError: it is none.
        """
        declared = outcomes(modules)
        return CodeWorkplace.build(
            self.name,
            modules,
            system_prompt="",
            initial_state=state,
            runner=self.runner,
            report=ReportForm(declared) if declared else None,
        )

    def _rule_faults(self, source: str) -> list[str]:
        findings = loose_numbers(source, self.clauses, self.name, "tools.py")
        loose = [f"{finding.field}: {finding.what}. {finding.fix}" for finding in findings]
        return [*loose, *self.unknown_faults(source)]

    def unknown_faults(self, source: str) -> list[str]:
        """Clauses that a part cites and that are none."""
        return [f"{one.subject}: {one.what}" for one in unknown(citations(source), self.clauses, "tools.py")]

    async def import_faults(self, modules: Mapping[str, str], name: str = "tools") -> list[str]:
        """Faults that show when a module is imported that has `SEEN` in it."""
        key = _key(modules)
        self.runner.load(key, modules, {}, {})
        asked = {"do": "function", "module": name, "function": "seen", "arguments": []}
        (answer,) = await self.runner.answers(key, [asked])
        return [with_line(answer, modules)] if "failure" in answer else []

    async def _misfit(self, modules: Mapping[str, str], states: Sequence[JsonObject]) -> list[str]:
        """Faults of states that do not fit their type."""
        with_tool = {**modules, "tools": module("Types.", [part(modules["tools"]), part(_LOOK)])}
        try:
            home = self.home(with_tool, states[0])
            home.complete(states, [f"the state of seed {number}" for number in range(len(states))])
        except DataError as e:
            return [with_line({"detail": str(e).removeprefix(f"{self.name}: ")}, with_tool)]
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
    """Check of one group of tools, its acceptance test and the gates of its tools included.

    Where a test fails, either side may be wrong: the author is told a few times and may say `# DISPUTED E-07: why`.
    Then the code is taken as it is, and the gate shows what does not agree. Of what the other gates find the author
    is told once.

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
    _told_of_gates: bool = False

    async def __call__(self, source: str) -> Sequence[str]:
        """Reasons why the group cannot be used."""
        parts = [*self.written, source]
        problems = await self.checker.tools(parts, self.draw, self.group, self.state)
        if problems or (self._told == _TOLD and self._told_of_gates):
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
        if self._told < _TOLD:
            findings = await failed_expectations(Door(home), tests, {})
            self._told += bool(findings)
            quotes = {clause.id: clause.quote for clause in self.checker.clauses}
            problems = [_as_told(finding, tests, quotes) for finding in findings]
        if not self._told_of_gates:
            found = await self._gate_findings(home, own, tests)
            self._told_of_gates = bool(found)
            problems = [*problems, *found]
        return problems

    async def _gate_findings(self, home: CodeWorkplace, own: set[str], tests: Sequence[Expectation]) -> list[str]:
        """Findings of the gates in the tools of the group, which would keep the workplace back."""
        known = known_calls(Door(home), tests)
        report = GateReport()
        await tool_gates(Door(home), [one for one in known if one.tool in own], self.checker.clauses, report)
        places = {f"tools.{name}": name for name in own}
        return [
            f"{places[one.field]}: {one.what}{f'. {one.fix}' if one.fix else ''} (gate {one.check})"
            for one in report.wrong
            if one.field in places
        ]


def _as_told(finding: Finding, tests: Sequence[Expectation], quotes: Mapping[str, str]) -> str:
    test = next((test for test in tests if test.id in (finding.field, finding.subject)), None)
    said = "; ".join(f"{id}: “{quotes[id]}”" for id in (test.clauses if test else ()) if id in quotes)
    name = test.id if test else finding.field
    return (
        f"the acceptance test {name} fails: {finding.what}{f' [{said}]' if said else ''}. Mend the tool; if the "
        f"clauses say otherwise, keep it and write a line `# DISPUTED {name}: the reason`"
    )


def _key(modules: Mapping[str, str]) -> str:
    return hash_of(sorted(modules.items()))[:16]


def _as_text(value: Any) -> bytes:
    return msgspec.json.encode(value, order="sorted")
