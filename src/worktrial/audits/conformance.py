"""Conformance of a stored run: what its simulator answered, checked call by call."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from worktrial.engine.store import TRAJECTORIES, read_lines
from worktrial.engine.stored import StoredRun, open_run
from worktrial.errors import DataError, SettingError
from worktrial.language import JsonObject
from worktrial.workplaces import Workplace
from worktrial.workplaces.conformance import Finding, Report, examine, report, stored_calls


class Setting(NamedTuple):
    """Where a stored sample took place."""

    workplace: Workplace
    """As the agent found it."""
    task: str
    """The agent's instruction."""


@dataclass(frozen=True, slots=True)
class SampleFindings:
    """The findings on one stored sample."""

    sample: str
    repeat: int
    condition: str
    findings: list[Finding]


@dataclass(frozen=True, slots=True)
class RunConformance:
    """The findings on a stored run."""

    folder: Path
    simulator: str
    samples: list[SampleFindings]
    report: Report


def run_conformance(folder: Path, data: Path | None = None) -> RunConformance:
    """Check every call that the simulator of a stored run answered.

    Args:
        folder: The run's folder.
        data: For a run of occupations, the folder of its data.

    Raises:
        SettingError: the data is not named, or not that of the run.
        DataError: the folder holds no run, the data cannot be read, or the run's suite has no workplaces.
    """
    run = open_run(folder)
    setting_of = _settings_of(run, data)
    samples = list(_samples(run, setting_of))
    found = report(finding for sample in samples for finding in sample.findings)
    roles = run.manifest.settings.get("roles", {})
    return RunConformance(folder, roles.get("simulator", {}).get("model", "executable"), samples, found)


def _samples(run: StoredRun, setting_of: Callable[[str], Setting]) -> Iterator[SampleFindings]:
    last: dict[tuple[str, int, str], JsonObject] = {}
    for line in read_lines(run.folder / TRAJECTORIES, JsonObject):
        last[line["sample"], line["repeat"], line.get("condition", "E0")] = line
    for key, line in last.items():
        setting = setting_of(key[0])
        yield SampleFindings(*key, examine(setting.workplace, stored_calls(line), task=setting.task))


def _settings_of(run: StoredRun, data: Path | None) -> Callable[[str], Setting]:
    suite = run.manifest.suite
    if suite in ("starter", "audit-simulator"):
        return _starter_setting
    if suite == "occupations":
        return _occupations_settings(run, data)
    raise DataError(run.folder, f"is a run of {suite}, which has no workplaces to check against")


def _starter_setting(sample: str) -> Setting:
    from worktrial.suites.starter.load import load_tasks, load_workplace

    # The audit of a simulator names the source of its calls after the task.
    task = next((task for task in load_tasks() if task.id == sample.split("/")[0]), None)
    if task is None:
        raise DataError(sample, "is no task of the starter suite any more")
    return Setting(load_workplace(task.workplace).starting_from(task.initial_state).artifact, task.instruction)


def _occupations_settings(run: StoredRun, data: Path | None) -> Callable[[str], Setting]:
    from worktrial.suites.occupations.load import load_release

    if data is None:
        raise SettingError(f"{run.folder}: name the folder of its data with --data DIR")
    release = load_release(data)
    if release.fingerprint != run.manifest.data.get("fingerprint"):
        raise SettingError(f"--data {data}: not the data of {run.folder}; its fingerprint differs")
    tasks = {task.id: task for task in release.tasks}

    def setting(sample: str) -> Setting:
        task = tasks[sample]
        return Setting(release.workplaces[task.workplace], task.instruction)

    return setting
