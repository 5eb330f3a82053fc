"""Figures of a free-running run, and how far they are below the same team turn by turn."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from worktrial.engine.record import CLEAN, SampleRecord
from worktrial.engine.roles import Role
from worktrial.engine.stored import StoredRun
from worktrial.errors import SettingError, option
from worktrial.statistics import Figure, change_intervals, quotient
from worktrial.suites.orchestration.figures.turns import estimates, figure_of
from worktrial.suites.orchestration.scoring.figures import Sums

FREE_TITLES = {
    "completed": "Scenarios completed",
    "goals": "Goals reached",
    "calls": "Recorded calls made",
    "plan": "Plan",
}
FREE_METRICS = tuple(FREE_TITLES)
FAILURES = ("plan", "decision", "call", "order")


@dataclass(frozen=True, slots=True)
class FreeFigures:
    """Figures of the teams of one language under one condition."""

    language: str
    condition: str
    scenarios: int
    figures: Mapping[str, Figure]
    """`completed`: scenarios with every goal reached; `goals`: workflows that reached theirs; `calls`: recorded
    calls that were made; `plan`: mean of our score of the plans. All 0-1."""
    first_failures: Mapping[str, int]
    """Kind of the first thing that went wrong (`plan`, `decision`, `call`, `order`) to how often it was that."""
    stuck: int
    """Workflows that could never start: dependencies in a circle, unknown, or failed."""


@dataclass(frozen=True, slots=True)
class CascadeGap:
    """Turn-by-turn minus free-running on the same scenarios: what one's own earlier mistakes cost."""

    language: str
    scenarios: int
    gap: Mapping[str, Figure]
    """Differences by metric of `FREE_METRICS`; positive where free running reaches less."""


def free_figures(records: Iterable[SampleRecord]) -> list[FreeFigures]:
    """The figures of every language and condition among `records`."""
    groups: dict[tuple[str, str], list[SampleRecord]] = {}
    for record in records:
        if "free" in record.measures:
            groups.setdefault((record.measures["language"], record.condition), []).append(record)
    found = []
    for (language, condition), group in sorted(groups.items()):
        clusters = free_clusters(group, "free")
        firsts = [record.measures["free"]["first_failure"] for record in group]
        found.append(
            FreeFigures(
                language=language,
                condition=condition,
                scenarios=len(clusters),
                figures=estimates(list(clusters.values()), free_rates),
                first_failures={
                    kind: sum(first is not None and first["kind"] == kind for first in firsts) for kind in FAILURES
                },
                stuck=sum(len(record.measures["free"]["stuck"]) for record in group),
            )
        )
    return found


def cascade_gaps(free: StoredRun, turns: StoredRun) -> list[CascadeGap]:
    """Measure how much less the team reaches on its own than with the recorded history, by language.

    Both sides count goals and plans in the same way, on the scenarios that both have, without faults.

    Raises:
        SettingError: see `refuse_as_turns`.
    """
    done = {record.sample for record in free.records if "free" in record.measures and record.condition == CLEAN}
    refuse_as_turns(turns, free.manifest.data["fingerprint"], done)
    gaps = []
    for language in ("EN", "KO"):
        one = free_clusters(_of(turns.records, language, "as_free"), "as_free")
        other = free_clusters(_of(free.records, language, "free"), "free")
        common = sorted(one.keys() & other.keys())
        if not common:
            continue
        first, second = [one[key] for key in common], [other[key] for key in common]
        keys = first[0].keys() & second[0].keys()
        first = [{key: sums[key] for key in sorted(keys)} for sums in first]
        second = [{key: sums[key] for key in sorted(keys)} for sums in second]
        intervals = change_intervals(second, first, free_rates)
        values = free_rates(_total(first)), free_rates(_total(second))
        gap = {m: figure_of(m, values[0][m] - values[1][m], intervals.get(m), len(common)) for m in FREE_METRICS}
        gaps.append(CascadeGap(language, len(common), gap))
    return gaps


def refuse_as_turns(turns: StoredRun, fingerprint: str, samples: Collection[str]) -> None:
    """Refuse a run beside which a free-running one has no cascade gap.

    Args:
        turns: What was named as the turn-by-turn run.
        fingerprint: Of the free run's data.
        samples: The scenarios that run free without faults.

    Raises:
        SettingError: it is no turn-by-turn run, is about other data, or has no scenario in common.
    """
    of_suite, mode = turns.manifest.suite == "orchestration", turns.manifest.settings.get("mode")
    if not of_suite or mode != "turns":
        what = (
            f"an orchestration run with {option('mode')} {mode}"
            if of_suite
            else f"of the suite {turns.manifest.suite}"
        )
        raise SettingError(
            f"{option('turns_run')} {turns.folder}: is {what}, not a turn-by-turn run of orchestration"
        )
    if turns.manifest.data["fingerprint"] != fingerprint:
        raise SettingError(
            f"{option('turns_run')} {turns.folder}: is about other data (or other gold steps), "
            "so the gap would mean nothing"
        )
    if not samples:
        raise SettingError(
            f"{option('turns_run')}: the gap is one without faults, and nothing runs free without faults (E0)"
        )
    if samples and not {r.sample for r in turns.records if "as_free" in r.measures} & set(samples):
        raise SettingError(f"{option('turns_run')} {turns.folder}: has no scenario in common with what runs free")


def differences(free: StoredRun, turns: StoredRun) -> list[str]:
    """Settings beside the mode in which the two runs differ, so that the gap is not of the mode alone."""
    names = ("agent", "sub_agent", "judges", "cards")
    found = [name for name in names if free.manifest.settings.get(name) != turns.manifest.settings.get(name)]
    roles, others = (run.manifest.settings.get("roles", {}) for run in (free, turns))
    # Only turn by turn nobody plays the world.
    seats = [s for s in {**roles, **others} if s != Role.SIMULATOR and roles.get(s) != others.get(s)]
    return [*found, *(f"settings of {seat}" for seat in seats)]


def _of(records: Iterable[SampleRecord], language: str, part: str) -> list[SampleRecord]:
    clean = [record for record in records if part in record.measures and record.condition == CLEAN]
    return [record for record in clean if record.measures["language"] == language]


def free_clusters(records: Iterable[SampleRecord], part: str) -> dict[str, Mapping[str, float]]:
    """The sums of each scenario in `part` of the measures (`free`, `as_free`), its repeats added."""
    clusters: dict[str, Mapping[str, float]] = {}
    for record in records:
        sums = record.measures[part]["sums"]
        before = clusters.get(record.sample)
        clusters[record.sample] = sums if before is None else {key: before[key] + sums[key] for key in sums}
    return dict(sorted(clusters.items()))


def free_rates(sums: Sums) -> dict[str, float]:
    """The figures (`FREE_METRICS`) from added sums."""
    return {
        "completed": quotient(sums["completed"], sums["scenarios"]),
        "goals": quotient(sums["goals_reached"], sums["goals"]),
        "calls": quotient(sums["calls_matched"], sums["gold_calls"]),
        "plan": quotient(sums["plan_sum"], sums["plans"]),
    }


def _total(clusters: Sequence[Sums]) -> dict[str, float]:
    return {key: sum(cluster[key] for cluster in clusters) for key in clusters[0]}
