"""Planning and execution apart: how far a good plan, a right decision and a completed scenario go together."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from statistics import fmean

from worktrial.engine.record import CLEAN, SampleRecord
from worktrial.language import JsonObject
from worktrial.statistics import quotient
from worktrial.statistics.correlation import FEWEST, Correlation, drawn_correlation, fisher_correlation
from worktrial.suites.orchestration.scoring.figures import Sums, decision_score

EXECUTION = {
    "plan": "Plan",
    "call_refuse": "Call/refuse",
    "steps": "Steps right",
    "completed": "Scenarios completed",
}
"""Figures of a scenario by name: `call_refuse` turn by turn, `steps` (recorded calls and refusals that were met)
where a team runs free."""

Couple = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ScenarioCorrelations:
    """Correlations over the scenarios of one language, worked in one way, without faults."""

    language: str
    free: bool
    """Whether the team ran free; else turn by turn."""
    couples: Mapping[Couple, Correlation]
    """Correlation of each two figures of a scenario, its repeats added."""


def scenario_correlations(records: Iterable[SampleRecord]) -> list[ScenarioCorrelations]:
    """The correlations of every language among `records`, turn by turn first."""
    return [
        ScenarioCorrelations(
            language,
            free,
            {
                couple: drawn_correlation(*_both(list(scenarios.values()), couple))
                for couple in combinations([name for name in EXECUTION if name in _names(free)], 2)
            },
        )
        for (free, language), scenarios in sorted(_scenarios(records).items())
    ]


@dataclass(frozen=True, slots=True)
class AgentCorrelations:
    """Correlations over agents: whether those that plan better also execute better."""

    language: str
    free: bool
    couples: Mapping[Couple, Correlation]


def agent_correlations(runs: Iterable[tuple[str, Sequence[SampleRecord]]]) -> list[AgentCorrelations]:
    """The correlations over the agents of several runs, on the scenarios that all of them have.

    Args:
        runs: Of each run its agent and records. The runs of one agent are one unit: their means.

    Returns:
        Those of every language with at least four agents.
    """
    worked: dict[tuple[bool, str], dict[str, list[dict[str, Mapping[str, float]]]]] = {}
    for agent, records in runs:
        for group, scenarios in _scenarios(records).items():
            worked.setdefault(group, {}).setdefault(agent, []).append(scenarios)
    found = []
    for (free, language), agents in sorted(worked.items()):
        common = set.intersection(*(set(one) for several in agents.values() for one in several))
        if len(agents) < FEWEST or not common:
            continue
        units = [_mean([one[key] for one in several for key in sorted(common)]) for several in agents.values()]
        names = [name for name in EXECUTION if name in _names(free)]
        couples = {couple: fisher_correlation(*_both(units, couple)) for couple in combinations(names, 2)}
        found.append(AgentCorrelations(language, free, couples))
    return found


def _names(free: bool) -> tuple[str, ...]:
    return ("plan", "steps", "completed") if free else ("plan", "call_refuse", "completed")


def _both(units: Sequence[Mapping[str, float]], couple: Couple) -> tuple[list[float], list[float]]:
    """Two figures of all units that have both: a scenario without a gold plan has no figure for plans."""
    known = [unit for unit in units if not any(isnan(unit[name]) for name in couple)]
    return [unit[couple[0]] for unit in known], [unit[couple[1]] for unit in known]


def _mean(units: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each figure over the units that have it."""
    means = {}
    for name in units[0]:
        known = [unit[name] for unit in units if not isnan(unit[name])]
        means[name] = fmean(known) if known else float("nan")
    return means


def _scenarios(records: Iterable[SampleRecord]) -> dict[tuple[bool, str], dict[str, Mapping[str, float]]]:
    """Figures of each scenario, its repeats added, by way of working and language."""
    added: dict[tuple[bool, str], dict[str, dict[str, float]]] = {}
    for record in records:
        free = "free" in record.measures
        if record.condition != CLEAN or not (free or "as_free" in record.measures):
            continue
        scenarios = added.setdefault((free, record.measures["language"]), {})
        sums = _sums(record.measures, free)
        before = scenarios.get(record.sample)
        scenarios[record.sample] = {key: value + (before[key] if before else 0.0) for key, value in sums.items()}
    figures: Mapping[bool, Callable[[Sums], dict[str, float]]] = {True: _free, False: _turns}
    return {
        (free, language): {sample: figures[free](sums) for sample, sums in sorted(scenarios.items())}
        for (free, language), scenarios in added.items()
    }


def _sums(measures: JsonObject, free: bool) -> dict[str, float]:
    if free:
        return dict(measures["free"]["sums"])
    goals = measures["as_free"]["sums"]
    own = measures["ours"]["sums"]
    return {**own, "scenarios": goals["scenarios"], "completed": goals["completed"]}


def _turns(sums: Sums) -> dict[str, float]:
    return {
        "plan": quotient(sums["plan"], sums["plan_steps"]),
        "call_refuse": decision_score(sums),
        "completed": quotient(sums["completed"], sums["scenarios"]),
    }


def _free(sums: Sums) -> dict[str, float]:
    return {
        "plan": quotient(sums["plan_sum"], sums["plans"]),
        "steps": quotient(sums["steps_right"], sums["steps"]),
        "completed": quotient(sums["completed"], sums["scenarios"]),
    }
