"""Runs in the result format of OccuBench's published harness, so that programs made for it read ours.

The format (README and `evaluate.py` of the published repository, arXiv 2604.10866): a folder for each
configuration with `results.jsonl`, one object for each finished task, and `args.json`.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import msgspec

from worktrial.engine.record import CLEAN, SampleRecord
from worktrial.engine.stored import agent_of, model_of
from worktrial.errors import SettingError
from worktrial.grading import Outcome
from worktrial.language import JsonObject, JsonValue
from worktrial.results.exports.files import Exported, new_file, new_folder
from worktrial.results.tables.source import RunSource
from worktrial.results.turns import Turn, WorkedSample, as_text, turns, worked_samples
from worktrial.suite import suite_of
from worktrial.suites.executable import ExecutableSuite
from worktrial.suites.simulated import SimulatedSuite

RESULTS = "results.jsonl"
ARGS = "args.json"
_UNKNOWN = "Unknown"  # what the harness writes for a scenario without category or domain


@dataclass(frozen=True, slots=True)
class _Setting:
    """One configuration of the harness: a file of results is all of one."""

    agent: str
    world: str
    verifier: str | None
    mode: str
    count: int
    duration: int
    with_plan: bool
    repeat: int

    @property
    def name(self) -> str:
        """The folder that the harness gives it; it knows no repeats, so those after the first are marked."""
        faults = f"__fc{self.count}_fd{self.duration}" if self.mode != CLEAN else ""
        repeat = f"__repeat{self.repeat}" if self.repeat else ""
        return "".join(
            c if c.isalnum() or c in "-_. " else "-"
            for c in f"{self.agent}__{self.world}__{self.mode}{faults}{repeat}"
        )

    @property
    def args(self) -> JsonObject:
        return {
            "agent_model": self.agent,
            "world_model": self.world,
            "verifier_model": self.verifier,
            "env_mode": self.mode,
            "fault_count": self.count,
            "fault_duration": self.duration,
            "with_plan": self.with_plan,
            "run_name": self.name,
        }


def export_occubench(sources: Sequence[RunSource], out: Path, *, force: bool = False) -> Exported:
    """Write runs in the published format.

    Each configuration gets a folder below `out`; where `out` ends in `.jsonl`, all goes into that one file.

    Args:
        sources: Runs of agents that call tools in workplaces.
        out: A folder, or a file ending in `.jsonl`.
        force: Whether files there may be replaced.

    Raises:
        SettingError: a run has no such form, or two have the same configuration, or one file is asked for and
            there are several; or there is something at the place, and not `force`.
        DataError: a run's folder is damaged, or the place cannot be written to.
    """
    _refuse_others(sources)
    counts = [0, 0]
    if out.suffix == ".jsonl":
        owners: set[_Setting] = set()
        with new_file(out, force=force) as file:
            for setting, row in _rows(sources, counts):
                owners.add(setting)
                if len(owners) > 1:
                    names = " and ".join(sorted(owner.name for owner in owners))
                    raise SettingError(
                        f"{out}: one file is for one configuration, and here are {names}; name a folder"
                    )
                file.write(row)
    else:
        with new_folder(out, force=force) as folder, ExitStack() as files:
            opened: dict[str, IO[bytes]] = {}
            for setting, row in _rows(sources, counts):
                if setting.name not in opened:
                    opened[setting.name] = files.enter_context(_begun(folder / setting.name, setting))
                opened[setting.name].write(row)
    written, invalid = counts
    left_out = f"{invalid:,} invalid samples have no verdict and are left out."
    return Exported(written, [left_out] if invalid else [])


def _begun(folder: Path, setting: _Setting) -> IO[bytes]:
    folder.mkdir()
    (folder / ARGS).write_bytes(msgspec.json.format(msgspec.json.encode(setting.args), indent=2) + b"\n")
    return (folder / RESULTS).open("wb")


def _refuse_others(sources: Sequence[RunSource]) -> None:
    for source in sources:
        suite = suite_of(source.manifest)
        # The samples of some suites are not one agent's tool calls in one workplace.
        if suite is not None and not isinstance(suite, SimulatedSuite | ExecutableSuite):
            raise SettingError(
                f"{source.folder}: a run of {source.manifest.suite} has no form in OccuBench's format, which is "
                "for tool calls in a workplace; export it as csv, parquet or jsonl"
            )


def _rows(sources: Sequence[RunSource], counts: list[int]) -> Iterator[tuple[_Setting, bytes]]:
    owners: dict[str, RunSource] = {}
    for source in sources:
        for sample in worked_samples(source.folder):
            record = sample.record
            # The harness, too, writes nothing for a task that broke.
            if record.outcome is Outcome.INVALID:
                counts[1] += 1
                continue
            setting = _setting(source, record)
            if owners.setdefault(setting.name, source) is not source:
                both = f"{owners[setting.name].folder} and {source.folder}"
                raise SettingError(f"{both} have the same configuration, {setting.name}; export them one by one")
            counts[0] += 1
            yield setting, msgspec.json.encode(_row(setting, sample)) + b"\n"


def _setting(source: RunSource, record: SampleRecord) -> _Setting:
    manifest = source.manifest
    mode, _, size = record.condition.partition("/")
    count, duration = _size(manifest.settings, mode, size) if mode != CLEAN else (0, 0)
    return _Setting(
        agent_of(manifest) or "unknown",
        # Workplaces that code plays have no model.
        model_of(manifest, "simulator") or "executable",
        model_of(manifest, "judge"),
        mode,
        count,
        duration,
        bool(manifest.settings.get("with_plan", False)),
        record.repeat,
    )


def _size(settings: JsonObject, mode: str, size: str) -> tuple[int, int]:
    """Number of fault events of a condition, and calls that each lasts."""
    count, _, duration = size.partition("x")
    if count.isdecimal() and duration.isdecimal():
        return int(count), int(duration)
    for one in (settings.get("faults") or {}).get("settings", []):
        if one.get("mode") == mode:
            return int(one.get("count", 0)), int(one.get("duration", 0))
    return 0, 0


def _row(setting: _Setting, sample: WorkedSample) -> JsonObject:
    record = sample.record
    tags = record.tags
    passed = record.outcome is Outcome.PASS
    # The harness keeps the grounds of the first vote on the side of the majority.
    grounds = (vote.feedback for vote in record.votes if vote.is_correct is passed)
    return {
        # There, ids are integers; suites with other ids keep theirs.
        "task_id": int(record.sample) if record.sample.isdecimal() else record.sample,
        "task_scenario_name": tags.get("scenario", _UNKNOWN),
        "category": tags.get("category", _UNKNOWN),
        "domain": tags.get("domain", _UNKNOWN),
        "difficulty_level": tags.get("difficulty"),
        "agent_model": setting.agent,
        "world_model": setting.world,
        "env_mode": setting.mode,
        "fault_count": setting.count,
        "fault_duration": setting.duration,
        "with_plan": setting.with_plan,
        "is_correct": passed,
        "feedback": next((g for g in grounds if g), None) or record.reason,
        "step_count": record.calls,
        "trajectory": work_text(sample),
    }


def work_text(sample: WorkedSample) -> str:
    """Responses, actions and observations in their order; "" for a sample without a trajectory."""
    return "".join(f"\n{part}\n" for turn in turns(sample) if turn.role == "assistant" for part in _parts(turn))


def _parts(turn: Turn) -> Iterator[str]:
    if turn.text:
        yield f"[Agent Response]: {turn.text}"
    for call in turn.calls:
        yield f"[Agent Action]: Call tool `{call.tool}` with arguments: {_text(call.arguments)}"
        if call.shown is not None:
            yield f"[Environment Observation] (from {call.tool}): {call.shown}"


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else as_text(value)
