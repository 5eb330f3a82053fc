"""Figures of a stored audit of a judge."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from worktrial.audits.judge import SUITE
from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import open_run
from worktrial.errors import DataError
from worktrial.grading import Outcome
from worktrial.results.summary import Summary, summarise
from worktrial.statistics import Rate


@dataclass(frozen=True, slots=True)
class Confusion:
    """Verdicts beside the truth."""

    true_pass: int = 0
    false_pass: int = 0
    true_fail: int = 0
    false_fail: int = 0
    invalid: int = 0
    """No verdict; in none of the figures below."""

    @property
    def judged(self) -> int:
        """Cases with a verdict."""
        return self.true_pass + self.false_pass + self.true_fail + self.false_fail

    @property
    def accuracy(self) -> Rate:
        """Rate of true verdicts among all."""
        return Rate(self.true_pass + self.true_fail, self.judged)

    @property
    def false_pass_rate(self) -> Rate:
        """Verdicts of pass among the cases that fail."""
        return Rate(self.false_pass, self.false_pass + self.true_fail)

    @property
    def false_fail_rate(self) -> Rate:
        """Verdicts of fail among the cases that pass."""
        return Rate(self.false_fail, self.false_fail + self.true_pass)

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa of verdict and truth; None where chance alone gives full agreement, or without cases.

        J. Cohen, *A coefficient of agreement for nominal scales*, Educational and Psychological Measurement 20,
        1960.
        """
        n = self.judged
        said, true = self.true_pass + self.false_pass, self.true_pass + self.false_fail
        # All counts times n squared: exact, so that full agreement by chance is recognised.
        by_chance = said * true + (n - said) * (n - true)
        if n == 0 or by_chance == n * n:
            return None
        return ((self.true_pass + self.true_fail) * n - by_chance) / (n * n - by_chance)


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """One audit at a glance."""

    folder: Path
    model: str
    method: str
    votes: int
    verdicts: Confusion
    single_votes: Confusion
    """Each vote counted by itself; empty by the log-probability method, whose votes are on single statements."""
    variants: dict[str, Rate]
    """Rate of true verdicts among those given, by the way in which the work came about."""
    summary: Summary


def judge_report(folder: Path) -> JudgeReport:
    """The report on the audit in `folder`.

    Raises:
        DataError: there is none.
    """
    run = open_run(folder)
    if run.manifest.suite != SUITE:
        raise DataError(folder, f"holds a run of {run.manifest.suite}, not the audit of a judge")
    settings = run.manifest.settings
    variants: dict[str, list[SampleRecord]] = {}
    for record in run.records:
        variants.setdefault(record.tags["variant"], []).append(record)
    by_votes = settings["judge_method"] == "votes"
    return JudgeReport(
        folder=folder,
        model=settings.get("roles", {}).get("judge", {}).get("model", "?"),
        method=settings["judge_method"],
        votes=settings["votes"],
        verdicts=_confusion(run.records),
        single_votes=confusion((truth_of(r), vote.is_correct) for r in run.records if by_votes for vote in r.votes),
        variants={
            name: confusion((truth_of(r), verdict_of(r)) for r in own).accuracy for name, own in variants.items()
        },
        summary=summarise(run),
    )


def confusion(cases: Iterable[tuple[bool, bool | None]]) -> Confusion:
    """Counts over pairs of truth and verdict; None is no verdict."""
    pairs = list(cases)
    return Confusion(
        true_pass=pairs.count((True, True)),
        false_pass=pairs.count((False, True)),
        true_fail=pairs.count((False, False)),
        false_fail=pairs.count((True, False)),
        invalid=sum(said is None for _, said in pairs),
    )


def _confusion(records: Iterable[SampleRecord]) -> Confusion:
    return confusion((truth_of(r), verdict_of(r)) for r in records)


def truth_of(record: SampleRecord) -> bool:
    """Whether the audited work is right."""
    return bool(record.tags["truth"] == Outcome.PASS)


def verdict_of(record: SampleRecord) -> bool | None:
    """Whether the judge passed the audited work; None without a verdict."""
    if record.outcome is Outcome.INVALID:
        return None
    return truth_of(record) is (record.outcome is Outcome.PASS)
