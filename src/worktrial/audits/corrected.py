"""Completion rates corrected for the errors of the judge, where an audit or people's labels tell of these."""

from collections.abc import Mapping, Sequence
from csv import DictReader
from pathlib import Path

from worktrial.audits.judge import SUITE
from worktrial.audits.judge_figures import judged
from worktrial.engine.identity import TrialIdentity, tell_apart
from worktrial.engine.record import Key, SampleRecord
from worktrial.engine.stored import StoredRun, open_run
from worktrial.errors import DataError
from worktrial.grading import Outcome
from worktrial.results.completion import passed, share
from worktrial.results.conditions import by_condition, cluster_by, headline
from worktrial.results.corrections import JudgeCorrection
from worktrial.results.labels import LABELS, LabelBook, calls_of, majorities
from worktrial.statistics import Estimate, TaskTries, corrected_rate, prediction_powered, rate


def open_audit(folder: Path) -> StoredRun:
    """The audit of a judge in `folder`.

    Raises:
        DataError: there is none.
    """
    found = open_run(folder)
    if found.manifest.suite != SUITE:
        raise DataError(folder, f"holds a run of {found.manifest.suite}, not the audit of a judge", _MAKE)
    return found


_MAKE = "Make one with worktrial audit judge"


def corrected_by_audit(run: StoredRun, audit: StoredRun) -> JudgeCorrection:
    """Correct the completion rate of `run` for what an audit found of its judge.

    Only an audit of the very judge counts: the same model and settings, votes, method, record and prompt.

    Args:
        run: Finished work, judged by a model.
        audit: Of `worktrial audit judge`.
    """
    condition, decided = _decided(run)
    basis = f"the audit {audit.folder.name}; supposes that the judge errs as often on this work as on the audited"
    why_not = _obstacle(run, audit) or ("" if decided else "no sample has a verdict")
    if not why_not:
        right, wrong = _audited(audit, Outcome.PASS), _audited(audit, Outcome.FAIL)
        raw = share(decided, passed)
        if right is None or wrong is None or raw is None:
            why_not = "the audit has no verdict on work that is right, or none on work that is wrong"
        elif (found := corrected_rate(raw, right, wrong)) is not None:
            return JudgeCorrection(condition, found, basis)
        else:
            why_not = "the audit does not rule out that the judge passes wrong work as often as right work"
    return JudgeCorrection(condition, None, basis, why_not)


def _obstacle(run: StoredRun, audit: StoredRun) -> str:
    """Reason for which the audit tells nothing of the run's verdicts; "" where it does."""
    judge, audited = TrialIdentity.of(run.manifest).judge, TrialIdentity.of(audit.manifest).parts["judge"]
    if judge is None:
        return "its verdicts come from code, not from a judge"
    if any(name.startswith("judge-") for name in judge):
        return "it was judged by several judges, and the audit is of one"
    if "rubrics" in judge:
        return "its rubrics were replaced, and the audit is of the usual ones"
    if "model" not in judge or "model" not in audited:
        return "no judge is on record"
    other = [str(difference) for difference in tell_apart(audited, judge)]
    return f"the audit is of another judge ({'; '.join(other)})" if other else ""


def corrections(run: StoredRun, audit: Path | None, labels: Path | None) -> list[JudgeCorrection]:
    """The rate without the judge's errors, by each source that a user names.

    Args:
        run: Finished work.
        audit: Folder of an audit of its judge.
        labels: Table of people's verdicts, or the `labels.jsonl` beside the run.

    Raises:
        DataError: what is named cannot be read.
    """
    found = [] if audit is None else [corrected_by_audit(run, open_audit(audit))]
    return found if labels is None else [*found, corrected_by_labels(run, labels_of(run, labels))]


def _audited(audit: StoredRun, truth: Outcome) -> Estimate | None:
    """Share of true verdicts on work of which the truth is known; cases of one task are alike."""
    tries: dict[str, list[float]] = {}
    for case in map(judged, audit.records):
        if case.said is not None and case.truth is (truth is Outcome.PASS):
            tries.setdefault(case.task, []).append(float(case.said is case.truth))
    return rate([TaskTries(task, tuple(own)) for task, own in tries.items()]) if tries else None


def corrected_by_labels(run: StoredRun, labels: Mapping[Key, bool]) -> JudgeCorrection:
    """Correct the completion rate of `run` for where people judge otherwise.

    Args:
        run: Finished work with verdicts.
        labels: Sample, repeat and condition to whether people pass it; from `read_labels`.
    """
    condition, decided = _decided(run)
    labelled = [record for record in decided if record.key in labels]
    basis = (
        f"people’s labels on {len(labelled)} of {len(decided)} samples; supposes that these were drawn at random"
    )
    if len(labelled) < 2:
        return JudgeCorrection(condition, None, basis, f"fewer than two samples under {condition} have a label")
    return JudgeCorrection(condition, prediction_powered(_tries(decided), _tries(labelled, labels)), basis)


def _tries(records: Sequence[SampleRecord], labels: Mapping[Key, bool] | None = None) -> list[TaskTries]:
    cluster_of = cluster_by(records)
    tasks: dict[str, list[SampleRecord]] = {}
    for record in records:
        tasks.setdefault(record.sample, []).append(record)
    return [
        TaskTries(
            cluster_of(own[0]),
            tuple(map(passed, own)),
            () if labels is None else tuple(float(labels[record.key]) for record in own),
        )
        for own in tasks.values()
    ]


def _decided(run: StoredRun) -> tuple[str, list[SampleRecord]]:
    conditions = by_condition(run.records)
    chosen = headline(list(conditions))
    return chosen, [record for record in conditions.get(chosen, []) if record.outcome is not Outcome.INVALID]


_SAID = {"pass": True, "fail": False}


def labels_of(run: StoredRun, path: Path) -> dict[Key, bool]:
    """People's verdicts on the samples of a run; where readers differ, what most say.

    Args:
        run: The run.
        path: A table (see `read_labels`), or the `labels.jsonl` beside the run's folder.

    Raises:
        DataError: the file cannot be used, lies beside another run, or holds no label of this one.
    """
    if path.name != LABELS:
        return read_labels(path)
    book = LabelBook(run.folder, run.manifest)
    if path.resolve() != book.path:
        raise DataError(path, f"lies not beside {run.folder}", f"Name {book.path}, where its labels are kept")
    if found := majorities(book.read(calls_of(run.records))):
        return found
    raise DataError(path, f"holds no label of {run.folder.name} that says pass or fail", "Give some in the viewer")


def read_labels(path: Path) -> dict[Key, bool]:
    """People's labels from a table with a header.

    Its columns are `sample` and `label` (pass or fail), and where they are needed `repeat` and `condition`.

    Raises:
        DataError: the file cannot be read, a column is missing, a value is not known, or a sample comes twice.
    """
    found: dict[Key, bool] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = DictReader(file)
            if missing := [name for name in ("sample", "label") if name not in (rows.fieldnames or ())]:
                raise DataError(path, f"has no column {missing[0]}", "Give the columns sample and label, at least")
            for row in rows:
                where = f"line {rows.line_num}"
                repeat = (row.get("repeat") or "0").strip()
                said = (row["label"] or "").strip().lower()
                if said not in _SAID:
                    raise DataError(path, f"{where}: label is {said!r}", "Write pass or fail")
                if not repeat.isdecimal():
                    raise DataError(path, f"{where}: repeat is {repeat!r}", "Give a number from 0")
                key = (str(row["sample"]).strip(), int(repeat), (row.get("condition") or "E0").strip())
                if key in found:
                    raise DataError(path, f"{where}: {key[0]} comes twice", "Give one label for each sample")
                found[key] = _SAID[said]
    except (OSError, UnicodeDecodeError) as e:
        raise DataError(path, f"cannot be read: {e}", "Name a table of comma-separated values") from e
    return found
