"""Facts of a run that go with its samples wherever they go: its figures, who worked, and with which version."""

import re
from collections.abc import Sequence
from pathlib import PurePath

from worktrial.engine.stored import agent_of, model_of
from worktrial.results.figure import RunFigures
from worktrial.results.tables.source import RunSource
from worktrial.results.writing import interval, number
from worktrial.statistics import Figure

# Folders of an absolute path within words such as `python:/home/me/agent.py:agent`; addresses on the web have none.
_FOLDERS = re.compile(r"""(?<=[\s:=,'"])/(?:[^/\s:]+/)+""")


def of_condition(figures: RunFigures, condition: str) -> Sequence[Figure]:
    """Figures of all samples under a condition, without those of some kinds of work."""
    return [figure for figure in figures.listed if (figure.condition, figure.group) == (condition, "")]


def in_words(figures: RunFigures, condition: str) -> str:
    """One sentence with the rate, its interval, and how many samples have no verdict."""
    done, invalid = figures.get("completion", condition), figures.get("invalid", condition)
    return (
        f"Condition {condition}: {done.hits} of {done.n} samples passed, {number(done)}, "
        f"95 % interval {interval(done)}; {invalid.hits} invalid, which count as not passed."
    )


def version_of(source: RunSource) -> str:
    """Version of Worktrial that the run's last session was made with."""
    sessions = source.manifest.sessions
    return sessions[-1].versions.get("worktrial", "unknown") if sessions else "unknown"


def who(source: RunSource) -> tuple[str, str | None]:
    """Name of the agent, without the folders that its files are in; and its model where it has one."""
    return without_folders(agent_of(source.manifest) or "unknown"), model_of(source.manifest, "agent")


def without_folders(words: str) -> str:
    """`words` with nothing but the last name of each absolute path: where files lie is nobody else's business."""
    return PurePath(words).name if PurePath(words).is_absolute() else _FOLDERS.sub("", words)
