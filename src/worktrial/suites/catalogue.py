"""Which suites there are, and what they hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from worktrial.errors import SettingError


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
)


class TaskRow(Protocol):
    """What a list of tasks shows."""

    @property
    def id(self) -> str: ...
    @property
    def difficulty(self) -> int: ...
    @property
    def category(self) -> str: ...
    @property
    def scenario(self) -> str: ...


def tasks_of(suite: str, data: Path | None) -> Sequence[TaskRow]:
    """The tasks of a suite.

    Raises:
        SettingError: there is no such suite, or its data folder is not named.
        DataError: the data cannot be read.
    """
    if suite == "starter":
        from worktrial.suites.starter.load import load_tasks

        return load_tasks()
    if suite == "occupations":
        if data is None:
            raise SettingError("occupations: name the folder of its data with --data DIR")
        from worktrial.suites.occupations.load import load_release

        return load_release(data).tasks
    raise SettingError(f"no suite {suite!r}; there is {', '.join(s.name for s in SUITES)}")
