"""Figures of a stored documents run: both scores by tolerance, failures, diagnoses, retrieval."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median

from worktrial.engine.pairing import SamplePair
from worktrial.engine.record import SampleRecord
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.results import estimates
from worktrial.results.changes import rate_change
from worktrial.results.conditions import by_condition, headline
from worktrial.results.estimates import Sums
from worktrial.statistics import Change, Figure, Interval, TaskTries, rate
from worktrial.suites.documents.answers import RatioBin, ratio_histogram
from worktrial.suites.documents.choices import AnswerMode
from worktrial.suites.documents.scoring import TOLERANCES


@dataclass(frozen=True, slots=True)
class QuestionShare:
    """A share of samples, 0-1, with its 95 % interval; None where there is no sample."""

    value: float | None
    interval: Interval | None
    samples: int
    questions: int


def is_valid(record: SampleRecord) -> bool:
    """Whether the sample has a verdict with measures of this suite."""
    return record.outcome is not Outcome.INVALID and "setup" in record.measures


def share(by_question: Mapping[str, Sums]) -> QuestionShare:
    """The share over all samples; with repeats, samples of one question do not vary independently."""
    tries = [TaskTries(question, (of["value"] / of["n"],) * int(of["n"])) for question, of in by_question.items()]
    samples = sum(len(one.first) for one in tries)
    if not samples:
        return QuestionShare(None, None, 0, len(tries))
    found = rate(tries)
    return QuestionShare(found.value, found.interval, samples, len(tries))


def clusters(records: Iterable[SampleRecord], value: Callable[[SampleRecord], float]) -> dict[str, Sums]:
    """Sum of a value over the samples of each question, and how many these are."""
    return estimates.clusters(list(records), lambda record: {"value": value(record)})


def common(of: Sequence[Mapping[str, Sums]]) -> list[str]:
    """Questions that all have."""
    if not of:
        return []
    return sorted(set.intersection(*(set(one) for one in of)))


@dataclass(frozen=True, slots=True)
class CurveRow:
    """One scorer as the tolerance widens."""

    scorer: str
    shares: Mapping[float, QuestionShare]
    """Shares right by tolerance."""
    constant: Mapping[float, QuestionShare]
    """Shares that an answer without any document gets right, by tolerance; see `constant_measures`. {} where the
    run has not measured it."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A sample that only one scorer accepts, without tolerance."""

    sample: str
    repeat: int
    accepted_by: str
    why: str
    """Why the other one does not."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Gold pages that were found and opened, over the samples whose gold pages are known."""

    samples: int
    ever_opened: QuestionShare
    """Samples in which some gold page was opened."""
    page_recall: float
    """Mean share of the gold pages that were opened."""
    first_open: float | None
    """Median rank of the first gold page among the pages opened; None where none was."""
    search_recall: Mapping[int, float]
    """Mean share of the gold pages among the first hits of one search or another, by the number of hits."""


@dataclass(frozen=True, slots=True)
class WebUse:
    """Searches of the web, over the samples with a verdict."""

    samples: int
    """Samples that searched."""
    searches: int
    failed: int
    contaminated: int
    """Samples that were shown a page which holds a question of the benchmark."""
    addresses: tuple[str, ...]
    """Addresses of these pages, the most frequent first."""


@dataclass(frozen=True, slots=True)
class DocumentFigures:
    """Figures of a run about its answers."""

    setup: str
    condition: str
    samples: int
    """Number of samples with a verdict."""
    scorer: str
    """Score that decides."""
    tolerance: float
    scorer_version: str
    data_revision: JsonObject
    curve: tuple[CurveRow, ...]
    disagreements: tuple[Disagreement, ...]
    failures: Mapping[str, int]
    """Counts of the kinds of failure, the most frequent first."""
    causes: Mapping[str, int]
    """Counts of what wrong numbers look like, the most frequent first."""
    ratios: tuple[RatioBin, ...]
    """Histogram of wrong over gold numbers; bins that hold some."""
    retrieval: Retrieval | None
    """Gold pages found; None where the agent had nothing to search, or no gold page is known."""
    web: WebUse | None = None
    """Searches of the web; None where the run has none."""


def document_figures(run: StoredRun) -> DocumentFigures | None:
    """The figures of a run, under the condition that its summary is about; None without a valid sample."""
    conditions = by_condition(run.records)
    condition = headline(list(conditions))
    records = [record for record in conditions.get(condition, []) if is_valid(record)]
    if not records:
        return None
    first = records[0].measures
    wrong = [r.measures for r in records if r.measures["failure"] is not None]
    diagnoses = [m["diagnosis"] for m in wrong if m["diagnosis"] is not None]
    ratios = [d["ratio"] for d in diagnoses if d["ratio"] is not None]
    return DocumentFigures(
        setup=first["setup"],
        condition=condition,
        samples=len(records),
        scorer=first["scorer"],
        tolerance=first["tolerance"],
        scorer_version=first["scorer_version"],
        data_revision=first["data_revision"],
        curve=tuple(_curve(mode.value, records) for mode in AnswerMode),
        disagreements=tuple(_disagreements(records)),
        failures=dict(Counter(m["failure"]["kind"] for m in wrong).most_common()),
        causes=dict(Counter(d["cause"] for d in diagnoses).most_common()),
        ratios=tuple(bin_ for bin_ in ratio_histogram(ratios) if bin_.count),
        retrieval=_retrieval(records) if first["setup"] in ("oracle-docs", "archive") else None,
        web=_web_use([record.measures["web"] for record in records if "web" in record.measures]),
    )


def _web_use(measures: Sequence[JsonObject]) -> WebUse | None:
    if not measures:
        return None
    held = Counter(str(page["address"]) for of in measures for page in of["contaminated"])
    return WebUse(
        samples=sum(bool(of["searches"]) for of in measures),
        searches=sum(of["searches"] for of in measures),
        failed=sum(of["failed"] for of in measures),
        contaminated=sum(bool(of["contaminated"]) for of in measures),
        addresses=tuple(address for address, _ in held.most_common()),
    )


def _curve(scorer: str, records: Sequence[SampleRecord]) -> CurveRow:
    def at(tolerance: float, of: Callable[[SampleRecord], JsonObject]) -> QuestionShare:
        return share(clusters(records, lambda record: float(of(record)[scorer][f"{tolerance:g}"])))

    measured = TOLERANCES if all("constant" in record.measures for record in records) else ()
    return CurveRow(
        scorer,
        {tolerance: at(tolerance, lambda record: record.measures) for tolerance in TOLERANCES},
        {tolerance: at(tolerance, lambda record: record.measures["constant"]) for tolerance in measured},
    )


def _disagreements(records: Sequence[SampleRecord]) -> list[Disagreement]:
    found = []
    for record in records:
        scores = {mode: record.measures[mode.value]["0"] for mode in AnswerMode}
        if len(set(scores.values())) > 1:
            accepts = AnswerMode.PUBLISHED if scores[AnswerMode.PUBLISHED] else AnswerMode.OURS
            refuses = next(mode for mode in AnswerMode if mode is not accepts)
            why = record.measures[f"{refuses.value}_why"]
            found.append(Disagreement(record.sample, record.repeat, accepts.value, why))
    return found


def _retrieval(records: Sequence[SampleRecord]) -> Retrieval | None:
    labelled = [record for record in records if record.measures["retrieval"]["gold_pages"]]
    if not labelled:
        return None
    told = [record.measures["retrieval"] for record in labelled]
    ranks = [t["first_open"] for t in told if t["first_open"] is not None]
    return Retrieval(
        samples=len(labelled),
        ever_opened=share(clusters(labelled, lambda record: float(record.measures["retrieval"]["ever_opened"]))),
        page_recall=fmean(t["page_recall"] for t in told),
        first_open=median(ranks) if ranks else None,
        search_recall={int(k): fmean(t["search_recall"][k] for t in told) for k in told[0]["search_recall"]},
    )


def run_figures(run: StoredRun) -> list[Figure]:
    """Shares right by score and tolerance, and how much of the gold pages was opened and found; 0-1."""
    told = document_figures(run)
    if told is None:
        return []
    found = [
        _figure(f"{row.scorer}, tolerance {tolerance:g}", share)
        for row in told.curve
        for tolerance, share in row.shares.items()
    ]
    if (pages := told.retrieval) is not None:
        found.append(_figure("a gold page opened", pages.ever_opened))
        found.append(Figure(name="gold pages opened", value=pages.page_recall, n=pages.samples))
        found += [
            Figure(name=f"gold pages found in top {depth}", value=recall, n=pages.samples)
            for depth, recall in pages.search_recall.items()
        ]
    return [replace(one, condition=told.condition) for one in found]


def _figure(name: str, share: QuestionShare) -> Figure:
    low, high = (None, None) if share.interval is None else share.interval
    unknown = "no sample" if share.value is None else ""
    n, clusters = share.samples, share.questions
    return Figure(name=name, value=share.value, low=low, high=high, n=n, clusters=clusters, unknown=unknown)


def score_changes(pairs: Sequence[SamplePair], *, confidence: float) -> Iterator[Change]:
    """Change of the shares that each score accepts, exact and within one percent.

    Args:
        pairs: Same samples in both runs, of one condition, with two verdicts.
        confidence: Level of the intervals, 0-1.
    """
    own = [p for p in pairs if all("setup" in r.measures for r in (p.first, p.second))]
    for mode in AnswerMode if own else ():
        for at in ("0", "0.01"):
            yield rate_change(f"{mode}, tolerance {at}", own, _score(mode, at), confidence=confidence)


def _score(mode: AnswerMode, tolerance: str) -> Callable[[SampleRecord], float]:
    return lambda record: float(record.measures[mode][tolerance])
