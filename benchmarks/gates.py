"""Gates of one workplace with a hundred tasks: a tool hire shop, and a claims desk.

    python -m benchmarks.gates
    python -m benchmarks.gates --desk 30

The shop is that of the tests, its good tasks five times over in states of 200 customers, 200 machines and 200
hires; that the copies are found to be near-duplicates is right, and part of the work. The desk is that of
`examples/parcel-claims-trial`, its tasks composed, each in a drawn state of 51 claims. Both with expectations,
clauses and twenty mutants. The limit is 60 seconds on two cores.
"""

import argparse
import asyncio
import time
from dataclasses import replace
from typing import Any

import yaml
from tests.support.folder_author import PARCEL_CLAIMS
from tests.support.tool_hire import shop as hire
from tests.support.tool_hire import tools

from benchmarks.machine import load, machine
from worktrial.synthesis.clauses import read_clauses
from worktrial.synthesis.compose.atoms import read_atoms
from worktrial.synthesis.compose.choosing import Composition
from worktrial.synthesis.composed_suite import Labels, executable
from worktrial.synthesis.gates import Door, Gated, read_expectations, through_gates
from worktrial.workplaces.executable import ExecutableWorkplace
from worktrial.workplaces.executable.code import CodeWorkplace

LIMIT_S = 60
RECORDS = 200
COPIES = "abcde"
# The number of a new hire depends on how many there are.
_COUNTED = {"hire-14", "E-14"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gates", description=__doc__)
    parser.add_argument(
        "--desk", type=int, default=0, metavar="N", help="tasks of the claims desk in place of the shop"
    )
    wanted = parser.parse_args().desk
    print(f"{machine()}, load {load():.1f}; limit {LIMIT_S} s")
    print("| code | tasks | looked at | mutants noticed | seconds | CPU of this process, s |")
    print("|---|---|---|---|---|---|")
    if wanted:
        asyncio.run(_at_the_desk(wanted))
        return
    subject = crowded()
    for where, door in (("shop, trusted", subject.door), ("shop, locked in", locked_in(subject))):
        asyncio.run(_measured(where, replace(subject, door=door)))


async def _measured(where: str, subject: Gated) -> None:
    began, used = time.perf_counter(), time.process_time()
    report = await through_gates(subject)
    seconds, cpu = time.perf_counter() - began, time.process_time() - used
    killed = sum(bool(one.by) for one in report.mutants)
    counts = f"{len(subject.tasks)} | {sum(report.checked.values()):,} | {killed} of {len(report.mutants)}"
    print(f"| {where} | {counts} | {seconds:.1f} | {cpu:.1f} |")


async def _at_the_desk(wanted: int) -> None:
    """Compose tasks for the claims desk and measure its gates."""
    place = PARCEL_CLAIMS.workplace
    door, clauses = Door(CodeWorkplace.read(place)), read_clauses(PARCEL_CLAIMS.folder / "clauses.yaml")
    atoms = {atom.name: atom for atom in read_atoms(place)}
    labels = Labels(place.name, "claims clerk", "services", "claims")
    rules = {clause.id: clause.quote for clause in clauses}
    composed = Composition(atoms, door, "claims").tasks(wanted)
    tasks = [await executable(draft, "en", door, labels, rules) async for draft in composed]
    expected = read_expectations(place / "expectations.yaml")
    subject = Gated(door=door, tasks=tasks, clauses=clauses, expectations=expected)
    await _measured("desk, locked in", subject)


def locked_in(subject: Gated) -> Door:
    state = subject.door.artifact.initial_state
    modules = {"tools": (hire.FOLDER / "tools.py").read_text("utf-8")}
    return Door(CodeWorkplace.build("tool_hire", modules, system_prompt="A shop.", initial_state=state))


def crowded() -> Gated:
    state = _crowd(yaml.safe_load((hire.FOLDER / "initial_state.yaml").read_text("utf-8")))
    home = ExecutableWorkplace.build(
        "tool_hire", tools, system_prompt="You play the counter of a tool hire shop.", initial_state=state
    )
    entries = [
        {**entry, "id": f"hire-{copy}-{entry['id'][-2:]}"}
        for copy in COPIES
        for task in hire.good_tasks()
        if (entry := hire.entry(task.id))["id"] not in _COUNTED
    ]
    more = [{**hire.entry("hire-01"), "id": f"hire-f-{number:02}"} for number in range(100 - len(entries))]
    return replace(
        hire.shop(),
        door=Door(home),
        tasks=hire.tasks_of(*entries, *more, home=home),
        expectations=[one for one in hire.expectations() if one.id not in _COUNTED],
    )


def _crowd(state: dict[str, Any]) -> dict[str, Any]:
    """The state with as many records more, none of which any task is about."""
    for name, prefix in (("customers", "H-"), ("machines", "M-"), ("hires", "R-")):
        first = next(iter(state[name].values()))
        for number in range(RECORDS - len(state[name])):
            state[name][f"{prefix}{5000 + number}"] = dict(first)
    for number, hired in enumerate(list(state["hires"].values())[-(RECORDS - 15) :]):
        hired |= {"customer_id": f"H-{5000 + number % 100}", "machine_id": f"M-{5000 + number % 100}"}
    return state


if __name__ == "__main__":
    main()
