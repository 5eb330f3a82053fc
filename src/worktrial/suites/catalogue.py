"""Which suites there are, and what they hold."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Protocol

from worktrial.errors import SettingError

# Characters of what a user says, in a list.
_ASKED = 80


@dataclass(frozen=True, slots=True)
class SuiteEntry:
    """One suite in a sentence."""

    name: str
    about: str
    needs: str


SUITES = (
    SuiteEntry("starter", "our own executable workplaces, checked by code", "nothing"),
    SuiteEntry(
        "occupations",
        "OccuBench: professional tasks in workplaces that a language model plays",
        "--data DIR, a simulator model, a judge model",
    ),
    SuiteEntry(
        "orchestration",
        "planning and directing domain agents: OrchestrationBench's scenarios, or five of ours in each language",
        "an agent model (for the published scenarios --data DIR)",
    ),
    SuiteEntry(
        "documents",
        "finding, reading and computing over an archive of documents: OfficeQA's questions, your own, or ours on "
        "a fictional archive",
        "nothing (for others --questions FILE and --archive DIR)",
    ),
)


@dataclass(frozen=True, slots=True)
class TaskRow:
    """What a list of tasks shows."""

    id: str
    difficulty: str
    category: str
    scenario: str


class _Task(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def difficulty(self) -> int: ...
    @property
    def category(self) -> str: ...
    @property
    def scenario(self) -> str: ...


def tasks_of(suite: str, data: Path | None) -> list[TaskRow]:
    """The tasks of a suite.

    Raises:
        SettingError: there is no such suite, or its data folder is not named.
        DataError: the data cannot be read.
    """
    if suite == "starter":
        from worktrial.suites.starter import load_tasks

        return _rows(load_tasks())
    if suite == "occupations":
        if data is None:
            raise SettingError("occupations: name the folder of its data with --data DIR")
        from worktrial.suites.occupations.load import load_release

        return _rows(load_release(data).tasks)
    if suite == "orchestration":
        return _scenarios(data)
    if suite == "documents":
        return _questions(data)
    raise SettingError(f"no suite {suite!r}; there is {', '.join(s.name for s in SUITES)}")


def _rows(tasks: Iterable[_Task]) -> list[TaskRow]:
    return [TaskRow(task.id, str(task.difficulty), task.category, task.scenario) for task in tasks]


def _questions(data: Path | None) -> list[TaskRow]:
    from worktrial.suites.documents.load import load_questions

    if data is None:
        from worktrial.suites.documents.example import example_folder

        data = example_folder() / "questions.jsonl"
    return [
        TaskRow(q.id, q.difficulty or "-", q.kind or "-", shorten(q.text, _ASKED, placeholder="…"))
        for q in load_questions(data).questions
    ]


def _scenarios(data: Path | None) -> list[TaskRow]:
    from worktrial.suites.orchestration.planning.scenario import Language, UserTurn
    from worktrial.suites.orchestration.run.ground import load_tasks

    _, tasks = load_tasks(data, list(Language))
    rows = []
    for task in tasks:
        asked = next((step.text for step in task.scenario.steps if isinstance(step, UserTurn)), "")
        rows.append(TaskRow(task.id, "-", task.category, shorten(asked, _ASKED, placeholder="…")))
    return rows
