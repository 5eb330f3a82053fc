"""Several simulators, the same agents: do they tell the same story?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from worktrial.engine.identity import comparable
from worktrial.engine.record import CLEAN, SampleRecord
from worktrial.engine.stored import StoredRun, open_run
from worktrial.errors import SettingError, option
from worktrial.grading import Outcome
from worktrial.statistics.order import OrderAgreement, order_agreement

Outcomes = Mapping[tuple[str, int], bool | None]
"""(sample, repeat) to whether it passed; None for an invalid one."""


@dataclass(frozen=True, slots=True)
class TaskFlip:
    """A task that comes out differently under two simulators."""

    sample: str
    passed_first: int
    """Agents (and repeats) that pass it under the first simulator only."""
    passed_second: int


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Two simulators, compared."""

    first: str
    second: str
    order: OrderAgreement
    compared: int
    """Samples, over all agents, with a verdict under both."""
    flips: tuple[TaskFlip, ...]
    """Tasks with any flip, the most flipped first."""

    @property
    def flipped(self) -> int:
        """Samples whose verdicts differ."""
        return sum(flip.passed_first + flip.passed_second for flip in self.flips)


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Several simulators on the same agents and tasks."""

    agents: tuple[str, ...]
    simulators: tuple[str, ...]
    samples: int
    """Samples of each agent that all runs share."""
    rates: Mapping[tuple[str, str], float]
    """(simulator, agent) to completion rate over the shared samples; an invalid one counts as not passed."""
    pairs: tuple[PairAgreement, ...]
    left_out: int
    """Samples of the largest run that not all runs have."""
    not_comparable: tuple[str, ...] = ()
    """Differences beside agent and simulator; the comparison was forced in spite of them."""


def agreement_report(folders: Sequence[Path], condition: str = CLEAN, *, force: bool = False) -> AgreementReport:
    """Compare simulators over stored runs, one run for each simulator and agent.

    Args:
        folders: The runs.
        condition: Compare the samples of this fault condition.
        force: Compare runs that are not comparable, too; the report is labelled so.

    Raises:
        SettingError: an agent has no run under some simulator, or two under one; there are fewer than two
            simulators or two agents; the runs share no sample; or, unless forced, they differ in suite, data,
            judge or faults.
        DataError: a folder holds no run.
    """
    runs: dict[tuple[str, str], StoredRun] = {}
    for folder in folders:
        run = open_run(folder)
        key = _simulator(run), _agent(run)
        if key in runs:
            both = f"{runs[key].folder} and {folder}"
            raise SettingError(f"{both}: both are agent {key[1]} under simulator {key[0]}; name one of them")
        runs[key] = run
    differences = _beside_simulator(list(runs.values()))
    if differences and not force:
        raise SettingError(
            f"{differences[0]}; only agent and simulator may differ ({option('force')} compares all the same)"
        )
    simulators = tuple(dict.fromkeys(simulator for simulator, _ in runs))
    agents = tuple(dict.fromkeys(agent for _, agent in runs))
    for what, found in (("simulators", simulators), ("agents", agents)):
        if len(found) < 2:
            raise SettingError(f"these runs have one of the {what} only ({found[0]}); an order needs two or more")
    if missing := [f"{a} under {s}" for s in simulators for a in agents if (s, a) not in runs]:
        raise SettingError(f"no run of {', '.join(missing)}; every agent needs a run under every simulator")
    outcomes = {key: _outcomes(run, condition) for key, run in runs.items()}
    shared = set.intersection(*(set(found) for found in outcomes.values()))
    if not shared:
        raise SettingError(f"these runs have no sample of condition {condition} in common")
    common = {key: {k: v for k, v in found.items() if k in shared} for key, found in outcomes.items()}
    rates = {key: sum(v is True for v in found.values()) / len(shared) for key, found in common.items()}
    return AgreementReport(
        agents=agents,
        simulators=simulators,
        samples=len(shared),
        rates=rates,
        pairs=tuple(_pair(a, b, agents, rates, common) for a, b in combinations(simulators, 2)),
        left_out=max(len(found) for found in outcomes.values()) - len(shared),
        not_comparable=differences,
    )


def _beside_simulator(runs: Sequence[StoredRun]) -> tuple[str, ...]:
    """Differences of the runs other than agent and simulator; with any, they say nothing about the simulators."""
    first, *others = runs
    return tuple(
        f"{first.folder} and {run.folder} differ in their {difference.what.partition('.')[0]} ({difference})"
        for run in others
        for difference in comparable(first.manifest, run.manifest)
        if not difference.what.startswith("simulator")
    )


def _pair(
    first: str,
    second: str,
    agents: Sequence[str],
    rates: Mapping[tuple[str, str], float],
    outcomes: Mapping[tuple[str, str], Outcomes],
) -> PairAgreement:
    compared = 0
    flips: dict[str, list[int]] = {}
    for agent in agents:
        one, other = outcomes[first, agent], outcomes[second, agent]
        for key, passed in one.items():
            if passed is None or other[key] is None:
                continue
            compared += 1
            if passed is not other[key]:
                counts = flips.setdefault(key[0], [0, 0])
                counts[0 if passed else 1] += 1
    ranked = sorted((TaskFlip(sample, *counts) for sample, counts in flips.items()), key=_most_flipped)
    order = order_agreement({a: rates[first, a] for a in agents}, {a: rates[second, a] for a in agents})
    return PairAgreement(first, second, order, compared, tuple(ranked))


def _most_flipped(flip: TaskFlip) -> tuple[int, str]:
    return -(flip.passed_first + flip.passed_second), flip.sample


def _outcomes(run: StoredRun, condition: str) -> Outcomes:
    return {(r.sample, r.repeat): _passed(r) for r in run.records if r.condition == condition}


def _passed(record: SampleRecord) -> bool | None:
    return None if record.outcome is Outcome.INVALID else record.outcome is Outcome.PASS


def _agent(run: StoredRun) -> str:
    """The agent with the settings that make it another one."""
    settings = run.manifest.settings
    role = settings.get("roles", {}).get("agent", {})
    parts = [str(settings.get("agent", "?"))]
    parts += [f"{name} {role[name]}" for name in ("effort", "temperature") if role.get(name) is not None]
    return ", ".join(parts)


def _simulator(run: StoredRun) -> str:
    settings = run.manifest.settings
    role = settings.get("roles", {}).get("simulator")
    if role is None:
        return "executable"
    parts = [str(role["model"]), str(settings.get("memory", "history"))]
    if settings.get("simulator_prompt", "full") != "full":
        parts.append(str(settings["simulator_prompt"]))
    return ", ".join(parts)
