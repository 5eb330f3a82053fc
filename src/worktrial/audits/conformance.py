"""Conformance of a stored run: what its simulator answered, checked call by call."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from worktrial.audits.figures import FigureTable, conformance_figures
from worktrial.audits.observations import examine, stored_calls
from worktrial.engine.records import trajectory_lines
from worktrial.engine.stored import StoredRun, open_run
from worktrial.errors import SettingError, option
from worktrial.language import JsonObject
from worktrial.statistics import Figure
from worktrial.suite import find_suite, find_suite_of
from worktrial.workplaces import Workplace
from worktrial.workplaces.seen import ObservationCheck


class StoredSetting(NamedTuple):
    """Workplace and task of a stored sample."""

    workplace: Workplace
    """The workplace as the agent found it."""
    task: str
    """The agent's instruction."""


@dataclass(frozen=True, slots=True)
class RunConformance:
    """The findings on a stored run."""

    folder: Path
    simulator: str
    failed: list[tuple[str, ObservationCheck]]
    """Sample, and a check that one of its answers fails."""
    figures: list[Figure]


TABLES = (
    FigureTable("conformance", {"conforms": "passed"}, "check"),
    FigureTable("answers that show a failure", {"failure_alone": "by conformance"}, "failure"),
)


def run_conformance(folder: Path, data: Path | None = None, *, trust: bool = False) -> RunConformance:
    """Check every call that the simulator of a stored run answered.

    Args:
        folder: The run's folder.
        data: Folder of the suite's data, where it needs one, or of a suite of one's own that was moved.
        trust: Whether code of a suite of one's own may run in this process.

    Raises:
        SettingError: the data is not named, or not that of the run.
        DataError: the folder holds no run, the data cannot be read, or the run's suite has no workplaces.
    """
    run = open_run(folder)
    setting_of = _settings_of(run, data, trust=trust)
    answers: list[tuple[str, dict[str, bool]]] = []
    failed: list[tuple[str, ObservationCheck]] = []
    for line in trajectory_lines(run.folder, JsonObject):
        sample, setting = line["sample"], setting_of(line["sample"])
        calls: dict[int, dict[str, bool]] = {}
        for one in examine(setting.workplace, stored_calls(line), task=setting.task):
            calls.setdefault(one.call, {})[one.check] = one.passed
            failed += [] if one.passed else [(sample, one)]
        answers += [(sample, checks) for checks in calls.values()]
    simulator = run.manifest.settings.get("roles", {}).get("simulator", {}).get("model", "executable")
    return RunConformance(folder, simulator, failed, [*conformance_figures(answers)])


def _settings_of(run: StoredRun, data: Path | None, *, trust: bool) -> Callable[[str], StoredSetting]:
    moved = data if run.manifest.is_own else None
    suite = find_suite_of(run.manifest) if moved is None else find_suite(moved)
    given: dict[str, Any]
    if run.manifest.is_own or "data" not in suite.data.model_fields:
        given = {"trust": True} if trust and "trust" in suite.data.model_fields else {}
    elif data is None:
        raise SettingError(f"{run.folder}: name the folder of its data with {option('data')} DIR")
    else:
        given = {"data": data}
    read = suite.data.read(given, suite=f"the suite {suite.name}", needs=suite.needs)
    setting_of = suite.workplaces(read)
    fingerprint = suite.fingerprint(read)
    if fingerprint and fingerprint != run.manifest.data.get("fingerprint"):
        where = run.manifest.data.get("folder") if data is None else f"{option('data')} {data}"
        raise SettingError(f"{where}: not the data of {run.folder}; its fingerprint differs")
    return lambda sample: StoredSetting(*setting_of(sample))
