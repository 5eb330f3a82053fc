"""Figures of a run that go with its samples wherever they go: rate, interval and invalid samples, by condition."""

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from worktrial.engine.stored import agent_of, model_of
from worktrial.language import JsonObject, JsonValue
from worktrial.results.completion import CompletionEstimate, completion_of
from worktrial.results.conditions import in_order
from worktrial.results.outcomes import OutcomeTally
from worktrial.results.tables.source import RunSource

# Folders of an absolute path within words such as `python:/home/me/agent.py:agent`; addresses on the web have none.
_FOLDERS = re.compile(r"""(?<=[\s:=,'"])/(?:[^/\s:]+/)+""")


def standing(source: RunSource) -> dict[str, CompletionEstimate]:
    """The completion rate under each condition, E0 first; of the records nothing else is kept in memory.

    Raises:
        DataError: a record is damaged.
    """
    tallies: dict[str, OutcomeTally] = {}
    for record in source.records():
        tallies.setdefault(record.condition, OutcomeTally()).add(record)
    return {condition: completion_of(tallies[condition]) for condition in in_order(tallies)}


def in_words(condition: str, done: CompletionEstimate) -> str:
    """One sentence with the rate, its interval, and how many samples have no verdict."""
    counts = done.counts
    rate = "no rate" if done.of_all is None else f"{done.of_all.value:.1%}"
    interval = "" if done.of_all is None else f", 95 % interval {_percent(done.of_all.interval)}"
    n = counts.of_all.n
    return (
        f"Condition {condition}: {counts.passed} of {n} samples passed, {rate}{interval}; {counts.invalid} "
        "invalid, which count as not passed."
    )


def in_figures(done: CompletionEstimate) -> JsonObject:
    """The same as an object: rates are shares of 0-1."""
    counts = done.counts
    figures: JsonObject = {"passed": counts.passed, "failed": counts.failed, "invalid": counts.invalid}
    for name, found in (("of_all", done.of_all), ("of_valid", done.of_valid)):
        if found is not None:
            interval = {"low": found.interval.low, "high": found.interval.high, "level": 0.95}
            figures[name] = {"rate": found.value, "interval": interval}
    return figures


def run_on_record(source: RunSource) -> JsonObject:
    """Part of a run's manifest that its samples need to be judged again elsewhere.

    The list of tasks is left out, and of every path on this machine all but the name: a fingerprint tells data
    apart, and where they lie is nobody else's business.
    """
    manifest = source.manifest
    settings: Mapping[str, Any] = {name: value for name, value in manifest.settings.items() if name != "tasks"}
    told: JsonObject = without_places(
        {"name": source.name, "suite": manifest.suite, "data": manifest.data, "settings": settings}
    )
    return told


def without_places(value: JsonValue) -> JsonValue:
    """`value` with nothing but the last name of each absolute path in its texts."""
    if isinstance(value, str):
        return PurePath(value).name if PurePath(value).is_absolute() else _FOLDERS.sub("", value)
    if isinstance(value, list):
        return [without_places(one) for one in value]
    return {name: without_places(one) for name, one in value.items()} if isinstance(value, dict) else value


def version_of(source: RunSource) -> str:
    """Version of Worktrial that the run's last session was made with."""
    sessions = source.manifest.sessions
    return sessions[-1].versions.get("worktrial", "unknown") if sessions else "unknown"


def who(source: RunSource) -> tuple[str, str | None]:
    """Name of the agent, without the folder that its file is in; and its model where it has one."""
    name: str = without_places(agent_of(source.manifest) or "unknown")
    return name, model_of(source.manifest, "agent")


def _percent(interval: Any) -> str:
    return f"{interval.low:.1%} - {interval.high:.1%}"
