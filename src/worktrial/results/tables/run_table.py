"""The table of runs: one row for each folder."""

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from worktrial.engine.manifest import Manifest
from worktrial.language import JsonObject
from worktrial.results.tables.columns import Column, Kind, Table
from worktrial.results.tables.record_tables import json_text, text_or_none, time_or_none
from worktrial.results.tables.source import RunSource


class _Run(NamedTuple):
    source: RunSource
    outcomes: Counter[str]

    @property
    def manifest(self) -> Manifest:
        return self.source.manifest


def _row(source: RunSource) -> Iterator[_Run]:
    yield _Run(source, Counter(record.outcome.value for record in source.records()))


def roles_of(manifest: Manifest) -> dict[str, JsonObject]:
    """Role to its settings; those of the source of a regraded run, too."""
    return {**manifest.settings.get("carried_roles", {}), **manifest.settings.get("roles", {})}


def model_of(manifest: Manifest, role: str) -> str | None:
    """The model in a role; where several share it, all of them with commas; None where nobody plays it."""
    roles = roles_of(manifest)
    names = [name for name in roles if name == role or name.startswith(f"{role}-")]
    return ", ".join(str(roles[name].get("model", "?")) for name in names) or None


def agent_of(manifest: Manifest) -> str | None:
    """Who worked: the model, or the name of the plan or callable; None in an audit."""
    return text_or_none(manifest.settings.get("agent")) or model_of(manifest, "agent")


def _versions(run: _Run) -> str | None:
    sessions = run.manifest.sessions
    return ", ".join(dict.fromkeys(s.versions["worktrial"] for s in sessions if "worktrial" in s.versions)) or None


def _time(run: _Run, field: str, position: int) -> object:
    sessions = run.manifest.sessions
    return time_or_none(getattr(sessions[position], field), run.source.folder) if sessions else None


RUNS = Table(
    "runs",
    "one row for each run folder",
    [
        Column("run", Kind.TEXT, "name of the run: the end of its folder's path", lambda r: r.source.name),
        Column("folder", Kind.TEXT, "its folder", lambda r: str(r.source.folder)),
        Column("suite", Kind.TEXT, "what was run", lambda r: r.manifest.suite),
        Column("agent", Kind.TEXT, "the agent's model, or plan, or callable", lambda r: agent_of(r.manifest)),
        Column("simulator", Kind.TEXT, "its model", lambda r: model_of(r.manifest, "simulator")),
        Column("judge", Kind.TEXT, "its model; several with commas", lambda r: model_of(r.manifest, "judge")),
        Column("fingerprint", Kind.TEXT, "of the data", lambda r: text_or_none(r.manifest.data.get("fingerprint"))),
        Column("samples_planned", Kind.INTEGER, "of the finished run", lambda r: r.manifest.samples),
        Column("samples_finished", Kind.INTEGER, "so far", lambda r: r.outcomes.total()),
        Column("passed", Kind.INTEGER, "of the finished, under all conditions", lambda r: r.outcomes["pass"]),
        Column("failed", Kind.INTEGER, "likewise", lambda r: r.outcomes["fail"]),
        Column("invalid", Kind.INTEGER, "likewise", lambda r: r.outcomes["invalid"]),
        Column("sessions", Kind.INTEGER, "times it was started or resumed", lambda r: len(r.manifest.sessions)),
        Column("started", Kind.TIME, "the first session, in UTC", lambda r: _time(r, "started", 0)),
        Column("ended", Kind.TIME, "the last session, in UTC", lambda r: _time(r, "ended", -1)),
        Column(
            "cost",
            Kind.NUMBER,
            "US dollars of all sessions, unfinished samples too; unknown prices count nothing",
            lambda r: float(sum(s.cost for s in r.manifest.sessions)),
        ),
        Column("tokens", Kind.INTEGER, "likewise", lambda r: sum(s.tokens for s in r.manifest.sessions)),
        Column("worktrial", Kind.TEXT, "versions that worked on it", _versions),
        Column("data", Kind.JSON, "where the data came from", lambda r: json_text(r.manifest.data)),
        Column(
            "settings", Kind.JSON, "everything that can change a result", lambda r: json_text(r.manifest.settings)
        ),
    ],
    _row,
)
