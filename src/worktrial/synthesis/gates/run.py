"""All gates of a workplace and its tasks, in order, with how much each of them looked at."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from worktrial.finding import Finding
from worktrial.language import JsonObject
from worktrial.source_trees import parsed
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.clauses import Clause
from worktrial.synthesis.clauses.coverage import uncited
from worktrial.synthesis.compose.declared import paying_words
from worktrial.synthesis.gates.calls import bad_calls, boundaries, drawn, made_badly, reads_and_writes
from worktrial.synthesis.gates.catalogue import KnownCall, known_calls
from worktrial.synthesis.gates.clauses import citing, clause_findings, unknowable
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.expectations import Expectation, failed_expectations, missing_ways, strange_tools
from worktrial.synthesis.gates.leaks import leak_findings, record_findings, rubric_findings, told_findings
from worktrial.synthesis.gates.mutation import MUTANTS, Killed, mutants, survivors, tried
from worktrial.synthesis.gates.names import ADVICE, GateName
from worktrial.synthesis.gates.reach import unreachable
from worktrial.synthesis.gates.report import report_findings
from worktrial.synthesis.gates.spam import spam_findings
from worktrial.synthesis.gates.task import idle_findings, orders, plan_findings, trivial
from worktrial.synthesis.gates.texts import OutcomeText
from worktrial.synthesis.gates.twins import twin_findings
from worktrial.synthesis.gates.wording import wording_findings
from worktrial.synthesis.gates.work import CarriedOut, carry_out
from worktrial.synthesis.gates.wrong import wrong_work
from worktrial.workplaces.executable.report_form import REPORT_TOOL

WAYS = (
    *(GateName.WORDS, GateName.MINUS_WRITE, GateName.NEIGHBOUR, GateName.STRAY_WRITE),
    *(
        GateName.EXTRA_ACT,
        GateName.CHOICE,
        GateName.JUNK,
        GateName.LETTERS,
        GateName.TEXTS,
        GateName.SUMS,
        GateName.SEQUENCE,
    ),
)
"""Gates that do a task wrongly."""


@dataclass(frozen=True, kw_only=True)
class Gated:
    """A workplace, and whatever goes through the gates with it."""

    door: Door
    tasks: Sequence[ExecutableTask] = ()
    clauses: Sequence[Clause] = ()
    expectations: Sequence[Expectation] = ()
    starts: Mapping[str, JsonObject] = field(default_factory=dict)
    """Further initial states by name."""
    texts: Sequence[OutcomeText] = ()
    """Texts of other cases of the workplace, beside those of the tasks."""


@dataclass(slots=True)
class GateReport:
    """Findings of the gates, and how much each of them looked at."""

    checked: dict[GateName, int] = field(default_factory=dict)
    """Gate to the number of calls, tasks or parts that it looked at; one that had nothing to look at is missing."""
    findings: list[Finding] = field(default_factory=list)
    mutants: list[Killed] = field(default_factory=list)
    uncited: list[str] = field(default_factory=list)
    """Ids of clauses that no function, expectation or task cites."""

    @property
    def wrong(self) -> list[Finding]:
        """Findings but for those that are advice."""
        return [one for one in self.findings if one.check not in ADVICE]

    def add(self, gate: GateName, checked: int, findings: Sequence[Finding] = ()) -> None:
        """Note that a gate looked at so many things and found these."""
        if checked:
            self.checked[gate] = self.checked.get(gate, 0) + checked
        self.findings += findings

    def join(self, other: "GateReport") -> None:
        """Add what another workplace's gates found."""
        for gate, checked in other.checked.items():
            self.add(gate, checked)
        self.findings += other.findings
        self.mutants += other.mutants
        self.uncited += other.uncited


async def through_gates(subject: Gated, *, seed: int = 0, mutate: int = MUTANTS) -> GateReport:
    """Put a workplace and its tasks through every gate.

    Args:
        subject: What to look at.
        seed: Decides which mutants are drawn.
        mutate: Number of mutants; 0 for none.
    """
    tasks = subject.tasks
    works = await carry_out(subject.door, [(task.plan_alone, task.initial_state) for task in tasks])
    report = GateReport()
    await workplace_gates(subject, works, report, seed=seed, mutate=mutate)
    await task_gates(subject, works, report)
    return report


async def workplace_gates(
    subject: Gated, works: Sequence[CarriedOut], report: GateReport, *, seed: int = 0, mutate: int = MUTANTS
) -> None:
    """Put the workplace itself through its gates.

    Args:
        subject: What to look at.
        works: What came of the plan of each task.
        report: Takes what is found.
        seed: Decides which mutants are drawn.
        mutate: Number of mutants; 0 for none.
    """
    door, expected = subject.door, subject.expectations
    artifact = door.artifact
    known = known_calls(door, expected, subject.starts, subject.tasks, works)
    strange = strange_tools(artifact, expected)
    failed = await failed_expectations(door, [one for one in expected if artifact.tool(one.call)], subject.starts)
    report.add(GateName.EXPECTATIONS, len(expected), [*strange, *failed])
    if expected:
        nodes = [node for source in door.sources.values() for node in ast.walk(parsed(source))]
        own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        report.add(GateName.BOTH_WAYS, len(artifact.tools), missing_ways(artifact, expected, own, subject.starts))
    await tool_gates(door, known, subject.clauses, report)
    report.add(GateName.DRAW, *await drawn(door))
    report.add(GateName.REACH, *await unreachable(door, known))
    if subject.clauses:
        by = citing(door.sources, expected, subject.tasks)
        found = clause_findings(door.sources, subject.clauses, by, artifact.name)
        for gate, looked_at in ((GateName.CLAUSES, len(by)), (GateName.NUMBERS, len(door.sources))):
            report.add(gate, looked_at, [one for one in found if one.check == gate])
        used = {id for ids in by.values() for id in ids}
        report.uncited += uncited(subject.clauses, used)
    if mutate:
        await _mutated(subject, works, known, report, seed, mutate)


async def tool_gates(door: Door, known: Sequence[KnownCall], clauses: Sequence[Clause], report: GateReport) -> None:
    """Put each tool by itself through its gates: bad calls, boundaries, what it changes, and chance.

    Args:
        door: The workplace.
        known: Calls that succeed, of which others are made.
        clauses: The clauses that hold.
        report: Takes what is found.
    """
    report.add(GateName.BAD_CALLS, *await bad_calls(door, made_badly(known)))
    report.add(GateName.BOUNDARIES, *await boundaries(door, known, clauses))
    await _repeated(door, known, report)


async def task_gates(subject: Gated, works: Sequence[CarriedOut], report: GateReport) -> None:
    """Put each task through its gates; those about a plan's work need a plan that passes.

    Args:
        subject: What to look at.
        works: What came of the plan of each task.
        report: Takes what is found.
    """
    door, tasks, clauses = subject.door, subject.tasks, subject.clauses
    sound: list[tuple[ExecutableTask, CarriedOut]] = []
    known = known_calls(door, subject.expectations, subject.starts, tasks, works)
    has_form, with_money = door.artifact.tool(REPORT_TOOL) is not None, bool(paying_words(door.sources))
    for task, work in zip(tasks, works, strict=True):
        of_plan = plan_findings(task, work)
        if not of_plan:
            sound.append((task, work))
        report.findings += of_plan
        report.add(GateName.WORDING, 1, wording_findings(task, work) if not of_plan else ())
        reported = report_findings(task, work, with_money=with_money) if not of_plan else ()
        report.add(GateName.REPORTS, has_form, reported)
        report.findings += [*idle_findings(task), *told_findings(task, work), *record_findings(task, work)]
        report.findings += [*rubric_findings(task, work, clauses), *leak_findings(door.artifact, task, clauses)]
        report.findings += unknowable(task, clauses)
    for gate in (GateName.PLAN, GateName.PLAN_ERRORS, GateName.IDLE, GateName.STRANGE_RECORDS, GateName.RUBRIC):
        report.add(gate, len(tasks))
    for gate in (GateName.SOLUTION_TOLD, GateName.STEPS_TOLD, GateName.RUBRIC_TOLD, GateName.LEAKS, GateName.TWINS):
        report.add(gate, len(tasks))
    if any(clause.private for clause in clauses):
        report.add(GateName.PRIVATE, len(tasks))
    good = [task for task, _ in sound]
    done = [work for _, work in sound]
    ways, found = await wrong_work(door, good, done, known, clauses, subject.texts)
    for gate in WAYS:
        report.add(gate, ways[gate], [one for one in found if one.check == gate])
    report.add(GateName.ORDER, *await orders(door, good, done, clauses))
    report.add(GateName.TRIVIAL, len(good), await trivial(door, good, done))
    report.add(GateName.SPAM, len(good), await spam_findings(good))
    report.findings += twin_findings(good, done)


async def _repeated(door: Door, known: Sequence[KnownCall], report: GateReport) -> None:
    found = await reads_and_writes(door, known)
    readers = sum(tool.writes is False for tool in door.artifact.tools)
    for gate, looked_at in (
        (GateName.READS, readers),
        (GateName.WRITES, len(door.artifact.tools) - readers),
        (GateName.DETERMINISM, len(known)),
    ):
        report.add(gate, looked_at, [one for one in found if one.check == gate])


async def _mutated(
    subject: Gated,
    works: Sequence[CarriedOut],
    known: Sequence[KnownCall],
    report: GateReport,
    seed: int,
    mutate: int,
) -> None:
    """Try mutants. Without expectations they show how much the tasks notice, and nothing is held against it."""
    sound = [(task, work) for task, work in zip(subject.tasks, works, strict=True) if not plan_findings(task, work)]
    by_file = [mutants(file, source, seed, mutate) for file, source in subject.door.sources.items()]
    in_turn = [mutant for turn in zip_longest(*by_file) for mutant in turn if mutant is not None]
    killed = await tried(subject.door, in_turn[:mutate], subject.expectations, subject.starts, sound, known)
    report.mutants += killed
    name = subject.door.artifact.name
    report.add(GateName.MUTATION, len(killed), survivors(name, killed) if subject.expectations else ())
