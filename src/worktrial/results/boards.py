"""Runs side by side: who may be ranked with whom, what faults take from each, and what money buys."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worktrial.engine.identity import comparable
from worktrial.engine.pairing import SamplePair
from worktrial.engine.record import CLEAN
from worktrial.engine.roles import Role
from worktrial.engine.stored import StoredRun
from worktrial.grading import Outcome
from worktrial.language import JsonObject
from worktrial.results.completion import paired_tries
from worktrial.results.conclusion import is_reference
from worktrial.results.conditions import by_condition
from worktrial.results.figure import figures_of
from worktrial.statistics import Estimate, Figure, difference
from worktrial.suite import is_audit

_ANSWERED = "answered"
# As endpoints name them, from little to much; what they leave to themselves comes first.
_EFFORTS = ("", "none", "minimal", "low", "medium", "high", "xhigh", "max")


def groups(runs: Sequence[StoredRun]) -> list[list[StoredRun]]:
    """The runs that may be ranked with each other, in the order in which they are named.

    Groups of one suite follow each other. Audits are left out: they say nothing about an agent.
    """
    found: list[list[StoredRun]] = []
    for run in runs:
        if is_audit(run.manifest):
            continue
        for group in found:
            if not any(comparable(other.manifest, run.manifest) for other in group):
                group.append(run)
                break
        else:
            found.append([run])
    suites = list(dict.fromkeys(group[0].manifest.suite for group in found))
    return sorted(found, key=lambda group: suites.index(group[0].manifest.suite))


@dataclass(frozen=True, slots=True)
class FaultLoss:
    """Completion under one faulted condition beside that without faults."""

    condition: str
    left: Figure
    """Share of all samples under the condition that passed."""
    change: Estimate | None
    """Faulted minus clean on work like this, at 95 %, over the samples with two verdicts. None without one."""


def fault_losses(run: StoredRun) -> list[FaultLoss]:
    """The loss under every faulted condition of `run`, the greatest first; [] without faults."""
    conditions = by_condition(run.records)
    clean = {(record.sample, record.repeat): record for record in conditions.get(CLEAN, [])}
    found = []
    for name, records in conditions.items():
        if name == CLEAN:
            continue
        pairs = [SamplePair(clean[key], one) for one in records if (key := (one.sample, one.repeat)) in clean]
        judged = [pair for pair in pairs if pair.both_judged]
        change = difference(paired_tries(judged)) if judged else None
        found.append(FaultLoss(name, figures_of(run).get("completion", name), change))
    return sorted(found, key=lambda loss: loss.change.value if loss.change is not None else float("inf"))


@dataclass(frozen=True, slots=True)
class Broken:
    """Samples of one condition that did not end with an answer."""

    samples: int
    stopped: Mapping[str, int]
    """Reason for which the work ended to the samples that failed by it, the most frequent first."""
    invalid: Mapping[str, int]
    """Kind of reason to the samples without a verdict, the most frequent first."""


def broken_off(run: StoredRun, condition: str) -> Broken:
    """The samples of `run` under `condition` whose work ended otherwise than by an answer."""
    records = [record for record in run.records if record.condition == condition]
    stopped = Counter(
        record.stop_reason
        for record in records
        if record.outcome is Outcome.FAIL and record.stop_reason not in (None, _ANSWERED)
    )
    invalid = Counter(r.reason.partition(":")[0] for r in records if r.outcome is Outcome.INVALID)
    named = {name: n for name, n in stopped.most_common() if name is not None}
    return Broken(len(records), named, dict(invalid.most_common()))


@dataclass(frozen=True, slots=True)
class Sweep:
    """One agent, tried with several reasoning efforts."""

    agent: str
    runs: tuple[tuple[str, StoredRun], ...]
    """Effort ("" where it was left to the endpoint) and the run, from little to much."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Completion and cost of an agent."""

    run: StoredRun
    completion: Figure
    cost: float
    """US dollars per task."""
    efficient: bool
    """No other offer completes at least as much for at most the cost, and is better in one of the two."""


def sweeps(runs: Sequence[StoredRun]) -> list[Sweep]:
    """The agents of one group (`groups`) that were tried with more than one effort."""
    found: list[tuple[JsonObject, list[tuple[str, StoredRun]]]] = []
    for run in runs:
        role = run.manifest.settings.get("roles", {}).get(Role.AGENT.value)
        if role is None:
            continue
        same = _but_effort(run, role)
        effort = str(role.get("effort") or "")
        for agent, tried in found:
            if agent == same:
                tried.append((effort, run))
                break
        else:
            found.append((same, [(effort, run)]))
    return [
        Sweep(str(agent["role"].get("model", "?")), tuple(sorted(tried, key=lambda one: _place(one[0]))))
        for agent, tried in found
        if len({effort for effort, _ in tried}) > 1
    ]


def offers(runs: Sequence[StoredRun], condition: str) -> tuple[list[Offer], str]:
    """Completion against cost of the runs whose cost is known, and the name of the figure that it is.

    It is the cost of the agents' own requests where that is known of as many runs as the cost of the whole trial.
    Reference agents need no model and make no offer.
    """
    agents = [run for run in runs if not is_reference(run)]
    known = {
        name: [run for run in agents if figures_of(run).get(name, condition).value is not None]
        for name in ("agent_cost_per_task", "cost_per_task")
    }
    basis = max(known, key=lambda name: len(known[name]))
    told = [(run, figures_of(run).get("completion", condition)) for run in known[basis]]
    points = [(figures_of(run).get(basis, condition).value or 0.0, done.value or 0.0) for run, done in told]
    return [
        Offer(run, done, point[0], not any(_beats(other, point) for other in points))
        for (run, done), point in zip(told, points, strict=True)
    ], basis


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[0] and one[1] >= other[1] and one != other


def _but_effort(run: StoredRun, role: JsonObject) -> JsonObject:
    settings = run.manifest.settings
    return {
        "agent": settings.get("agent"),
        "role": {name: value for name, value in role.items() if name != "effort"},
        "limits": settings.get("limits"),
    }


def _place(effort: str) -> tuple[int, str]:
    return (_EFFORTS.index(effort) if effort in _EFFORTS else len(_EFFORTS)), effort
