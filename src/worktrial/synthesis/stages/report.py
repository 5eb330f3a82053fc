"""Worth of a suite, with the evidence: what each filter took away, and the four properties of what is left."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean
from typing import Literal

import msgspec

from worktrial.statistics import agresti_coull
from worktrial.synthesis.artifacts import Calibration, PassRate, Reject, TaskDraft
from worktrial.synthesis.sources.store import content_words
from worktrial.synthesis.stages.subtopics import jaccard


class Diversity(msgspec.Struct, kw_only=True, frozen=True):
    """Differences among the tasks of a suite."""

    tasks: int
    mean_distance: float | None
    """Mean distance of two tasks, 0 (the same words and tools) to 1 (none in common); None with fewer than two."""
    closest: list[str]
    """The slots of the two tasks that are most alike; [] with fewer than two."""
    least_distance: float | None
    """Distance of those two."""
    tools: int
    """Different tools that plans use."""
    sequences: int
    """Different sequences of tools in plans."""
    longest_plan: int
    shortest_plan: int


def diversity(tasks: Sequence[TaskDraft]) -> Diversity:
    """Differences among `tasks`, by their instructions and plans."""
    features = [_features(task) for task in tasks]
    distances = [
        (_distance(features[a], features[b]), tasks[a].slot, tasks[b].slot)
        for a, b in combinations(range(len(tasks)), 2)
    ]
    closest = min(distances, default=None)
    sequences = {tuple(step.tool for step in task.plan) for task in tasks}
    return Diversity(
        tasks=len(tasks),
        mean_distance=sum(d for d, _, _ in distances) / len(distances) if distances else None,
        closest=list(closest[1:]) if closest else [],
        least_distance=closest[0] if closest else None,
        tools=len({tool for sequence in sequences for tool in sequence}),
        sequences=len(sequences),
        longest_plan=max((len(s) for s in sequences), default=0),
        shortest_plan=min((len(s) for s in sequences), default=0),
    )


def _distance(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard distance of the features of two tasks, 0 to 1."""
    return 1 - jaccard(one, other) if one or other else 0.0


def _features(task: TaskDraft) -> frozenset[str]:
    # A tool's name is one feature and cannot be taken for a word.
    return frozenset(content_words(task.instruction)) | {f"tool:{step.tool}" for step in task.plan}


Removed = Literal[
    "author", "unchecked", "unsolvable", "trivial", "too_hard", "invalid", "undecided", "execution", "selection"
]


class CountShare(msgspec.Struct, kw_only=True, frozen=True):
    """A count of a count, with the interval of 95 %."""

    count: int
    of: int
    low: float
    high: float


class Solvable(msgspec.Struct, kw_only=True, frozen=True):
    """Evidence that the selected tasks can be solved, from their runs with the plan."""

    mean_rate: float | None
    """Mean of the tasks' pass rates."""
    weakest: str
    """The task with the lowest rate; "" without tasks."""
    weakest_rate: PassRate | None


class Verifiable(msgspec.Struct, kw_only=True, frozen=True):
    """Evidence that work can be judged, from all runs of the selected tasks."""

    judged: CountShare
    repaired: int
    """Selected tasks that needed a repair."""


class Discriminative(msgspec.Struct, kw_only=True, frozen=True):
    """Evidence that the selected tasks tell agents apart, from their runs without the plan.

    Selection takes the level with the lowest rate seen, so these rates are lower on average than in new runs.
    """

    mean_rate: float | None
    lowest_rate: float | None
    highest_rate: float | None
    mean_variance: float | None
    """Mean variance of one run's outcome, p (1 - p), without bias from the few runs of a task; 0.25 at most."""


class SuiteReport(msgspec.Struct, kw_only=True, frozen=True):
    """The evidence for a suite."""

    slots: int
    removed: dict[Removed, int]
    """Slots by what took them out; their sum and the selected ones are all slots."""
    selected: CountShare
    """The yield. Slots of one sub-topic compete for one place in each language, so it is at most one in levels."""
    runs: int
    """Number of runs, with a verdict or without, on the contents that were last."""
    solvable: Solvable
    verifiable: Verifiable
    discriminative: Discriminative
    diverse: Diversity


def report(
    slots: int, calibrations: Sequence[Calibration], rejects: Sequence[Reject], tasks: Sequence[TaskDraft]
) -> SuiteReport:
    """Sum a synthesis up.

    Args:
        slots: How many there were.
        calibrations: Of every slot that was calibrated.
        rejects: Of every slot that is not in the suite.
        tasks: Those that are, in the order of the suite.

    Raises:
        ValueError: a task has no calibration, or the numbers do not add up.
    """
    by_slot = {calibration.slot: calibration for calibration in calibrations}
    missing = [task.slot for task in tasks if task.slot not in by_slot]
    if missing:
        raise ValueError(f"selected without a calibration: {', '.join(missing)}")
    if len(rejects) + len(tasks) != slots:
        raise ValueError(f"{slots} slots are not {len(tasks)} selected and {len(rejects)} rejected ones")
    chosen = [by_slot[task.slot] for task in tasks]
    every = [rate for c in calibrations for rate in (c.plan, c.free)]
    ours = [rate for c in chosen for rate in (c.plan, c.free)]
    judged = sum(rate.n for rate in ours)
    return SuiteReport(
        slots=slots,
        removed=dict(Counter(_remover(reject, by_slot) for reject in rejects)),
        selected=_share(len(tasks), slots),
        runs=sum(rate.n + rate.invalid for rate in every),
        solvable=_solvable(chosen),
        verifiable=Verifiable(
            judged=_share(judged, judged + sum(rate.invalid for rate in ours)),
            repaired=sum(c.rounds > 0 for c in chosen),
        ),
        discriminative=_discriminative([c.free for c in chosen]),
        diverse=diversity(tasks),
    )


def _remover(reject: Reject, calibrations: dict[str, Calibration]) -> Removed:
    """The stage; of the filters and checks, which verdict."""
    if reject.stage in ("author", "execution", "selection"):
        return reject.stage
    calibration = calibrations.get(reject.slot)
    if calibration is None or calibration.verdict == "kept":
        raise ValueError(f"{reject.slot} was rejected by the {reject.stage} without a verdict against it")
    return calibration.verdict


def _share(count: int, of: int) -> CountShare:
    low, high = agresti_coull(count, of)
    return CountShare(count=count, of=of, low=low, high=high)


def _solvable(chosen: Sequence[Calibration]) -> Solvable:
    weakest = min(chosen, key=lambda c: (_rate(c.plan), c.plan.low), default=None)
    return Solvable(
        mean_rate=fmean(_rate(c.plan) for c in chosen) if chosen else None,
        weakest=weakest.slot if weakest else "",
        weakest_rate=weakest.plan if weakest else None,
    )


def _discriminative(free: Sequence[PassRate]) -> Discriminative:
    rates = [_rate(rate) for rate in free]
    # p (1 - p) of the observed share is too small by the factor (n - 1) / n.
    variances = [r.passed * (r.n - r.passed) / (r.n * (r.n - 1)) for r in free if r.n > 1]
    return Discriminative(
        mean_rate=fmean(rates) if rates else None,
        lowest_rate=min(rates, default=None),
        highest_rate=max(rates, default=None),
        mean_variance=fmean(variances) if variances else None,
    )


def _rate(rate: PassRate) -> float:
    return rate.passed / rate.n if rate.n else 0.0


def described(found: SuiteReport) -> list[str]:
    """The report in sentences, one a line."""
    chosen, judged, diverse = found.selected, found.verifiable.judged, found.diverse
    removed = ", ".join(f"{count} {name}" for name, count in sorted(found.removed.items(), key=lambda i: -i[1]))
    lines = [
        f"{chosen.count} of {chosen.of} slots selected ({_percent(chosen)}); removed: {removed or 'none'}",
        f"{found.runs} runs",
    ]
    weakest, discriminative = found.solvable.weakest_rate, found.discriminative
    if weakest is not None and found.solvable.mean_rate is not None:
        lines.append(
            f"solvable: {found.solvable.mean_rate:.0%} of runs with the plan pass; least {found.solvable.weakest} "
            f"with {weakest.passed} of {weakest.n} (rate {weakest.low:.2f} to {weakest.high:.2f})"
        )
        lines.append(
            f"verifiable: {judged.count} of {judged.of} runs came to a verdict ({_percent(judged)}); "
            f"{found.verifiable.repaired} tasks were repaired"
        )
    if discriminative.mean_rate is not None:
        lines.append(
            f"discriminative: {discriminative.mean_rate:.0%} of runs without the plan pass, "
            f"{discriminative.lowest_rate:.0%} to {discriminative.highest_rate:.0%} by task"
        )
    if diverse.mean_distance is not None:
        lines.append(
            f"diverse: mean distance of two tasks {diverse.mean_distance:.2f}, least {diverse.least_distance:.2f} "
            f"({' and '.join(diverse.closest)}); {diverse.tools} tools in {diverse.sequences} different sequences"
        )
    return lines


def _percent(share: CountShare) -> str:
    return f"{share.low:.0%} to {share.high:.0%}"
