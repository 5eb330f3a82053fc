"""What a free-running run reached, and how far that is below the same team turn by turn."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

from worktrial.engine.record import SampleRecord
from worktrial.errors import SettingError
from worktrial.grading.orchestration.figures import Sums, ratio
from worktrial.results.orchestration.figures import Estimate, estimates
from worktrial.results.stored import StoredRun
from worktrial.statistics import Interval
from worktrial.statistics.bootstrap import bootstrap_difference

FREE_METRICS = ("completed", "goals", "calls", "plan")
FAILURES = ("plan", "decision", "call", "order")


@dataclass(frozen=True, slots=True)
class FreeFigures:
    """What the teams of one language reached under one condition."""

    language: str
    condition: str
    scenarios: int
    figures: Mapping[str, Estimate]
    """`completed`: scenarios with every goal reached; `goals`: workflows that reached theirs; `calls`: recorded
    calls that were made; `plan`: mean sound score of the plans. All 0-1."""
    first_failures: Mapping[str, int]
    """Kind of the first thing that went wrong (`plan`, `decision`, `call`, `order`) to how often it was that."""
    stuck: int
    """Workflows that could never start: dependencies in a circle, unknown, or failed."""


@dataclass(frozen=True, slots=True)
class CascadeGap:
    """Turn-by-turn minus free-running on the same scenarios: what one's own earlier mistakes cost."""

    language: str
    scenarios: int
    gap: Mapping[str, Estimate]
    """By metric of `FREE_METRICS`; positive where free running reaches less."""


def free_figures(records: Iterable[SampleRecord]) -> list[FreeFigures]:
    """The figures of every language and condition among `records`."""
    groups: dict[tuple[str, str], list[SampleRecord]] = {}
    for record in records:
        if "free" in record.measures:
            groups.setdefault((record.measures["language"], record.condition), []).append(record)
    found = []
    for (language, condition), group in sorted(groups.items()):
        clusters = _clusters(group, "free")
        firsts = [record.measures["free"]["first_failure"] for record in group]
        found.append(
            FreeFigures(
                language=language,
                condition=condition,
                scenarios=len(clusters),
                figures=estimates(list(clusters.values()), _figures),
                first_failures={
                    kind: sum(first is not None and first["kind"] == kind for first in firsts) for kind in FAILURES
                },
                stuck=sum(len(record.measures["free"]["stuck"]) for record in group),
            )
        )
    return found


def cascade_gaps(free: StoredRun, turns: StoredRun) -> list[CascadeGap]:
    """How much less the team reaches on its own than with the recorded history, by language.

    Both sides count goals and plans in the same way, on the scenarios that both have, without faults.

    Raises:
        SettingError: the two runs are not of the same data, or have no scenario in common.
    """
    if free.manifest.data["fingerprint"] != turns.manifest.data["fingerprint"]:
        raise SettingError(f"{turns.folder} is about other data than {free.folder}: the gap would mean nothing")
    gaps = []
    for language in ("EN", "KO"):
        one = _clusters(_of(turns.records, language, "as_free"), "as_free")
        other = _clusters(_of(free.records, language, "free"), "free")
        common = sorted(one.keys() & other.keys())
        if not common:
            continue
        first, second = [one[key] for key in common], [other[key] for key in common]
        keys = first[0].keys() & second[0].keys()
        first = [{key: sums[key] for key in sorted(keys)} for sums in first]
        second = [{key: sums[key] for key in sorted(keys)} for sums in second]
        intervals = bootstrap_difference(first, second, _figures)
        values = _figures(_total(first)), _figures(_total(second))
        gap = {m: _difference(values[0][m] - values[1][m], intervals.get(m)) for m in FREE_METRICS}
        gaps.append(CascadeGap(language, len(common), gap))
    if not gaps:
        raise SettingError(f"{turns.folder} and {free.folder} have no scenario in common that ran without faults")
    return gaps


def _of(records: Iterable[SampleRecord], language: str, part: str) -> list[SampleRecord]:
    return [r for r in records if part in r.measures and r.measures["language"] == language and r.condition == "E0"]


def _clusters(records: Iterable[SampleRecord], part: str) -> dict[str, Mapping[str, float]]:
    """The sums of each scenario, its repeats added."""
    clusters: dict[str, Mapping[str, float]] = {}
    for record in records:
        sums = record.measures[part]["sums"]
        before = clusters.get(record.sample)
        clusters[record.sample] = sums if before is None else {key: before[key] + sums[key] for key in sums}
    return dict(sorted(clusters.items()))


def _figures(sums: Sums) -> dict[str, float]:
    return {
        "completed": ratio(sums["completed"], sums["scenarios"]),
        "goals": ratio(sums["goals_reached"], sums["goals"]),
        "calls": ratio(sums["calls_matched"], sums["gold_calls"]),
        "plan": ratio(sums["plan_sum"], sums["plans"]),
    }


def _difference(value: float, interval: Interval | None) -> Estimate:
    return Estimate(None) if isnan(value) else Estimate(value, interval)


def _total(clusters: Sequence[Sums]) -> dict[str, float]:
    return {key: sum(cluster[key] for cluster in clusters) for key in clusters[0]}
