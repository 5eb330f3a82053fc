"""Agreement with people, and among them, over several runs: few have time for many labels of each."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from worktrial.audits.labels import LabelReport, RaterRow, judge_of, opinions, rows_among, rows_with
from worktrial.engine.identity import TrialIdentity
from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.results.conditions import cluster_by
from worktrial.results.document import MachineOutput
from worktrial.results.labels import Label


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
