"""Recommendation whom to hire, and how sure that is."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from worktrial.engine.record import Key
from worktrial.engine.stored import StoredRun
from worktrial.results.boards.shared import Basis, SharedSamples
from worktrial.results.comparison.outcomes import paired_table, paired_test
from worktrial.results.conditions import cluster_by
from worktrial.results.estimates import Estimate, completion_estimate
from worktrial.results.pairing import pair_runs
from worktrial.statistics import holm


@dataclass(frozen=True, slots=True)
class Contest:
    """Two agents on the tasks on which both have a verdict."""

    only_first: int
    """Samples that only the first passed."""
    only_second: int
    tasks: int
    left_out: int
    """Samples without two verdicts, or under other faults in the one run than in the other."""
    p: float
    """Two-sided, as a comparison of the two runs has it; of this test alone."""
    least_p: float
    """The smallest p that any outcome on so many tasks and scenarios could give."""


def contest(first: StoredRun, second: StoredRun, keys: Container[Key]) -> Contest:
    """The paired test of two runs, by the samples with `keys` only."""
    pairs = [pair for pair in pair_runs(first, second).pairs if pair.first.key in keys]
    counted = [pair for pair in pairs if pair.both_judged and pair.same_faults]
    cluster_of = cluster_by(pair.first for pair in counted)
    table, test = paired_table(counted), paired_test(counted)
    return Contest(
        only_first=table.only_first,
        only_second=table.only_second,
        tasks=len({pair.first.sample for pair in counted}),
        left_out=len(pairs) - len(counted),
        p=1.0 if test is None else test.p,
        # When every task, or scenario, goes to the same agent.
        least_p=min(1.0, 2 * 0.5 ** len({cluster_of(pair.first) for pair in counted})),
    )


LEVEL = 0.05


class HireConclusion(StrEnum):
    """Conclusion of the tests about the best agent."""

    ALONE = "alone"  # fewer than two agents to compare
    NOTHING_SHARED = "nothing shared"  # no task that all have
    NOTHING_PASSED = "nothing passed"
    TOO_FEW = "too few"  # with so many tasks no outcome could have been significant
    NO_DIFFERENCE = "no difference"  # from any of the others
    AMONG = "among"  # better than some
    CLEAR = "clear"  # better than all others


@dataclass(frozen=True, slots=True)
class Contender:
    """One agent on the tasks that all have."""

    run: StoredRun
    passed: int
    samples: int
    rate: Estimate
    """Share of all samples that passed; an invalid one counts as not passed."""
    cost: float | None
    """US dollars per sample, on the recommendation's basis; None where that is not known."""
    against_best: Contest | None
    """The best as the first, this one as the second; None for the best itself."""
    p: float | None
    """P value of that contest, after Holm's correction for all comparisons that might have been made."""
    is_equal: bool
    """Whether it is not significantly different from the best, which is its own equal."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """Recommendation for one group of agents."""

    finding: HireConclusion
    contenders: tuple[Contender, ...]
    """The best first; of equal rates the cheaper one."""
    hire: StoredRun | None
    """The best where it is clearly that. Else the cheapest of those that cost significantly less and that nothing
    tells from it: no test, corrected or not, nor the interval of `behind`; the best where there is none. None where
    the costs are unknown. Correcting makes it harder to be called worse; that alone is no reason to be hired."""
    behind: Estimate | None
    """The share of passes of the best minus that of `hire`, with a paired interval; None where it is the best."""
    basis: Basis | None
    left_out: tuple[StoredRun, ...]
    """Runs with less than half of the tasks of the largest: they would shrink the common tasks for all."""
    not_shared: int
    """Samples of the largest run that not all contenders have."""

    @property
    def equals(self) -> list[Contender]:
        """The best and those not significantly different from it."""
        return [contender for contender in self.contenders if contender.is_equal]


def recommend(runs: Sequence[StoredRun], condition: str) -> Recommendation:
    """Recommend one of the agents of a group (`groups`), by the samples under one condition.

    The best by completion on the tasks that all have is tested against each of the others. It became the best
    only by looking, so that any pair of agents might have been compared: Holm's correction is for all pairs.
    """
    return _recommend(runs, {None: SharedSamples(runs, condition)})[None]


def recommend_by(runs: Sequence[StoredRun], condition: str, tag: str = "category") -> dict[str, Recommendation]:
    """Recommend an agent for every value of `tag`; corrected for all pairs of agents in all of them together."""
    values = {str(r.tags[tag]) for run in runs for r in run.records if tag in r.tags and r.condition == condition}
    found = _recommend(runs, {value: SharedSamples(runs, condition, tag, value) for value in sorted(values)})
    return {str(value): recommendation for value, recommendation in found.items()}


def _recommend(
    runs: Sequence[StoredRun], scopes: Mapping[str | None, SharedSamples]
) -> dict[str | None, Recommendation]:
    """The recommendation in every scope; all scopes are one family of comparisons."""
    tested = {name: samples for name, samples in scopes.items() if _problem(samples) is None}
    family = sum(len(s.runs) * (len(s.runs) - 1) // 2 for s in tested.values())
    contests = {name: _contests(samples) for name, samples in tested.items()}
    listed = [found.p for of_scope in contests.values() for found in of_scope.values()]
    # Pairs without the best were not tested, and count as if they had shown nothing.
    adjusted = iter(holm([*listed, *[1.0] * (family - len(listed))]))
    # The kindest factor that Holm could apply to any one of them.
    factor = family - len(listed) + 1
    return {
        name: _tested(samples, contests[name], [next(adjusted) for _ in contests[name]], factor)
        if name in tested
        else _untested(samples)
        for name, samples in scopes.items()
    }


def _contests(samples: SharedSamples) -> dict[int, Contest]:
    """Position of each other agent to its contest with the best."""
    best = samples.ranking[0]
    return {n: contest(samples.runs[best], run, samples.keys) for n, run in enumerate(samples.runs) if n != best}


def _tested(
    samples: SharedSamples, contests: Mapping[int, Contest], ps: Sequence[float], factor: int
) -> Recommendation:
    order = samples.ranking
    p_of = dict(zip(contests, ps, strict=True))
    equals = [n for n in order if n == order[0] or p_of[n] > LEVEL]
    could = any(factor * found.least_p <= LEVEL for found in contests.values())
    finding = (
        HireConclusion.CLEAR
        if len(equals) == 1
        else HireConclusion.TOO_FEW
        if not could
        else HireConclusion.NO_DIFFERENCE
        if len(equals) == len(order)
        else HireConclusion.AMONG
    )
    close = [n for n in equals if n == order[0] or contests[n].p > LEVEL]
    costs, basis = samples.costs(order)
    if basis is None:
        costs, basis = samples.costs(close)
    hire, behind = (order[0] if finding is HireConclusion.CLEAR else None), None
    if finding in (HireConclusion.NO_DIFFERENCE, HireConclusion.AMONG) and basis is not None:
        hire, behind = _cheapest(samples, sorted(close, key=costs.__getitem__), order[0], basis)
    return Recommendation(
        finding=finding,
        contenders=tuple(
            Contender(
                run=samples.runs[n],
                passed=samples.passed(n),
                samples=len(samples.records[n]),
                rate=completion_estimate(samples.records[n]),
                cost=costs.get(n),
                against_best=contests.get(n),
                p=p_of.get(n),
                is_equal=n in equals,
            )
            for n in order
        ),
        hire=None if hire is None else samples.runs[hire],
        behind=behind,
        basis=basis,
        left_out=samples.left_out,
        not_shared=samples.not_shared,
    )


def _cheapest(
    samples: SharedSamples, by_cost: Sequence[int], best: int, basis: Basis
) -> tuple[int, Estimate | None]:
    """The first whose shortfall might be none and whose saving is more than chance."""
    for n in by_cost:
        if n == best:
            break
        behind, saving = samples.trade(best, n, basis)
        if behind.interval is None or saving.interval is None:
            continue
        if behind.interval.low <= 0 < saving.interval.low:
            return n, behind
    return best, None


def _untested(samples: SharedSamples) -> Recommendation:
    finding = _problem(samples) or HireConclusion.ALONE
    return Recommendation(finding, (), None, None, None, samples.left_out, samples.not_shared)


def _problem(samples: SharedSamples) -> HireConclusion | None:
    """Why there is nothing to test."""
    if len(samples.runs) < 2:
        return HireConclusion.ALONE
    if not samples.keys:
        return HireConclusion.NOTHING_SHARED
    if not any(samples.passed(n) for n in range(len(samples.runs))):
        return HireConclusion.NOTHING_PASSED
    return None
