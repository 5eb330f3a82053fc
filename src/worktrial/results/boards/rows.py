"""One run in a leaderboard: its row, its counts by what can be filtered, its profile."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from worktrial.engine.record import CLEAN, Key, SampleRecord, total_tokens
from worktrial.engine.stored import StoredRun
from worktrial.results.completion import completion
from worktrial.results.conditions import by_condition, repeats_of, robustness_by_setting
from worktrial.results.estimates import BoardEstimate, clusters, known, mean_estimate
from worktrial.results.spending import agent_tokens_of, quantity_in, replayed, sum_of
from worktrial.statistics import CompletionRate, Interval, Repeats, Robustness, ZeroCleanRate

CELL_TAGS = ("category", "difficulty", "language")


@dataclass(frozen=True, slots=True)
class CellCounts:
    """The samples of a run that share industry, difficulty, language and condition."""

    category: str | None
    """The industry; this and the next two are None where the suite does not say."""
    difficulty: str | None
    language: str | None
    condition: str
    passed: int
    failed: int
    invalid: int
    cost: float | None
    """US dollars of all roles, summed; None where a price is unknown, or where the work was only judged again."""
    seconds: float | None
    """Wall-clock seconds, summed; None where the work was only judged again."""


def cells(run: StoredRun) -> list[CellCounts]:
    """The counts of `run` by category, difficulty, language and condition, in the order of samples."""
    found: dict[tuple[str | None, ...], list[SampleRecord]] = {}
    for record in run.records:
        tags = (record.tags.get(name) for name in CELL_TAGS)
        key = (*(None if tag is None else str(tag) for tag in tags), record.condition)
        found.setdefault(key, []).append(record)
    return [_cell(run, records) for records in found.values()]


def chosen_intervals(run: StoredRun) -> dict[str, tuple[Interval | None, Interval | None]]:
    """Intervals of the completion rate, of all and of valid samples, for every choice of tags and condition.

    Returns:
        Values of CELL_TAGS, each "" where any will do, and the condition, a line each, to the two intervals.
        Choices without a sample are left out.
    """
    chosen: dict[str, list[SampleRecord]] = {}
    for record in run.records:
        values = [("", str(tag)) if (tag := record.tags.get(name)) is not None else ("",) for name in CELL_TAGS]
        for choice in product(*values):
            chosen.setdefault("\n".join((*choice, record.condition)), []).append(record)
    done = {key: completion(records) for key, records in chosen.items()}
    return {key: (known(own.of_all).interval, known(own.of_valid).interval) for key, own in done.items()}


def _cell(run: StoredRun, records: list[SampleRecord]) -> CellCounts:
    rate = completion(records).counts
    category, difficulty, language = (records[0].tags.get(name) for name in CELL_TAGS)
    return CellCounts(
        category=None if category is None else str(category),
        difficulty=None if difficulty is None else str(difficulty),
        language=None if language is None else str(language),
        condition=records[0].condition,
        passed=rate.passed,
        failed=rate.failed,
        invalid=rate.invalid,
        cost=sum_of(map(quantity_in(run, "cost"), records)),
        seconds=sum_of(map(quantity_in(run, "seconds"), records)),
    )


@dataclass(frozen=True, slots=True)
class Row:
    """Figures of a run under one condition. Intervals are at 95 %, with scenarios drawn as a whole."""

    run: StoredRun
    condition: str
    completion: CompletionRate
    of_all: BoardEstimate
    """Share of passes among all samples; an invalid one counts as not passed. What runs are ranked by."""
    of_valid: BoardEstimate
    """Share of passes among the samples with a verdict."""
    repeats: Repeats | None
    """pass@k and pass^k for k the number of repeats, over tries with a verdict; None without repeats."""
    robustness: Mapping[str, Robustness | ZeroCleanRate]
    """R as in `Summary.robustness`; only in the row of E0, of which it is a share."""
    cost: BoardEstimate
    """US dollars per sample, of all roles. No value where a price is unknown, or where stored work was only judged
    again."""
    agent_cost: BoardEstimate
    """The same of the agent alone, without simulator and judge: what its work would cost outside of the trial. No
    value for an agent whose model is not ours to see."""
    seconds: float | None
    """Mean wall-clock seconds of a sample."""
    replayed: str
    """Mark of cost and time where some samples were answered from the request cache; else ""."""
    tokens: float
    """Mean tokens of a sample, in and out, of all roles."""
    agent_tokens: float
    """The same of the agent alone."""

    @property
    def n(self) -> int:
        """Samples, those without a verdict included."""
        return self.completion.of_all.n

    @property
    def invalid_share(self) -> float:
        """Share of the samples without a verdict; 0 without a sample."""
        return self.completion.invalid / self.n if self.n else 0.0


def row(run: StoredRun, condition: str) -> Row:
    """The row of `run` for the samples under `condition`."""
    conditions = by_condition(run.records)
    records = conditions.get(condition, [])
    cost_of, agent_cost_of, seconds_of = (quantity_in(run, name) for name in ("cost", "agent cost", "seconds"))
    costs = {r.key: (cost_of(r), agent_cost_of(r)) for r in records}

    def amounts(record: SampleRecord) -> Mapping[str, float]:
        cost, agent = costs[record.key]
        return {"cost": cost or 0.0, "agent_cost": agent or 0.0}

    of = list(clusters(records, amounts).values())
    priced = [name for place, name in enumerate(("cost", "agent_cost")) if _known(costs, place)]
    means = {name: mean_estimate(of, name) for name in priced}
    done = completion(records)
    seconds = [s for r in records if (s := seconds_of(r)) is not None]
    return Row(
        run=run,
        condition=condition,
        completion=done.counts,
        of_all=known(done.of_all),
        of_valid=known(done.of_valid),
        repeats=repeats_of(records),
        robustness=robustness_by_setting(conditions) if condition == CLEAN else {},
        cost=means.get("cost", BoardEstimate(None)),
        agent_cost=means.get("agent_cost", BoardEstimate(None)),
        seconds=_mean(seconds) if seconds else None,
        replayed=replayed(records),
        tokens=_mean([total_tokens(r.usage) for r in records]),
        agent_tokens=_mean([agent_tokens_of(r) for r in records]),
    )


def _known(costs: Mapping[Key, tuple[float | None, float | None]], place: int) -> bool:
    return all(cost[place] is not None for cost in costs.values())


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


@dataclass(frozen=True, slots=True)
class Part:
    """The samples that share a value of the tag."""

    completion: CompletionRate
    of_all: BoardEstimate
    """Share of passes among all; scenarios are drawn as a whole for the interval."""


def profile(run: StoredRun, condition: str, tag: str = "category") -> dict[str, Part]:
    """The parts of `run` under one condition, by value of `tag`; {} where no sample has it."""
    found: dict[str, list[SampleRecord]] = {}
    for record in run.records:
        if record.condition == condition and record.tags.get(tag) is not None:
            found.setdefault(str(record.tags[tag]), []).append(record)
    done = {value: completion(found[value]) for value in sorted(found)}
    return {value: Part(own.counts, known(own.of_all)) for value, own in done.items()}
