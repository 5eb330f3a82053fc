"""A run's questions in two parts, told apart by other runs."""

from collections.abc import Collection
from dataclasses import dataclass

from worktrial.engine.record import CLEAN
from worktrial.engine.stored import StoredRun
from worktrial.errors import SettingError
from worktrial.suites.documents.figures.clusters import Share, clusters, is_valid, passed, share


@dataclass(frozen=True, slots=True)
class Part:
    """Some of a run's questions."""

    name: str
    questions: tuple[str, ...]
    passed: Share


def by_two_agents(run: StoredRun, first: StoredRun, second: StoredRun) -> tuple[Part, Part]:
    """Easy questions, which two reference agents both solved, and the others.

    A question counts as solved when more than half of its samples passed. Only questions with a verdict in both
    reference runs are in either part.

    Raises:
        SettingError: the runs are not of the same questions.
    """
    _check_same_questions(run, first, second)
    known = _judged(first) & _judged(second)
    easy = _solved(first) & _solved(second)
    return _part("easy", run, easy), _part("hard", run, known - easy)


def by_closed_book(run: StoredRun, closed: StoredRun) -> tuple[Part, Part]:
    """Questions that no closed-book sample answered, and those that some did: a model may know these by heart.

    Raises:
        SettingError: the runs are not of the same questions, or the second is not of the closed set-up.
    """
    _check_same_questions(run, closed)
    setup = closed.manifest.settings.get("setup")
    if setup != "closed":
        raise SettingError(f"{closed.folder}: is a run of set-up {setup}, not closed")
    known = {r.sample for r in closed.records if is_valid(r) and passed(r)}
    return _part("not answered closed book", run, _judged(closed) - known), _part("parametric", run, known)


def _check_same_questions(run: StoredRun, *others: StoredRun) -> None:
    for other in others:
        same = other.manifest.suite == run.manifest.suite == "documents"
        if not same or other.manifest.data["fingerprint"] != run.manifest.data["fingerprint"]:
            raise SettingError(f"{other.folder} is not about the same questions as {run.folder}")


def _judged(run: StoredRun) -> set[str]:
    return {record.sample for record in run.records if is_valid(record) and record.condition == CLEAN}


def _solved(run: StoredRun) -> set[str]:
    records = [record for record in run.records if is_valid(record) and record.condition == CLEAN]
    return {sample for sample, sums in clusters(records, passed).items() if 2 * sums["value"] > sums["n"]}


def _part(name: str, run: StoredRun, questions: Collection[str]) -> Part:
    records = [r for r in run.records if is_valid(r) and r.condition == CLEAN and r.sample in questions]
    by_question = clusters(records, passed)
    return Part(name, tuple(by_question), share(by_question))
