"""Records of a run in groups: by condition, by what varies together, by task."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from worktrial.engine.record import CLEAN, SampleRecord
from worktrial.grading import Outcome
from worktrial.results.outcomes import OutcomeTally
from worktrial.statistics import Estimand, Repeats, Robustness, ZeroCleanRate, estimate_robustness, over_tasks
from worktrial.statistics.robustness import FAULTED, Outcomes

_Samples = TypeVar("_Samples")


def by_condition(records: Iterable[SampleRecord]) -> dict[str, list[SampleRecord]]:
    """Records of every condition that occurs; E0 first, then by mode, count and duration."""
    found: dict[str, list[SampleRecord]] = {}
    for record in records:
        found.setdefault(record.condition, []).append(record)
    return {name: found[name] for name in in_order(found)}


def in_order(conditions: Iterable[str]) -> list[str]:
    """Conditions with E0 first, then by mode, count and duration."""
    return sorted(conditions, key=_place)


OTHERWISE = "W"
"""Condition under which a task is asked in other words."""
_MEANING = {
    CLEAN: "without faults",
    "E1": "when tools fail openly",
    "E2": "when tools fail silently",
    "E3": "when tools fail in both ways",
    OTHERWISE: "said otherwise",
}


def condition_in_words(condition: str) -> str:
    """A condition as a person says it, with the term behind it: `when tools fail silently (E2)`."""
    meaning = _MEANING.get(condition.partition("/")[0])
    return f"{meaning} ({condition})" if meaning else f"under {condition}"


def headline(conditions: Sequence[str]) -> str:
    """The one condition whose completion rate stands for the run: E0 where it was tried, else the first."""
    return CLEAN if CLEAN in conditions or not conditions else conditions[0]


def robustness_of(
    conditions: Mapping[str, OutcomeTally], confidence: float = 0.95, estimand: Estimand = Estimand.WORK
) -> dict[str, Robustness | ZeroCleanRate]:
    """R for every setting of count and duration for which all four modes were tried.

    Only samples count that have a verdict in all four: one that broke says nothing about the agent, and one
    that is still to come would make rates of different tasks look like an effect of faults.

    Args:
        conditions: Outcomes by condition.
        confidence: Of the intervals.
        estimand: What the intervals are about.

    Returns:
        Setting (`3x2`; "" where the run has only one) to R, or to why it has no value. Settings without
        a sample that counts are left out.
    """
    found: dict[str, Robustness | ZeroCleanRate] = {}
    for setting, modes in settings_with_all_modes(conditions).items():
        tasks = outcomes_by_task(modes)
        if tasks:
            found[setting] = _estimate(tasks, clusters_in(modes[CLEAN]), confidence, estimand)
    return found


def tallies(conditions: Mapping[str, Iterable[SampleRecord]]) -> dict[str, OutcomeTally]:
    """Outcomes by condition."""
    found = {name: OutcomeTally() for name in conditions}
    for name, tally in found.items():
        tally.add_all(conditions[name])
    return found


def clusters_in(tally: OutcomeTally) -> dict[str, str]:
    """Tasks to what they vary together with."""
    cluster_of = cluster_by(tally.tasks.values())
    return {sample: cluster_of(task) for sample, task in tally.tasks.items()}


def settings_with_all_modes(conditions: Mapping[str, _Samples]) -> dict[str, dict[str, _Samples]]:
    """Samples by mode, for every setting (`3x2`, "") for which E0 to E3 were tried."""
    found: dict[str, dict[str, _Samples]] = {}
    for setting in dict.fromkeys(_setting(name) for name in conditions if name != CLEAN):
        names = {mode: f"{mode}/{setting}" if setting else mode for mode in FAULTED}
        if CLEAN in conditions and conditions.keys() >= set(names.values()):
            found[setting] = {CLEAN: conditions[CLEAN], **{mode: conditions[name] for mode, name in names.items()}}
    return found


def _estimate(
    tasks: Mapping[str, Outcomes], clusters: Mapping[str, str], confidence: float, estimand: Estimand
) -> Robustness | ZeroCleanRate:
    try:
        return estimate_robustness(
            tasks.values(),
            clusters=[clusters[sample] for sample in tasks],
            estimand=estimand,
            confidence=confidence,
        )
    except ZeroCleanRate as e:
        return e


def outcomes_by_task(modes: Mapping[str, OutcomeTally]) -> dict[str, Outcomes]:
    """Outcomes of every task by its id and by mode, of the repeats with a verdict in all modes; ordered by task."""
    verdicts = {mode: _verdicts(tally) for mode, tally in modes.items()}
    clean, *faulted = verdicts.values()
    tasks: dict[str, Outcomes] = {}
    for sample in sorted(clean):
        repeats = set(clean[sample])
        for found in faulted:
            repeats &= found.get(sample, {}).keys()
        if repeats:
            ordered = sorted(repeats)
            tasks[sample] = {mode: [*map(found[sample].__getitem__, ordered)] for mode, found in verdicts.items()}
    return tasks


def _verdicts(tally: OutcomeTally) -> dict[str, dict[int, bool]]:
    """Tasks to the outcomes of their repeats, where these have a verdict."""
    passed, invalid = Outcome.PASS, Outcome.INVALID
    return {
        sample: {n: outcome is passed for n, outcome in task.by_repeat.items() if outcome is not invalid}
        for sample, task in tally.tasks.items()
    }


def _setting(condition: str) -> str:
    return condition.partition("/")[2]


def _place(condition: str) -> tuple[str, list[tuple[int, str]]]:
    mode, _, setting = condition.partition("/")
    # 10x2 comes after 9x2.
    return mode, [(int(part), "") if part.isdecimal() else (0, part) for part in setting.split("x")]


class HasScenario(Protocol):
    """The part of a sample's record that says what it varies together with."""

    @property
    def sample(self) -> str:
        """Id of the task."""

    @property
    def scenario(self) -> str | None:
        """Scenario of the task; None without one."""


def cluster_by(records: Iterable[HasScenario]) -> Callable[[HasScenario], str]:
    """Function from a record to what it varies together with: its scenario, where there are several, else its task.

    About a single scenario nothing can be said but for its own tasks.
    """
    scenarios = map(_scenario, records)
    first = next(scenarios, None)
    return _scenario if any(other != first for other in scenarios) else lambda record: record.sample


def _scenario(record: HasScenario) -> str:
    scenario = record.scenario
    return record.sample if scenario is None else scenario


def repeats_in(tally: OutcomeTally, *, confidence: float = 0.95) -> Repeats | None:
    """pass@k and pass^k for k the number of repeats; scenarios are drawn as a whole for the intervals.

    Args:
        tally: Outcomes under one condition. Tries without a verdict are left out, and so are tasks that then have
            fewer than k tries.
        confidence: Of the intervals.

    Returns:
        None where no task has k tries, or none is tried more than once.
    """
    numbers: set[int] = set()
    numbers.update(*(task.by_repeat for task in tally.tasks.values()))
    if len(numbers) < 2:
        return None
    clusters = clusters_in(tally)
    tries = {sample: [*own.values()] for sample, own in _verdicts(tally).items() if own}
    of = [clusters[sample] for sample in tries]
    return over_tasks(tries.values(), len(numbers), clusters=of, confidence=confidence)
