"""Figures of a stored audit of a judge: its verdicts beside the truth, and its votes beside each other."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from worktrial.audits.figures import ClusterHits, FigureTable, share
from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome
from worktrial.results.raters import agreement_figures, votes_agree
from worktrial.statistics import Figure

_COLUMNS = {"accuracy": "right", "false_pass": "failing work passed", "false_fail": "passing work failed"}
TABLES = (
    FigureTable(
        "verdicts beside the truth of the state checks",
        {**_COLUMNS, "kappa": "kappa", "no_verdict": "no verdict", "votes_agree": "votes agree"},
        footer="Kappa is 0 where verdicts are right by chance alone. Work without a verdict is in no other rate.",
    ),
    FigureTable("each vote by itself", _COLUMNS, "votes"),
    FigureTable("true verdicts by kind of work", {"accuracy": "right"}, "work"),
    FigureTable("what a case takes", {"tokens": "tokens", "cost_per_task": "cost", "seconds": "time"}),
)


class Judged(NamedTuple):
    """A verdict, or a vote, beside the truth."""

    task: str
    truth: bool
    """Whether the work is right."""
    said: bool | None
    """Whether it was passed; None without a verdict."""


def judge_figures(run: StoredRun) -> Iterator[Figure]:
    """All figures of an audit of a judge; its cases belong together by task."""
    cases = [judged(record) for record in run.records]
    yield from _beside_truth(cases)
    yield share("no_verdict", (ClusterHits(case.task, case.said is None) for case in cases))
    # By the log-probability method votes are on single statements, not on the work.
    if run.manifest.settings["judge_method"] == "votes":
        yield votes_agree(run, lambda record: record.sample.split("/")[0])
        votes = [
            case._replace(said=vote.is_correct)
            for case, record in zip(cases, run.records, strict=True)
            for vote in record.votes
        ]
        yield from (one for one in _beside_truth(votes, "votes=each") if one.name in _COLUMNS)
    for variant in dict.fromkeys(record.tags["variant"] for record in run.records):
        own = (case for case, record in zip(cases, run.records, strict=True) if record.tags["variant"] == variant)
        right = (ClusterHits(case.task, case.said is case.truth) for case in own if case.said is not None)
        yield share("accuracy", right, f"work={variant}")


def _beside_truth(cases: Iterable[Judged], group: str = "") -> Iterator[Figure]:
    told = [case for case in cases if case.said is not None]
    yield share("accuracy", (ClusterHits(case.task, case.said is case.truth) for case in told), group)
    for name, truth in (("false_pass", False), ("false_fail", True)):
        wrong = (ClusterHits(case.task, case.said is not truth) for case in told if case.truth is truth)
        yield share(name, wrong, group)
    pairs = [(case.task, (case.said, case.truth)) for case in told]
    yield agreement_figures(pairs, group).kappa


def judged(record: SampleRecord) -> Judged:
    """The verdict in a record of an audit: the sample passed where the verdict is the true one."""
    truth = bool(record.tags["truth"] == Outcome.PASS)
    said = None if record.outcome is Outcome.INVALID else truth is (record.outcome is Outcome.PASS)
    return Judged(record.sample.split("/")[0], truth, said)
