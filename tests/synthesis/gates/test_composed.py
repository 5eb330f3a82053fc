"""Gates over tasks that are composed: nothing is found in those of the examples."""

import asyncio
from pathlib import Path

import pytest
from tests.support.in_process import LOANS, TOOL_LIBRARY

from worktrial.finding import Finding
from worktrial.synthesis.clauses import read_clauses
from worktrial.synthesis.compose.atoms import read_atoms
from worktrial.synthesis.compose.choosing import Composition
from worktrial.synthesis.composed_suite import Labels, executable
from worktrial.synthesis.gates import Gated, GateReport, task_gates
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.work import carry_out
from worktrial.workplaces.executable.code import CodeWorkplace

PARCELS = TOOL_LIBRARY.parent / "parcel-claims-trial"


async def found(place: Path, clauses: Path, wanted: int) -> list[Finding]:
    door = Door(CodeWorkplace.read(place, trust=True))
    rules = read_clauses(clauses)
    atoms = {atom.name: atom for atom in read_atoms(place)}
    drafts = [draft async for draft in Composition(atoms, door, "case").tasks(wanted)]
    assert len(drafts) == wanted
    labels = Labels(place.name, "a desk", "services", "desks")
    texts = {clause.id: clause.quote for clause in rules}
    tasks = [await executable(draft, "en", door, labels, texts) for draft in drafts]
    works = await carry_out(door, [(task.plan_alone, task.initial_state) for task in tasks])
    report = GateReport()
    await task_gates(Gated(door=door, tasks=tasks, clauses=rules), works, report)
    return report.findings


@pytest.mark.parametrize(
    ("place", "clauses", "wanted"),
    [
        (LOANS, TOOL_LIBRARY / "clauses.yaml", 12),
        (PARCELS / "workplaces/claims_desk", PARCELS / "clauses.yaml", 3),
    ],
    ids=["tool library", "parcel claims"],
)
def test_nothing_is_found_in_composed_tasks(place: Path, clauses: Path, wanted: int) -> None:
    assert asyncio.run(found(place, clauses, wanted)) == []
