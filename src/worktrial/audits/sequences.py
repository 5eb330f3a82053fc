"""Recorded calls to be played again: from the plans of executable tasks, and from agents' stored trajectories."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from worktrial.agents.plan import follow
from worktrial.audits.fidelity import Field, TrueCall, with_unknown_ids
from worktrial.engine.manifest import Manifest
from worktrial.engine.record import SampleRecord
from worktrial.engine.records import trajectory_lines
from worktrial.engine.stored import open_run
from worktrial.errors import DataError, option
from worktrial.grading import Outcome
from worktrial.language import JsonObject, JsonValue
from worktrial.suites.executable import ExecutableSuite
from worktrial.suites.executable.tasks import ExecutableTask
from worktrial.workplaces import Session, Tool, ToolCall, Workplace
from worktrial.workplaces.signals import is_error
from worktrial.workplaces.simulator.json_text import canonical_text

PLAN = "plan"
MISUSE = "misuse"
# Errors are alike; more of them would drown the rest of an audit.
_MOST_MISUSES = 6


class RecordedCall(NamedTuple):
    """A call that a workplace can carry out."""

    tool: Tool
    arguments: JsonValue


@dataclass(frozen=True, slots=True)
class SequenceSetting:
    """Place and purpose of an episode."""

    workplace: Workplace
    """The workplace in the state in which the episode begins."""
    clock: str
    instruction: str
    tags: JsonObject
    """Tags by which results can be grouped."""


class PlayedSequence(Protocol):
    """Calls of one episode, with the truth at hand."""

    @property
    def id(self) -> str:
        """Unique within an audit."""
        ...

    @property
    def setting(self) -> SequenceSetting:
        """Place and purpose of the episode."""
        ...

    def truth(self) -> AbstractAsyncContextManager[Session]:
        """A session whose answers are true."""
        ...

    def compare(self, true: TrueCall, simulated: JsonValue) -> list[Field]:
        """The fields of a true answer beside those of another; None is no answer at all."""
        ...

    async def calls(self) -> list[RecordedCall]:
        """The calls, in order."""
        ...


@dataclass(frozen=True, slots=True)
class CallSequence:
    """Calls of one episode, in order, of which those that never reached the workplace are left out."""

    id: str
    """The task's id and where the calls are from."""
    task: ExecutableTask
    recorded: tuple[JsonObject, ...] | None = None
    """Rows with `tool` and `arguments`; None for those that the task's plan leads to."""
    misused: bool = False
    """Whether these are not the plan's calls, but forbidden ones made from them."""

    @property
    def setting(self) -> SequenceSetting:
        """Place and purpose of the task."""
        task = self.task
        return SequenceSetting(task.artifact, task.clock, task.instruction, task.tags)

    def truth(self) -> AbstractAsyncContextManager[Session]:
        """A session in the executable workplace."""
        return nullcontext(self.task.open())

    def compare(self, true: TrueCall, simulated: JsonValue) -> list[Field]:
        """Fields compared to the letter: the workplace's rules say how errors are put."""
        return true.compare(simulated)

    async def calls(self) -> list[RecordedCall]:
        """The calls, with a plan's references looked up in the true answers."""
        workplace = self.task.home
        rows = self.recorded
        if rows is None:
            done = await follow(self.task.plan, self.task.open())
            rows = tuple({"tool": call.tool, "arguments": call.arguments} for call in done.calls)
            if self.misused:
                rows = tuple(await misuses(self.task, done.calls))
        known = [(workplace.artifact.tool(row["tool"]), row["arguments"]) for row in rows]
        return [RecordedCall(tool, given) for tool, given in known if tool is not None and not tool.problems(given)]


def plan_sequences(tasks: Iterable[ExecutableTask]) -> list[CallSequence]:
    """Two sequences for each task: its plan, and calls that its rules forbid."""
    return [
        sequence
        for task in tasks
        for sequence in (
            CallSequence(f"{task.id}/{PLAN}", task),
            CallSequence(f"{task.id}/{MISUSE}", task, misused=True),
        )
    ]


class RecordedWork(NamedTuple):
    """One stored sample of a suite whose workplaces are executable."""

    id: str
    """The task's id and the run's folder, with repeat and condition where there are several."""
    task: ExecutableTask
    record: SampleRecord
    line: JsonObject
    """The line of the run's work."""


def stored_work(
    folders: Sequence[Path], tasks: Sequence[ExecutableTask], suite: ExecutableSuite
) -> list[RecordedWork]:
    """Valid samples of stored runs that belong to `tasks`, which are those of `suite`.

    Raises:
        DataError: a folder holds no run of the suite, or none of these tasks.
    """
    by_id = {task.id: task for task in tasks}
    found: list[RecordedWork] = []
    # A run's folder may be called as what is made from each task.
    taken = {f"{task.id}/{made}" for task in tasks for made in (PLAN, MISUSE)}
    for folder in folders:
        run = open_run(folder)
        if not _is_of(run.manifest, suite):
            what = f"is a run of {run.manifest.title}, and the truth here is that of {suite.title}"
            raise DataError(folder, what, f"Name a run of the {suite.title} suite with {option('from')}")
        lines = {_key(line): line for line in trajectory_lines(folder, dict[str, object])}
        of_run = []
        for record in run.records:
            line = lines.get(_key(msgspec.structs.asdict(record)))
            if record.sample not in by_id or record.outcome is Outcome.INVALID or line is None:
                continue
            name = _name(record, folder)
            while name in taken:
                name += "+"
            taken.add(name)
            of_run.append(RecordedWork(name, by_id[record.sample], record, line))
        if not of_run:
            raise DataError(
                folder, "holds no finished sample of the chosen tasks", f"Choose others with {option('tasks')}"
            )
        found += of_run
    return found


def _is_of(manifest: Manifest, suite: ExecutableSuite) -> bool:
    """Whether a run is of the suite; of a folder of one's own by its name, or whatever its name by its content."""
    same = manifest.data.get("fingerprint") == suite.on_record(None)["fingerprint"]
    return manifest.suite == suite.name or (manifest.is_own and same)


def stored_sequences(work: Iterable[RecordedWork]) -> list[CallSequence]:
    """One sequence for each stored sample that made a call."""
    sequences = []
    for one in work:
        rows = tuple({"tool": c.get("tool"), "arguments": c.get("arguments")} for c in one.line.get("calls") or [])
        if rows:
            sequences.append(CallSequence(one.id, one.task, rows))
    return sequences


def work_fingerprint(work: Iterable[RecordedWork]) -> str:
    """SHA-256 over what the stored samples did, "" for none."""
    digest = sha256()
    empty = True
    for one in work:
        empty = False
        digest.update(msgspec.json.encode([one.id, one.line.get("calls"), one.line.get("answer")]))
    return "" if empty else digest.hexdigest()


async def misuses(task: ExecutableTask, calls: Iterable[ToolCall]) -> list[JsonObject]:
    """Calls, as rows with `tool` and `arguments`, that end in an error in the task's initial state.

    Tried are the plan's writes without what has to come before them, and every call with an id that nobody
    has. None of them changes the state, so they can be made one after the other.
    """
    workplace = task.home
    found: dict[str, JsonObject] = {}
    for row in _forbidden(list(calls)):
        observation = await workplace.open(task.initial_state).call(row["tool"], row["arguments"])
        tool = workplace.artifact.tool(row["tool"])
        if tool is not None and not tool.problems(row["arguments"]) and is_error(observation.content):
            found.setdefault(canonical_text(row), row)
    return list(found.values())[:_MOST_MISUSES]


def _forbidden(calls: list[ToolCall]) -> Iterator[JsonObject]:
    for call in reversed(calls):
        yield {"tool": call.tool, "arguments": call.arguments}
    tools: set[str] = set()
    for call in calls:
        if call.tool in tools:
            continue
        tools.add(call.tool)
        yield from ({"tool": call.tool, "arguments": arguments} for arguments in with_unknown_ids(call.arguments))


def _name(record: SampleRecord, folder: Path) -> str:
    parts = [record.sample, folder.resolve().name]
    if record.repeat:
        parts.append(str(record.repeat))
    condition = getattr(record, "condition", "E0")
    return "/".join([*parts, *([] if condition == "E0" else [condition])])


def _key(row: Mapping[str, object]) -> tuple[object, object, object]:
    return row.get("sample"), row.get("repeat", 0), row.get("condition", "E0")
