"""Gates of a whole suite, ours or one's own: each of its executable workplaces with the tasks in it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from worktrial.language import JsonObject
from worktrial.outside.files import as_object, read_bytes
from worktrial.suites.executable import ExecutableSuite
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.synthesis.clauses import Clause, read_clauses
from worktrial.synthesis.gates.door import Door
from worktrial.synthesis.gates.expectations import read_expectations
from worktrial.synthesis.gates.mutation import MUTANTS
from worktrial.synthesis.gates.names import EXPECTATIONS_FILE
from worktrial.synthesis.gates.run import Gated, GateReport, through_gates

CLAUSES_FILE = "clauses.yaml"


async def gates_of(suite: ExecutableSuite, data: Any, *, mutate: int = MUTANTS) -> GateReport:
    """Put every workplace of a suite through the gates, with its tasks, expectations and clauses.

    Args:
        suite: The suite.
        data: An instance of its `data`.
        mutate: Number of mutants of each workplace; 0 for none.

    Raises:
        DataError: a file cannot be used.
    """
    report = GateReport()
    for subject in subjects(suite.tasks_of(data)):
        report.join(await through_gates(subject, mutate=mutate))
    return report


def subjects(tasks: Sequence[ExecutableTask]) -> Iterator[Gated]:
    """Workplaces of the tasks, each with what lies in its folder.

    Raises:
        DataError: a file cannot be used.
    """
    homes: dict[str, list[ExecutableTask]] = {}
    for task in tasks:
        homes.setdefault(task.workplace, []).append(task)
    for own in homes.values():
        home = own[0].home
        folder = Path(home.artifact.source) if home.artifact.source else None
        yield Gated(
            door=Door(home),
            tasks=own,
            clauses=_clauses(folder),
            expectations=read_expectations(folder / EXPECTATIONS_FILE) if folder is not None else (),
            starts=_starts(folder),
        )


def _clauses(folder: Path | None) -> list[Clause]:
    path = None if folder is None else folder.parent.parent / CLAUSES_FILE
    return read_clauses(path) if path is not None and path.is_file() else []


def _starts(folder: Path | None) -> dict[str, JsonObject]:
    found: dict[str, JsonObject] = {}
    for path in sorted((folder / "states").glob("*.json")) if folder is not None else ():
        found[path.stem] = as_object(read_bytes(path, within=path.parent), path)
    return found
