"""Calibration runs: worked on and decided as in the finished suite, and kept on disk."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

import msgspec

from worktrial.engine.client import Client
from worktrial.engine.lines import cut_torn_tail, read_lines
from worktrial.engine.record import SampleResult, dollars
from worktrial.engine.roles import RoleName
from worktrial.engine.scheduler import defect, guarded
from worktrial.engine.trial import Job, SampleContext, Trial
from worktrial.errors import DataError, InvalidReason, InvalidSample
from worktrial.synthesis.artifacts import RunKind, SlotRun
from worktrial.synthesis.files import append_line, hash_of
from worktrial.synthesis.folder import SuiteFolder
from worktrial.workplaces import ToolCall


async def calibration_run(
    task: str, kind: RunKind, number: int, content: str, trial: Trial, clients: Mapping[RoleName, Client]
) -> SlotRun:
    """Make the one run of `trial` from an untouched workplace.

    Requests are told apart by task, kind, 0-based number and content (a hash of all that the run depends on),
    so that the same run is repeated from the request cache, and a changed task gets new ones.

    Raises:
        StopRun: an endpoint refuses to work, or a budget is spent.
    """
    context = SampleContext(Job(f"{task}/{kind}/{content}", number), clients)
    started = time.perf_counter()
    result = await guarded(_result(trial, context))
    seconds = round(time.perf_counter() - started, 3)

    def row(result: SampleResult) -> SlotRun:
        meter = context.meter
        made = SlotRun(
            slot=task,
            kind=kind,
            number=number,
            content=content,
            outcome=result.outcome.value,
            reason=result.reason,
            calls=result.calls,
            seconds=seconds,
            cost=dollars(meter.cost),
            tokens=sum(usage.tokens for usage in meter.usage.values()),
            votes=result.votes,
            checks=result.checks,
            trajectory=result.trajectory,
        )
        msgspec.json.encode(made)  # what is no JSON shows here
        return made

    try:
        return row(result)
    except (TypeError, ValueError, OverflowError, RecursionError) as e:
        # Something that is no JSON, such as half of a surrogate pair, got into the record.
        return row(defect(e))


async def _result(trial: Trial, context: SampleContext) -> SampleResult:
    try:
        return await trial.run(trial.jobs[0], context)
    except DataError as e:
        raise InvalidSample(InvalidReason.TASK_DATA, str(e)) from e


class RunBook:
    """The runs of a suite folder, under one set of settings.

    Args:
        folder: The suite's.
        settings: Function from a kind of runs to the hash of what they depend on beside a task's content.
        clean: Takes secrets out of a line.
    """

    def __init__(
        self,
        folder: SuiteFolder,
        settings: Callable[[RunKind], str],
        clean: Callable[[bytes], bytes] = lambda line: line,
    ) -> None:
        self._folder, self._clean = folder, clean
        self._settings = cache(settings)
        self._rows: dict[str, list[SlotRun]] = {}

    def have(self, task: str, content: str) -> list[SlotRun]:
        """The runs on this content that came to a verdict, without their trajectories.

        Those without a verdict run again; what was paid for them lies in the cache.
        """
        return [row for row in self._of(task) if row.content == content and row.outcome != "invalid"]

    def full(self, task: str, content: str) -> list[SlotRun]:
        """Every run on this content, with trajectories, read from disk."""
        return _last(row for row in self._stored(task) if row.content == content)

    def add(self, row: SlotRun) -> SlotRun:
        """Store a run; returns what is kept of it in memory.

        Raises:
            StopRun: it cannot be written.
        """
        rows = self._of(row.slot)
        row = msgspec.structs.replace(row, settings=self._settings(row.kind))
        append_line(self._folder.runs(row.slot), self._clean(msgspec.json.encode(row)))
        kept = _slim(row)
        rows.append(kept)
        return kept

    def _of(self, task: str) -> list[SlotRun]:
        if task not in self._rows:
            cut_torn_tail(self._folder.runs(task))
            self._rows[task] = _last(_slim(row) for row in self._stored(task))
        return self._rows[task]

    def _stored(self, task: str) -> Iterator[SlotRun]:
        rows = read_lines(self._folder.runs(task), SlotRun)
        return (row for row in rows if row.settings == self._settings(row.kind))


def _slim(row: SlotRun) -> SlotRun:
    return msgspec.structs.replace(row, trajectory=None, votes=[], work=row.work or _work(row))


def _work(row: SlotRun) -> str:
    """Hash of what was done and said; "" where it is not known."""
    line = row.trajectory
    if line is None:
        return ""
    # One that was just made may still be an object.
    calls = [
        [call.tool, call.arguments] if isinstance(call, ToolCall) else [call.get("tool"), call.get("arguments")]
        for call in line.get("calls") or []
    ]
    return hash_of([calls, line.get("answer") or ""])


def _last(rows: Iterable[SlotRun]) -> list[SlotRun]:
    """Last row of each run: one without a verdict may have been run again."""
    found: dict[tuple[str, str, int], SlotRun] = {}
    for row in rows:
        found[row.content, row.kind, row.number] = row
    return list(found.values())
