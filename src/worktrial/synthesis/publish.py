"""Selection among the drafts by their verdicts, and the suite at the top of the folder."""

import datetime as dt
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from worktrial import __version__
from worktrial.errors import StopRun
from worktrial.language import JsonObject
from worktrial.synthesis.artifacts import Calibration, JobSpec, Reject, Slot, TaskDraft, WorkplaceDraft
from worktrial.synthesis.files import (
    hash_of,
    mend_workplace,
    read_workplace,
    to_yaml,
    write_lines,
    write_text,
    write_workplace,
)
from worktrial.synthesis.folder import SuiteFolder
from worktrial.synthesis.pipeline import SlotEnd
from worktrial.synthesis.stages.report import SuiteReport, report


def select(calibrations: Sequence[Calibration], slots: Sequence[Slot]) -> tuple[list[str], list[Reject]]:
    """Choose for each sub-topic and language the level that is passed least often, yet sometimes.

    The rule is the published one (OccuBench, section 4).

    Of levels that are passed equally often the higher one is taken. What counts is the share of passes seen: the
    true rates of two levels may well be the other way round where their intervals overlap, and the lowest of some
    shares is on average lower than its true rate.

    Args:
        calibrations: Of any slots; those that are not kept are passed over, as the filters have rejected them.
        slots: Every slot of the suite, in its order.

    Returns:
        The ids of the chosen slots in the order of `slots`, and a reject for each slot that was kept and is not
        chosen.
    """
    kept = {c.slot: c for c in calibrations if c.verdict == "kept"}
    groups: dict[tuple[str, str], list[Slot]] = {}
    for slot in slots:
        if slot.id in kept:
            groups.setdefault((slot.subtopic.id, slot.language), []).append(slot)
    hardest = [_hardest(group, kept) for group in groups.values()]
    chosen = {slot.id for slot in hardest if slot is not None}
    rejects = [
        Reject(slot=slot.id, stage="selection", why=_why(slot, group, chosen, kept))
        for group in groups.values()
        for slot in group
        if slot.id not in chosen
    ]
    return [slot.id for slot in slots if slot.id in chosen], rejects


def _hardest(group: Sequence[Slot], kept: Mapping[str, Calibration]) -> Slot | None:
    passed = [slot for slot in group if kept[slot.id].free.passed]
    return min(passed, key=lambda slot: (_share(kept[slot.id]), -slot.level), default=None)


def _share(calibration: Calibration) -> float:
    return calibration.free.passed / calibration.free.n


def _why(slot: Slot, group: Sequence[Slot], chosen: set[str], kept: Mapping[str, Calibration]) -> str:
    if not kept[slot.id].free.passed:
        return "no run without the plan passed"
    taken = next(other for other in group if other.id in chosen)
    ours, theirs = _passes(kept[slot.id]), _passes(kept[taken.id])
    if _share(kept[slot.id]) == _share(kept[taken.id]):
        return f"level {taken.level} is passed as often ({theirs}; here {ours})"
    return f"level {taken.level} is passed less often ({theirs}; here {ours})"


def _passes(calibration: Calibration) -> str:
    return f"{calibration.free.passed} of {calibration.free.n}"


FORMAT = 1


def record(folder: SuiteFolder, ends: Sequence[SlotEnd]) -> tuple[list[str], list[Reject], SuiteReport]:
    """Choose, and write what is known of every slot.

    Returns:
        The ids of the selected slots, why each of the others is not among them, and the evidence.
    """
    calibrations = [end.calibration for end in ends if end.calibration is not None]
    selected, passed_over = select(calibrations, [end.slot for end in ends])
    known = {reject.slot: reject for reject in passed_over}
    known |= {end.slot.id: end.reject for end in ends if end.reject is not None}
    rejects = [known[end.slot.id] for end in ends if end.slot.id in known]
    write_lines(folder.calibration, calibrations)
    write_lines(folder.rejects, rejects)
    if not folder.repairs.exists():
        write_lines(folder.repairs, [])
    tasks = [end.task for end in ends if end.slot.id in set(selected) and end.task is not None]
    return selected, rejects, report(len(ends), calibrations, rejects, tasks)


def publish(
    folder: SuiteFolder, spec: JobSpec, ends: Sequence[SlotEnd], selected: Sequence[str], found: SuiteReport
) -> None:
    """Write the suite: workplaces, tasks, and last `suite.yaml`; what was selected before and is not now goes.

    Raises:
        StopRun: something cannot be written.
    """
    chosen = [end for end in ends if end.slot.id in set(selected)]
    rows = []
    for end in chosen:
        if end.workplace is None or end.task is None:
            raise AssertionError(f"{end.slot.id} was selected without a draft")
        _place(folder.workplaces / end.slot.id, end.workplace)
        rows.append(_row(spec, end.slot, end.task))
    write_lines(folder.tasks, rows)
    write_text(folder.suite, to_yaml(_suite(folder, spec, found)))
    _remove_others(folder.workplaces, {end.slot.id for end in chosen})


def withdraw(folder: SuiteFolder) -> None:
    """Remove the suite of an earlier session where nothing can be selected any more."""
    for path in (folder.suite, folder.tasks):
        path.unlink(missing_ok=True)
    _remove_others(folder.workplaces, set())


def _place(path: Path, workplace: WorkplaceDraft) -> None:
    mend_workplace(path)
    if not path.exists() or hash_of(read_workplace(path)) != hash_of(workplace):
        write_workplace(path, workplace)


def _row(spec: JobSpec, slot: Slot, task: TaskDraft) -> JsonObject:
    return {
        "id": slot.id,
        "category": spec.industry,
        "domain": spec.domain or spec.role,
        "scenario": slot.subtopic.title,
        "difficulty": slot.level,
        "language": slot.language,
        "instruction": task.instruction,
        "rubric": task.rubric,
        "plan": msgspec.to_builtins(task.plan),
        "workplace": slot.id,
    }


def _suite(folder: SuiteFolder, spec: JobSpec, found: SuiteReport) -> JsonObject:
    return {
        "format": FORMAT,
        "kind": "suite",
        "name": folder.root.resolve().name,
        "role": spec.role,
        "industry": spec.industry,
        "domain": spec.domain,
        "tasks": folder.tasks.name,
        "created_by": f"worktrial {__version__}",
        "created": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "counts": msgspec.to_builtins(found),
    }


def _remove_others(folder: Path, kept: set[str]) -> None:
    if not folder.is_dir():
        return
    for name in kept:
        mend_workplace(folder / name)
    for path in folder.iterdir():
        if path.name not in kept:
            try:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            except OSError as e:
                raise StopRun(f"{path}: cannot be removed ({e.strerror})") from None
