"""Documents runs beside each other: where an agent loses answers, and questions in two parts.

The same questions are asked under several set-ups, each of which adds one stage of the work.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from worktrial.engine.record import CLEAN
from worktrial.engine.stored import StoredRun
from worktrial.errors import SettingError
from worktrial.results.completion import passed
from worktrial.results.estimates import Sums
from worktrial.statistics import Interval, change_intervals
from worktrial.suites.documents.figures import QuestionShare, clusters, common, is_valid, share

WITH_WEB = "archive+web"
STAGES = ("closed", "oracle-pages", "oracle-docs", "archive", WITH_WEB)
"""Set-ups in the order in which work is added; the last adds the search of the web."""

_LOST_BY = {
    ("oracle-pages", "oracle-docs"): "finding the page",
    ("oracle-docs", "archive"): "finding the document",
    ("oracle-pages", "archive"): "finding document and page",
    ("archive", WITH_WEB): "the web beside the archive",
    ("oracle-docs", WITH_WEB): "finding the document, with the web",
    ("oracle-pages", WITH_WEB): "finding document and page, with the web",
}


@dataclass(frozen=True, slots=True)
class SetupStage:
    """One set-up on the common questions."""

    setup: str
    folder: str
    passed: QuestionShare


@dataclass(frozen=True, slots=True)
class Loss:
    """Loss by the work that one set-up adds to another."""

    first: str
    second: str
    by: str
    """Name of the added work."""
    value: float
    """QuestionShare of passes of the first minus that of the second: positive where the second loses."""
    interval: Interval | None
    """Interval over questions, paired; None from a single question."""


@dataclass(frozen=True, slots=True)
class Stages:
    """Losses of answers from stage to stage."""

    questions: int
    """Number of questions with a verdict in every run."""
    stages: tuple[SetupStage, ...]
    losses: tuple[Loss, ...]
    """First what is lost although the right pages are given, against all questions solved; then from each stage to
    the next that was run."""


def stages(runs: Sequence[StoredRun]) -> Stages:
    """Tell where answers are lost, from several runs of one agent, one for each set-up.

    Raises:
        SettingError: the runs are not of one agent, of the same questions and scored alike; a set-up comes twice;
            or there is no common question.
    """
    by_setup = _by_setup(runs)
    if len(by_setup) < 2:
        raise SettingError("stages: name runs of at least two set-ups")
    ordered = [setup for setup in STAGES if setup in by_setup]
    sums = {setup: _clusters(by_setup[setup]) for setup in ordered}
    questions = common(list(sums.values()))
    if not questions:
        raise SettingError("stages: the runs have no question in common that has a verdict in all of them")
    kept = {setup: {q: sums[setup][q] for q in questions} for setup in ordered}
    rows = tuple(SetupStage(setup, str(by_setup[setup].folder), share(kept[setup])) for setup in ordered)
    return Stages(len(questions), rows, tuple(_losses(ordered, kept)))


def setup_of(run: StoredRun) -> str:
    """Set-up of a run; the search of the web beside the archive is one of its own."""
    return WITH_WEB if run.manifest.settings.get("web") else str(run.manifest.settings.get("setup"))


def _by_setup(runs: Sequence[StoredRun]) -> dict[str, StoredRun]:
    found: dict[str, StoredRun] = {}
    for run in runs:
        if run.manifest.suite != "documents":
            raise SettingError(f"{run.folder}: is a run of {run.manifest.suite}, not of documents")
        setup = setup_of(run)
        if setup in found:
            raise SettingError(f"{run.folder} and {found[setup].folder} are both runs of set-up {setup}")
        found[setup] = run
    first = next(iter(found.values()), None)
    for run in found.values():
        for what, one, other in _alike(first or run, run):
            if one != other:
                raise SettingError(f"{run.folder}: {what} is {other!r}, and {one!r} in {first and first.folder}")
    return found


def _alike(first: StoredRun, second: StoredRun) -> list[tuple[str, object, object]]:
    one, other = first.manifest, second.manifest
    settings = [m.settings for m in (one, other)]
    told = [("the fingerprint of the questions", one.data["fingerprint"], other.data["fingerprint"])]
    models = [s.get("roles", {}).get("agent", {}).get("model") for s in settings]
    told.append(("the agent's model", models[0], models[1]))
    names = ("agent", "scorer", "tolerance", "scorer_version")
    return told + [(f"setting {name}", settings[0].get(name), settings[1].get(name)) for name in names]


def _clusters(run: StoredRun) -> dict[str, Sums]:
    return clusters((r for r in run.records if is_valid(r) and r.condition == CLEAN), passed)


def _losses(ordered: Sequence[str], kept: Mapping[str, Mapping[str, Sums]]) -> list[Loss]:
    given = [setup for setup in ordered if setup != "closed"]
    losses = []
    if given and given[0] == "oracle-pages":
        lost = share({q: {"value": s["n"] - s["value"], "n": s["n"]} for q, s in kept["oracle-pages"].items()})
        if lost.value is not None:
            losses.append(Loss("(all)", "oracle-pages", "reading and computing", lost.value, lost.interval))
    for first, second in pairwise(given):
        one, other = list(kept[first].values()), list(kept[second].values())
        interval = change_intervals(other, one, _mean).get("share")
        value = _rate(one) - _rate(other)
        losses.append(Loss(first, second, _LOST_BY[first, second], value, interval))
    return losses


def _mean(sums: Mapping[str, float]) -> Mapping[str, float]:
    return {"share": sums["value"] / sums["n"]}


def _rate(sums: Sequence[Sums]) -> float:
    return sum(s["value"] for s in sums) / sum(s["n"] for s in sums)


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """Some of a run's questions."""

    name: str
    questions: tuple[str, ...]
    passed: QuestionShare


def by_two_agents(run: StoredRun, first: StoredRun, second: StoredRun) -> tuple[QuestionPart, QuestionPart]:
    """Split into easy questions, which two reference agents both solved, and the others.

    A question counts as solved when more than half of its samples passed. Only questions with a verdict in both
    reference runs are in either part.

    Raises:
        SettingError: the runs are not of the same questions.
    """
    _check_same_questions(run, first, second)
    known = _judged(first) & _judged(second)
    easy = _solved(first) & _solved(second)
    return _part("easy", run, easy), _part("hard", run, known - easy)


def by_closed_book(run: StoredRun, closed: StoredRun) -> tuple[QuestionPart, QuestionPart]:
    """Split into questions that no closed-book sample answered, and those that some did.

    A model may know the latter by heart.

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


def _part(name: str, run: StoredRun, questions: Collection[str]) -> QuestionPart:
    records = [r for r in run.records if is_valid(r) and r.condition == CLEAN and r.sample in questions]
    by_question = clusters(records, passed)
    return QuestionPart(name, tuple(by_question), share(by_question))
