"""Findings in a workplace: what keeps its suite or some tasks from being published, and what is waived."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import msgspec

from worktrial.errors import SettingError, option
from worktrial.finding import Finding
from worktrial.synthesis.authoring.reading import unsuitable
from worktrial.synthesis.clauses.clause import Clause
from worktrial.synthesis.clauses.typed import TYPED, typed_values
from worktrial.synthesis.compose.atoms import ATOMS_FILE, read_atoms
from worktrial.synthesis.compose.telegraph import CHECK as TELEGRAPHED
from worktrial.synthesis.compose.telegraph import telegraphed
from worktrial.synthesis.files import read_yaml_as, to_yaml, write_text
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.expectations import read_expectations
from worktrial.synthesis.gates.names import ADVICE, EXPECTATIONS_FILE, GateName
from worktrial.synthesis.gates.run import Gated, GateReport, task_gates, workplace_gates
from worktrial.synthesis.gates.texts import OutcomeText
from worktrial.synthesis.gates.work import carry_out
from worktrial.synthesis.proving.way import ComposedBench

UNSUITABLE = "unsuitable-operation"
WAIVABLE = frozenset({*(gate.value for gate in GateName), TELEGRAPHED, TYPED, UNSUITABLE})
"""Names by which findings can be waived."""
_TESTS = frozenset({GateName.EXPECTATIONS.value})
_FILE = "findings.yaml"


class StandingFinding(msgspec.Struct, kw_only=True, frozen=True):
    """A finding in a workplace; an entry of `work/findings.yaml`."""

    gate: str
    subject: str
    where: str = ""
    """Part of it: a JSON Pointer into the state, a tool, an argument."""
    what: str
    fix: str = ""
    waived: bool = False
    """Whether the owner lets it pass; that is on record here and on the review page."""
    clauses: list[str] = []
    """Clauses whose tasks it keeps back; none where it keeps back the whole suite."""

    @property
    def blocks(self) -> bool:
        """Whether nothing can be published before it is mended or waived."""
        return not (self.waived or self.clauses)

    @property
    def told(self) -> str:
        """The finding in a line."""
        place = ": ".join(part for part in (self.subject, self.where) if part)
        return f"{self.gate}: {place}: {self.what}. {self.fix}".rstrip(". ")


def task_findings(
    door: Door,
    clauses: Sequence[Clause],
    known: Sequence[StandingFinding] = (),
    texts: Sequence[OutcomeText] = (),
) -> Callable[[ComposedBench], Awaitable[list[str]]]:
    """Function from a task to what speaks against it, a sentence each: findings of gates, and those that stand.

    Of `known`, the findings in the workplace, some keep back the tasks of their clauses.
    """
    against = [one for one in known if one.clauses and not one.waived]

    async def found(bench: ComposedBench) -> list[str]:
        task = bench.task
        works = await carry_out(door, [(task.plan_alone, task.initial_state)])
        report = GateReport()
        await task_gates(Gated(door=door, tasks=[task], clauses=clauses, texts=texts), works, report)
        kept_back = [one.told for one in against if set(one.clauses) & set(task.clauses)]
        return [*kept_back, *(f"{finding.check}: {finding.what}" for finding in report.findings)]

    return found


async def workplace_findings(
    door: Door, place: Path, clauses: Sequence[Clause], languages: Sequence[str], waived: Sequence[str]
) -> list[StandingFinding]:
    """Findings in a workplace and its atoms, which keep it from being published until they are mended or waived.

    An acceptance test that fails keeps back the tasks that cite its clauses, since either the tool or the test has
    them wrong; one that cites none keeps back the suite.
    """
    expected = read_expectations(place / EXPECTATIONS_FILE)
    report = GateReport()
    await workplace_gates(Gated(door=door, clauses=clauses, expectations=expected), [], report, mutate=0)
    way = "Let a model play the workplace with --workplace simulated, or do without the operation"
    # Operations of the owner's that an author could not write as code.
    lost = [
        Finding(UNSUITABLE, name, "tools.py", name, f"the operation cannot be code: {why}", way)
        for name, why in unsuitable(door.home.sources["tools"]).items()
    ]
    typed = typed_values(door.home.sources["atoms"], clauses, place.name, ATOMS_FILE) if clauses else []
    told = await telegraphed({atom.name: atom for atom in read_atoms(place)}, door, languages)
    tested = {one.id: list(one.clauses) for one in expected}
    return [
        StandingFinding(
            gate=one.check,
            subject=one.subject,
            where=one.field if one.field != one.subject else "",
            what=one.what,
            fix=one.fix,
            waived=one.check in waived,
            clauses=tested.get(one.field, tested.get(one.subject, [])) if one.check in _TESTS else [],
        )
        for one in [*lost, *report.findings, *typed, *told]
        if one.check not in ADVICE
    ]


def refuse_strange_waivers(names: Sequence[str]) -> None:
    """Refuse names of gates that there are not.

    Raises:
        SettingError: one is not known.
    """
    if strange := sorted(set(names) - WAIVABLE):
        known = ", ".join(sorted(WAIVABLE))
        raise SettingError(f"{option('waive')} {strange[0]}: there is no such gate; there are {known}")


def write_standing(folder: SuiteFolder, found: Sequence[StandingFinding]) -> None:
    """Put the findings on record."""
    write_text(folder.work / _FILE, to_yaml(list(found)))


def read_standing(folder: SuiteFolder) -> list[StandingFinding]:
    """The findings on record; [] where no workplace has been looked at."""
    path = folder.work / _FILE
    return read_yaml_as(path, list[StandingFinding]) if path.is_file() else []
