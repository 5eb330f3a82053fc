"""Whether one run loses more to faults than another."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from worktrial.engine.record import SampleRecord
from worktrial.results.conditions import outcomes_by_task, settings_with_all_modes
from worktrial.results.pairing import SamplePair
from worktrial.statistics import Interval, bootstrap
from worktrial.statistics.ratio import ratio
from worktrial.statistics.robustness import CLEAN, FAULTED, Outcomes


@dataclass(frozen=True, slots=True)
class RobustnessChange:
    """R in two runs, over the tasks that both have a verdict for in all four modes."""

    tasks: int
    first: float | None
    """None where nothing passes without faults."""
    second: float | None
    difference: float | None
    """Second minus first."""
    interval: Interval | None
    """From a paired bootstrap over tasks, which looks for the worst mode of each run in every draw."""


def robustness_changes(
    by_condition: Mapping[str, Sequence[SamplePair]], *, confidence: float, seed: int
) -> dict[str, RobustnessChange]:
    """By the setting of count and duration (`3x2`, "") for which both runs tried E0 to E3."""
    sides = [_settings(by_condition, side) for side in ("first", "second")]
    found = {}
    for setting, first_modes in sides[0].items():
        # Only pairs with two verdicts are left, so both sides are about the same tasks and repeats.
        first, second = outcomes_by_task(first_modes), outcomes_by_task(sides[1][setting])
        if first:
            found[setting] = _change(first, second, confidence, seed)
    return found


def _settings(
    by_condition: Mapping[str, Sequence[SamplePair]], side: str
) -> dict[str, dict[str, Sequence[SampleRecord]]]:
    return settings_with_all_modes(
        {name: [getattr(p, side) for p in pairs if p.both_judged] for name, pairs in by_condition.items()}
    )


def _change(
    first: Sequence[Outcomes], second: Sequence[Outcomes], confidence: float, seed: int
) -> RobustnessChange:
    clusters = [
        {f"{side}/{mode}": sum(task[mode]) for side, task in (("first", a), ("second", b)) for mode in task}
        for a, b in zip(first, second, strict=True)
    ]
    total = _figures({key: sum(cluster[key] for cluster in clusters) for key in clusters[0]})
    values = {name: None if isnan(value) else float(value) for name, value in total.items()}
    known = values["difference"] is not None and len(clusters) > 1
    intervals = bootstrap(clusters, _figures, confidence=confidence, seed=seed) if known else {}
    return RobustnessChange(
        len(clusters), values["first"], values["second"], values["difference"], intervals.get("difference")
    )


def _figures(sums: Mapping[str, Any]) -> dict[str, Any]:
    import numpy as np

    worst = {side: np.minimum.reduce([sums[f"{side}/{mode}"] for mode in FAULTED]) for side in ("first", "second")}
    values = {side: ratio(worst[side], sums[f"{side}/{CLEAN}"]) for side in worst}
    return {**values, "difference": values["second"] - values["first"]}
