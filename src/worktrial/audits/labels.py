"""Verdicts of a run beside those of people: who agrees with whom, about what they differ, the corrected rate."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from worktrial.audits.corrected import corrected_by_labels
from worktrial.engine.identity import TrialIdentity
from worktrial.engine.record import Key, SampleRecord
from worktrial.engine.stored import StoredRun, open_run
from worktrial.errors import DataError
from worktrial.grading import Outcome
from worktrial.results.conditions import cluster_by
from worktrial.results.corrections import JudgeCorrection
from worktrial.results.document import MachineOutput
from worktrial.results.labels import Label, LabelBook, LabelVerdict, calls_of, majorities, majority, vote_of
from worktrial.results.raters import agreement_figures
from worktrial.statistics import Figure

JUDGE = "judge"
CODE = "checks by code"
PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class RaterRow:
    """Agreement of some who judge the same samples."""

    raters: tuple[str, ...]
    """Names; `people` is the majority of all readers, ties left out."""
    agree: Figure
    kappa: Figure
    ac1: Figure


@dataclass(frozen=True, slots=True)
class LineCount:
    """A check or line of the rubric, and the disagreements that hang on it."""

    line: str
    disagreements: int
    """Labels against the verdict that hang on it: the reader named it; or named none, and it is why the verdict is
    a fail."""
    labels: int
    """Labels on samples that it is a line of, or whose reader named it."""


@dataclass(frozen=True, slots=True)
class DisputedSample:
    """A sample about which the verdict and the readers, or the readers among each other, differ."""

    sample: str
    repeat: int
    condition: str
    outcome: Outcome
    """Verdict of the run."""
    labels: tuple[Label, ...]

    @property
    def key(self) -> Key:
        """Task, repeat and condition."""
        return self.sample, self.repeat, self.condition

    @property
    def against(self) -> int:
        """Labels against the verdict."""
        return sum(_differs(label, self.outcome) for label in self.labels)


@dataclass(frozen=True, slots=True)
class LabelReport:
    """The labels of one run at a glance."""

    folder: str
    judge: str
    """Origin of the verdicts: `judge`, or `checks by code`."""
    readers: Mapping[str, int]
    """Reader to number of labels."""
    samples: int
    """Samples with a label."""
    of: int
    """Samples with a verdict."""
    unclear: int
    """Labels that say neither pass nor fail; they count in no figure."""
    blind: int
    """Labels that were given without a look at the verdict."""
    tied: int
    """Samples on which as many readers say pass as fail."""
    with_judge: tuple[RaterRow, ...]
    """Agreement of the verdicts with all people, and with each reader."""
    among_people: tuple[RaterRow, ...]
    """Agreement of all readers, and of each two."""
    lines: tuple[LineCount, ...]
    """Checks and lines with a disagreement, the most first."""
    unexplained: int
    """Labels against the verdict that hang on no line."""
    corrected: JudgeCorrection
    """Rate as people would have it."""
    queue: tuple[DisputedSample, ...]
    """Samples with a disagreement, most labels against the verdict first."""


def labelled_run(folder: Path) -> tuple[StoredRun, list[Label]]:
    """The run in `folder`, and its labels, of which there is one at least.

    Raises:
        DataError: there is no run, or no label of it, or a label is damaged or of something else.
    """
    run = open_run(folder)
    book = LabelBook(run.folder, run.manifest)
    labels = book.read(calls_of(run.records))
    if not labels:
        others = book.others()
        what = f"holds no label of {folder.name}" + (f", only of {', '.join(others)}" if others else "")
        raise DataError(book.path, what, "Give some in `worktrial view`, on the page of a sample")
    return run, labels


def report_of(run: StoredRun, labels: Sequence[Label]) -> LabelReport:
    """The report on a run's labels.

    Args:
        run: The run.
        labels: From `LabelBook.read`; with none of them all figures are empty.
    """
    judged = {record.key: record for record in run.records if record.outcome is not Outcome.INVALID}
    by_sample: dict[Key, list[Label]] = {}
    for label in labels:
        by_sample.setdefault(label.key, []).append(label)
    cluster_of = cluster_by(judged.values())
    samples = opinions(run, labels, cluster_of)
    judge = judge_of(run)
    lines, unexplained = _lines(judged, labels)
    queue = [
        DisputedSample(*key, judged[key].outcome, tuple(own))
        for key, own in by_sample.items()
        if _disagree(own, judged[key].outcome)
    ]
    return LabelReport(
        folder=str(run.folder),
        judge=judge,
        readers=dict(Counter(sorted(label.reader for label in labels))),
        samples=len(samples),
        of=len(judged),
        unclear=sum(label.verdict is LabelVerdict.UNCLEAR for label in labels),
        blind=sum(label.blind for label in labels),
        tied=sum(one.people is None and len(_cast(one.votes.values())) > 1 for one in samples.values()),
        with_judge=rows_with(judge, samples.values()),
        among_people=rows_among(samples.values()),
        lines=lines,
        unexplained=unexplained,
        corrected=corrected_by_labels(run, majorities(labels)),
        queue=tuple(sorted(queue, key=lambda one: -one.against)),
    )


def judge_of(run: StoredRun) -> str:
    """Origin of a run's verdicts: `JUDGE` or `CODE`."""
    return CODE if TrialIdentity.of(run.manifest).judge is None else JUDGE


class LabelledSample(NamedTuple):
    """Opinions on one sample."""

    cluster: str
    """Name of what it varies together with."""
    passed: bool
    """Verdict of the run."""
    people: bool | None
    """Majority of the readers; None for a tie, or where nobody is sure."""
    votes: Mapping[str, bool | None]
    """Reader to opinion; None is unclear."""


def opinions(
    run: StoredRun, labels: Iterable[Label], cluster_of: Callable[[SampleRecord], str]
) -> dict[Key, LabelledSample]:
    """Opinions on each sample of a run that has a label.

    Args:
        run: The run.
        labels: Its labels.
        cluster_of: Function from a record to the name of what it varies together with.
    """
    votes: dict[Key, dict[str, bool | None]] = {}
    for label in labels:
        votes.setdefault(label.key, {})[label.reader] = vote_of(label)
    return {
        record.key: LabelledSample(cluster_of(record), record.outcome is Outcome.PASS, majority(own.values()), own)
        for record in run.records
        if (own := votes.get(record.key)) is not None
    }


def rows_with(judge: str, samples: Collection[LabelledSample]) -> tuple[RaterRow, ...]:
    """Agreement of the verdicts with all people, where there are several, and with each reader."""
    readers = _readers(samples)
    of_all = [(one.cluster, (one.passed, one.people)) for one in samples]
    rows = [_row((judge, PEOPLE), of_all)] if len(readers) > 1 else []
    rows += [
        _row((judge, name), [(one.cluster, (one.passed, one.votes.get(name))) for one in samples])
        for name in readers
    ]
    return tuple(row for row in rows if row is not None)


def rows_among(samples: Collection[LabelledSample]) -> tuple[RaterRow, ...]:
    """Agreement of all readers, where there are more than two, and of each two."""
    readers = _readers(samples)
    groups = [tuple(readers)] if len(readers) > 2 else []
    groups += combinations(readers, 2)
    rows = [_row(group, [(one.cluster, [*map(one.votes.get, group)]) for one in samples]) for group in groups]
    return tuple(row for row in rows if row is not None)


def _readers(samples: Iterable[LabelledSample]) -> list[str]:
    return sorted({reader for one in samples for reader in one.votes})


def _row(raters: tuple[str, ...], samples: Iterable[tuple[str, Sequence[bool | None]]]) -> RaterRow | None:
    found = agreement_figures(samples, " / ".join(raters))
    return RaterRow(raters, *found) if found.agree.n else None


def _cast(votes: Iterable[bool | None]) -> list[bool]:
    return [vote for vote in votes if vote is not None]


def _differs(label: Label, outcome: Outcome) -> bool:
    vote = vote_of(label)
    return vote is not None and vote is not (outcome is Outcome.PASS)


def _disagree(labels: Sequence[Label], outcome: Outcome) -> bool:
    return any(_differs(label, outcome) for label in labels) or len({*_cast(map(vote_of, labels))}) > 1


def lines_of(record: SampleRecord) -> dict[str, bool]:
    """Checks and lines of the rubric that were decided, each with whether the work met it.

    Checks by code have names; a judge that was asked statement by statement has these on record. Votes on the whole
    rubric have no lines.
    """
    asked = {
        vote.feedback: vote.is_correct
        for vote in record.votes
        if vote.probability is not None and vote.feedback and vote.is_correct is not None
    }
    decided = {check.check: check.passed for check in record.checks if check.passed is not None}
    return decided | asked


def _lines(judged: Mapping[Key, SampleRecord], labels: Sequence[Label]) -> tuple[tuple[LineCount, ...], int]:
    against: Counter[str] = Counter()
    there: Counter[str] = Counter()
    unexplained = 0
    for label in labels:
        record = judged[label.key]
        lines = lines_of(record)
        there.update({*lines, *([label.line] if label.line else [])})
        if not _differs(label, record.outcome):
            continue
        # A pass hangs on every line, so only the reader can say which one was wrong.
        failed = [line for line, met in lines.items() if not met] if record.outcome is Outcome.FAIL else []
        hangs = [label.line] if label.line else failed
        against.update(hangs)
        unexplained += not hangs
    return tuple(LineCount(line, count, there[line]) for line, count in against.most_common()), unexplained


@dataclass(frozen=True, slots=True)
class PooledLabels:
    """The labels of several runs together. Readers of one name are one reader."""

    runs: int
    """Number of runs."""
    readers: Mapping[str, int]
    """Reader to number of labels."""
    samples: int
    """Samples with a label."""
    clusters: int
    """Scenarios, or tasks, that these are of: the same task in two runs is one, for it is hard or easy in both."""
    with_judge: tuple[RaterRow, ...]
    """Agreement of the verdicts with people; empty where runs were judged in different ways."""
    why_no_judge: str
    """Reason for which there is none; "" where there is."""
    among_people: tuple[RaterRow, ...]
    """Agreement of all readers, and of each two."""


class LabelsOutput(MachineOutput, kw_only=True, frozen=True, tag="audit labels"):
    """Labels of runs beside their verdicts: `worktrial audit labels RUN… --json`."""

    runs: list[LabelReport]
    pooled: PooledLabels | None = None
    """All runs together; null for a single one."""


def pool(labelled: Sequence[tuple[StoredRun, Sequence[Label]]]) -> PooledLabels:
    """Put the labels of several runs together.

    Args:
        labelled: Runs, each with its labels.
    """
    records: dict[str, list[SampleRecord]] = {}
    for run, _ in labelled:
        records.setdefault(run.manifest.suite, []).extend(run.records)
    clusters = {suite: _within(suite, cluster_by(own)) for suite, own in records.items()}
    samples = [
        one for run, labels in labelled for one in opinions(run, labels, clusters[run.manifest.suite]).values()
    ]
    judges: list[object] = []
    for run, _ in labelled:
        if (judge := TrialIdentity.of(run.manifest).judge) not in judges:
            judges.append(judge)
    together = len(judges) == 1
    return PooledLabels(
        runs=len(labelled),
        readers=dict(Counter(sorted(label.reader for _, labels in labelled for label in labels))),
        samples=len(samples),
        clusters=len({one.cluster for one in samples}),
        with_judge=rows_with(judge_of(labelled[0][0]), samples) if together else (),
        why_no_judge="" if together else f"the runs were judged in {len(judges)} different ways",
        among_people=rows_among(samples),
    )


def _within(suite: str, cluster_of: Callable[[SampleRecord], str]) -> Callable[[SampleRecord], str]:
    """Function from a record to its cluster, under a name that no other suite's has."""
    return lambda record: f"{suite}\0{cluster_of(record)}"
