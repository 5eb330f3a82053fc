"""What a report is about, and the parts of its first page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from worktrial.engine.stored import StoredRun, open_run
from worktrial.errors import SettingError
from worktrial.reports.links import slug_of


@dataclass(frozen=True, slots=True)
class ReportRun:
    """One run in a report."""

    slug: str
    """Names it in addresses: lower-case letters, digits and hyphens, unique within the report."""
    name: str
    """What people read: its agent, with the folder's name where two runs have the same agent."""
    run: StoredRun


@dataclass(frozen=True, slots=True)
class Report:
    """What a report is made of."""

    title: str
    runs: Sequence[ReportRun]


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the first page."""

    id: str
    """Its anchor, and its place in the navigation."""
    title: str
    html: Markup
    brief: Sequence[Markup] = ()
    """What of it stands at the top of the page already: sentences, best alone without the section."""


def open_report(folders: Iterable[Path], title: str) -> Report:
    """The report about the runs in `folders`, in that order.

    Raises:
        SettingError: the same folder is named twice, or none is.
        DataError: a folder holds no run, or a damaged one.
    """
    opened: dict[Path, StoredRun] = {}
    for folder in folders:
        if folder.resolve() in opened:
            raise SettingError(f"{folder} is named twice; name each run once")
        opened[folder.resolve()] = open_run(folder)
    if not opened:
        raise SettingError("a report needs at least one run")
    agents = [agent_of(run) for run in opened.values()]
    taken: set[str] = set()
    runs = []
    for agent, run in zip(agents, opened.values(), strict=True):
        name = f"{agent} ({run.folder.resolve().name})" if agents.count(agent) > 1 else agent
        runs.append(ReportRun(slug_of(run.folder.resolve().name, taken), name, run))
    return Report(title, runs)


def agent_of(run: StoredRun) -> str:
    """Who worked: the model of the agent, or the name of the plan or callable; for an audit, what was audited."""
    settings = run.manifest.settings
    roles = {**settings.get("carried_roles", {}), **settings.get("roles", {})}
    if agent := settings.get("agent"):
        return str(agent)
    for role in ("agent", "simulator", "judge"):
        if role in roles:
            return str(roles[role].get("model", role))
    return run.folder.name
