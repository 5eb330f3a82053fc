"""Judging stored work again, without the agent."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from worktrial.engine.manifest import Manifest
from worktrial.engine.record import Key, SampleRecord, SampleResult
from worktrial.engine.records import WorkReader
from worktrial.engine.roles import Role
from worktrial.engine.segments import WORK
from worktrial.engine.stored import StoredRun
from worktrial.engine.trial import Job, SampleContext
from worktrial.errors import DataError, InvalidReason, InvalidSample, SettingError, option
from worktrial.grading import Outcome
from worktrial.grading.check import WITHIN_BUDGET
from worktrial.language import JsonObject
from worktrial.outside.files import as_json, read_bytes
from worktrial.trial.duties import with_budget
from worktrial.trial.judging import JudgeSettings, Work, doubts_of, judge_on_record
from worktrial.trial.trial import Grade, Load, TrialTask, readable
from worktrial.workplaces import StopReason, ToolCall, Trajectory

T = TypeVar("T")

# What the scheduler writes before a trajectory's own fields.
_WHOSE = frozenset({"suite", "sample", "repeat", "condition"})

# What the work itself has on record; the rest is the new judgement's.
_CARRIED = (set(SampleResult.__struct_fields__) & set(SampleRecord.__struct_fields__)) - {
    "outcome",
    "reason",
    "votes",
    "checks",
    "tokens",
}


@dataclass(frozen=True, slots=True)
class FinishedWork:
    """Work that one agent left behind: enough to judge it."""

    record: SampleRecord
    line: JsonObject
    """Line of the run's work, without the sample's key."""
    trajectory: Trajectory

    @property
    def work(self) -> Work:
        """Work as it is graded."""
        state, facts = self.line.get("final_state"), self.line.get("final_facts")
        return Work(
            self.trajectory,
            self.record.clock or "",
            state if isinstance(state, dict) else None,
            self.record.fault_ledger,
            facts if isinstance(facts, dict) else {},
            doubts_of(self.line.get("simulation") or []),
        )


def finished_work(folder: Path, record: SampleRecord) -> FinishedWork | None:
    """Work of the agent in a sample of the run in `folder`; None where it did not get to an end of its own.

    Raises:
        DataError: the stored trajectory cannot be read.
    """
    if record.work is None or record.stop_reason is None:
        return None
    with WorkReader(folder, dict[str, object]) as stored:
        line = stored.at(record.work)
    try:
        trajectory = Trajectory(
            messages=msgspec.convert(line["messages"], list[JsonObject]),
            calls=msgspec.convert(line["calls"], list[ToolCall]),
            answer=msgspec.convert(line["answer"], str),
            stop_reason=StopReason(record.stop_reason),
            turns=record.turns,
        )
    except (KeyError, ValueError) as e:
        where = f"{folder / WORK}: sample {record.sample}, repeat {record.repeat}"
        raise DataError(where, f"not a trajectory: {e}", "Run the sample again") from None
    return FinishedWork(record, {k: v for k, v in line.items() if k not in _WHOSE}, trajectory)


def records_fingerprint(run: StoredRun) -> str:
    """SHA-256 over the records of a run, in the order of their keys."""
    digest = sha256()
    for record in sorted(run.records, key=_key):
        # Where its work lies does not change with how it was merged.
        placeless = msgspec.structs.replace(record, work=None)
        digest.update(msgspec.json.encode(placeless) + b"\n")
    return digest.hexdigest()


def _key(record: SampleRecord) -> Key:
    return record.key


def judging_as_stored(manifest: Manifest, given: Mapping[str, Any]) -> JudgeSettings:
    """Settings that were given, and for the rest those of the source run."""
    names = JudgeSettings.__dataclass_fields__
    stored = {name: manifest.settings[name] for name in names if name in manifest.settings}
    return JudgeSettings(**{**stored, **{name: value for name, value in given.items() if value is not None}})


class Grader(Protocol):
    """Judge of finished work, as a suite has one."""

    @property
    def data(self) -> JsonObject:
        """Origin of the suite's data, and its `fingerprint`."""
        ...

    async def grade(self, work: FinishedWork, rubric: str | None, context: SampleContext) -> SampleResult:
        """Judge `work`, by `rubric` where there is one in place of the task's own.

        Raises:
            InvalidSample: it has no verdict, through no fault of the agent.
        """
        ...


class ToolGrader(Generic[T]):
    """Grader by the functions that a suite's trial loads and grades with."""

    def __init__(self, data: JsonObject, tasks: Iterable[TrialTask], load: Load[T], grade: Grade[T]) -> None:
        self.data = data
        self._tasks = {task.id: task for task in tasks}
        self._load, self._grade = load, grade

    async def grade(self, work: FinishedWork, rubric: str | None, context: SampleContext) -> SampleResult:
        """Judge `work`; see `Grader`."""
        task = self._tasks.get(work.record.sample)
        if task is None:
            raise InvalidSample(InvalidReason.TASK_DATA, "the data has no such task")
        with readable():
            return await self._grade(self._load(task), work.work, context, rubric)


@dataclass(frozen=True, slots=True)
class Rubrics:
    """Rubrics that replace those of the tasks."""

    by_sample: Mapping[str, str]
    fingerprint: str


class _RubricRow(msgspec.Struct, forbid_unknown_fields=True):
    sample: str
    rubric: str


def read_rubrics(path: Path) -> Rubrics:
    """The rubrics in a JSONL file of `{"sample": …, "rubric": …}`.

    Raises:
        DataError: a line is something else, its rubric is blank, or its sample occurs twice.
    """
    data = read_bytes(path)
    found: dict[str, str] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = msgspec.convert(as_json(line, where), _RubricRow)
        except msgspec.ValidationError as e:
            raise DataError(where, str(e), 'Each line is {"sample": "…", "rubric": "…"}') from None
        if not row.rubric.strip():
            raise DataError(where, f"the rubric of sample {row.sample} is blank", "Write it, or remove the line")
        if row.sample in found:
            raise DataError(where, f"sample {row.sample} again", "Keep one of its lines")
        found[row.sample] = row.rubric
    if not found:
        raise DataError(path, "holds no rubric", 'Each line is {"sample": "…", "rubric": "…"}')
    return Rubrics(found, sha256(data).hexdigest())


class RegradeTrial:
    """The samples of a stored run, ready to be judged again.

    Their records keep calls, turns, faults and tags of the source; usage and cost are those of judging. A sample
    whose work came to no end in the source run is `invalid` here, too.

    Raises:
        SettingError: a rubric is for a sample that the run does not have.
    """

    def __init__(
        self, source: StoredRun, grader: Grader, judging: JudgeSettings, rubrics: Rubrics | None = None
    ) -> None:
        self.suite = source.manifest.suite
        self._folder = source.folder
        self._grader = grader
        self._rubrics = rubrics.by_sample if rubrics else {}
        self._records = {record.key: record for record in source.records}
        _refuse_strangers(self._rubrics, [record.sample for record in source.records])
        self.jobs = [Job(r.sample, r.repeat, r.tags, r.condition) for r in source.records]
        self.data: JsonObject = {**grader.data, "source_run": str(source.folder)}
        before = source.manifest.settings
        self.settings: JsonObject = {
            **{name: value for name, value in before.items() if name != "roles"},
            **msgspec.to_builtins(judging),
            **judge_on_record(judging),
            # Who worked and who played the workplace; `roles` holds those of this run itself.
            "carried_roles": {name: role for name, role in source.manifest.roles.items() if name != Role.JUDGE},
            "regraded": {
                "source": records_fingerprint(source),
                "rubrics": rubrics.fingerprint if rubrics else None,
            },
        }
        if options := before.get("options"):
            judged_by = {name: value for name, value in vars(judging).items() if name in options}
            self.settings["options"] = {**options, **judged_by}

    async def run(self, job: Job, context: SampleContext) -> SampleResult:
        """Judge one sample's work; see `worktrial.engine.trial.Trial`."""
        record = self._records[job.key]
        work: FinishedWork | None = None
        try:
            work = self._work(record)
            result = await self._grader.grade(work, self._rubrics.get(job.sample), context)
            # What the work took does not change with how it is judged.
            result = with_budget(result, [c for c in record.checks if c.check.startswith(WITHIN_BUDGET)])
        except InvalidSample as e:
            result = SampleResult(outcome=Outcome.INVALID, reason=str(e))
        for name in _CARRIED:
            setattr(result, name, getattr(record, name))
        if work is not None:
            result.trajectory = {**work.line, "outcome": result.outcome, "reason": result.reason}
        return result

    def _work(self, record: SampleRecord) -> FinishedWork:
        try:
            work = finished_work(self._folder, record)
        except DataError as e:
            raise InvalidSample(InvalidReason.TASK_DATA, str(e)) from e
        if work is None:
            # Not the source's own reason first: an outage of then is none of now.
            raise InvalidSample(
                InvalidReason.TASK_DATA, f"the source run holds no finished work of this sample ({record.reason})"
            )
        return work


def refuse_other_data(source: StoredRun, grader: Grader) -> None:
    """Refuse to judge by tasks that are not those the agent worked on.

    Raises:
        SettingError: the suite's data has changed since.
    """
    then, now = source.manifest.data.get("fingerprint"), grader.data.get("fingerprint")
    if then is not None and then != now:
        raise SettingError(
            f"{source.folder}: the {source.manifest.suite} data had the fingerprint {str(then)[:12]}…, and "
            f"this data has {str(now)[:12]}…. Give the data of then; with {option('force')} the work is judged by "
            "this data, and the result is marked as not comparable"
        )


def _refuse_strangers(rubrics: Mapping[str, str], samples: Sequence[str]) -> None:
    if strangers := [name for name in rubrics if name not in samples]:
        raise SettingError(f"{option('rubric')}: the run has no sample {', '.join(strangers[:12])}")
