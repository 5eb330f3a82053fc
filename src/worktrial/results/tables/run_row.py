"""One run folder, as the table `runs` shows it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import msgspec

from worktrial.engine.stored import agent_of, model_of
from worktrial.errors import DataError
from worktrial.results.tables.source import RunSource


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """One run folder; the samples that have finished are counted where the records are read."""

    run: str
    """Name of the run: the end of its folder's path."""
    folder: str
    """Folder of the run."""
    suite: str
    """Suite that was run."""
    agent: str | None
    """The agent's model, or plan, or callable."""
    simulator: str | None
    """Model of the simulator."""
    judge: str | None
    """Model of the judge; several with commas."""
    fingerprint: str | None
    """Fingerprint of the data."""
    samples_planned: int
    """Samples of the finished run."""
    samples_finished: int = 0
    """Samples that have finished so far."""
    passed: int = 0
    """Finished samples that passed, under all conditions."""
    failed: int = 0
    """Finished samples that failed, under all conditions."""
    invalid: int = 0
    """Finished samples without a verdict, under all conditions."""
    sessions: int
    """Times that the run was started or resumed."""
    started: datetime | None
    """Start of the first session, in UTC."""
    ended: datetime | None
    """End of the last session, in UTC."""
    cost: float
    """US dollars of all sessions, unfinished samples too; unknown prices count nothing."""
    tokens: int
    """Tokens of all sessions, unfinished samples too."""
    worktrial: str | None
    """Versions of Worktrial that worked on the run."""
    data: dict[str, Any]
    """Origin of the data."""
    settings: dict[str, Any]
    """Everything that can change a result."""


COUNTS = {
    "samples_finished": "coalesce(finished_ones, 0)",
    "passed": "coalesce(passed_ones, 0)",
    "failed": "coalesce(failed_ones, 0)",
    "invalid": "coalesce(invalid_ones, 0)",
}
"""Fields that are counted, each with its expression over `COUNTED`."""
COUNTED = """(_runs LEFT JOIN (SELECT run, count(*) AS finished_ones, count_if(outcome = 'pass') AS passed_ones,
    count_if(outcome = 'fail') AS failed_ones, count_if(outcome = 'invalid') AS invalid_ones
    FROM _records GROUP BY run) USING (run))"""


def run_row(source: RunSource) -> RunRow:
    """The row of a run.

    Raises:
        DataError: the folder holds no run, or a time in its manifest is none.
    """
    manifest = source.manifest
    sessions = manifest.sessions
    fingerprint = manifest.data.get("fingerprint")
    versions = [version for session in sessions if (version := session.versions.get("worktrial"))]
    return RunRow(
        run=source.name,
        folder=str(source.folder),
        suite=manifest.suite,
        agent=agent_of(manifest),
        simulator=model_of(manifest, "simulator"),
        judge=model_of(manifest, "judge"),
        fingerprint=fingerprint
        if isinstance(fingerprint, str | None)
        else msgspec.json.encode(fingerprint).decode(),
        samples_planned=manifest.samples,
        sessions=len(sessions),
        started=_utc(sessions[0].started, source) if sessions else None,
        ended=_utc(sessions[-1].ended, source) if sessions else None,
        cost=float(sum(session.cost for session in sessions)),
        tokens=sum(session.tokens for session in sessions),
        worktrial=", ".join(dict.fromkeys(versions)) or None,
        data=manifest.data,
        settings=manifest.settings,
    )


def _utc(text: str | None, source: RunSource) -> datetime | None:
    if not text:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise DataError(source.folder, f"{text!r} is no time", "Write it in ISO 8601") from None
    return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)
